"""Train a network of the example and store its weights.

Run ``python examples/reliability_images/train.py mlp``; ``--help`` lists the rest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import images
import networks
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_model
from torch import nn

try:
    from rich.progress import track
except ImportError:  # a machine that has torch and nothing else

    def track(sequence: Sequence[Any], description: str) -> Iterable[Any]:
        """The same elements, without a bar."""
        return sequence


WEIGHTS = Path(__file__).parent / "weights"
AT_ONCE = 1000


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    build: Callable[[], nn.Module]
    images: images.ImageSet
    epochs: int
    peak_rate: float
    batch: int = 128
    shift: int = 0
    """Pixels by which a training image is moved at random; 0 changes nothing, more also mirrors photographs."""
    noise: float = 0.0
    """Half width of the uniform noise that is added to each pixel of a training image."""
    decay: float = 1e-4
    seed: int = 0


RECIPES = {
    "mlp": Recipe(networks.mlp, images.MNIST, epochs=10, peak_rate=3e-3),
    "mlp_noise": Recipe(networks.mlp, images.MNIST, epochs=10, peak_rate=3e-3, noise=0.3),
    "cnn": Recipe(networks.cnn, images.MNIST, epochs=6, peak_rate=4e-3),
    "resnet": Recipe(networks.resnet, images.CIFAR10, epochs=10, peak_rate=1e-2, shift=2, decay=1e-2),
    "wide_resnet": Recipe(
        networks.wide_resnet, images.CIFAR10, epochs=80, peak_rate=4e-3, batch=256, shift=4, decay=5e-2
    ),
}


def fit(recipe: Recipe, inputs: NDArray[np.float32], labels: NDArray[np.int64], *, device: str = "cpu") -> nn.Module:
    """The network after its last epoch, ready to answer."""
    torch.manual_seed(recipe.seed)
    layout = torch.channels_last if inputs.ndim == 4 else torch.contiguous_format
    network = recipe.build().to(device, memory_format=layout).train()
    x, y = torch.from_numpy(inputs).to(device), torch.from_numpy(labels).to(device)
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=recipe.decay)
    steps = -(-len(x) // recipe.batch) * recipe.epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.peak_rate, total_steps=steps)
    loss = nn.CrossEntropyLoss()
    for _ in track(range(recipe.epochs), description="training"):
        for batch in torch.randperm(len(x)).to(device).split(recipe.batch):
            optimiser.zero_grad(set_to_none=True)
            some = _noisy(_moved(x[batch], recipe.shift), recipe.noise).contiguous(memory_format=layout)
            with torch.autocast("cuda", torch.bfloat16, enabled=device.startswith("cuda")):
                wrong = loss(network(some), y[batch])
            wrong.backward()
            optimiser.step()
            schedule.step()
    return network.eval()


@torch.no_grad()
def error(network: nn.Module, inputs: NDArray[np.float32], labels: NDArray[np.int64], *, device: str = "cpu") -> float:
    """Share of inputs that get another class than theirs."""
    wrong = sum(
        int((network(part.to(device)).argmax(1).cpu() != truth).sum())
        for part, truth in zip(
            torch.from_numpy(inputs).split(AT_ONCE), torch.from_numpy(labels).split(AT_ONCE), strict=True
        )
    )
    return wrong / len(labels)


def main() -> None:
    """Train, say how well it went, store."""
    options = _options()
    torch.set_num_threads(options.threads)
    recipe = replace(RECIPES[options.network], seed=options.seed)
    recipe = replace(recipe, epochs=options.epochs or recipe.epochs)
    train, test = recipe.images.train(), recipe.images.test()
    start = time.perf_counter()
    network = fit(recipe, *train, device=options.device)
    seconds = time.perf_counter() - start
    errors = [error(network, *rows, device=options.device) for rows in (train, test)]
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{options.network}.safetensors"
    save_model(network.cpu(), str(path))
    print(f"{options.network}: train error {errors[0]:.4f}, test error {errors[1]:.4f}, {seconds:.0f} s, {path}")


def _moved(batch: torch.Tensor, most: int) -> torch.Tensor:
    """Each image of the batch moved by up to that many pixels, half of them mirrored."""
    if not most:
        return batch
    count, _, height, width = batch.shape
    padded = nn.functional.pad(batch, (most,) * 4, mode="reflect")
    windows = padded.unfold(2, height, 1).unfold(3, width, 1)
    down, right = (torch.randint(0, 2 * most + 1, (count,), device=batch.device) for _ in range(2))
    moved = windows[torch.arange(count, device=batch.device), :, down, right]
    mirrored = torch.rand(count, 1, 1, 1, device=batch.device) < 0.5
    return torch.where(mirrored, moved.flip(3), moved)


def _noisy(batch: torch.Tensor, reach: float) -> torch.Tensor:
    return (batch + reach * (2 * torch.rand_like(batch) - 1)).clamp(0, 1) if reach else batch


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=RECIPES)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--epochs", type=int, help="passes over the training images")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1, help="1 gives the same weights on every machine of a kind")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights")
    return parser.parse_args()


if __name__ == "__main__":
    main()
