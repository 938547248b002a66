"""The network of a variational autoencoder; loaded only where torch is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from surefoot.core import Undefined
from surefoot.profile.input_arrays import slices
from surefoot.profile.vae import LEAST_ERROR, Epoch, best_epoch

HIDDEN = 128
LOG_VARIANCES = (-20.0, 10.0)
"""Logarithms of variances are cut to these, so that no exponential overflows."""


class Network(nn.Module):
    """Convolutions that halve height and width, a few numbers with their variance, and the way back.

    ``shape`` is (channels, height, width) of one image, of any size.
    """

    def __init__(self, shape: tuple[int, int, int], channels: tuple[int, ...], dimensions: int) -> None:
        super().__init__()
        sizes = [shape[1:]]
        for _ in channels:
            height, width = sizes[-1]
            sizes.append(((height + 1) // 2, (width + 1) // 2))
        innermost = (channels[-1], *sizes[-1])
        self.encoder = nn.Sequential(
            *_halvings((shape[0], *channels)), nn.Flatten(), nn.Linear(math.prod(innermost), HIDDEN), nn.SiLU()
        )
        self.mean = nn.Linear(HIDDEN, dimensions)
        self.log_variance = nn.Linear(HIDDEN, dimensions)
        self.decoder = nn.Sequential(
            nn.Linear(dimensions, HIDDEN),
            nn.SiLU(),
            nn.Linear(HIDDEN, math.prod(innermost)),
            nn.SiLU(),
            nn.Unflatten(1, innermost),
            *_doublings((*channels[::-1], shape[0]), sizes[-2::-1]),
            nn.Sigmoid(),
        )

    def posterior(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and logarithm of the variance of each image's place."""
        hidden = self.encoder(images)
        return self.mean(hidden), self.log_variance(hidden).clamp(*LOG_VARIANCES)

    def losses(self, images: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Mean squared error of a pixel, and mean Kullback-Leibler divergence of an image from the prior, in nats."""
        mean, log_variance = self.posterior(images)
        noise = torch.randn(mean.shape, generator=generator, device=mean.device)
        again = self.decoder(mean + noise * torch.exp(log_variance / 2))
        divergence = (mean.square() + log_variance.exp() - 1 - log_variance).sum(dim=1) / 2
        return nn.functional.mse_loss(again, images), divergence.mean()


def _halvings(channels: tuple[int, ...]) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for before, after in pairwise(channels):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.SiLU()]
    return layers


def _doublings(channels: tuple[int, ...], sizes: list[tuple[int, int]]) -> list[nn.Module]:
    """Transposed convolutions to these sizes; an even side needs one more row than they give by themselves."""
    layers: list[nn.Module] = []
    for (before, after), (height, width) in zip(pairwise(channels), sizes, strict=True):
        more = (1 - height % 2, 1 - width % 2)
        layers += [nn.ConvTranspose2d(before, after, 3, stride=2, padding=1, output_padding=more), nn.SiLU()]
    return layers[:-1]


# How a variational autoencoder learns; loaded only where torch is.


@dataclass(frozen=True)
class Training:
    """What a training is told: when to stop, how large its steps are, and where its randomness comes from."""

    epochs: int
    batch_size: int
    learning_rate: float
    kl_weight: float
    patience: int
    seed: int
    device: str


def trained(
    network: Network,
    images: NDArray[Any],
    held_out: NDArray[Any],
    plan: Training,
    progress: Callable[[int, int], None] | None,
) -> tuple[Epoch, ...]:
    """Train in place; the network ends with its best weights on the held-out images."""
    optimiser = torch.optim.Adam(network.parameters(), lr=plan.learning_rate)
    noise = torch.Generator(plan.device).manual_seed(plan.seed)
    order = np.random.default_rng(plan.seed)
    tell = _Told(progress, plan.epochs * math.ceil(len(images) / plan.batch_size))
    history: list[Epoch] = []
    weights = _copied(network)
    for epoch in range(plan.epochs):
        batches = _batches(images, order.permutation(len(images)), plan)
        learnt = _pass(network, batches, plan, noise, optimiser, tell)
        same_noise = torch.Generator(plan.device).manual_seed(plan.seed)
        with torch.no_grad():
            seen = _pass(network, _batches(held_out, np.arange(len(held_out)), plan), plan, same_noise)
        history.append(Epoch(*learnt, *seen))
        best = best_epoch(history, pixels=images[0].size, kl_weight=plan.kl_weight)
        if best == epoch:
            weights = _copied(network)
        if epoch - best >= plan.patience:
            break
    network.load_state_dict(weights)
    tell.finish()
    return tuple(history)


def _pass(
    network: Network,
    batches: Iterator[Tensor],
    plan: Training,
    noise: torch.Generator,
    optimiser: torch.optim.Optimizer | None = None,
    tell: _Told | None = None,
) -> tuple[float, float]:
    """Mean error and divergence over all images, with a step for each batch where there is an optimiser."""
    total, count = np.zeros(2), 0
    for batch in batches:
        error, divergence = network.losses(batch, noise)
        if optimiser is not None:
            optimiser.zero_grad()
            _loss(error, divergence, batch[0].numel(), plan.kl_weight).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        total += len(batch) * np.array([error.item(), divergence.item()])
        count += len(batch)
        if tell is not None:
            tell.one_more()
    _require_finite(total, plan)
    return float(total[0] / count), float(total[1] / count)


def _loss(error: Tensor, divergence: Tensor, pixels: int, kl_weight: float) -> Tensor:
    """Negative evidence bound of an image with normal pixels whose variance is the mean squared error.

    Rybkin, Daniilidis and Levine (2021), "Simple and effective VAE training with calibrated decoders".
    """
    return pixels / 2 * torch.log(error + LEAST_ERROR) + kl_weight * divergence


def _batches(images: NDArray[Any], order: NDArray[np.int64], plan: Training) -> Iterator[Tensor]:
    for some in slices(len(order), plan.batch_size):
        yield as_tensor(images[order[some]], plan.device)


def as_tensor(images: NDArray[Any], device: str) -> Tensor:
    """Images in single precision where the network is."""
    return torch.from_numpy(np.ascontiguousarray(images, dtype=np.float32)).to(device)


def _copied(network: Network) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in network.state_dict().items()}


def _require_finite(total: NDArray[np.float64], plan: Training) -> None:
    if not np.isfinite(total).all():
        raise Undefined(
            "the training diverged: its loss is not finite",
            where="VAE.fit",
            found=f"learning_rate={plan.learning_rate:g}",
            remedy="Use a smaller learning rate.",
        )


class _Told:
    """Counts batches for whoever wants to know."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def one_more(self) -> None:
        self._done += 1
        self._tell()

    def finish(self) -> None:
        """A training that stops early is done with all batches."""
        if self._done < self._total:
            self._done = self._total
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._done, self._total)
