"""Adversarial images: pixels moved by at most ``reach`` so that the classifier errs."""

from __future__ import annotations

import numpy as np
import photographs
import torch
from torch import nn

AT_ONCE = 500


def fgsm(network: nn.Module, pixels: photographs.Bytes, labels: photographs.Labels, reach: float) -> photographs.Bytes:
    """One step as far as allowed along the sign of the gradient (Goodfellow, Shlens and Szegedy 2015)."""
    return _attacked(network, pixels, labels, reach, steps=1, step=reach)


def pgd(
    network: nn.Module, pixels: photographs.Bytes, labels: photographs.Labels, reach: float, *, steps: int = 10
) -> photographs.Bytes:
    """Small steps, each brought back within reach (Madry et al. 2018), from the image itself."""
    return _attacked(network, pixels, labels, reach, steps=steps, step=2.5 * reach / steps)


def _attacked(
    network: nn.Module, pixels: photographs.Bytes, labels: photographs.Labels, reach: float, *, steps: int, step: float
) -> photographs.Bytes:
    """Images are files, so what comes out is rounded to bytes; ``reach`` is a whole number of them."""
    device = next(network.parameters()).device
    found = np.empty_like(pixels)
    for start in range(0, len(pixels), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        inputs = torch.from_numpy(photographs.as_input(pixels[part])).to(device)
        moved = inputs
        for _ in range(steps):
            moved = moved + step * _uphill(network, moved, torch.from_numpy(labels[part]).to(device))
            moved = torch.clamp(torch.clamp(moved, inputs - reach, inputs + reach), 0, 1)
        found[part] = photographs.as_bytes(moved.cpu().numpy())
    return found


def _uphill(network: nn.Module, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    inputs = inputs.detach().requires_grad_()
    loss = nn.functional.cross_entropy(network(inputs), labels, reduction="sum")
    return torch.autograd.grad(loss, inputs)[0].sign()
