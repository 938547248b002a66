"""``propagate``: the only way estimates combine.

Inputs with distributions are sampled, each once however often it appears. Inputs with bounds only
are combined by sharing alpha among them, which holds whatever their dependence. Bounds that hold on
average pass through functions that are linear in each input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from surefoot.core import validate
from surefoot.core.assumption import Assumption, union
from surefoot.core.bound import WITHOUT_LEVEL, Bound, BoundFamily, Kind, QuantileBound, Side, TabulatedBound, certain
from surefoot.core.canonical import function_identity
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Distribution, Empirical, Point
from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.estimate import Estimate, Provenance
from surefoot.core.validate import FloatArray, listed

TABLE_LEVELS = np.unique(1 - np.concatenate([np.logspace(-12, -1, 45), np.linspace(0.1, 0.5, 9), [0.05, 0.025]]))
_OPPOSITE: dict[Side, Side] = {"upper": "lower", "lower": "upper"}
ROUNDING = 1e-9
STEPS = 5
ALL_CORNERS, SOME_CORNERS = 8, 32
NO_CONFIDENCE = 1.0
USUAL_LEVEL = 0.95
MOST_TOGETHER = 10
"""Sets of inputs on the same data; each doubles the work."""

INDEPENDENT_DATA = Assumption(
    "independent-data", "Inputs whose provenance names no common data were measured on data independent of each other."
)


class Proven(dict[str, int]):
    """Directions that follow from the structure of a function, and need not be tried out."""


def propagate(
    f: Callable[..., FloatArray],
    inputs: Mapping[str, Estimate],
    *,
    quantity: str,
    direction: Mapping[str, int] | None = None,
    level: float | None = None,
    draws: int = 10_000,
    seed: int = 0,
    unit: str | None = None,
    scope: str = "",
    assumptions: Iterable[Assumption] = (),
    linear: Collection[str] = (),
    mix: bool = False,
) -> Estimate:
    """Carry estimates through a function, with all that they rest on.

    Where every input has a distribution, ``f`` is evaluated on joint draws and the bounds of the result are credible
    (heuristic, if an input is). Otherwise the bounds are found by sharing alpha equally among the inputs, which holds
    whatever their dependence. Two inputs are drawn as one when quantity, scope and distribution agree: give estimates
    about different things different scopes. Alpha is shared among all names, whether they are one or not.

    Parameters
    ----------
    f
        Called as ``f(**{name: array})``; it returns one number a draw.
    inputs
        Estimates by the names of the arguments of ``f``.
    quantity
        What the result is, in words.
    direction
        For each input whether ``f`` rises (+1) or falls (-1) with it; needed where an input has no distribution.
    level
        A level that the table of bounds must contain.
    draws, seed
        How many joint draws, and of which seed.
    unit, scope
        Of the result; the unit is needed where the inputs have several.
    assumptions
        Those of ``f`` itself, such as the independence of failures behind a product.
    linear
        Names of probabilities in each of which ``f`` is linear while the others are held. Bounds that hold on average
        pass through these, together with confidence bounds; the result holds on average.
    mix
        Whether kinds may stand together that do not combine, such as confidence and credible; the result is then
        heuristic.

    Returns
    -------
    Estimate
        With the assumptions, caveats and keys of all inputs.

    Raises
    ------
    MixedKinds
        Where kinds of bounds do not combine and ``mix`` does not allow it.

    Examples
    --------
    >>> from surefoot import Estimate
    >>> a = Estimate.known("a", 0.1, source="data sheet")
    >>> b = Estimate.known("b", 0.2, source="data sheet")
    >>> propagate(lambda a, b: a + b - a * b, {"a": a, "b": b}, quantity="a or b").value
    0.28

    """
    where = f"propagate {quantity!r}"
    _check_inputs(inputs, where)
    level = None if level is None else validate.level(level, where=where)
    draws = validate.count(draws, where=where, name="draws", at_least=1)
    seed = validate.seed(seed, where=where)
    sampled = all(e.dist is not None for e in inputs.values())
    run = _Run(f, dict(inputs), where)
    found = _sample(run, draws, seed, mix, direction) if sampled else _split(run, direction, level, mix, linear)
    params = {
        "function": function_identity(f),
        "names": {name: e.key for name, e in inputs.items()},
        "direction": dict(direction or {}),
        "level": level,
        "draws": draws if sampled else None,
        "mix": mix,
    }
    return Estimate(
        quantity,
        found.value,
        _common_unit(inputs, where) if unit is None else unit,
        scope,
        found.bounds,
        found.dist,
        assumptions=union(assumptions, found.assumptions, *(e.assumptions for e in inputs.values())),
        caveats=tuple(dict.fromkeys([*found.caveats, *(c for e in inputs.values() for c in e.caveats)])),
        details={} if level is None else {"level": level},
        provenance=Provenance(
            "propagate",
            params,
            inputs=tuple(dict.fromkeys(k for e in inputs.values() for k in (e.key, *e.provenance.inputs))),
            data={f"{name}.{k}": v for name, e in inputs.items() for k, v in e.provenance.data.items()},
            seed=seed if sampled else None,
        ),
    )


@dataclass(frozen=True)
class _Found:
    value: float
    bounds: tuple[BoundFamily, ...]
    caveats: list[Diagnostic]
    dist: Empirical | Point | None = None
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True)
class _Run:
    """A function, its inputs and where to say that something is wrong."""

    f: Callable[..., Any]
    inputs: dict[str, Estimate]
    where: str

    def evaluate(self, arguments: Mapping[str, FloatArray], size: int) -> FloatArray:
        try:
            raw = self.f(**arguments)
        except (TypeError, ValueError) as error:
            found = f"{type(error).__name__}: {error}"
            remedy = f"Let f take the arguments {', '.join(arguments)} and use numpy operations on arrays."
            raise InvalidInput("f could not be evaluated", where=self.where, found=found, remedy=remedy) from error
        result = validate.numbers(raw, where=self.where, name="result of f")
        if result.shape not in ((), (size,)):
            problem, remedy = (
                f"f must return one number a draw, {size} in all",
                "Write f with numpy operations on arrays.",
            )
            raise InvalidInput(problem, where=self.where, found=f"shape {result.shape}", remedy=remedy)
        return np.broadcast_to(result, (size,))

    def common_kind(self, mix: bool, *, firm: tuple[Kind, ...], without: Kind) -> tuple[Kind, list[Diagnostic]]:
        """The kind all inputs share; one heuristic input makes the result heuristic."""
        kinds = kinds_of(self.inputs)
        if not kinds:
            return without, []
        shared = kinds - {"heuristic"}
        if len(shared) <= 1 and shared <= set(firm):
            return ("heuristic" if "heuristic" in kinds else shared.pop()), []
        if not mix:
            problem, found = "these kinds of bounds do not combine", ", ".join(sorted(kinds))
            remedy = "Use estimates of one kind, or pass mix=True and accept a heuristic result."
            raise MixedKinds(problem, where=self.where, found=found, remedy=remedy)
        text = f"Inputs with {' and '.join(sorted(kinds))} bounds were combined."
        return "heuristic", [Diagnostic("mixed-kinds", text)]


@validate.arguments
def joint_draws(inputs: Mapping[str, Estimate], *, draws: int, seed: int, where: str) -> dict[str, FloatArray]:
    """What ``propagate`` would draw of inputs that all have distributions: an input that appears twice is drawn once.

    For results that are many numbers at once, such as a table; a single number goes through ``propagate``.

    Parameters
    ----------
    inputs
        Estimates with distributions, by name.
    draws, seed
        How many, and of which seed.
    where
        Who asks, for messages.

    Returns
    -------
    dict of str to ndarray
        Draws by the names of the inputs.

    Examples
    --------
    >>> import surefoot as sf
    >>> posterior = sf.bounds.jeffreys(2, 1000, level=0.95)
    >>> drawn = sf.core.joint_draws({"a": posterior, "b": posterior}, draws=100, seed=0, where="example")
    >>> bool((drawn["a"] == drawn["b"]).all())
    True

    """
    stream = f"{seed}/{draws}"
    _refuse_broken_streams(inputs, stream, where)
    drawn = {e.belief_key: _draws_from(e.dist, e.belief_key, stream, draws, seed) for e in inputs.values() if e.dist}
    return {name: drawn[e.belief_key] for name, e in inputs.items()}


def _sample(run: _Run, draws: int, seed: int, mix: bool, direction: Mapping[str, int] | None) -> _Found:
    stream = f"{seed}/{draws}"
    drawn = joint_draws(run.inputs, draws=draws, seed=seed, where=run.where)
    result = run.evaluate(drawn, draws)
    known = all(isinstance(e.dist, Point) for e in run.inputs.values())
    kind, caveats = run.common_kind(mix, firm=("credible",), without="certain" if known else "credible")
    if kind == "certain":
        point = float(result[0])
        return _Found(point, (certain(point, "upper"), certain(point, "lower")), [], Point(point))
    dist = Empirical(tuple(result.tolist()), stream)
    ends = _Ends(run, drawn, result, stream, seed, direction or {})
    bounds = tuple(QuantileBound(ends.shown(side, dist), side, kind, ends.worst(side)) for side in _OPPOSITE)
    return _Found(dist.mean, bounds, [*caveats, *_shared_inputs(run)], dist)


@dataclass(frozen=True)
class _Ends:
    """Draws of the result for its limits, where those of an input lie further out than its draws show.

    A posterior after no failure is positive, and its lower limit is 0: so is that of whatever rises with it. And each
    posterior has a least favourable prior, under which a limit must still refute a target.
    """

    run: _Run
    drawn: Mapping[str, FloatArray]
    result: FloatArray
    stream: str
    seed: int
    direction: Mapping[str, int]

    def shown(self, side: Side, plain: Empirical) -> Empirical:
        """With inputs at a limit that is certain, where they have one."""
        moved = self._moved(side, self._certain)
        return plain if moved is None else moved

    def worst(self, side: Side) -> Empirical | None:
        """With inputs under their least favourable priors; None where no input has one."""
        return self._moved(side, self._outermost)

    def _moved(self, side: Side, ends: Callable[[Estimate, Side], FloatArray | None]) -> Empirical | None:
        """The result with each input at its end; where nobody knows which one, at the end that is worse."""
        moved, unclear = dict(self.drawn), list[str]()
        for name, estimate in self.run.inputs.items():
            sign = self.direction.get(name, 0)
            if not sign:
                unclear.append(name)
            elif (end := ends(estimate, side if sign > 0 else _OPPOSITE[side])) is not None:
                moved[name] = end
        for name in unclear:
            tried = [end for s in _OPPOSITE if (end := ends(self.run.inputs[name], s)) is not None]
            if tried:
                moved[name] = self._worse([moved[name], *tried], moved, name, side)
        if all(moved[name] is self.drawn[name] for name in moved):
            return None
        return Empirical(tuple(self._at(moved).tolist()), self.stream)

    def _worse(self, tried: list[FloatArray], moved: Mapping[str, FloatArray], name: str, side: Side) -> FloatArray:
        """Draw by draw the value of one input that takes the result furthest out."""
        results = np.array([self._at({**moved, name: values}) for values in tried])
        furthest = results.argmax(axis=0) if side == "upper" else results.argmin(axis=0)
        return np.take_along_axis(np.array(tried), furthest[None, :], axis=0)[0]

    def _at(self, arguments: Mapping[str, FloatArray]) -> FloatArray:
        return self.run.evaluate(arguments, len(self.result))

    def _certain(self, estimate: Estimate, side: Side) -> FloatArray | None:
        families = [f for f in estimate.bounds if f.side == side]
        if isinstance(estimate.dist, Point) or not families or takes_a_share(estimate, side):
            return None
        return np.full(len(self.result), families[0].limit_at(0.5))

    def _outermost(self, estimate: Estimate, side: Side) -> FloatArray | None:
        limit = self._certain(estimate, side)
        if limit is not None:
            return limit
        for family in estimate.bounds:
            if family.side == side and isinstance(family, QuantileBound) and family.worst is not None:
                return _draws_from(family.worst, estimate.belief_key, self.stream, len(self.result), self.seed)
        return None


def _draws_from(dist: Distribution, belief_key: str, stream: str, draws: int, seed: int) -> FloatArray:
    if isinstance(dist, Empirical) and dist.stream == stream:
        return np.asarray(dist.draws)
    # The generator depends on the input alone, so later propagations draw it identically.
    return dist.sample(np.random.default_rng([seed, int(belief_key, 16)]), draws)


def _refuse_broken_streams(inputs: Mapping[str, Estimate], stream: str, where: str) -> None:
    for (a, x), (b, y) in _pairs_in_common(inputs, _ancestry):
        if x.belief_key == y.belief_key:
            continue
        for name, e in ((a, x), (b, y)):
            if isinstance(e.dist, Empirical) and e.dist.stream != stream:
                raise InvalidInput(
                    f"{a!r} and {b!r} have an input in common, and {name!r} was drawn with other draws or seed",
                    where=where,
                    found=f"seed/draws {e.dist.stream} against {stream}",
                    remedy="Use the same seed and draws in every propagation of a chain.",
                )


def _shared_inputs(run: _Run) -> list[Diagnostic]:
    """Pairs that are one input, and pairs drawn as independent although measured on the same data."""
    found = []
    for (a, x), (b, y) in _pairs_in_common(run.inputs, _belief_and_data):
        if x.belief_key == y.belief_key:
            text = f"{a!r} and {b!r} are one input and were drawn once."
            hint = "Give them different scopes if they are about different things."
            found.append(Diagnostic("same-input", text, hint=hint))
        elif not _ancestry(x) & _ancestry(y):
            text = f"{a!r} and {b!r} were measured on the same data and drawn as if independent."
            found.append(Diagnostic("shared-data", text))
    return found


def _pairs_in_common(
    inputs: Mapping[str, Estimate], marks: Callable[[Estimate], set[str]]
) -> Iterator[tuple[tuple[str, Estimate], tuple[str, Estimate]]]:
    """Pairs that share a mark, in the order of ``inputs``; a fault tree has too many pairs to look at each."""
    named, holders = list(inputs.items()), dict[str, list[int]]()
    for index, (_, estimate) in enumerate(named):
        for mark in marks(estimate):
            holders.setdefault(mark, []).append(index)
    pairs = {pair for group in holders.values() if len(group) > 1 for pair in combinations(group, 2)}
    return ((named[first], named[second]) for first, second in sorted(pairs))


def _split(
    run: _Run, direction: Mapping[str, int] | None, level: float | None, mix: bool, linear: Collection[str]
) -> _Found:
    signs = _signs(run, direction)
    value = float(run.evaluate({name: np.array([e.value]) for name, e in run.inputs.items()}, 1)[0])
    averaged = Averaged.of(run.inputs, level) if may_hold_on_average(run.inputs) else None
    obstacle = averaged.obstacle(linear) if averaged else ""
    if averaged and not obstacle:
        return _average(run, averaged, direction, value)
    if obstacle and not mix:
        problem, found = f"bounds that hold on average do not pass: {obstacle}", ", ".join(sorted(kinds_of(run.inputs)))
        remedy = "Use estimates with a stated confidence, or pass mix=True and accept a heuristic result."
        raise MixedKinds(problem, where=run.where, found=found, remedy=remedy)
    kind, caveats = run.common_kind(mix, firm=("confidence", "credible"), without="certain")
    levels = np.union1d(TABLE_LEVELS, [] if level is None else [level])
    corners = {side: _Corner.of(run, side, signs, levels) for side in _OPPOSITE}
    _require_directions(run, direction, [corner.limits for corner in corners.values() if corner])
    bounds = tuple(_split_side(run, corner, kind, value) for corner in corners.values() if corner)
    if not bounds:
        raise _lacking(run)
    plugged = [plug_in([name for name, e in run.inputs.items() if on_average(e)])]
    return _Found(value, bounds, [*caveats, *(plugged if "expectation" in kinds_of(run.inputs) else [])])


def _average(run: _Run, averaged: Averaged, direction: Mapping[str, int] | None, value: float) -> _Found:
    sides = {side: _needed(direction or {}, side) for side in _OPPOSITE}
    limits = [averaged.limits(needed) for needed in sides.values()]
    _require_directions(run, direction, [np.array([list(found.values())]) for found in limits if found])
    found = [averaged.bound(run.evaluate, side, needed) for side, needed in sides.items()]
    bounds = tuple(bound for bound in found if bound is not None)
    if not bounds:
        raise _lacking(run)
    return _Found(value, bounds, averaged.caveats(), assumptions=averaged.assumptions())


def _lacking(run: _Run) -> LevelUnavailable:
    found = {name: sorted({b.side for b in e.bounds}) for name, e in run.inputs.items()}
    return LevelUnavailable("the inputs lack the bounds that these directions need", where=run.where, found=found)


def _needed(signs: Mapping[str, int], side: Side) -> dict[str, Side]:
    """The side of each input that makes this side of the result."""
    return {name: side if sign > 0 else _OPPOSITE[side] for name, sign in signs.items()}


@dataclass(frozen=True)
class _Corner:
    """Where the inputs stand for one side of the result: a row of limits for each level."""

    side: Side
    sides: Mapping[str, Side]
    levels: list[float]
    limits: FloatArray

    @classmethod
    def of(cls, run: _Run, side: Side, signs: Mapping[str, int], levels: FloatArray) -> _Corner | None:
        """None where an input lacks the bound."""
        sides = _needed(signs, side)
        uncertain = sum(takes_a_share(e, sides[name]) for name, e in run.inputs.items())
        rows = {}
        for level in levels.tolist():
            share = 1 - (1 - level) / max(uncertain, 1)
            try:
                rows[level] = [limit_at(run.inputs[n], s, share) for n, s in sides.items()]
            except LevelUnavailable:
                continue
        return cls(side, sides, list(rows), np.array(list(rows.values()))) if rows else None


def limit_at(estimate: Estimate, side: Side, level: float) -> float:
    """A limit that holds on average stands as it is at every level."""
    averages = [f.limit for f in estimate.bounds if isinstance(f, Bound) and (f.side, f.kind) == (side, "expectation")]
    return averages[0] if averages else estimate.bound(side, level).limit


def _split_side(run: _Run, corner: _Corner, kind: Kind, value: float) -> BoundFamily:
    side, limits = corner.side, corner.limits
    result = run.evaluate(dict(zip(corner.sides, limits.T, strict=True)), len(limits))
    enclosed = all(
        (limit >= run.inputs[n].value) == (s == "upper") or limit == run.inputs[n].value
        for (n, s), limit in zip(corner.sides.items(), limits[-1], strict=True)
    )
    outward = 1 if side == "upper" else -1
    _require_widening(run, outward * result, outward * value if enclosed else -np.inf)
    if kind == "certain":
        return certain(float(result[0]), side)
    return TabulatedBound.widened(corner.levels, result, side, kind)


def _require_widening(run: _Run, limits: FloatArray, value: float) -> None:
    """Limits move outward with the level and end beyond the value, or f does not go the stated way."""
    slack = ROUNDING * np.abs(limits)
    if (np.diff(limits) < -slack[1:]).any() or limits[-1] < value - slack[-1]:
        raise _wrong_way(
            run.where, f"limits from {abs(limits[0]):.6g} to {abs(limits[-1]):.6g}, value {abs(value):.6g}"
        )


def _require_directions(run: _Run, direction: Mapping[str, int] | None, corners: list[FloatArray]) -> None:
    """Each input alone, from end to end of its limits, while the others stand at their values and in their corners.

    With few inputs these are all corners, so that no function that is linear in each input slips through.
    """
    if isinstance(direction, Proven) or direction is None:
        return
    seen = np.vstack([[e.value for e in run.inputs.values()], *corners])
    ends = np.array([seen.min(axis=0), seen.max(axis=0)])
    every = np.array(list(_settings(seen, ends)))
    for place, name in enumerate(run.inputs):
        steps = np.unique([*np.linspace(ends[0, place], ends[1, place], STEPS), seen[0, place]])
        if len(steps) == 1 or not np.isfinite(steps).all():
            continue
        others = every.copy()
        others[:, place] = steps[0]
        others = np.unique(others, axis=0)
        table = np.repeat(others, len(steps), axis=0)
        table[:, place] = np.tile(steps, len(others))
        with np.errstate(all="ignore"):
            found = np.asarray(run.f(**dict(zip(run.inputs, table.T, strict=True))), dtype=float)
        lines = np.broadcast_to(found, (len(table),)).reshape(len(others), len(steps))
        slack = ROUNDING * np.abs(lines).max(axis=1, keepdims=True)
        wrong = (direction[name] * np.diff(lines) < -slack).any(axis=1)
        if wrong.any():
            line = lines[int(np.argmax(wrong))]
            told = f"{name!r} from {steps[0]:.6g} to {steps[-1]:.6g} takes f from {line[0]:.6g} to {line[-1]:.6g}"
            raise _wrong_way(run.where, f"{direction[name]:+d} for {name!r}; {told}")


def _settings(seen: FloatArray, ends: FloatArray) -> Iterator[FloatArray]:
    """The values, the corners that make the bounds, and all other corners of the box or, of a large one, some."""
    count = seen.shape[1]
    yield seen[0]
    if count <= ALL_CORNERS:
        yield from (np.where(choice, ends[1], ends[0]) for choice in product((False, True), repeat=count))
        return
    yield from (*seen, *ends)
    some = np.random.default_rng(0).integers(0, 2, (SOME_CORNERS, count))
    yield from np.where(some, ends[1], ends[0])


def _wrong_way(where: str, found: str) -> InvalidInput:
    problem = "f does not rise and fall with its inputs as direction says"
    remedy = "Correct the signs in direction; a function that turns needs distributions instead of bounds."
    return InvalidInput(problem, where=where, found=found, remedy=remedy)


def _signs(run: _Run, direction: Mapping[str, int] | None) -> dict[str, int]:
    if direction is None:
        problem = "inputs with bounds but no distribution need a direction"
        found = ", ".join(name for name, e in run.inputs.items() if e.dist is None)
        remedy = "Pass direction={'name': +1 or -1, ...}: does f rise or fall with the input?"
        raise InvalidInput(problem, where=run.where, found=found, remedy=remedy)
    complete = isinstance(direction, Mapping) and set(direction) == set(run.inputs)
    if not complete or not set(direction.values()) <= {1, -1}:
        problem, remedy = "direction must give +1 or -1 for each input", f"The inputs are {', '.join(run.inputs)}."
        raise InvalidInput(problem, where=run.where, found=repr(direction), remedy=remedy)
    return dict(direction)


def _check_inputs(inputs: Mapping[str, Estimate], where: str) -> None:
    if not isinstance(inputs, Mapping) or not all(isinstance(e, Estimate) for e in inputs.values()):
        problem, remedy = "inputs must be a mapping of names to estimates", "State a constant with Estimate.known."
        raise InvalidInput(problem, where=where, found=repr(inputs)[:80], remedy=remedy)
    if not inputs:
        raise InvalidInput("needs at least one input", where=where)


def _common_unit(inputs: Mapping[str, Estimate], where: str) -> str:
    units = sorted({e.unit for e in inputs.values()})
    if len(units) > 1:
        problem, remedy = "the inputs have different units", "Say unit=... of the result."
        raise InvalidInput(problem, where=where, found=", ".join(units), remedy=remedy)
    return units[0]


def _ancestry(estimate: Estimate) -> set[str]:
    return {estimate.key, *estimate.provenance.inputs}


def _belief_and_data(estimate: Estimate) -> set[str]:
    return {estimate.belief_key, *estimate.provenance.data.values()}


def takes_a_share(estimate: Estimate, side: Side) -> bool:
    """Whether its bound of a side can be missed at a stated rate; one that does not exist counts as one that can."""
    families = [f for f in estimate.bounds if f.side == side]
    return not families or any(f.kind not in WITHOUT_LEVEL for f in families)


def kinds_of(inputs: Mapping[str, Estimate]) -> set[Kind]:
    """The kinds of all bounds that are not certain."""
    return {family.kind for e in inputs.values() for family in e.bounds} - {"certain"}


def may_hold_on_average(inputs: Mapping[str, Estimate]) -> bool:
    """Whether a bound holds on average, and every other one does or has a confidence."""
    return "expectation" in kinds_of(inputs) <= {"expectation", "confidence"}


def on_average(estimate: Estimate) -> bool:
    """Whether one of its bounds holds on average."""
    return any(family.kind == "expectation" for family in estimate.bounds)


def average_limit(estimate: Estimate, side: Side, level: float) -> float | None:
    """The limit of a side that holds on average; an upper confidence limit is divided by its level."""
    fixed = [f.limit for f in estimate.bounds if isinstance(f, Bound) and (f.side, f.kind) == (side, "certain")]
    try:
        found = [f.limit if isinstance(f, Bound) and f.kind == "expectation" else f.at(level).limit / level
                 for f in _averaged(estimate, side)]  # fmt: skip
    except LevelUnavailable:
        return None
    return (min if side == "upper" else max)([*fixed, *found], default=None)


def _averaged(estimate: Estimate, side: Side) -> list[BoundFamily]:
    """The families behind a limit that varies with the data: those that hold on average, else a confidence."""
    families = [family for family in estimate.bounds if family.side == side]
    averages = [family for family in families if family.kind == "expectation"]
    return averages or [family for family in families if family.kind == "confidence" and side == "upper"]


@dataclass(frozen=True)
class Averaged:
    """Inputs whose bounds pass on average through a function that is linear in each of them.

    Such a bound says of a quantity Q and its limit U, either of which may depend on the data, that E[Q] <= E[U].
    Where Q and U of different inputs come from independent data, and f is linear in each input while the others are
    held and rises with it, then E[f(Q)] = f(E[Q]) <= f(E[U]) = E[f(U)]: the function of the limits holds on average
    too. Three more steps keep this true:

    - An upper confidence limit U at a level g, of a fixed q that is not negative, has E[U] >= g q, so U / g holds on
      average (the step of NRB, Eqn. (13), which adds 1 - g in place of dividing by g).
    - Probabilities that rest on the same data are taken for one event: for indicators x and a rising f that is linear
      in each of them, f(x) <= f(0) + sum(x) (f(1) - f(0)), which is linear in their sum, whatever their dependence.
    - A limit of a probability above 1 is cut to 1.
    """

    inputs: Mapping[str, Estimate]
    level: float

    @classmethod
    def of(cls, inputs: Mapping[str, Estimate], level: float | None) -> Averaged:
        """At the level at which confidence limits enter."""
        return cls(inputs, USUAL_LEVEL if level is None else level)

    def obstacle(self, linear: Collection[str]) -> str:
        """Why the bounds do not pass, in words; empty where they do."""
        bent = [name for name, e in self.inputs.items() if _is_random(e) and name not in linear]
        if bent:
            return f"f is not known to be linear in {', '.join(map(repr, bent))}"
        count = len(sharing(self.inputs))
        return f"{count} sets of inputs share data, at most {MOST_TOGETHER} may" if count > MOST_TOGETHER else ""

    def limits(self, needed: Mapping[str, Side]) -> dict[str, float] | None:
        """Where the inputs stand for one side of the result; None where one of them has no such limit."""
        found = {name: average_limit(e, needed[name], self.level) for name, e in self.inputs.items()}
        known = {name: self._cut(name, limit) for name, limit in found.items() if limit is not None}
        return known if len(known) == len(found) else None

    def bound(self, evaluate: Callable[..., FloatArray], side: Side, needed: Mapping[str, Side]) -> Bound | None:
        """The bound of a side of the result; None where it does not follow, or nothing in it holds on average."""
        limits, varying = self.limits(needed), {n: e for n, e in self.inputs.items() if _averaged(e, needed[n])}
        if limits is None or not any(
            f.kind == "expectation" for n, e in varying.items() for f in _averaged(e, needed[n])
        ):
            return None
        together = sharing(varying)
        if together and (side == "lower" or any(needed[name] == "lower" for names in together for name in names)):
            return None
        corners = np.array(list(product((0.0, 1.0), repeat=len(together))))
        sums = np.minimum([sum(limits[name] for name in names) for names in together], 1.0)
        arguments = {name: np.full(len(corners), limit) for name, limit in limits.items()}
        for names, states in zip(together, corners.T, strict=True):
            arguments |= dict.fromkeys(names, states)
        weights = np.where(corners == 1, sums, 1 - sums).prod(axis=1)
        return Bound(float(weights @ evaluate(arguments, len(corners))), side, NO_CONFIDENCE, "expectation")

    def _cut(self, name: str, limit: float) -> float:
        return min(limit, 1.0) if _is_random(self.inputs[name]) else limit

    @property
    def converted(self) -> list[str]:
        """Inputs whose confidence limits enter divided by their level."""
        return [name for name, e in self.inputs.items() if _is_random(e) and not on_average(e)]

    def assumptions(self) -> tuple[Assumption, ...]:
        """What the bound assumes besides what its inputs do."""
        apart = [INDEPENDENT_DATA] if sum(map(_is_random, self.inputs.values())) > 1 else []
        return (*apart, *([fixed_before(self.level)] if self.converted else []))

    def caveats(self) -> list[Diagnostic]:
        """What a reader must know of the value and of the limits that were used."""
        found = [plug_in([name for name, e in self.inputs.items() if on_average(e)])]
        if self.converted:
            text = f"The confidence limits of {_listed(self.converted)} at level {self.level:g} entered divided by it."
            found.append(Diagnostic("expectation-only", f"{text} So they hold on average, without a level.", "note"))
        together = "rest on the same data and were taken for one event."
        shared = sharing(self.inputs)
        return found + [Diagnostic("taken-together", f"{_listed(group)} {together}", "note") for group in shared]


def fixed_before(level: float) -> Assumption:
    """What lets an upper confidence limit over its level hold on average."""
    text = "What a confidence bound is about was fixed before its data were seen, no threshold chosen on them"
    return Assumption("fixed-quantity", f"{text}, and is at most {level:g}.")


def plug_in(names: Collection[str]) -> Diagnostic:
    """The caveat of a value that has estimates in the place of what they estimate."""
    text = f"The value takes the estimates of {_listed(names)} for the truth; only the bound allows for their error."
    return Diagnostic("plug-in-value", text, hint="Quote the upper bound, not the value.")


def _is_random(estimate: Estimate) -> bool:
    return not isinstance(estimate.dist, Point) and any(f.kind != "certain" for f in estimate.bounds)


def sharing(inputs: Mapping[str, Estimate]) -> tuple[tuple[str, ...], ...]:
    """Sets of two or more inputs that are linked by common data or a common input."""
    groups: list[tuple[set[str], list[str]]] = []
    for name, estimate in inputs.items():
        if not _is_random(estimate):
            continue
        linked = [group for group in groups if group[0] & _marks(estimate)]
        groups = [group for group in groups if group not in linked]
        marks = _marks(estimate).union(*(group[0] for group in linked))
        groups.append((marks, [*(name for group in linked for name in group[1]), name]))
    return tuple(tuple(names) for _, names in groups if len(names) > 1)


def _marks(estimate: Estimate) -> set[str]:
    """What an estimate shares with others that depend on it; a model or a file that is fixed makes none dependent."""
    provenance = estimate.provenance
    measured = (d for n, d in provenance.data.items() if not n.rpartition(".")[2].startswith(("model", "file of")))
    return {estimate.key, *provenance.inputs, *measured}


def _listed(names: Collection[str]) -> str:
    return listed([repr(name) for name in names])
