"""What a study found: every table of research questions 0 to 4 of paper SYS, figures, and where the recordings lie."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from surefoot.core import InvalidInput, Table, validate
from surefoot.systems.data import CLEAN, Condition
from surefoot.systems.graph.system import System
from surefoot.systems.records import parquet
from surefoot.systems.records.parquet import slug, values_of
from surefoot.systems.records.recording import Stored
from surefoot.systems.rejection import predicted_errors, rejections, risk_coverage, switching
from surefoot.systems.rejection.comparison import RATES, RiskCoverage
from surefoot.systems.rejection.strategies import FOLDS, Suspicion
from surefoot.systems.tables import (
    Performance,
    Tested,
    error_changes,
    overlaps,
    rank_correlations,
    score_changes,
    shifts,
    side_by_side,
)
from surefoot.systems.tables.correlations import module_pairs
from surefoot.systems.tables.degradation import FAMILIES
from surefoot.systems.tables.inference import Family, Measurements, Score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PREFERRED: Mapping[Family, Sequence[str]] = {"uncertainty": ("VRO", "VR"), "strangeness": ("KDE", "Maha-d")}
"""The scores that paper SYS rejects by (section 4.5), on the last module that has them."""
LONGEST_NAME = 80


@dataclass(frozen=True, eq=False)
class Findings:
    """What a study measured, and the tables of research questions 0 to 4 of paper SYS.

    ``performance`` is question 0; ``shifts`` of out-of-distribution scores question 1 and of uncertainty question 2,
    with ``overlaps``, ``rank_correlations`` and ``score_changes``; ``error_changes`` question 3; ``rejections`` and
    ``risk_coverage`` question 4. ``tables`` has all of them, and ``write`` puts them into files.

    Parameters
    ----------
    measured
        Of the system first, then of further places that answer the same question.
    system
        What was studied.
    folder, recorded
        Where the recordings lie, and the files of every condition, in the order of the items.
    level, draws, seed
        Of all intervals.

    See Also
    --------
    Study.run

    """

    measured: Mapping[str, Measurements]
    """Of the system first, then of further places that answer the same question."""
    system: System
    folder: Folder
    """Where the recordings lie."""
    recorded: Mapping[Condition, Sequence[parquet.Part]]
    """Files of every condition, in the order of the items."""
    level: float = 0.95
    draws: int = 2000
    seed: int = 0

    @property
    def whole(self) -> Measurements:
        """What was measured of the system."""
        return next(iter(self.measured.values()))

    def answers(self, place: str, condition: Condition = CLEAN) -> list[Any]:
        """What a place (``module`` or ``module.port``) gave for each item, as recorded; None where it gave nothing."""
        validate.choice(place, self.system.places, where="answers", name="place")
        column, kind = f"output:{place}", self.system.kinds[place]
        parts = self.recorded[condition]
        return [value for part in parts for value in values_of(kind, parquet.read(part, [column])[column])]

    def faults(self) -> Table:
        """What modules raised, or answered that is no answer, on how many items, and the first of them."""
        return fault_table(Stored(self.recorded, self.system.output), self.whole.conditions)

    def performance(self) -> dict[str, Performance]:
        """The metric and its relative drop in every condition, of the system and of further places."""
        return self._performance

    @cached_property
    def _performance(self) -> dict[str, Performance]:
        return side_by_side(self.measured, **self._usual)

    def shifts(self, family: Family) -> Tested:
        """Whether scores of a family rise with severity."""
        return shifts(self.whole, family, level=self.level)

    def overlaps(self, family: Family = "strangeness", shares: Sequence[float] = (0.01, 0.05, 0.10)) -> Tested:
        """How many of the items with the highest scores two modules have in common."""
        return overlaps(self.whole, family, shares=shares)

    def rank_correlations(self, family: Family) -> Tested:
        """Whether two modules rank items alike."""
        return rank_correlations(self.whole, family, level=self.level)

    def score_changes(self, family: Family) -> Tested:
        """Whether scores of two modules change together."""
        return score_changes(self.whole, family, level=self.level)

    def error_changes(self, family: Family) -> Tested:
        """Whether scores of a module change with the error of the system."""
        return error_changes(self.whole, family, level=self.level)

    def chosen(self, family: Family) -> Score:
        """The score to reject by: as in paper SYS that of the last module, VRO and KDE where it has them."""
        return chosen_score(self.whole, family)

    def rejections(
        self,
        rates: Sequence[float] = RATES,
        *,
        uncertainty: Score | None = None,
        strangeness: Score | None = None,
        **options: Any,
    ) -> Table:
        """What rejecting a share of the answers gains, by the five strategies and by a learned one.

        ``options`` are those of ``rejections``; ``others`` there replaces the learned one.
        """
        return rejections(
            self.whole,
            uncertainty=uncertainty or self.chosen("uncertainty"),
            strangeness=strangeness or self.chosen("strangeness"),
            rates=rates,
            **{**self._usual, "others": self._learned, **options},
        )

    def switching(self, **options: Any) -> Table:
        """What believing, item by item, the module of the lowest predicted error gives where several answer."""
        modules = dict(list(self.measured.items())[1:])
        return switching(modules, **{"pooled": True, **self._usual, **options})

    @property
    def _usual(self) -> dict[str, Any]:
        return {"level": self.level, "draws": self.draws, "seed": self.seed}

    @cached_property
    def _learned(self) -> dict[str, Suspicion]:
        """Nothing where there are fewer independent units than models that learn from each other's rest."""
        return {"learned": predicted_errors(self.whole, seed=self.seed)} if self._learns else {}

    @cached_property
    def _learns(self) -> bool:
        units = self.whole.units
        return (len(self.whole.statistics()) if units is None else len(set(units.tolist()))) >= FOLDS

    def risk_coverage(self, **options: Any) -> RiskCoverage:
        """The metric of accepted answers against their share; ``options`` of ``risk_coverage``."""
        scores: dict[str, Any] = {family: self.chosen(family) for family in FAMILIES}
        common = {"level": self.level, "seed": self.seed, "others": self._learned}
        return risk_coverage(self.whole, **{**common, **scores, **options})

    def tables(self) -> dict[str, Table]:
        """Every table that the scores of the study allow, by name."""
        found = {f"performance of {name}": each.table for name, each in self.performance().items()}
        found |= {name: tested.table for name, tested in self.tested()}
        if self.rejects:
            found["rejection"] = self.rejections()
        if self.switches:
            found["switching"] = self.switching()
        faults = self.faults()
        return found | {"faults": faults} if faults.rows else found

    @property
    def rejects(self) -> bool:
        """Whether there are scores of both families, which the strategies of rejection combine."""
        return all(self.whole.of_family(family) for family in FAMILIES)

    @property
    def switches(self) -> bool:
        """Whether several modules answer the same question and have scores to choose by."""
        modules = list(self.measured.values())[1:]
        return len(modules) > 1 and all(module.scores for module in modules) and self._learns

    def tested(self) -> Iterator[tuple[str, Tested]]:
        """Every table of tests that the scores allow, by name."""
        yield from self._every_test

    @cached_property
    def _every_test(self) -> list[tuple[str, Tested]]:
        return [each for family in FAMILIES for each in self._tested(family)]

    def _tested(self, family: Family) -> Iterator[tuple[str, Tested]]:
        measured = self.whole
        if not measured.of_family(family) or not measured.corrupted:
            return
        yield f"shifts of {family}", self.shifts(family)
        yield f"error changes with {family}", self.error_changes(family)
        if module_pairs(measured, family):
            yield f"overlaps of {family}", self.overlaps(family)
            yield f"rank correlations of {family}", self.rank_correlations(family)
            yield f"score changes of {family}", self.score_changes(family)

    def figures(self) -> dict[str, Figure]:
        """The pictures worth looking at first."""
        from surefoot.systems.tables.presentation import plot_cells, plot_drops

        found = {"performance": plot_drops(self.performance())} if self.whole.corrupted else {}
        for name, tested in self.tested():
            if name.startswith(("shifts", "error changes")):
                found[name] = plot_cells(tested)
        if self.rejects:
            found["risk and coverage"] = self.risk_coverage().plot()
        return {name: cast("Figure", axes.get_figure(root=True)) for name, axes in found.items()}

    def write(self, folder: str | Path) -> list[Path]:
        """Write every table as CSV and every figure as SVG; gives the files."""
        return written(self.tables(), self.figures(), Path(folder))


class Folder:
    """A folder that the user named and keeps, or one of its own that goes away with whoever holds it."""

    def __init__(self, named: str | Path | None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="surefoot-")) if named is None else Path(named)
        if named is None:
            weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def fault_table(kept: Stored, conditions: Sequence[Condition]) -> Table:
    """For each condition what was said, on how many items and on which first; the most frequent first."""
    rows = []
    for condition in conditions:
        told = kept.faults(condition)
        first = {text: item for item, text in reversed(told)}
        said = Counter(text for _, text in told).most_common()
        rows += [(*condition.corruption_and_severity, count, first[text], text) for text, count in said]
    return Table(("corruption", "severity", "items", "first", "what was said"), tuple(rows))


def chosen_score(measured: Measurements, family: Family) -> Score:
    """As in paper SYS that of the last module, VRO and KDE where it has them."""
    known = measured.of_family(family)
    if not known:
        remedy = "Give training data for out-of-distribution scores, and noisy modules with a distance for uncertainty."
        raise InvalidInput(f"the study has no score of {family}", where=measured.system, remedy=remedy)
    ranks = {name: place for place, name in enumerate(PREFERRED[family])}
    best = min(ranks.get(score.name, len(ranks)) for score in known)
    return [score for score in known if ranks.get(score.name, len(ranks)) == best][-1]


def written(tables: Mapping[str, Table], figures: Mapping[str, Figure], folder: Path) -> list[Path]:
    """Every table as CSV and every figure as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, table in tables.items():
        made.append(table.write(folder / f"{_file_name(name)}.csv"))
    for name, figure in figures.items():
        made.append(folder / f"{_file_name(name)}.svg")
        figure.savefig(made[-1])
    return made


def _file_name(name: str) -> str:
    plain = name.replace(" ", "_")
    fits = plain.replace("_", "").isalnum() and len(plain) <= LONGEST_NAME
    return plain if fits else slug(name)
