"""How a network learns to steer, what it answers, and where its weights lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import drive
import networks
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_model
from torch import nn

from surefoot.core import MissingData

try:
    from rich.progress import track
except ImportError:  # a machine that has torch and nothing else

    def track(sequence: Sequence[Any], description: str) -> Iterable[Any]:
        """The same elements, without a bar."""
        return sequence


WEIGHTS = Path(__file__).parent / "weights"
STURDIER = "_sturdier"
AT_ONCE = 200
"""Pairs that a network is asked at once."""
Inputs = Callable[[int], torch.Tensor]
"""Pairs (n, 6, 80, 160) of bytes for an epoch."""


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    network: str
    seed: int
    epochs: int = 160
    peak_rate: float = 3e-3
    batch: int = 128
    decay: float = 0.3
    shift: int = 8
    """Pixels by which both frames of a pair are moved at random."""
    light: float = 0.2
    """Share by which both frames of a pair get brighter or darker."""


RECIPES = {name: Recipe(name, seed) for seed, name in enumerate(networks.BUILDERS)}


def fit(recipe: Recipe, part: drive.Part, *, device: str = "cpu") -> networks.Steerer:
    """The network after its last epoch, ready to answer."""
    torch.manual_seed(recipe.seed)
    network = networks.BUILDERS[recipe.network]()
    pixels = as_bytes(part.pairs()).to(device)
    return learn(network, recipe, lambda epoch: pixels, part.steering, device=device)


def learn(
    network: networks.Steerer, recipe: Recipe, inputs: Inputs, steering: NDArray[np.float64], *, device: str = "cpu"
) -> networks.Steerer:
    """The network after more epochs of squared error; half of the pairs are mirrored, and their steering with them."""
    network = network.to(device, memory_format=torch.channels_last).train()
    wanted = torch.from_numpy(steering).float().to(device)
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=recipe.decay)
    steps = -(-len(wanted) // recipe.batch) * recipe.epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.peak_rate, total_steps=steps)
    for epoch in track(range(recipe.epochs), description=recipe.network):
        pixels = inputs(epoch)
        for batch in torch.randperm(len(wanted)).to(device).split(recipe.batch):
            optimiser.zero_grad(set_to_none=True)
            some, target = jittered(pixels[batch] / 255, wanted[batch], recipe)
            nn.functional.mse_loss(network(some), target).backward()
            optimiser.step()
            schedule.step()
    return network.eval()


def jittered(pairs: torch.Tensor, steering: torch.Tensor, recipe: Recipe) -> tuple[torch.Tensor, torch.Tensor]:
    """Each pair mirrored or not, moved and lit a little, both frames alike."""
    count, _, height, width = pairs.shape
    padded = nn.functional.pad(pairs, (recipe.shift,) * 4, mode="replicate")
    windows = padded.unfold(2, height, 1).unfold(3, width, 1)
    down, right = (torch.randint(0, 2 * recipe.shift + 1, (count,), device=pairs.device) for _ in range(2))
    moved = windows[torch.arange(count, device=pairs.device), :, down, right]
    mirrored = torch.rand(count, device=pairs.device) < 0.5
    moved = torch.where(mirrored[:, None, None, None], moved.flip(3), moved)
    gain = 1 + recipe.light * (2 * torch.rand(count, 1, 1, 1, device=pairs.device) - 1)
    return (moved * gain).clamp(0, 1), torch.where(mirrored, -steering, steering)


@torch.no_grad()
def answers(network: networks.Steerer, pairs: drive.Frames) -> NDArray[np.float64]:
    """What the network does with each pair."""
    device = next(network.parameters()).device
    parts = [pairs[start : start + AT_ONCE] for start in range(0, len(pairs), AT_ONCE)]
    found = [network(torch.from_numpy(networks.as_input(part)).to(device)).cpu().numpy() for part in parts]
    return np.concatenate(found).astype(np.float64)


def rmse(answered: NDArray[np.float64] | float, steering: NDArray[np.float64]) -> float:
    """Root mean square error (SYS, Eqn. 1)."""
    return float(np.sqrt(np.mean((answered - steering) ** 2)))


def as_bytes(pairs: drive.Frames) -> torch.Tensor:
    """Pairs as a tensor of bytes, colours first."""
    return torch.from_numpy(networks.channels_first(pairs)).flatten(1, 2)


def load(name: str, folder: Path = WEIGHTS) -> networks.Steerer:
    """A trained network, ready to answer; a name that ends in ``_sturdier`` is one that was taught more."""
    path = folder / f"{name}.safetensors"
    if not path.is_file():
        remedy = f"Run train.py {'all --sturdier' if name.endswith(STURDIER) else 'all'} first."
        raise MissingData("the network is not trained", where=name, found=f"no file {path}", remedy=remedy)
    network = networks.BUILDERS[name.removesuffix(STURDIER)]()
    load_model(network, str(path))
    return network.eval()
