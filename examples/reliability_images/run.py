"""Reliability of image classifiers in balls: section 4.4 of RAM on MNIST and CIFAR-10, and what it says there.

Train first: ``train.py mlp``, ``train.py resnet``, ``encode.py mnist``, ``encode.py cifar10``.
Run ``python examples/reliability_images/run.py --help``.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import images
import pictures
import said
import study
import tables
import torch
import train
from rich.console import Console

from surefoot import SurefootError

console = Console(width=146)
USUAL = ("mlp", "mlp_noise", "cnn", "resnet")


def main() -> int:
    """Print every table and save every figure."""
    options = _options()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        found = {name: _one(name, options) for name in dict.fromkeys(options.networks)}
        if options.separation:
            _separations(found)
    except SurefootError as problem:
        _say(str(problem))
        return 2
    _show(tables.statements(said.statements(*(_of(found, each) for each in (images.MNIST, images.CIFAR10)))))
    _say(f"Figures are in {options.out}")
    return 0


def _one(name: str, options: argparse.Namespace) -> study.Found:
    subject = study.load(name, options.weights, device=options.device)
    effort = study.Effort(
        balls=options.balls,
        fewer=min(options.fewer, options.balls),
        samples=None if options.split else options.samples,
        seed=options.seed,
    )
    start = time.perf_counter()
    with console.status(name) as status:
        found = study.study(subject, effort, lambda part: status.update(f"{name}: {part}"))
    _show(tables.network(found))
    _show(tables.radii(name, found.radii))
    _say(f"{name}: {time.perf_counter() - start:.0f} s\n")
    pictures.draw_all(found, options.out)
    return found


def _separations(found: dict[str, study.Found]) -> None:
    measured = []
    for set_ in dict.fromkeys(each.subject.images for each in found.values()):
        start = time.perf_counter()
        with console.status(f"{set_.name}: separation"):
            measured.append((set_, study.separation_of(set_), time.perf_counter() - start))
    _show(tables.separations(measured))


def _of(found: dict[str, study.Found], set_: images.ImageSet) -> list[study.Found]:
    return [each for each in found.values() if each.subject.images is set_]


def _show(what: object) -> None:
    console.print(what, "", highlight=False)


def _say(text: str) -> None:
    console.print(text, highlight=False, markup=False)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=USUAL, help=f"of {', '.join(train.RECIPES)}")
    parser.add_argument("--balls", type=int, default=1000, help="how many are looked into")
    parser.add_argument("--fewer", type=int, default=200, help="the same for each radius and for decoded centres")
    parser.add_argument("--samples", type=int, default=400, help="points that are tried in each ball")
    parser.add_argument("--split", action="store_true", help="reach rare failures by splitting; use a GPU for it")
    parser.add_argument("--separation", action="store_true", help="measure it over all images; takes minutes")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=1, help="of torch, on the CPU")
    parser.add_argument("--seed", type=int, default=0, help="of the balls that are drawn, and inside them")
    parser.add_argument("--weights", type=Path, default=train.WEIGHTS, help="folder of the trained weights")
    parser.add_argument("--out", type=Path, default=Path("out/reliability_images"), help="folder of the figures")
    options = parser.parse_args()
    unknown = [name for name in options.networks if name not in train.RECIPES]
    if unknown:
        parser.error(f"no network {unknown[0]!r}; there are {', '.join(train.RECIPES)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
