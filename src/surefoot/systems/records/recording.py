"""A system run, recorded and scored: errors, out-of-distribution scores and uncertainty of each item."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import digest
from surefoot.core.validate import FloatArray
from surefoot.metrics.distances import as_distance
from surefoot.metrics.tasks import Metric
from surefoot.monitors.detectors.base import Detector
from surefoot.monitors.uncertainty import variation_ratio, variation_ratio_original
from surefoot.systems.data import Condition, Items, in_memory
from surefoot.systems.graph.module import batch_of, module_of, seed_of, version_of
from surefoot.systems.graph.system import System, Trace, feeding
from surefoot.systems.records import parquet
from surefoot.systems.records.parquet import column_of, matrix_of, rows_of, values_of
from surefoot.systems.tables.inference import Family, Score

Through = Literal["system", "module"]
"""What a repeated pass shakes: all modules together, or one at a time with its usual inputs."""
FORMAT = 2
_LOCK = Lock()
_usual: list[int] = []
"""For each task that runs in this process, the number of threads before the first of them."""
VARIATION, VARIATION_ORIGINAL = "VR", "VRO"
"""Names of the scores of Eqns. (5) and (6) of paper SYS."""
FEWEST_PASSES = 2
KEPT_BYTES = 1 << 27
"""Of columns that are kept in memory once they were read."""


def record(task: Recording, rng: np.random.Generator) -> parquet.Done:
    """Run the system on some items and write the file.

    Parameters
    ----------
    task
        What is to be recorded.
    rng
        Unused: a recording has a seed of its own.

    Returns
    -------
    Done
        The result lies in the file.

    See Also
    --------
    Study.run

    """
    about = {"system": task.system.name, "condition": task.condition.label, "passes": task.passes.count}
    with one_thread():
        parquet.write(task.part, _recorded(task), {**about, "start": task.start})
    return parquet.Done()


@dataclass(frozen=True, eq=False)
class Recording:
    """What is to be recorded: some items in a condition, with repeated passes.

    Parameters
    ----------
    system, items, condition
        What is run on what.
    start
        The number of the first item.
    passes, seed
        Repeated passes, and the seed of all random numbers.
    folder
        Where the file goes.

    See Also
    --------
    record

    """

    system: System
    items: Items
    condition: Condition
    start: int
    passes: Passes
    seed: int
    folder: Path

    @cached_property
    def key(self) -> str:
        """Digest of what decides the content of the file."""
        return digest(
            {
                "format": FORMAT,
                "system": self.system.version,
                "condition": self.condition.key,
                "items": self.items.digest,
                "start": self.start,
                "passes": [self.passes.count, self.passes.through, self.passes.judged(self.system)],
                "seed": self.seed,
            }
        )

    @property
    def part(self) -> parquet.Part:
        """Where it is kept."""
        path = self.folder / f"{self.start:09d}.parquet"
        return parquet.Part(path, self.key, self.start, self.start + len(self.items))


@dataclass(frozen=True)
class Passes:
    """Repeated passes: how often a system is shaken, and what in each.

    Parameters
    ----------
    count
        How many.
    through
        ``system`` for all modules together, ``module`` for one at a time with its usual inputs.

    Examples
    --------
    >>> from surefoot.systems import Module
    >>> Passes().judged(System([Module("mean", lambda x: x, {"x": "x"})], inputs={"x": "number"}))
    {}

    """

    count: int = 0
    through: Through = "system"

    def judged(self, system: System) -> dict[str, str]:
        """For each module that is judged, its place: it has a distance, and random numbers reach it."""
        if not self.count:
            return {}
        reached = _fed_from(_noisy(system), system) if self.through == "system" else _noisy(system)
        modules = [module for name, module in system.modules.items() if module.distance is not None and name in reached]
        return {module.name: module.place(next(iter(module.ports))) for module in modules}

    def needed(self, system: System) -> set[str]:
        """Modules that must run in a pass: random numbers reach them, and they feed one that is judged, or are one."""
        return _fed_from(_noisy(system), system) & feeding(self.judged(system), system.feeds)


def _fed_from(names: set[str], system: System) -> set[str]:
    """Modules of these names, and all that are fed from them."""
    return {name for name in system.modules if feeding({name}, system.feeds) & names}


def _noisy(system: System) -> set[str]:
    return {name for name, module in system.modules.items() if module.noisy is not None}


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold torch, where it is loaded, to one thread until the last of the tasks beside each other is done.

    Sums in a network depend on the number of threads in their last bits, and worker processes have other thread counts
    than the main one; executors hold numpy to one thread for the same reason.

    Returns
    -------
    context manager
        For ``with``.

    Examples
    --------
    >>> with one_thread():
    ...     pass

    """
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    with _LOCK:
        _usual.append(_usual[0] if _usual else torch.get_num_threads())
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            before = _usual.pop()
            if not _usual:
                torch.set_num_threads(before)


def _recorded(task: Recording) -> dict[str, Any]:
    """Columns of everything that went through the system, and of its repeated passes."""
    inputs = task.condition.applied(task.items.read(), task.system.inputs, seed=task.seed, first=task.start)
    trace = task.system.run(inputs)
    columns = _columns(task.system, trace) | _named(task, trace)
    again: dict[int, str] = {}
    for turn in range(task.passes.count):
        columns |= _pass(task, inputs, trace, turn, again)
    columns["pass fault"] = column_of("text", [again.get(i) for i in range(trace.count)], where="faults")
    return columns


def _columns(system: System, trace: Trace) -> dict[str, Any]:
    outputs = {f"output:{place}": _column(system, place, values) for place, values in trace.outputs.items()}
    features = {}
    for name, rows in trace.features.items():
        width = next(np.size(row) for row in rows if row is not None)
        features[f"features:{name}"] = matrix_of(rows, width, where=f"features of module {name!r}")
    return outputs | features


def _column(system: System, place: str, values: list[Any]) -> Any:
    return column_of(system.kinds[place], values, where=f"system {system.name!r}, {place!r}")


def _named(task: Recording, trace: Trace) -> dict[str, Any]:
    names = [task.items.name_of(i) for i in range(trace.count)]
    faults = [str(trace.faults[i]) if i in trace.faults else None for i in range(trace.count)]
    return {"item": column_of("text", names, where="names"), "fault": column_of("text", faults, where="faults")}


def _pass(task: Recording, inputs: Mapping[str, Any], usual: Trace, turn: int, again: dict[int, str]) -> dict[str, Any]:
    """One repeated pass: what every judged module gave in it; what was raised in it alone is added to ``again``."""
    system = task.system
    seed = seed_of(task.seed, task.start, turn)
    columns = {}
    for name, place, found in _shaken(task, inputs, usual, seed):
        columns[f"pass {turn}:{place}"] = _column(system, place, found.outputs[place])
        for item, fault in found.faults.items():
            if usual.outputs[place][item] is not None and found.outputs[place][item] is None:
                again.setdefault(item, f"pass {turn} of {name}: {fault}")
    return columns


def _shaken(task: Recording, inputs: Mapping[str, Any], usual: Trace, seed: int) -> list[tuple[str, str, Trace]]:
    """For every judged module its place, and the pass that it is judged by."""
    system, places = task.system, task.passes.judged(task.system)
    if task.passes.through == "system":
        # What no random number reaches, and what no judged module needs, is as it was.
        needed = task.passes.needed(system)
        settled = {p: v for p, v in usual.outputs.items() if module_of(p) not in needed}
        together = system.run(inputs, substitute=settled, noise=seed)
        return [(name, place, together) for name, place in places.items()]
    found = []
    for name, place in places.items():
        # All other modules give what they usually give, so that this one alone is shaken.
        others = {p: v for p, v in usual.outputs.items() if module_of(p) != name}
        found.append((name, place, system.run(inputs, substitute=others, noise=seed, only=name)))
    return found


def score(task: Scoring, rng: np.random.Generator) -> parquet.Done:
    """Read a recorded part, and write its errors and scores."""
    table, metric, truth = parquet.read(task.recorded), task.judges.metric, in_memory(task.truth)
    columns: dict[str, Any] = {name: table[name] for name in ("item", "fault", "pass fault")}
    for place in task.judges.places:
        outputs = values_of(task.system.kinds[place], table[f"output:{place}"])
        statistics = statistics_of(metric, outputs, truth)
        columns[f"answered:{place}"] = [value is not None for value in outputs]
        columns[f"statistics:{place}"] = matrix_of(list(statistics), statistics.shape[1], where=metric.name)
    for score, values in {**_strangeness(task, table), **_uncertainty(task, table), **_own(task, table)}.items():
        columns[column_name(score)] = column_of(
            "number", [None if np.isnan(value) else value for value in values], where=score.label
        )
    parquet.write(task.part, columns, {"system": task.system.name, "metric": metric.name})
    return parquet.Done()


@dataclass(frozen=True, eq=False)
class Scoring:
    """What is to be scored: a recorded part with the truth about it, and its judges.

    Parameters
    ----------
    system, recorded, truth, truth_digest, judges
        What was run and recorded, and what judges it.
    folder
        Where the file goes.

    See Also
    --------
    Study.run

    """

    system: System
    recorded: parquet.Part
    truth: Sequence[Any]
    truth_digest: str
    judges: Judges
    folder: Path

    @cached_property
    def key(self) -> str:
        """Digest of what decides the content of the file."""
        judged = self.judges.passes.judged(self.system)
        return digest(
            {
                "recorded": self.recorded.key,
                "truth": self.truth_digest,
                "judges": self.judges.version,
                "distances": {name: version_of(self.system.modules[name].distance) for name in judged},
            }
        )

    @property
    def part(self) -> parquet.Part:
        """Where it is kept."""
        return parquet.Part(self.folder / self.recorded.path.name, self.key, self.recorded.start, self.recorded.stop)


@dataclass(frozen=True, eq=False)
class Judges:
    """What recorded items are judged by.

    Parameters
    ----------
    metric, places
        And the places whose values it judges.
    detectors, fitted
        Fitted to what each module usually sees, and the digest of that.
    own
        Scores that are an output of a module, by place.
    passes
        Repeated passes.

    See Also
    --------
    Study.run

    """

    metric: Metric
    places: tuple[str, ...]
    """Places whose values the metric judges."""
    detectors: Mapping[Score, Detector]
    """Fitted to what each module usually sees."""
    fitted: str
    """Digest of the detectors and of what they were fitted to."""
    own: Mapping[Score, str]
    """Scores that are an output of a module, by place."""
    passes: Passes

    def families(self, system: System) -> dict[Score, Family]:
        """Every score there will be, with its family, in the order of the modules."""
        found: dict[Score, Family] = dict.fromkeys(self.detectors, "strangeness")
        if self.passes.count >= FEWEST_PASSES:
            modules = self.passes.judged(system)
            found |= {Score(m, n): "uncertainty" for m in modules for n in (VARIATION, VARIATION_ORIGINAL)}
        found |= dict.fromkeys(self.own, "uncertainty")
        order = list(system.modules)
        return dict(sorted(found.items(), key=lambda item: order.index(item[0].module)))

    @cached_property
    def version(self) -> str:
        """Digest of all but what is recorded."""
        metric = self.metric
        return digest(
            {
                "format": FORMAT,
                "metric": [metric.name, metric.meaning, list(metric.columns), version_of(metric.empty)],
                "statistics": version_of(metric.statistics),
                "places": list(self.places),
                "detectors": [self.fitted, *(score.label for score in self.detectors)],
                "own": {score.label: place for score, place in self.own.items()},
            }
        )


def statistics_of(metric: Metric, outputs: Sequence[Any], truth: Sequence[Any]) -> FloatArray:
    """Statistics of the metric; an item without an answer counts with the empty one, or not at all (NaN)."""
    answered = [metric.empty if value is None else value for value in outputs]
    there = [i for i, value in enumerate(answered) if value is not None]
    if not there:
        return np.full((len(outputs), len(metric.columns)), np.nan)
    found = np.asarray(metric.statistics([answered[i] for i in there], [truth[i] for i in there]))
    whole = np.full((len(outputs), found.shape[1]), np.nan)
    whole[there] = found
    return whole


def _strangeness(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    found = {}
    for score, detector in task.judges.detectors.items():
        name = f"features:{score.module}"
        whole = np.full(table.num_rows, np.nan)
        if name in table.column_names:
            rows = rows_of(table[name])
            there = np.isfinite(rows).all(axis=1)
            whole[there] = detector.decision_function(rows[there])
        found[score] = whole
    return found


def _uncertainty(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    """VR and VRO of every module that repeated passes are judged by."""
    passes = task.judges.passes
    if passes.count < FEWEST_PASSES:
        return {}
    found: dict[Score, FloatArray] = {}
    for name, place in passes.judged(task.system).items():
        usual, *again = [
            values_of(task.system.kinds[place], table[column])
            for column in (f"output:{place}", *(f"pass {turn}:{place}" for turn in range(passes.count)))
        ]
        found |= variation(task.system, name, usual, again)
    return found


def variation(system: System, name: str, usual: list[Any], again: list[list[Any]]) -> dict[Score, FloatArray]:
    """VR and VRO of each item of a module, from its usual answers and those of repeated passes.

    Parameters
    ----------
    system, name
        The module.
    usual, again
        Its usual answers, and those of each pass.

    Returns
    -------
    dict of Score to ndarray
        NaN where an item has no answer.

    References
    ----------
    Wang et al. (2022), SYS, Eqns. (5) and (6).

    See Also
    --------
    surefoot.monitors.variation_ratio

    """
    module = system.modules[name]
    kind, distance = next(iter(module.ports.values())), as_distance(module.distance or "label")
    there = [i for i, value in enumerate(usual) if value is not None and all(one[i] is not None for one in again)]
    spread, apart = np.full((2, len(usual)), np.nan)
    if there:
        passes = _stack(kind, [[one[i] for i in there] for one in again])
        spread[there] = variation_ratio(passes, distance)
        apart[there] = variation_ratio_original(passes, _stack(kind, [[usual[i] for i in there]])[0], distance)
    return {Score(name, VARIATION): spread, Score(name, VARIATION_ORIGINAL): apart}


def _stack(kind: str, passes: list[list[Any]]) -> Any:
    """Passes as one array where all have one shape, otherwise as lists."""
    batches = [batch_of(kind, one) for one in passes]
    alike = all(isinstance(b, np.ndarray) and b.shape == batches[0].shape for b in batches)
    return np.stack(batches) if alike else batches


def _own(task: Scoring, table: Any) -> dict[Score, FloatArray]:
    return {
        score: np.array([np.nan if v is None else v for v in values_of("number", table[f"output:{place}"])])
        for score, place in task.judges.own.items()
    }


def column_name(score: Score) -> str:
    """The column of a score; names of modules have no dot."""
    return f"score:{score.module}.{score.name}"


@dataclass(frozen=True, eq=False)
class Stored:
    """Scored parts of every condition, judged by the values of one place."""

    parts: Mapping[Condition, Sequence[parquet.Part]]
    place: str
    _kept: OrderedDict[tuple[Condition, str], FloatArray] = field(default_factory=OrderedDict, init=False, repr=False)
    """Columns of numbers that were read lately: tables of pairs of scores ask for each of them many times."""

    def statistics(self, condition: Condition) -> FloatArray:
        """Sufficient statistics of the metric."""
        return self._numbers(condition, f"statistics:{self.place}", rows_of)

    def score(self, score: Score, condition: Condition) -> FloatArray:
        """Values of a score."""
        return self._numbers(condition, column_name(score), lambda block: block.to_numpy())

    def faulty(self, condition: Condition) -> NDArray[np.bool_]:
        """Items that the place has no answer for, since a module raised on them."""
        return ~np.concatenate([each.to_numpy() for each in self._columns(condition, f"answered:{self.place}")])

    def faults(self, condition: Condition) -> list[tuple[str, str]]:
        """Names of the items on which a module raised, and what it said."""
        return self._told(condition, "fault")

    def pass_faults(self, condition: Condition) -> list[tuple[str, str]]:
        """Names of the items on which a module raised in a repeated pass alone, which leaves them without VR."""
        return self._told(condition, "pass fault")

    def _told(self, condition: Condition, name: str) -> list[tuple[str, str]]:
        found = []
        for part in self.parts[condition]:
            table = parquet.read(part, ["item", name])
            items, texts = (values_of("text", table[each]) for each in ("item", name))
            found += [(item, text) for item, text in zip(items, texts, strict=True) if text is not None]
        return found

    def _numbers(self, condition: Condition, name: str, values: Callable[[Any], NDArray[Any]]) -> FloatArray:
        key = condition, name
        if key not in self._kept:
            blocks = [values(block) for block in self._columns(condition, name)]
            found: FloatArray = np.concatenate(blocks).astype(np.float64)
            found.setflags(write=False)
            self._kept[key] = found
            while len(self._kept) > 1 and sum(each.nbytes for each in self._kept.values()) > KEPT_BYTES:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _columns(self, condition: Condition, name: str) -> list[Any]:
        return [parquet.read(part, [name])[name] for part in self.parts[condition]]
