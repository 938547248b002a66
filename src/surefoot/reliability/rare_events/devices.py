"""Arrays in memory or on a device, behind the few operations that numpy and torch name differently."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from surefoot.core import SurefootError, validate
from surefoot.core.errors import is_memory_error

Array = Any
"""An array of numpy or a tensor of torch."""
Stream = Any
"""A source of random numbers; each ball has its own."""


class Arrays(Protocol):
    """Where the numbers live."""

    @property
    def xp(self) -> Any:
        """The module whose functions work on them."""
        ...

    def of(self, values: Any) -> Array:
        """Real numbers of this kind."""
        ...

    def host(self, array: Array) -> np.ndarray:
        """As an array of numpy."""
        ...

    def whole(self, values: Any) -> Array:
        """Whole numbers."""
        ...

    def flags(self, values: Any) -> Array:
        """Truth values."""
        ...

    def stream(self, seed: Sequence[int]) -> Stream:
        """Random numbers of one ball."""
        ...

    def uniforms(self, streams: Sequence[Stream], *shape: int) -> Array:
        """Numbers between 0 and 1, a block for each stream."""
        ...

    def ordered(self, values: Array) -> Array:
        """Each row from its smallest to its largest."""
        ...

    def survivors_first(self, survives: Array) -> Array:
        """Columns of each row with those that survive before the others, in their order."""
        ...

    def picked(self, values: Array, columns: Array) -> Array:
        """From each row the columns named in the same row."""
        ...

    def features(self, values: Array, chosen: Array) -> Array:
        """Some of the last axis."""
        ...

    def tallied(self, groups: Array, counted: Array) -> Array:
        """How many columns of each row are counted in each group."""
        ...


@dataclass(frozen=True)
class Host:
    """Arrays of numpy."""

    dtype: Any = np.float64

    @property
    def xp(self) -> Any:
        """The module numpy."""
        return np

    def of(self, values: Any) -> Array:
        return np.asarray(values, self.dtype)

    def host(self, array: Array) -> np.ndarray:
        return np.asarray(array)

    def whole(self, values: Any) -> Array:
        return np.asarray(values).astype(np.int64)

    def flags(self, values: Any) -> Array:
        return np.asarray(values, bool)

    def stream(self, seed: Sequence[int]) -> Stream:
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))

    def uniforms(self, streams: Sequence[Stream], *shape: int) -> Array:
        drawn = np.empty((len(streams), *shape), self.dtype)
        for stream, block in zip(streams, drawn, strict=True):
            stream.random(out=block, dtype=self.dtype)
        return drawn

    def ordered(self, values: Array) -> Array:
        return np.sort(values, axis=1)

    def survivors_first(self, survives: Array) -> Array:
        return np.argsort(~survives, axis=1, kind="stable")

    def picked(self, values: Array, columns: Array) -> Array:
        return values[np.arange(len(columns))[:, None], columns]

    def features(self, values: Array, chosen: Array) -> Array:
        return np.take(values, chosen, axis=2)

    def tallied(self, groups: Array, counted: Array) -> Array:
        rows, width = groups.shape
        places = groups + np.arange(rows)[:, None] * width
        return np.bincount(places[counted], minlength=rows * width).reshape(rows, width)


@dataclass(frozen=True)
class Tensors:
    """Tensors of torch on one device.

    In memory each ball has its own stream. On a GPU that would cost a call for each, so one stream serves the batch.
    """

    device: Any
    dtype: Any

    @property
    def xp(self) -> Any:
        """The module torch."""
        import torch

        return torch

    def of(self, values: Any) -> Array:
        # Arrays that come from another process may be read-only, which tensors cannot be.
        given = np.require(values, requirements="W") if isinstance(values, np.ndarray) else values
        return self.xp.as_tensor(given, dtype=self.dtype, device=self.device)

    def host(self, array: Array) -> np.ndarray:
        return array.detach().cpu().numpy()

    def whole(self, values: Any) -> Array:
        return self.xp.as_tensor(values, device=self.device).to(self.xp.int64)

    def flags(self, values: Any) -> Array:
        return self.xp.as_tensor(values, dtype=self.xp.bool, device=self.device)

    def stream(self, seed: Sequence[int]) -> Stream:
        state = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> 1)
        return self.xp.Generator(device=self.device).manual_seed(state)

    def uniforms(self, streams: Sequence[Stream], *shape: int) -> Array:
        return self._drawn(self.xp.rand, streams, shape)

    def _drawn(self, draw: Any, streams: Sequence[Stream], shape: tuple[int, ...]) -> Array:
        kind = {"dtype": self.dtype, "device": self.device}
        if self.device.type != "cpu" and streams:
            return draw((len(streams), *shape), generator=streams[0], **kind)
        drawn = self.xp.empty((len(streams), *shape), **kind)
        for stream, block in zip(streams, drawn, strict=True):
            draw(shape, generator=stream, out=block)
        return drawn

    def ordered(self, values: Array) -> Array:
        return self.xp.sort(values, dim=1).values

    def survivors_first(self, survives: Array) -> Array:
        return self.xp.argsort((~survives).to(self.xp.uint8), dim=1, stable=True)

    def picked(self, values: Array, columns: Array) -> Array:
        return values[self.xp.arange(len(columns), device=self.device)[:, None], columns]

    def features(self, values: Array, chosen: Array) -> Array:
        return self.xp.index_select(values, 2, chosen)

    def tallied(self, groups: Array, counted: Array) -> Array:
        empty = self.xp.zeros(groups.shape, dtype=self.xp.int64, device=self.device)
        return empty.scatter_add_(1, groups, counted.to(self.xp.int64))


# Smaller batches where memory runs out.

T = TypeVar("T")


def halved_on_memory_error(run: Callable[[int], T], size: int) -> T:
    """What ``run(size)`` returns, with half the size, again and again, where memory runs out."""
    size = validate.count(size, where="halved_on_memory_error", name="size", at_least=1)
    while True:
        try:
            return run(size)
        except Exception as error:
            if not is_memory_error(error):
                raise
            if size == 1:
                raise SurefootError(
                    "memory runs out even with one at a time",
                    found=str(error),
                    remedy="Free memory of the device, use a smaller model or fewer particles, or run on the CPU.",
                ) from error
        # Outside of the handler, whose error keeps everything alive that was being computed.
        size //= 2
        _release()


def _release() -> None:
    """Give cached blocks back to the device; torch keeps them otherwise."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
