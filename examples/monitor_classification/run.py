"""What a monitor beside a classifier is worth: Table I of MON on CIFAR-10, other threats, and every detector.

Train first: ``train.py all``. Run ``python examples/monitor_classification/run.py --help``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import photographs
import pictures
import ranking
import strengths
import table_one
import tables
import tasks
import torch
import train
import views
from rich.console import Console

from surefoot import SurefootError

console = Console(stderr=True)
ATTACKS = (("FGSM", 8), ("PGD", 1), ("PGD", 2), ("PGD", 4), ("PGD", 8))
"""Each with its reach, in steps of a byte."""
SHOWN = (-0.6, -0.3, 0.0, 0.3, 0.6)
Say = Callable[[str], Any]


class Study:
    """Tables as they come, on the terminal and in a file."""

    def __init__(self, options: argparse.Namespace, say: Say) -> None:
        self.options, self.say = options, say
        self.images = photographs.load()
        self.train, self.test = (
            _some(part, options.seed, options.images) for part in (self.images.train, self.images.test)
        )
        self.pair = views.load("", len(self.images.names), options.weights, device=options.device)
        self.parts: list[str] = []

    def run(self) -> None:
        """Everything, in the order of the README."""
        say = self.say
        say("features of the training images")
        setting = strengths.Setting.of(self.pair, views.seen(self.pair, self.train[0]), self.train[1], self.test)
        found = strengths.by_strength(setting, self.options.strengths, say)
        marked = [strengths.nearest(found, sign=sign) for sign in (-1, 1)]
        self._write("Table I by strength", tables.by_strength(found, marked))
        pictures.by_strength(found, marked, self.options.out / "strength.png")
        pictures.shifted(self.test[0][:10], SHOWN, self.options.out / "brightness.png")
        rows = {f"ours, brightness {strength:+.2f}": found[strength] for strength in marked}
        rows |= self._threats(setting)
        self._write("Table I and other threats", tables.like_the_paper(rows))
        self._ranking(marked[1])

    def _threats(self, setting: strengths.Setting) -> dict[str, table_one.Worth]:
        found, shown = {}, []
        for attack, reach in ATTACKS:
            self.say(f"{attack} {reach}/255")
            task = tasks.adversarial(self.test, self.pair.classifier, attack, reach)
            found[task.name] = setting.worth(task)
            shown.append(task)
        self.say("novelty")
        novel = self._novelty()
        found[f"novelty ({train.NOVEL})"] = novel[1]
        pictures.threats([*shown, novel[0]], 10, self.options.out / "threats.png")
        return found

    def _novelty(self) -> tuple[tasks.Task, table_one.Worth]:
        images = photographs.load(train.NOVEL)
        pair = views.load("_novelty", len(images.names), self.options.weights, device=self.options.device)
        known = _some(images.train, self.options.seed, self.options.images)
        task = tasks.novelty(images, count=len(self.test[0]), seed=self.options.seed)
        forests = table_one.Forests(views.seen(pair, known[0]), known[1])
        rows = views.seen(pair, task.pixels)
        return task, table_one.worth(task, rows, forests.alarms(rows))

    def _ranking(self, strength: float) -> None:
        chosen = _some(self.train, self.options.seed, self.options.fit)
        task = tasks.brightness(self.test, strength)
        found = ranking.ranked(self.pair, chosen, task, self.say, draws=self.options.draws)
        self._write(f"Every detector, {task.name}, cost at most {ranking.COST}", tables.ranking(found))
        pictures.ranking(found, self.options.out / "ranking.png")
        for scheme, comparison in found.comparisons.items():
            comparison.write(self.options.out / f"comparison_{scheme}.html")

    def _write(self, title: str, table: str) -> None:
        self.parts.append(f"## {title}\n\n{table}\n")
        print(self.parts[-1], flush=True)
        (self.options.out / "tables.md").write_text("\n".join(self.parts), encoding="utf-8")


def main() -> int:
    """Print every table, save every figure and both pages."""
    options = _options()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    try:
        with console.status("reading") as status:
            Study(options, status.update).run()
    except SurefootError as problem:
        print(problem, file=sys.stderr)
        return 2
    print(f"Tables, figures and pages are in {options.out} ({time.perf_counter() - start:.0f} s)")
    return 0


def _some(part: photographs.Some, seed: int, most: int | None) -> photographs.Some:
    """All images, or some of them at random."""
    if most is None or most >= len(part[0]):
        return part
    chosen = np.sort(np.random.default_rng(seed).choice(len(part[0]), most, replace=False))
    return part[0][chosen], part[1][chosen]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, help="of each set, instead of all")
    parser.add_argument("--fit", type=int, default=10_000, help="images that detectors of the ranking are fitted to")
    parser.add_argument("--strengths", type=float, nargs="+", default=strengths.STRENGTHS, help="of the shift")
    parser.add_argument("--draws", type=int, default=1000, help="resamples of the ranking")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=1, help="of torch, on the CPU")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn at random")
    parser.add_argument("--weights", type=Path, default=train.WEIGHTS, help="folder of the trained weights")
    parser.add_argument("--out", type=Path, default=Path("out/monitor_classification"), help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
