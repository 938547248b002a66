"""Splitting in balls on one GPU: seconds a ball, and how far from what the machine allows.

Usage: PYTHONPATH=src python3 -m benchmarks.gpu --weights WEIGHTS --data DATA [--out FILE] [--part NAME ...]

``--data`` is an npz file with images ``x`` as bytes and labels ``y``. ``--more NETWORK WEIGHTS DATA RADIUS`` adds a
network of ``examples/reliability_images/networks.py`` and may come several times. Needs numpy, scipy, safetensors and
torch.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.device_floors import floors_of
from benchmarks.on_device import SEED, Images, Line, levels_in, risks_of, timed
from benchmarks.plain_splitting import Split, batched_plain, plain_splitting
from surefoot.reliability.rare_events.problem import BELOW
from surefoot.reliability.rare_events.splitting import MultilevelSplitting

RHO = 0.1
ALONE, TOGETHER, OURS, WARM_UP, OTHERS = 16, 64, 256, 8, 64
HEADINGS = ("what", "seconds a ball", "moves a second", "median levels", "mean levels", "balls", "note")


def alone(images: Images, options: argparse.Namespace) -> Iterator[Line]:
    """The prototype: one ball at a time; its median ball."""
    some = images.right(ALONE)
    generator = torch.Generator(images.device).manual_seed(SEED)

    def look(ball: int, steps: int) -> Split:
        settings: dict[str, Any] = {"particles": options.particles, "steps": steps, "rho": RHO}
        centre, label = some.inputs[ball], int(some.labels[ball])
        return plain_splitting(some.network, centre, label, some.radius, generator=generator, **settings)

    look(0, 1)
    measured = [timed(partial(look, ball, options.steps), images.device) for ball in range(len(some.labels))]
    seconds, found = zip(*measured, strict=True)
    middle = f"mean; the median ball takes {statistics.median(seconds):.4g} s"
    yield Line.of("plain, one ball at a time", sum(seconds), _levels_of(found), _moves(options), middle)


def together(images: Images, options: argparse.Namespace) -> Iterator[Line]:
    """The prototype on many balls in lockstep."""
    some = images.right(TOGETHER)
    generator = torch.Generator(images.device).manual_seed(SEED)

    def look(steps: int) -> list[Split]:
        settings: dict[str, Any] = {"particles": options.particles, "steps": steps, "rho": RHO}
        return batched_plain(some.network, some.inputs, some.labels, some.radius, generator=generator, **settings)

    look(1)
    took, found = timed(partial(look, options.steps), images.device)
    yield Line.of("plain, all balls in lockstep", took, _levels_of(found), _moves(options))


def ours(images: Images, options: argparse.Namespace) -> Iterator[Line]:
    """The same settings; informed moves also at the number that they need."""
    steps = MultilevelSplitting().steps
    for moves, count in (("reflected", options.steps), ("informed", options.steps), ("informed", steps)):
        method = MultilevelSplitting(particles=options.particles, steps=count, rho=RHO, moves=moves)
        yield split(images.right(options.balls), method, f"ours, {moves}, {count} moves")


def split(images: Images, method: MultilevelSplitting, what: str) -> Line:
    """All balls at once, after some that warm up."""
    problem = images.problem()
    everything = np.arange(len(problem.balls))
    risks_of(method, problem, everything[:WARM_UP])
    took, found = timed(lambda: risks_of(method, problem, everything), images.device)
    levels = levels_in(found, method)
    split_log = found.log_risk[levels > 0]
    note = f"log risk down to {split_log.min():.0f}" if split_log.size else "no rare failures"
    below = int((found.how == BELOW).sum())
    note += f", {below} below the floor" if below else ""
    return Line.of(what, took, levels.tolist(), method.steps * method.particles, note)


def floors(images: Images, options: argparse.Namespace) -> Iterator[Line]:
    """What the machine allows at the same settings."""
    some = images.right(options.balls)
    method = MultilevelSplitting(particles=options.particles, steps=options.steps, rho=RHO, moves="reflected")
    levels = levels_in(risks_of(method, some.problem(), np.arange(len(some.labels))), method)
    moves = float(levels.mean()) * _moves(options)
    yield from floors_of(some.network, some.inputs[0].numel(), moves, some.device)


def everything(images: Images, options: argparse.Namespace) -> Iterator[Line]:
    """All images at the same settings: the relative standard error of their mean risk."""
    method = MultilevelSplitting(particles=options.particles, steps=options.steps, rho=RHO, moves="reflected")
    problem = images.problem()
    risks_of(method, problem, np.arange(min(WARM_UP, len(problem.balls))))
    took, found = timed(lambda: risks_of(method, problem, np.arange(len(problem.balls))), images.device)
    error = math.sqrt(found.variance.sum()) / found.risk.sum()
    note = f"{took:.3g} s in all, pmi {found.risk.mean():.5g}, relative standard error {error:.2%}, {method}"
    yield Line.of("every image", took, levels_in(found, method).tolist(), method.steps * method.particles, note)


def others(_images: Images, options: argparse.Namespace) -> Iterator[Line]:
    """Further networks at default settings."""
    for name, weights, data, radius in options.more:
        some = Images.of(name, Path(weights), Path(data), float(radius), options.device).right(OTHERS)
        yield split(some, MultilevelSplitting(), f"ours, {name}, radius {radius}")


PARTS = {part.__name__: part for part in (alone, together, ours, floors, everything, others)}


def _levels_of(found: Sequence[Split]) -> list[int]:
    """Levels at which particles were moved: not the last."""
    return [split.levels - 1 for split in found]


def _moves(options: argparse.Namespace) -> int:
    return int(options.particles * options.steps)


def main() -> None:
    """Measure, print, keep."""
    options = _options()
    images = Images.of("mlp", options.weights, options.data, options.radius, options.device)
    lines: list[Line] = []
    print(" | ".join(HEADINGS))
    for part in options.part or PARTS:
        for line in PARTS[part](images, options):
            lines.append(line)
            print(" | ".join(line.cells()), flush=True)
            if options.out:
                kept = {"device": _named(images.device), "lines": [asdict(line) for line in lines]}
                options.out.write_text(json.dumps(kept, indent=1))


def _named(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, required=True, help="of the 784-256-10 perceptron")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--more", nargs=4, action="append", default=[], metavar=("NETWORK", "WEIGHTS", "DATA", "RADIUS")
    )
    parser.add_argument("--out", type=Path, help="JSON file, written after each line")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one; may come several times")
    parser.add_argument("--radius", type=float, default=0.3)
    parser.add_argument("--balls", type=int, default=OURS)
    parser.add_argument("--particles", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


if __name__ == "__main__":
    main()
