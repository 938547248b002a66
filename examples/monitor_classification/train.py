"""Train the networks of the example and store their weights.

Run ``python examples/monitor_classification/train.py all``; ``--help`` lists the rest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import networks
import photographs
import torch
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
NOVEL = "truck"
"""The class that the networks for novelty never see."""


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    kind: str
    """``classifier`` or ``autoencoder``."""
    epochs: int
    peak_rate: float
    without: str | None = None
    batch: int = 128
    shift: int = 2
    """Pixels by which a training image is moved at random; half of them are mirrored too. 0 changes nothing."""
    decay: float = 5e-2
    smoothing: float = 0.05
    """Of the labels that a classifier learns."""
    seed: int = 0


RECIPES = {
    "classifier": Recipe("classifier", epochs=18, peak_rate=4e-3),
    "autoencoder": Recipe("autoencoder", epochs=30, peak_rate=2e-3, decay=0.0),
    "classifier_novelty": Recipe("classifier", epochs=18, peak_rate=4e-3, without=NOVEL),
    "autoencoder_novelty": Recipe("autoencoder", epochs=30, peak_rate=2e-3, decay=0.0, without=NOVEL),
}


def build(recipe: Recipe, classes: int) -> nn.Module:
    """The network of a recipe, without weights."""
    return networks.Classifier(classes) if recipe.kind == "classifier" else networks.Autoencoder()


def fit(recipe: Recipe, images: photographs.Images, *, device: str = "cpu") -> nn.Module:
    """The network after its last epoch, ready to answer; images and changes to them live on the device."""
    torch.manual_seed(recipe.seed)
    network = build(recipe, len(images.names)).to(device, memory_format=torch.channels_last).train()
    pixels, labels = (torch.from_numpy(part).to(device) for part in images.train)
    pixels = pixels.permute(0, 3, 1, 2)
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=recipe.decay)
    steps = -(-len(pixels) // recipe.batch) * recipe.epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.peak_rate, total_steps=steps)
    loss = _loss(recipe)
    for _ in track(range(recipe.epochs), description=recipe.kind):
        for batch in torch.randperm(len(pixels)).to(device).split(recipe.batch):
            optimiser.zero_grad(set_to_none=True)
            some = moved(pixels[batch] / 255, recipe.shift).contiguous(memory_format=torch.channels_last)
            with torch.autocast("cuda", torch.bfloat16, enabled=device.startswith("cuda")):
                wrong = loss(network(some), some, labels[batch])
            wrong.backward()
            optimiser.step()
            schedule.step()
    return network.eval()


@torch.no_grad()
def score(recipe: Recipe, network: nn.Module, some: photographs.Some) -> float:
    """Share of images that a classifier gets wrong, or mean squared difference of pixels of an autoencoder."""
    device = next(network.parameters()).device
    total = 0.0
    for start in range(0, len(some[0]), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        inputs = torch.from_numpy(photographs.as_input(some[0][part])).to(device)
        answers = network(inputs)
        if recipe.kind == "classifier":
            total += float((answers.argmax(1).cpu() != torch.from_numpy(some[1][part])).sum())
        else:
            total += float((answers - inputs).square().mean((1, 2, 3)).sum())
    return total / len(some[0])


def moved(batch: torch.Tensor, most: int) -> torch.Tensor:
    """Each image of the batch moved by up to that many pixels, half of them mirrored."""
    if not most:
        return batch
    count, _, height, width = batch.shape
    padded = nn.functional.pad(batch, (most,) * 4, mode="reflect")
    windows = padded.unfold(2, height, 1).unfold(3, width, 1)
    down, right = (torch.randint(0, 2 * most + 1, (count,), device=batch.device) for _ in range(2))
    some = windows[torch.arange(count, device=batch.device), :, down, right]
    mirrored = torch.rand(count, 1, 1, 1, device=batch.device) < 0.5
    return torch.where(mirrored, some.flip(3), some)


def main() -> None:
    """Train, say how well it went, store."""
    options = _options()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in RECIPES if options.network == "all" else [options.network]:
        recipe = replace(RECIPES[name], seed=options.seed)
        recipe = replace(recipe, epochs=options.epochs or recipe.epochs)
        images = photographs.load(recipe.without)
        start = time.perf_counter()
        network = fit(recipe, images, device=options.device)
        seconds = time.perf_counter() - start
        scores = [score(recipe, network, some) for some in (images.train, images.test)]
        path = options.out / f"{name}.safetensors"
        save_model(network.cpu(), str(path))
        what = "error" if recipe.kind == "classifier" else "squared difference"
        print(f"{name}: train {what} {scores[0]:.4f}, test {what} {scores[1]:.4f}, {seconds:.0f} s, {path}", flush=True)


def _loss(recipe: Recipe) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]:
    entropy = nn.CrossEntropyLoss(label_smoothing=recipe.smoothing)
    if recipe.kind == "classifier":
        return lambda answers, inputs, labels: entropy(answers, labels)
    return lambda answers, inputs, labels: nn.functional.mse_loss(answers.float(), inputs)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=[*RECIPES, "all"])
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--epochs", type=int, help="passes over the training images")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1, help="1 gives the same weights on every machine of a kind")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights")
    return parser.parse_args()


if __name__ == "__main__":
    main()
