"""What the memory and the arithmetic of a device allow, at the rates that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from torch import Tensor, nn

from benchmarks.on_device import Line, timed

FLOATS = 4
COPIED = 1 << 30
MATRIX = 8192
REPEATS = 10
KINDS = (("fp32", torch.float32, False), ("tf32", torch.float32, True), ("fp16", torch.float16, False))
"""Numbers in matrix products, and whether single ones may be rounded for tensor cores."""
BLOCK_SHARE = 1 / 8
"""Features that a reflected move changes."""


def floors_of(network: nn.Module, features: int, moves: float, device: torch.device) -> Iterator[Line]:
    """Seconds of a ball that takes so many moves of a particle, if nothing else took any."""
    work = _arithmetic(network)
    first = next(layer for layer in network.modules() if isinstance(layer, nn.Linear))
    less = work - 2 * first.weight.numel() * (1 - BLOCK_SHARE)
    bandwidth = _copied(device)
    for share, what in ((1.0, "all features"), (BLOCK_SHARE, "an eighth of the features")):
        moved = 2 * FLOATS * features * share
        note = f"{moved:.0f} bytes a move at {bandwidth / 1e12:.3g} TB/s"
        yield Line(f"floor of memory, {what} read and written", moves * moved / bandwidth, bandwidth / moved, note=note)
    for name, rate in _rates(device):
        for count, what in ((work, "whole forward"), (less, "an eighth of the first layer")):
            note = f"{count:,.0f} operations a move at {rate / 1e12:.3g} T/s"
            yield Line(f"floor of arithmetic, {name}, {what}", moves * count / rate, rate / count, note=note)


def _arithmetic(network: nn.Module) -> float:
    """Operations of one forward pass through linear layers."""
    return float(sum(2 * layer.weight.numel() for layer in network.modules() if isinstance(layer, nn.Linear)))


def _copied(device: torch.device) -> float:
    """Bytes read and written in a second."""
    source = torch.empty(COPIED if device.type == "cuda" else COPIED >> 5, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    target.copy_(source)
    took, _ = timed(lambda: [target.copy_(source) for _ in range(REPEATS)], device)
    return 2 * source.numel() * REPEATS / took


def _rates(device: torch.device) -> Iterator[tuple[str, float]]:
    """Operations in a second of matrix products."""
    size = MATRIX if device.type == "cuda" else MATRIX >> 3
    before = torch.backends.cuda.matmul.allow_tf32
    for name, kind, allowed in KINDS:
        torch.backends.cuda.matmul.allow_tf32 = allowed
        matrix = torch.randn(size, size, device=device).to(kind)
        _powers(matrix)
        took, _ = timed(partial(_powers, matrix), device)
        yield name, 2 * size**3 * REPEATS / took
    torch.backends.cuda.matmul.allow_tf32 = before


def _powers(matrix: Tensor) -> None:
    for _ in range(REPEATS):
        matrix @ matrix
