"""Three networks steer by two frames, and are averaged: what corruption does to them (SYS, Table 4), and what helps.

Train first: ``train.py all`` and ``train.py all --sturdier``. Run ``python examples/systems_steering/run.py --help``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import drive
import mending
import pictures
import rejecting
import system
import table_four
import tables
import together
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from surefoot import SurefootError
from surefoot.core import Table
from surefoot.executors import Processes, Serial
from surefoot.systems import Findings, Study
from surefoot.systems.tables import as_in_paper

console = Console(stderr=True)
TARGETS = (0.05, 0.1, 0.2)
"""Shares of accepted answers that may fail: for which a guarantee is looked for."""
SHOWN_IN_FULL = ("shifts", "error changes")
"""Tables of tests that are printed cell by cell; the others are in files."""
QUICK = {"corruptions": ("gaussian_noise", "contrast"), "severities": (1, 5), "passes": 3}
EVERY = 6
"""Of so many pairs a quick run takes one."""


class Chapters:
    """Tables and figures as they come, on the terminal and in files."""

    def __init__(self, options: argparse.Namespace, progress: Progress) -> None:
        self.options, self.progress = options, progress
        self.parts = {role: drive.load(role) for role in ("train", "test")}
        if options.quick:
            self.parts = {role: part.every(EVERY) for role, part in self.parts.items()}
        self.draws = 400 if options.quick else 2000
        self.written: list[str] = []

    def run(self) -> None:
        """Everything, in the order of the README."""
        study = self._study()
        found = replace(study.run(self._bar("steering")), draws=self.draws)
        self._questions(found)
        self._rejecting(found)
        self._mending(study, found)
        self._together(found)

    def _study(self, whole: system.System | None = None, **options: object) -> Study:
        """Recordings lie under the results: a run that was stopped goes on there."""
        workers = self.options.workers
        return system.study(
            whole,
            parts=self.parts,
            folder=self.options.out / "recordings",
            executor=Processes(workers) if workers > 1 else Serial(),
            **{**(QUICK if self.options.quick else {}), **options},
        )

    def _questions(self, found: Findings) -> None:
        """Research questions 0 to 3, every table and figure of the study."""
        ours = found.performance()["steering"]
        self._say("Table 4 of SYS, ours beside it", table_four.beside(found), str(table_four.agreement(ours)))
        self._say("The system with intervals", table_four.with_intervals(ours), *ours.notes)
        blocks = table_four.by_block(found, self.parts["test"].blocks)
        self._say("Clean error by block", as_percents(blocks))
        for name, tested in found.tested():
            self._say(name.capitalize(), tables.effects(tested))
            if name.startswith(SHOWN_IN_FULL):
                self._say(f"{name.capitalize()}, by condition", as_in_paper(tested))
        found.write(self.options.out / "study")
        pictures.beside(ours, self.options.out / "beside.png")
        frames = self.parts["test"].frames
        pictures.frames(frames[len(frames) // 2], found.whole.conditions, self.options.out / "frames.png")

    def _rejecting(self, found: Findings) -> None:
        truth = self.parts["test"].steering
        by = ", ".join(found.chosen(family).label for family in ("uncertainty", "strangeness"))
        of_system = rejecting.of_the_system(found, draws=self.draws)
        self._say(f"Rejecting answers, all conditions together; S1 to S5 by {by}", tables.rejections(of_system))
        of_networks = rejecting.of_networks(found, truth, draws=self.draws)
        self._say("Rejecting networks before they are averaged", tables.combinations(of_networks))
        median = rejecting.median_of_networks(found, truth, draws=self.draws)
        self._say("The median in place of the mean", mending.side_by_side({"median of three": median}))
        self._say("Guarantee", *(f"At most {t:.0%}: {rejecting.guarantee(found, target=t)}" for t in TARGETS))
        self._keep({"rejecting_answers": of_system, "rejecting_networks": of_networks, "median_of_three": median.table})

    def _mending(self, study: Study, found: Findings) -> None:
        localised = mending.shares(study, draws=self.draws, progress=self._counted("which network it comes through"))
        self._say("Share of the added error that comes through each network", mending.shares_by_network(localised))
        after = {
            name: self._study(whole, training=None, passes=0).run(self._bar(name))
            for name, whole in mending.mended(self.parts["train"]).items()
        }
        gains = mending.gains(found, after, draws=self.draws)
        self._say("Networks taught more, frames cleaned first: RMSE of the system", mending.side_by_side(gains))
        self._keep(
            {"shares": localised.table, **{f"gain_{name}".replace(" ", "_"): g.table for name, g in gains.items()}}
        )

    def _together(self, found: Findings) -> None:
        redundancy = together.redundancy(found, draws=self.draws)
        self._say(f"Steering off by more than {system.LIMIT}: alone and together", together.together(redundancy))
        self._say("How often the system fails", together.failing(found))
        self._keep({f"redundancy_{name}".replace(" ", "_"): advice.table for name, advice in redundancy.items()})

    def _say(self, title: str, *parts: Table | str) -> None:
        texts = [tables.markdown(part) if isinstance(part, Table) else part for part in parts]
        self.written.append("\n\n".join([f"## {title}", *texts]) + "\n")
        print(self.written[-1], flush=True)
        (self.options.out / "tables.md").write_text("\n".join(self.written), encoding="utf-8")

    def _keep(self, found: dict[str, Table]) -> None:
        for name, table in found.items():
            tables.write(table, self.options.out / f"{name}.csv")

    def _bar(self, what: str) -> Callable[[str, int, int], None]:
        bars: dict[str, Callable[[int, int], None]] = {}

        def tell(doing: str, done: int, total: int) -> None:
            if doing not in bars:
                bars[doing] = self._counted(f"{what}: {doing}")
            bars[doing](done, total)

        return tell

    def _counted(self, what: str) -> Callable[[int, int], None]:
        task = self.progress.add_task(what, total=None)
        return lambda done, total: self.progress.update(task, completed=done, total=total)


def as_percents(table: Table) -> Table:
    """Shares in words, all columns but the first."""
    return Table(table.columns, tuple((first, *(f"{value:.0%}" for value in rest)) for first, *rest in table.rows))


def main() -> int:
    """Print every table, write them with every figure."""
    options = _options()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=console) as progress:
            Chapters(options, progress).run()
    except SurefootError as problem:
        print(problem, file=sys.stderr)
        return 2
    print(f"Tables and figures are in {options.out} ({time.perf_counter() - start:.0f} s)")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few pairs and conditions: a minute")
    parser.add_argument("--workers", type=int, default=1, help="processes that record")
    parser.add_argument("--threads", type=int, default=1, help="of torch, in this process")
    parser.add_argument("--out", type=Path, default=Path("out/systems_steering"), help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
