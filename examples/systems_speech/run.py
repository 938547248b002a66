"""Recognisers of spoken digits, an encoder with two decoders and pocketsphinx: research questions 0 to 4 of paper SYS.

Train first: ``python examples/systems_speech/train.py``. Run ``python examples/systems_speech/run.py --help``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import beside
import system
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from surefoot import SurefootError, Undefined
from surefoot.core import Table
from surefoot.executors import Processes, Serial
from surefoot.systems import (
    Findings,
    Measurements,
    Mix,
    accept_below_predicted,
    advise,
    predicted_errors,
    rejections,
    risk_coverage,
    system_failure,
)
from surefoot.systems.rejection import switching
from surefoot.systems.tables import as_in_paper, side_by_side
from surefoot.systems.tables.presentation import plot_cells, plot_drops

QUICK = {
    "strings": 48,
    "training": 96,
    "corruptions": ("reverb", "background_noise"),
    "severities": (1, 5),
    "passes": 4,
}
RATES = (0.01, 0.03, 0.05)
TARGETS = (0.05, 0.1, 0.2)
"""Shares of accepted answers that may hold a wrong word: for which a guarantee is looked for."""


class Chapters:
    """Tables and figures as they come, on the terminal and in files."""

    def __init__(self, options: argparse.Namespace, progress: Progress) -> None:
        self.options, self.progress = options, progress
        self.draws = 400 if options.quick else 2000
        self.written: list[str] = []

    def run(self) -> None:
        """Everything, in the order of the README."""
        found = self._study().run(self._bar())
        parts = system.configurations(found)
        self._performance(found, parts)
        for name, measured in parts.items():
            if len(measured.modules) > 1:
                self._inside(name, measured, found)
        self._together(found, parts)

    def _study(self) -> system.Study:
        """Recordings lie under the results: a run that was stopped goes on there."""
        workers = self.options.workers
        options = QUICK if self.options.quick else {"strings": self.options.strings}
        executor = Processes(workers) if workers > 1 else Serial()
        return system.study(folder=self.options.out / "recordings", executor=executor, **options)

    def _performance(self, found: Findings, parts: dict[str, Measurements]) -> None:
        ours = side_by_side({**parts, "vote": found.whole}, draws=self.draws)
        self._say("Question 0 (Table 7): word error rate", beside.rates(ours))
        if not self.options.quick:
            self._say("Agreement with the paper", beside.agreement(ours))
        self._say("With intervals over groups", as_in_paper(ours, intervals=True), *ours["vote"].notes)
        self._draw("drops", plot_drops(ours))

    def _inside(self, name: str, measured: Measurements, found: Findings) -> None:
        """Questions 1 to 4 for a configuration of two modules."""
        inner = replace(found, measured={name: measured}, draws=self.draws)
        for title, tested in inner.tested():
            self._say(f"{name}: {title}", beside.effects(tested))
            self._write(f"{name} {title}", tested.table)
            self._say(f"{name}: {title}, cell by cell", as_in_paper(tested))
            if title.startswith(("shifts", "error changes")):
                self._draw(f"{name} {title}", plot_cells(tested))
            if title == "error changes with uncertainty":
                self._say(f"{name}: question 3 (Table 24), tau of VRO with the error", beside.taus(tested, name))
        uncertainty, strangeness = inner.chosen("uncertainty"), inner.chosen("strangeness")
        better = {"learned": predicted_errors(measured)}
        scores = {"uncertainty": uncertainty, "strangeness": strangeness, "others": better}
        table = rejections(measured, **scores, rates=RATES, pooled=True, draws=self.draws)
        self._write(f"{name} rejections", table)
        for rate in RATES:
            title = f"{name}: question 4 (Tables 26, 27), percent better when {rate:.0%} is rejected"
            self._say(f"{title}, by {uncertainty.label} and {strangeness.label}", beside.improvements(table, rate))
        self._say(f"{name}: question 4 (Table 26), 1% rejected", beside.first_and_fifth(table, name))
        curves = risk_coverage(measured, **scores, draws=200 if self.options.quick else 400)
        self._say(f"{name}: area under risk and coverage, all conditions", curves.table)
        self._draw(f"{name} risk and coverage", curves.plot())
        self._say(f"{name}: guarantee", *(f"At most {t:.0%}: {_guarantee(measured, t)}" for t in TARGETS))

    def _together(self, found: Findings, parts: dict[str, Measurements]) -> None:
        advice = advise(parts, draws=self.draws)
        self._say("Configurations alone and together: a string fails that has a wrong word", advice.table)
        self._write("redundancy", advice.table)
        pairs = {name: parts[name] for name in beside.FIRST_TWO}
        whole = switching(pairs, pooled=True, draws=self.draws)
        self._write("switching", whole)
        pooled = Table(whole.columns, tuple(row for row in whole.rows if row[0] == "all conditions"))
        self._say("Switching between the two decoders by their own scores, all conditions", pooled)
        if not self.options.quick:
            mix = Mix(system.MIX)
            rows = [
                (n, f"{e.value:.3f}", f"{e.upper(0.95):.3f}") for n, e in _failures({**parts, "vote": found.whole}, mix)
            ]
            self._say(
                "Strings with a wrong word, under the stated mix", Table(("", "share", "at most, 95%"), tuple(rows))
            )

    def _say(self, title: str, *parts: Table | str) -> None:
        texts = [beside.markdown(part) if isinstance(part, Table) else part for part in parts]
        self.written.append("\n\n".join([f"## {title}", *texts]) + "\n")
        print(self.written[-1], flush=True)
        (self.options.out / "tables.md").write_text("\n".join(self.written), encoding="utf-8")

    def _write(self, name: str, table: Table) -> None:
        beside.write(table, self.options.out / f"{name.replace(' ', '_')}.csv")

    def _draw(self, name: str, axes: object) -> None:
        axes.get_figure(root=True).savefig(self.options.out / f"{name.replace(' ', '_')}.png", dpi=120)

    def _bar(self) -> Callable[[str, int, int], None]:
        bars: dict[str, int] = {}

        def tell(doing: str, done: int, total: int) -> None:
            if doing not in bars:
                bars[doing] = self.progress.add_task(doing, total=total)
            self.progress.update(bars[doing], completed=done, total=total)

        return tell


def _guarantee(measured: Measurements, target: float) -> str:
    try:
        _, found = accept_below_predicted(measured, target=target)
    except Undefined as why:
        return f"not shown ({why.problem})"
    kind = found.error.bounds[0].kind
    return f"{found.coverage.value:.0%} of answers can be accepted, {found.error.value:.1%} of these fail ({kind})"


def _failures(parts: dict[str, Measurements], mix: Mix) -> list[tuple[str, object]]:
    return [(name, system_failure(measured, mix)) for name, measured in parts.items()]


def main() -> int:
    """Print every table, write them with every figure."""
    options = _options()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as progress:
            Chapters(options, progress).run()
    except SurefootError as problem:
        print(problem, file=sys.stderr)
        return 2
    print(f"Tables and figures are in {options.out} ({time.perf_counter() - start:.0f} s)")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few strings and conditions: a minute or two")
    parser.add_argument(
        "--strings", type=int, default=240, help="test strings, of 960; all 48 groups have a part in them"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes that record")
    parser.add_argument("--out", type=Path, default=Path("out/systems_speech"), help="folder of the results")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
