"""Train the three networks of the example, each by itself, and store their weights.

Run ``python examples/systems_steering/train.py all``; ``--help`` lists the rest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import drive
import learning
import networks
import numpy as np
import sturdier
import torch
from numpy.typing import NDArray
from safetensors.torch import save_model

Answers = dict[str, NDArray[np.float64]]


def main() -> None:
    """Train, say how well it went, store."""
    options = _options()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    parts = {role: drive.load(role) for role in ("train", "test")}
    _say("always straight on", {role: np.zeros(len(part)) for role, part in parts.items()}, parts)
    found = [_trained(name, parts, options) for name in _names(options)]
    if len(found) > 1:
        _say("their mean", {role: np.mean([each[role] for each in found], axis=0) for role in parts}, parts)


def _trained(name: str, parts: dict[str, drive.Part], options: argparse.Namespace) -> Answers:
    start = time.perf_counter()
    network = _way(name, options)(parts["train"]).cpu()
    stored = name + learning.STURDIER * options.sturdier
    save_model(network, str(options.out / f"{stored}.safetensors"))
    answered = {role: learning.answers(network, part.pairs()) for role, part in parts.items()}
    _say(f"{stored}, {time.perf_counter() - start:.0f} s", answered, parts)
    return answered


def _way(name: str, options: argparse.Namespace) -> Callable[[drive.Part], networks.Steerer]:
    if options.sturdier:
        trained, epochs = learning.load(name, options.out), options.epochs or sturdier.EPOCHS
        return lambda part: sturdier.fine_tuned(trained, part, name=name, epochs=epochs, device=options.device)
    recipe = learning.RECIPES[name]
    recipe = replace(recipe, epochs=options.epochs or recipe.epochs)
    return lambda part: learning.fit(recipe, part, device=options.device)


def _names(options: argparse.Namespace) -> list[str]:
    return list(learning.RECIPES) if options.network == "all" else [options.network]


def _say(what: str, answered: Answers, parts: dict[str, drive.Part]) -> None:
    errors = (f"{role} {learning.rmse(answered[role], part.steering):.4f}" for role, part in parts.items())
    print(f"{what}: RMSE {', '.join(errors)}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=[*learning.RECIPES, "all"])
    parser.add_argument("--sturdier", action="store_true", help="teach the trained networks more, with spoiled frames")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--epochs", type=int, help="passes over the training pairs")
    parser.add_argument("--threads", type=int, default=1, help="1 gives the same weights on every machine of a kind")
    parser.add_argument("--out", type=Path, default=learning.WEIGHTS, help="folder of the weights")
    return parser.parse_args()


if __name__ == "__main__":
    main()
