"""What bounds, corruptions, metrics and cell estimators are relied on for, each held by one check.

``check_bound`` measures how often a bound holds where the truth is known.
"""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Estimate, InvalidInput, Kind, Side, SurefootError, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.corruptions import corrupt, domain_of
from surefoot.executors import Serial
from surefoot.metrics import Metric, as_metric
from surefoot.reliability import LocalEstimator, LocalProblem, LocalRisk
from surefoot.reliability.local_risk import SAMPLED
from surefoot.testing.detectors import ConformanceError
from surefoot.testing.generators import BernoulliLosses, BetaLosses, Generator, TwoPointLosses, UniformLosses

SENTENCE = "Turn left after 250 metres; the brown fox jumps over 3 lazy dogs and runs 12.5 km home."
CELL_FALSE_ALARM, COVERAGE_FALSE_ALARM = 1e-6, 1e-3
NEGLIGIBLE = 1e-9
BoundMethod = Callable[..., Estimate]
WHERE = "check_bound"
COUNT_SIZES = (1, 5, 20, 100, 400)
LOSS_SIZES = (10, 100)
LOSSES: tuple[Generator, ...] = (
    BernoulliLosses(0.01),
    BernoulliLosses(0.3),
    BetaLosses(1, 20),
    BetaLosses(10, 10),
    UniformLosses(),
    TwoPointLosses(0.0, 0.1, 0.05),
    TwoPointLosses(0.5, 1.0, 0.97),
)


class CoverageError(SurefootError, AssertionError):
    """A bound that claims a guarantee held less often than its level.

    See Also
    --------
    check_bound

    """


@dataclass(frozen=True)
class Coverage:
    """How often one side held in one case; ``repetitions`` is 0 where the coverage is exact.

    See Also
    --------
    CoverageReport

    """

    case: str
    size: int
    side: Side
    truth: float
    coverage: float
    repetitions: int

    def evidence_against(self, level: float) -> float:
        """Probability of so many misses, or more, if the bound kept its level; 0 or 1 where exact."""
        if not self.repetitions:
            return float(self.coverage >= level - 1e-9)
        misses = round((1 - self.coverage) * self.repetitions)
        if misses == 0:
            return 1.0
        return float(special.betainc(misses, self.repetitions - misses + 1, 1 - level))


@dataclass(frozen=True)
class CoverageReport:
    """Coverage of a bound in all cases.

    See Also
    --------
    check_bound

    """

    method: str
    level: float
    kind: Kind
    rows: tuple[Coverage, ...]

    @property
    def worst(self) -> Coverage:
        """The case in which the bound held least often."""
        return min(self.rows, key=lambda row: row.coverage)

    @property
    def guaranteed(self) -> bool:
        """Whether the bound claims to keep its level whatever the truth."""
        return self.kind in ("confidence", "certain")

    @property
    def broken(self) -> tuple[Coverage, ...]:
        """Cases that contradict the level; a right bound has any of them with probability at most 0.001.

        What is called certain must hold in every repetition.
        """
        level = 1.0 if self.kind == "certain" else self.level
        return tuple(row for row in self.rows if row.evidence_against(level) < COVERAGE_FALSE_ALARM / len(self.rows))

    def table(self) -> Table:
        """One row a case."""
        columns = ("case", "size", "side", "truth", "coverage", "repetitions")
        return Table(columns, tuple(tuple(getattr(row, c) for c in columns) for row in self.rows))

    def __str__(self) -> str:
        label = "guaranteed" if self.guaranteed else f"approximate ({self.kind})"
        w = self.worst
        head = f"{self.method} at level {self.level:g}: {label}, worst coverage {w.coverage:.4f}"
        place = f"for the {w.side} bound, {w.case}, truth {w.truth:.4g}, n = {w.size}"
        width = max(len(row.case) for row in self.rows)
        lines = [f"{head} {place}", f"{'case':<{width}}{'n':>6}  {'side':<6}{'truth':>10}{'coverage':>10}"]
        lines += [f"{r.case:<{width}}{r.size:>6}  {r.side:<6}{r.truth:>10.4g}{r.coverage:>10.4f}" for r in self.rows]
        return "\n".join(lines)


def check_bound(
    method: BoundMethod,
    *,
    level: float,
    generators: Sequence[Generator] | None = None,
    sizes: Sequence[int] | None = None,
    repetitions: int = 1000,
    seed: int = 0,
    truths: tuple[float, float] = (0.0, 1.0),
) -> CoverageReport:
    """Measure how often the bounds of a method hold, and raise if a guaranteed one does not.

    A method of ``(failures, trials, *, level)`` is checked exactly: for each size, the smallest coverage over all
    failure probabilities in ``truths``, summed over all outcomes. Any other method, or any method with ``generators``
    given, is called as ``method(*generator.sample(rng, n), level=level)``, and counted as held where the truth is
    inside.

    Bounds of kind ``confidence`` raise when a case has so many misses that a bound which keeps its level would have
    them, in any of the cases, with probability below 0.001 (one-sided exact binomial test with Bonferroni's
    correction). Bounds that are called certain, where a method has no others, raise on any miss. Other kinds are
    reported with their worst coverage.

    Parameters
    ----------
    method
        Returns an estimate.
    level
        At which its bounds are asked for.
    generators
        Data with a known truth; the usual ones where left out.
    sizes
        How much data each time.
    repetitions, seed
        How often each case is drawn, and of which seed.
    truths
        Between which failure probabilities counts are checked.

    Returns
    -------
    CoverageReport
        How often the bound held, case by case.

    Raises
    ------
    CoverageError
        Where a guaranteed bound falls below its level.

    Examples
    --------
    >>> import surefoot as sf
    >>> report = sf.testing.check_bound(sf.bounds.clopper_pearson, level=0.95, sizes=[20])
    >>> report.guaranteed, round(report.worst.coverage, 3)
    (True, 0.95)

    """
    checked_level = validate.level(level, where=WHERE)
    times = validate.count(repetitions, where=WHERE, name="repetitions", at_least=1)
    counts = _takes_counts(method) and generators is None
    chosen = _sizes(_default_sizes(counts) if sizes is None else sizes)
    if counts:
        interval = _truths(truths)
        found = [_exact(method, checked_level, n, interval) for n in chosen]
    else:
        tasks = [(generator, n) for generator in _generators(generators) for n in chosen]
        seeds = np.random.SeedSequence(validate.seed(seed, where=WHERE)).spawn(len(tasks))
        found = [_simulated(method, checked_level, *task, times, s) for task, s in zip(tasks, seeds, strict=True)]
    kinds = {kind for kind, _ in found}
    if len(kinds) != 1:
        raise InvalidInput("a method must keep to one kind of bound", where=WHERE, found=sorted(kinds))
    rows = tuple(row for _, case in found for row in case)
    report = CoverageReport(_name(method), checked_level, kinds.pop(), rows)
    if report.guaranteed and report.broken:
        raise CoverageError(f"a guaranteed bound falls below its level\n{report}", where=WHERE)
    return report


def check_corruption(name: str, items: Any = None, *, seed: int = 0, **options: Any) -> None:
    """Raise unless a registered corruption does what others rely on.

    It keeps number, type and shape of items (not the length of sounds) at all five severities; gives the same again
    for the same seed; treats an item of many as it does the item alone; and changes something at severity 5.

    Parameters
    ----------
    name
        Of the corruption.
    items
        Several images, sounds or texts, or some that are made up.
    seed
        Of everything that is drawn.
    **options
        Of the corruption.

    Raises
    ------
    ConformanceError
        At the first thing that does not hold.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.check_corruption("brightness")

    """
    domain = domain_of(name)
    given = _items(domain, seed) if items is None else items
    before = _copied(given)
    for severity in range(1, 6):
        found = corrupt(given, name, severity, seed=seed, **options)
        _require(_alike(given, before), name, f"changes what it is given, at severity {severity}")
        _require(_kind(found, domain) == _kind(given, domain), name, f"gives other shapes or types, at {severity}")
        again = corrupt(given, name, severity, seed=seed, **options)
        _require(_alike(found, again), name, f"gives something else when it is asked again, at severity {severity}")
        for number, item in enumerate(given):
            alone = corrupt(item, name, severity, seed=seed, first=number, **options)
            _require(_alike(found[number], alone), name, f"treats item {number} of many otherwise than alone")
    _require(not _alike(found, given), name, "changes nothing at severity 5")


def check_metric(metric: str | Metric, outputs: Sequence[Any], truths: Sequence[Any]) -> None:
    """Raise unless a metric does what others rely on, on some items.

    There is a row of finite statistics an item, which do not depend on other items; errors are finite and not
    negative; an item is never better than its truth; and it can be sent to other processes.

    Parameters
    ----------
    metric
        The metric, or its name.
    outputs, truths
        The items.

    Raises
    ------
    ConformanceError
        At the first thing that does not hold.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.check_metric("mae", [0.1, 0.4], [0.0, 0.4])

    """
    chosen = as_metric(metric)
    rows = chosen.statistics(outputs, truths)
    _require(rows.shape == (len(outputs), len(chosen.columns)), chosen.name, f"statistics have the shape {rows.shape}")
    _require(bool(np.isfinite(rows).all()), chosen.name, "statistics are not finite")
    single = [chosen.statistics(outputs[i : i + 1], truths[i : i + 1]) for i in range(len(outputs))]
    _require(np.allclose(np.concatenate(single), rows), chosen.name, "statistics of an item depend on other items")
    errors = chosen.error(rows)
    _require(bool(np.isfinite(errors).all() and (errors >= 0).all()), chosen.name, "errors of items are not at least 0")
    value, best = (float(chosen.value(chosen.statistics(each, truths).sum(axis=0))) for each in (outputs, truths))
    better = value - best if chosen.better == "higher" else best - value
    _require(better <= NEGLIGIBLE, chosen.name, f"has {value:g} for the outputs and {best:g} for the truth itself")
    sent = pickle.loads(pickle.dumps(chosen))
    _require(np.array_equal(sent.statistics(outputs, truths), rows), chosen.name, "changes on the way to a process")


def check_cell_estimator(estimator: LocalEstimator, *, seed: int = 0) -> None:
    """Raise unless an estimator finds known shares of answers in boxes, for any model.

    A model of two classes decides along a line, so that the shares are known in each of 400 boxes. Sampled shares are
    no further from them than their trials explain (with probability 1 - 1e-6), others are exact. Shares sum to 1, known
    labels stay, unknown ones become the answer where there is one only, and the same seed gives the same again.

    Parameters
    ----------
    estimator
        Of the answers in a cell.
    seed
        Of everything that is drawn.

    Raises
    ------
    ConformanceError
        At the first thing that does not hold.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.check_cell_estimator(sf.reliability.MonteCarlo(200))

    """
    boxes = _Squares(20)
    labels = np.where(np.arange(len(boxes)) % 3 == 0, -1, 0)
    weights = np.full(len(boxes), 1 / len(boxes))
    undesired = ~np.eye(2, dtype=bool)
    problem = LocalProblem(_decide, _decide, 2, boxes, labels, undesired, weights)
    found, again = (estimator.estimate(problem, executor=Serial(), seed=seed) for _ in range(2))
    name = type(estimator).__name__
    _require(found.shares.shape == (len(boxes), 2), name, f"gives shares of the shape {found.shares.shape}")
    _require(np.array_equal(found.shares, again.shares), name, "gives something else for the same seed")
    _require(np.allclose(found.shares.sum(axis=1), 1), name, "gives shares that do not sum to 1")
    known, truth = labels >= 0, boxes.shares()
    _require(np.array_equal(found.labels[known], labels[known]), name, "changes labels that are known")
    clear = ~known & np.isin(truth, (0, 1))
    _require(np.array_equal(found.labels[clear], truth[clear]), name, "does not take the only answer for the label")
    reach = _reach(truth, found)
    off = np.abs(found.shares[:, 1] - truth) - reach
    worst = int(off.argmax())
    text = f"finds {found.shares[worst, 1]:g} where the share is {truth[worst]:g}, with {found.trials[worst]:,} trials"
    _require(off[worst] <= NEGLIGIBLE, name, text)


def _require(holds: bool, name: str, problem: str) -> None:
    if not holds:
        raise ConformanceError(problem, where=name)


def _items(domain: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if domain == "image":
        ramp = np.linspace(0.2, 0.8, 32)[:, None, None]
        return np.clip(ramp + 0.1 * rng.standard_normal((3, 32, 32, 3)), 0, 1)
    if domain == "audio":
        time = np.arange(16_000) / 16_000
        return 0.4 * np.sin(2 * np.pi * np.array([[220], [440], [880]]) * time) + 0.01 * rng.standard_normal(
            (3, 16_000)
        )
    return [" ".join(rng.permutation(SENTENCE.split())) for _ in range(3)]


def _copied(items: Any) -> Any:
    return items.copy() if isinstance(items, np.ndarray) else list(items)


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return np.shape(a) == np.shape(b) and np.allclose(a, b, atol=1e-6)
    return bool(a == b) if isinstance(a, str) else len(a) == len(b) and all(map(_alike, a, b))


def _kind(items: Any, domain: str) -> Any:
    """What must stay: the number of items, and the type and shape of each; sounds may become longer or shorter."""
    if domain == "text":
        return [type(each) for each in items]
    return [(each.dtype, each.ndim if domain == "audio" else each.shape) for each in items]


@dataclass(frozen=True)
class _Squares:
    """The unit square in equal squares; the model answers 1 where the sum of both features is above 1."""

    side: int
    dimensions: int = 2

    def __len__(self) -> int:
        return self.side**2

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        places = np.arange(len(self))[chosen]
        low = np.column_stack(np.divmod(places, self.side)) / self.side
        return low, low + 1 / self.side

    def shares(self) -> FloatArray:
        """The exact share of the answer 1: all, none, or half along the line."""
        row, column = np.divmod(np.arange(len(self)), self.side)
        return np.clip((row + column + 1 - self.side) / 2 + 0.5, 0, 1)


def _decide(inputs: FloatArray) -> NDArray[np.int64]:
    return (inputs.sum(axis=1) > 1).astype(np.int64)


def _reach(truth: FloatArray, found: LocalRisk) -> FloatArray:
    """How far shares may lie from the truth: by Hoeffding's inequality over all boxes, and not at all where exact."""
    sampled = (found.how == SAMPLED) & (found.trials > 0)
    miss = np.log(2 * len(truth) / CELL_FALSE_ALARM)
    return np.where(sampled & (truth > 0) & (truth < 1), np.sqrt(miss / (2 * np.maximum(found.trials, 1))), 0.0)


@dataclass(frozen=True)
class _Limits:
    side: Side
    limits: FloatArray

    def hold(self, truth: float) -> NDArray[np.bool_]:
        """Which limits hold when the truth is ``truth``."""
        return self.limits >= truth if self.side == "upper" else self.limits <= truth

    def hold_beyond(self, truth: float) -> NDArray[np.bool_]:
        """Which limits hold when the truth is just beyond ``truth``, on the far side of it."""
        return self.limits > truth if self.side == "upper" else self.limits < truth


def _exact(method: BoundMethod, level: float, n: int, truths: tuple[float, float]) -> tuple[Kind, list[Coverage]]:
    estimates = [_estimate(method(k, n, level=level)) for k in range(n + 1)]
    worst = (_worst_proportion(sided, n, truths) for sided in _sides(estimates, level))
    return _coverage_kind(estimates), [Coverage("worst failure probability", n, *found, 0) for found in worst]


def _worst_proportion(sided: _Limits, n: int, truths: tuple[float, float]) -> tuple[Side, float, float]:
    """Smallest coverage over all proportions in an interval.

    Where limits rise with the count, coverage moves towards 1 between one limit and the next, so its
    infimum lies just beyond a limit; a grid covers methods whose limits do not rise.
    """
    low, high = truths
    jumps = np.unique(sided.limits[(sided.limits > low) & (sided.limits < high)])
    grid = np.linspace(low, high, 201)
    candidates = [(p, sided.hold_beyond(p)) for p in jumps] + [(p, sided.hold(p)) for p in grid]
    values = [float(_binomial(n, p)[held].sum()) for p, held in candidates]
    best = int(np.argmin(values))
    return sided.side, float(candidates[best][0]), min(values[best], 1.0)


def _binomial(n: int, p: float) -> FloatArray:
    """Probabilities of 0 to n failures."""
    k = np.arange(n + 1)
    log_choose = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    mass = np.exp(log_choose + special.xlogy(k, p) + special.xlog1py(n - k, -p))
    return np.asarray(mass / mass.sum())


def _simulated(
    method: BoundMethod, level: float, generator: Generator, n: int, repetitions: int, seed: np.random.SeedSequence
) -> tuple[Kind, list[Coverage]]:
    rng = np.random.default_rng(seed)
    truth = validate.number(generator.truth, where=WHERE, name=f"truth of {generator!r}")
    estimates = [_estimate(method(*_arguments(generator, rng, n), level=level)) for _ in range(repetitions)]
    rows = [
        Coverage(repr(generator), n, sided.side, truth, float(sided.hold(truth).mean()), repetitions)
        for sided in _sides(estimates, level)
    ]
    return _coverage_kind(estimates), rows


def _sides(estimates: Sequence[Estimate], level: float) -> Iterator[_Limits]:
    kind = _coverage_kind(estimates)
    for side in ("upper", "lower"):
        if any(family.side == side and family.kind == kind for e in estimates for family in e.bounds):
            yield _Limits(side, np.array([e.bound(side, level).limit for e in estimates]))


def _coverage_kind(estimates: Sequence[Estimate]) -> Kind:
    kinds = {family.kind for e in estimates for family in e.bounds if family.kind != "certain"}
    if len(kinds) > 1:
        raise InvalidInput("a method must keep to one kind of bound", where=WHERE, found=sorted(kinds))
    return kinds.pop() if kinds else "certain"


def _estimate(found: object) -> Estimate:
    if isinstance(found, Estimate) and found.bounds:
        return found
    raise InvalidInput(
        "a method must return an Estimate with bounds",
        where=WHERE,
        found=f"an estimate of {found.quantity!r} without bounds" if isinstance(found, Estimate) else repr(found),
    )


def _arguments(generator: Generator, rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    sample = generator.sample(rng, n)
    if not isinstance(sample, tuple):
        found = type(sample).__name__
        raise InvalidInput(f"{generator!r} must sample a tuple of arguments", where=WHERE, found=found)
    return sample


def _generators(generators: Sequence[Generator] | None) -> tuple[Generator, ...]:
    chosen = _listed(LOSSES if generators is None else generators, "generators")
    for generator in chosen:
        if not isinstance(generator, Generator):
            raise InvalidInput("a generator has a truth and a sample", where=WHERE, found=repr(generator))
    return chosen


def _sizes(sizes: Sequence[int]) -> list[int]:
    return [validate.count(n, where=WHERE, name="size", at_least=1) for n in _listed(sizes, "sizes")]


def _listed(items: Sequence[Any], name: str) -> tuple[Any, ...]:
    chosen = tuple(items) if isinstance(items, Iterable) else ()
    if not chosen:
        raise InvalidInput(f"{name} must list at least one", where=WHERE, found=repr(items))
    return chosen


def _truths(truths: tuple[float, float]) -> tuple[float, float]:
    ends = validate.unit_vector(truths, where=WHERE, name="truths")
    if ends.size != 2 or ends[0] > ends[1]:
        raise InvalidInput("truths must be a lower and an upper end", where=WHERE, found=repr(truths))
    return float(ends[0]), float(ends[1])


def _takes_counts(method: BoundMethod) -> bool:
    if not callable(method):
        raise InvalidInput("a method must be a function", where=WHERE, found=repr(method))
    try:
        return list(inspect.signature(method).parameters)[:2] == ["failures", "trials"]
    except ValueError:
        return False


def _default_sizes(counts: bool) -> tuple[int, ...]:
    return COUNT_SIZES if counts else LOSS_SIZES


def _name(method: BoundMethod) -> str:
    inner: Callable[..., Any] = method
    options: dict[str, Any] = {}
    while isinstance(inner, partial):
        options, inner = inner.keywords | options, inner.func
    name = getattr(inner, "__name__", type(inner).__name__)
    return name + (f"({', '.join(f'{key}={value!r}' for key, value in options.items())})" if options else "")
