"""A whole study in one call: record, score, and every table of paper SYS (Wang et al. 2022) for any system.

``Study`` says what is studied and runs it, with progress, on any executor, resuming what was interrupted; ``Findings``
holds the tables. May import everything of ``systems`` below it, ``executors``, ``monitors`` and ``drawing``.
"""

from __future__ import annotations

import copy
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from surefoot.core import Executor, InvalidInput, Table, digest, validate
from surefoot.core.validate import FloatArray
from surefoot.executors import Serial
from surefoot.metrics.distances import as_distance
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.monitors import KernelDensity, Mahalanobis
from surefoot.monitors.detectors.base import Detector
from surefoot.systems.data import CLEAN, Condition, Items
from surefoot.systems.graph.module import module_of, version_of
from surefoot.systems.graph.system import System
from surefoot.systems.records import parquet
from surefoot.systems.records.parquet import rows_of, slug, values_of
from surefoot.systems.records.recording import (
    VARIATION,
    VARIATION_ORIGINAL,
    Judges,
    Passes,
    Recording,
    Scoring,
    Stored,
    Through,
    record,
    score,
)
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


Progress = Callable[[str, int, int], None]
"""What is being done, how many parts of it are, and how many there are."""
Parts = dict[Condition, list[parquet.Part]]
FEATURES = "features:"
MOST_ROWS = 10_000
"""Rows of features that detectors are fitted to; of more, evenly spaced ones are taken."""


@dataclass(frozen=True, eq=False)
class Study:
    """A study of a system on clean and corrupted inputs: record, score, and every table of paper SYS.

    A study that was interrupted goes on in its folder, and one that changed records anew what the change concerns. Two
    studies that differ overwrite each other's recordings in one folder.

    Parameters
    ----------
    system
        What is studied.
    items
        Inputs with their truth.
    conditions
        What they are met in, clean first.
    metric
        What answers are judged by, by its name or itself.
    training
        Inputs as the modules were trained on.
    detectors
        What learns from them which features are usual, by default the Mahalanobis distance and the kernel density of
        paper SYS (section 3.2), named Maha-d and KDE.
    passes
        How often modules that have random numbers are shaken; those with a distance get the scores VR and VRO.
    through
        What each pass shakes: the whole ``system`` together, or one ``module`` at a time.
    own_scores
        Scores that modules give themselves: by name the place, or one place for each of several modules.
    outputs
        Further places that answer the same question as the system, such as its modules in parallel.
    folder
        Where the recordings are kept.
    chunk
        Items a file.
    seed, executor
        Of all random numbers, and where the work is done.

    References
    ----------
    Wang et al. (2022), SYS, Algorithm 1.

    Examples
    --------
    >>> from surefoot.systems import Module, conditions
    >>> mean = Module("mean", lambda v: v.reshape(len(v), -1).mean(axis=1), {"v": "frame"}, gives="number")
    >>> light = np.linspace(0.2, 0.8, 20)
    >>> items = Items({"frame": np.broadcast_to(light[:, None, None, None], (20, 4, 4, 1))}, truth=light)
    >>> study = Study(System([mean], inputs={"frame": "image"}), items, conditions(["brightness"], [5]), "mae")
    >>> found = study.run()
    >>> bool(found.whole.errors().max() < 1e-6)
    True

    """

    system: System
    items: Items
    conditions: Sequence[Condition]
    metric: str | Metric
    training: Items | None = None
    detectors: Mapping[str, Detector] | None = None
    passes: int = 10
    through: Through = "system"
    own_scores: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    folder: str | Path | None = None
    chunk: int = 256
    seed: int = 0
    executor: Executor = field(default_factory=Serial)

    def __post_init__(self) -> None:
        parquet.require_parquet()
        require_system(self.system)
        where = f"study of {self.system.name!r}"
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "metric", as_metric(self.metric))
        validate.count(self.passes, where=where, name="passes")
        validate.count(self.chunk, where=where, name="chunk", at_least=1)
        validate.seed(self.seed, where=where)
        validate.choice(self.through, ("system", "module"), where=where, name="through")
        require_usable(self.detectors or {})
        require_data(self.system, self.items, self.training, self.detectors, where=where)
        require_conditions(self.system, self.conditions, where=where)
        require_places(self.system, self.outputs, self._own, where=where)

    def run(self, progress: Progress | None = None) -> Findings:
        """Record what is not recorded yet, score it, and give the tables."""
        parts = _parts(self.items, self.chunk)
        recorded = self._recorded(parts, progress)
        judges = self._judges(progress)
        scored = self._scored(recorded, [items for _, items in parts], judges, progress)
        families = judges.families(self.system)
        whole = Measurements(
            self.system.name,
            judges.metric,
            tuple(self.conditions),
            families,
            Stored(scored, self.system.output),
            self.items.units,
        )
        further = {name: _of_place(whole, name, place) for name, place in self.outputs.items()}
        return Findings({self.system.name: whole, **further}, self.system, self._kept, recorded, seed=self.seed)

    @property
    def _own(self) -> dict[Score, str]:
        """Scores that modules give themselves."""
        given = {name: [some] if isinstance(some, str) else some for name, some in self.own_scores.items()}
        return {Score(module_of(place), name): place for name, places in given.items() for place in places}

    @cached_property
    def _passes(self) -> Passes:
        """Passes are worth their time where a module is judged by them."""
        passes = Passes(self.passes, self.through)
        return passes if passes.judged(self.system) else Passes()

    @cached_property
    def _kept(self) -> Folder:
        """Where recordings lie."""
        return Folder(self.folder)

    def _place(self, kind: str, condition: str) -> Path:
        return self._kept.path / parquet.slug(self.system.name) / kind / parquet.slug(condition)

    def _recorded(self, parts: list[tuple[int, Items]], progress: Progress | None) -> Parts:
        tasks = {c: [self._recording(c, c.label, *part, self._passes) for part in parts] for c in self.conditions}
        self._run("recording", record, [task for each in tasks.values() for task in each], progress)
        return {condition: [task.part for task in each] for condition, each in tasks.items()}

    def _recording(self, condition: Condition, label: str, start: int, items: Items, passes: Passes) -> Recording:
        return Recording(self.system, items, condition, start, passes, self.seed, self._place("recorded", label))

    def _judges(self, progress: Progress | None) -> Judges:
        detectors, fitted = self._detectors(progress)
        places = tuple(dict.fromkeys((self.system.output, *self.outputs.values())))
        return Judges(as_metric(self.metric), places, detectors, fitted, self._own, self._passes)

    def _detectors(self, progress: Progress | None) -> tuple[dict[Score, Detector], str]:
        if self.training is None:
            return {}, ""
        parts = _parts(self.training, self.chunk)
        tasks = [self._recording(CLEAN, "training", start, items, Passes()) for start, items in parts]
        self._run("recording training data", record, tasks, progress)
        chosen = usual_detectors() if self.detectors is None else dict(self.detectors)
        return fitted_detectors(chosen, [task.part for task in tasks])

    def _scored(self, recorded: Parts, items: Sequence[Items], judges: Judges, progress: Progress | None) -> Parts:
        def scoring(condition: Condition, part: parquet.Part, some: Items) -> Scoring:
            truth: Any = some.truth
            return Scoring(self.system, part, truth, some.truth_digest, judges, self._place("scored", condition.label))

        tasks = {
            condition: [scoring(condition, part, some) for part, some in zip(parts, items, strict=True)]
            for condition, parts in recorded.items()
        }
        self._run("scoring", score, [task for each in tasks.values() for task in each], progress)
        return {condition: [task.part for task in each] for condition, each in tasks.items()}

    def _run(self, doing: str, function: Callable[..., Any], tasks: list[Any], progress: Progress | None) -> None:
        """Do what is not there yet."""
        missing = [task for task in tasks if not task.part.there]
        done = len(tasks) - len(missing)

        def tell(now: int, _: int) -> None:
            if progress is not None:
                progress(doing, done + now, len(tasks))

        tell(0, 0)
        if missing:
            try:
                self.executor.map(function, missing, seed=self.seed, progress=tell)
            except PicklingError as error:
                remedy = "Leave locks, open files and the like out of modules, or say executor=Serial()."
                # A worker sends its traceback as text; the last line says what it was.
                found = str(error.__cause__ or error).strip('"\n ').splitlines()[-1]
                where = f"study of {self.system.name!r}"
                raise InvalidInput(
                    "cannot be sent to other processes", where=where, found=found, remedy=remedy
                ) from error


def require_system(given: object) -> None:
    """A study is of a system."""
    if not isinstance(given, System):
        remedy = "Say System([module, ...], inputs={...})."
        raise InvalidInput("a study needs a System", where="Study", found=type(given).__name__, remedy=remedy)


def require_usable(chosen: Mapping[str, Detector]) -> None:
    """Detectors that learn from features alone."""
    for name, detector in chosen.items():
        if detector.by_class:
            remedy = "Use one of all classes together, such as Mahalanobis(kind='tied')."
            raise InvalidInput("needs classes, which features of a system lack", where=name, remedy=remedy)
        if detector.takes != "features":
            raise InvalidInput(f"takes {detector.takes}, not features", where=name, remedy="Use one of features.")


def require_data(system: System, items: Items, training: Items | None, detectors: Any, *, where: str) -> None:
    """Every input of the system is given, with the truth, and detectors have something to learn from."""
    for what, each in (("items", items), ("training", training)):
        if each is not None and not isinstance(each, Items):
            found, remedy = type(each).__name__, "Say Items({'input': values}, truth=...)."
            raise InvalidInput(f"{what} must be Items", where=where, found=found, remedy=remedy)
    items.require_truth(where=where)
    for what, given in (("items", items), ("training", training)):
        missing = sorted(set(system.inputs) - set(given.inputs)) if given is not None else ()
        if missing:
            raise InvalidInput(f"{what} lack an input of the system", where=where, found=", ".join(missing))
    if detectors and training is None:
        remedy = "Say training=Items(...), inputs as the modules were trained on."
        raise InvalidInput("detectors need training data", where=where, found=", ".join(detectors), remedy=remedy)


def require_conditions(system: System, chosen: Sequence[Condition], *, where: str) -> None:
    """Conditions differ, start with clean, and find the inputs that they corrupt."""
    strange = [repr(each) for each in chosen if not isinstance(each, Condition)]
    if strange:
        remedy = "Say conditions(['fog'], [3]), or Condition('fog', 3)."
        raise InvalidInput("conditions must be Condition", where=where, found=", ".join(strange), remedy=remedy)
    labels = [condition.label for condition in chosen]
    if len(set(labels)) != len(labels) or not chosen or not chosen[0].clean:
        found = ", ".join(labels) or "none"
        remedy = "conditions(...) puts clean first; what differs in options or inputs alone needs a study of its own."
        raise InvalidInput("conditions must differ, and start with clean", where=where, found=found, remedy=remedy)
    for condition in chosen:
        condition.touched(system.inputs)


def require_places(system: System, outputs: Mapping[str, str], own: Mapping[Score, str], *, where: str) -> None:
    """Places are outputs of modules, scores are numbers under names of their own, and distances are known."""
    if system.name in outputs:
        raise InvalidInput("an output has the name of the system", where=where, found=system.name)
    for place in (*outputs.values(), *own.values()):
        validate.choice(place, system.places, where=where, name="place")
    for each, place in own.items():
        if system.kinds[place] != "number":
            raise InvalidInput(f"the score {each.name!r} must be a number", where=where, found=system.kinds[place])
        if each.name in (VARIATION, VARIATION_ORIGINAL):
            raise InvalidInput("this name is taken by repeated passes", where=where, found=each.name)
    for module in system.modules.values():
        if module.distance is not None:
            as_distance(module.distance)


def _parts(items: Items, chunk: int) -> list[tuple[int, Items]]:
    return [(start, items.part(start, min(start + chunk, len(items)))) for start in range(0, len(items), chunk)]


def _of_place(whole: Measurements, name: str, place: str) -> Measurements:
    """What was measured of a further place, with the scores of the module that gives it."""
    own = {score: family for score, family in whole.scores.items() if score.module == module_of(place)}
    return replace(whole, system=name, scores=own, columns=replace(whole.columns, place=place))  # type: ignore[type-var]


def usual_detectors() -> dict[str, Detector]:
    """The Mahalanobis distance and the kernel density of paper SYS (section 3.2), of all features as one class."""
    return {"Maha-d": Mahalanobis(kind="tied"), "KDE": KernelDensity()}


def fitted_detectors(
    chosen: Mapping[str, Detector], parts: Sequence[parquet.Part]
) -> tuple[dict[Score, Detector], str]:
    """Every detector fitted to every module that gives features, and a digest of both."""
    from threadpoolctl import threadpool_limits

    found: dict[Score, Detector] = {}
    for module in _modules(parts):
        rows = _features(module, parts)
        for name, detector in chosen.items():
            # As tasks of executors do, so that the last bits do not depend on the number of cores.
            with threadpool_limits(limits=1, user_api="blas"):
                found[Score(module, name)] = copy.deepcopy(detector).fit(rows)
    return found, digest([MOST_ROWS, [part.key for part in parts], {n: version_of(d) for n, d in chosen.items()}])


def _modules(parts: Sequence[parquet.Part]) -> list[str]:
    columns = dict.fromkeys(name for part in parts for name in parquet.names_in(part))
    return [name.removeprefix(FEATURES) for name in columns if name.startswith(FEATURES)]


def _features(module: str, parts: Sequence[parquet.Part]) -> FloatArray:
    """Rows of all parts, thinned part by part so that memory stays bounded."""
    every = max(1, -(-parts[-1].stop // MOST_ROWS))
    name = f"{FEATURES}{module}"
    blocks = [
        rows_of(parquet.read(part, [name])[name])[(-part.start) % every :: every]
        for part in parts
        if name in parquet.names_in(part)
    ]
    widths = sorted({block.shape[1] for block in blocks})
    if len(widths) > 1:
        found = f"widths {', '.join(map(str, widths))}"
        raise InvalidInput("features must have one width", where=f"module {module!r}", found=found)
    whole = np.concatenate(blocks)
    return whole[np.isfinite(whole).all(axis=1)]


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
