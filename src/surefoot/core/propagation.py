"""``propagate``: the only way estimates combine.

Inputs with distributions are sampled, each once however often it appears. Inputs with bounds only
are combined by sharing alpha among them, which holds whatever their dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from surefoot.core import validate
from surefoot.core.assumption import Assumption, union
from surefoot.core.bound import BoundFamily, Kind, QuantileBound, Side, TabulatedBound, certain
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Distribution, Empirical, Point
from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.estimate import Estimate
from surefoot.core.identity import function_identity
from surefoot.core.provenance import Provenance
from surefoot.core.validate import FloatArray

TABLE_LEVELS = np.unique(1 - np.concatenate([np.logspace(-12, -1, 45), np.linspace(0.1, 0.5, 9), [0.05, 0.025]]))
ROUNDING = 1e-9
_OPPOSITE: dict[Side, Side] = {"upper": "lower", "lower": "upper"}


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
    mix: bool = False,
) -> Estimate:
    """Carry estimates through ``f(**{name: array})``, a vectorised function.

    Where every input has a distribution, ``f`` is evaluated on joint draws and the bounds of the
    result are credible (heuristic, if an input is). Otherwise ``direction`` must say, for each
    input, whether ``f`` rises (+1) or falls (-1) with it, and the bounds are found by sharing alpha
    equally among the inputs. ``level`` is the level the table of bounds must contain.

    ``mix=True`` allows confidence and credible inputs together; the result is then marked
    heuristic. ``unit`` is needed where the inputs have several. ``assumptions`` are those of ``f``
    itself, such as the independence of failures behind a product.

    Two inputs are drawn as one when quantity, scope and distribution agree: give estimates about
    different things different scopes. Alpha is shared among all names, whether they are one or not.

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
    found = _sample(run, draws, seed, mix, direction) if sampled else _split(run, direction, level, mix)
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
        assumptions=union(assumptions, *(e.assumptions for e in inputs.values())),
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
            raise InvalidInput(
                "f could not be evaluated",
                where=self.where,
                found=f"{type(error).__name__}: {error}",
                remedy=f"Let f take the arguments {', '.join(arguments)} and use numpy operations on arrays.",
            ) from error
        result = validate.numbers(raw, where=self.where, name="result of f")
        if result.shape not in ((), (size,)):
            raise InvalidInput(
                f"f must return one number a draw, {size} in all",
                where=self.where,
                found=f"shape {result.shape}",
                remedy="Write f with numpy operations on arrays.",
            )
        return np.broadcast_to(result, (size,))

    def common_kind(self, mix: bool, *, firm: tuple[Kind, ...], without: Kind) -> tuple[Kind, list[Diagnostic]]:
        """The kind all inputs share; one heuristic input makes the result heuristic."""
        kinds = {f.kind for e in self.inputs.values() for f in e.bounds} - {"certain"}
        if not kinds:
            return without, []
        shared = kinds - {"heuristic"}
        if len(shared) <= 1 and shared <= set(firm):
            return ("heuristic" if "heuristic" in kinds else shared.pop()), []
        if not mix:
            raise MixedKinds(
                "these kinds of bounds do not combine",
                where=self.where,
                found=", ".join(sorted(kinds)),
                remedy="Use estimates of one kind, or pass mix=True and accept a heuristic result.",
            )
        text = f"Inputs with {' and '.join(sorted(kinds))} bounds were combined."
        return "heuristic", [Diagnostic("mixed-kinds", text)]


def joint_draws(inputs: Mapping[str, Estimate], *, draws: int, seed: int, where: str) -> dict[str, FloatArray]:
    """What ``propagate`` would draw of inputs that all have distributions: an input that appears twice is drawn once.

    For results that are many numbers at once, such as a table; a single number goes through ``propagate``.
    """
    stream = f"{seed}/{draws}"
    _refuse_broken_streams(inputs, stream, where)
    drawn = {e.belief_key: _draws_of(e, stream, draws, seed) for e in inputs.values()}
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
        if isinstance(estimate.dist, Point) or not families or not _is_certain(estimate, side):
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


def _draws_of(estimate: Estimate, stream: str, draws: int, seed: int) -> FloatArray:
    assert estimate.dist is not None
    return _draws_from(estimate.dist, estimate.belief_key, stream, draws, seed)


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


def _split(run: _Run, direction: Mapping[str, int] | None, level: float | None, mix: bool) -> _Found:
    signs = _signs(run, direction)
    kind, caveats = run.common_kind(mix, firm=("confidence", "credible"), without="certain")
    value = float(run.evaluate({name: np.array([e.value]) for name, e in run.inputs.items()}, 1)[0])
    levels = np.union1d(TABLE_LEVELS, [] if level is None else [level])
    sides = (_split_side(run, side, signs, kind, levels, value) for side in ("upper", "lower"))
    bounds = tuple(bound for bound in sides if bound is not None)
    if not bounds:
        raise LevelUnavailable(
            "the inputs lack the bounds that these directions need",
            where=run.where,
            found={name: sorted({b.side for b in e.bounds}) for name, e in run.inputs.items()},
        )
    return _Found(value, bounds, caveats)


def _split_side(
    run: _Run, side: Side, signs: Mapping[str, int], kind: Kind, levels: FloatArray, value: float
) -> BoundFamily | None:
    needed: dict[str, Side] = {name: side if sign > 0 else _OPPOSITE[side] for name, sign in signs.items()}
    uncertain = sum(not _is_certain(e, needed[name]) for name, e in run.inputs.items())
    rows = []
    for level in levels.tolist():
        share = 1 - (1 - level) / max(uncertain, 1)
        try:
            rows.append((level, [run.inputs[n].bound(s, share).limit for n, s in needed.items()]))
        except LevelUnavailable:
            continue
    if not rows:
        return None
    limits = np.array([row for _, row in rows])
    result = run.evaluate(dict(zip(needed, limits.T, strict=True)), len(rows))
    enclosed = all(
        (limit >= run.inputs[n].value) == (s == "upper") or limit == run.inputs[n].value
        for (n, s), limit in zip(needed.items(), limits[-1], strict=True)
    )
    outward = 1 if side == "upper" else -1
    _require_widening(run, outward * result, outward * value if enclosed else -np.inf)
    if kind == "certain":
        return certain(float(result[0]), side)
    return TabulatedBound.widened([level for level, _ in rows], result, side, kind)


def _require_widening(run: _Run, limits: FloatArray, value: float) -> None:
    """Limits move outward with the level and end beyond the value, or f does not go the stated way."""
    slack = ROUNDING * np.abs(limits)
    if (np.diff(limits) < -slack[1:]).any() or limits[-1] < value - slack[-1]:
        raise InvalidInput(
            "f does not rise and fall with its inputs as direction says",
            where=run.where,
            found=f"limits from {abs(limits[0]):.6g} to {abs(limits[-1]):.6g}, value {abs(value):.6g}",
            remedy="Correct the signs in direction; a function that turns needs distributions instead of bounds.",
        )


def _signs(run: _Run, direction: Mapping[str, int] | None) -> dict[str, int]:
    if direction is None:
        raise InvalidInput(
            "inputs with bounds but no distribution need a direction",
            where=run.where,
            found=", ".join(name for name, e in run.inputs.items() if e.dist is None),
            remedy="Pass direction={'name': +1 or -1, ...}: does f rise or fall with the input?",
        )
    complete = isinstance(direction, Mapping) and set(direction) == set(run.inputs)
    if not complete or not set(direction.values()) <= {1, -1}:
        raise InvalidInput(
            "direction must give +1 or -1 for each input",
            where=run.where,
            found=repr(direction),
            remedy=f"The inputs are {', '.join(run.inputs)}.",
        )
    return dict(direction)


def _check_inputs(inputs: Mapping[str, Estimate], where: str) -> None:
    if not isinstance(inputs, Mapping) or not all(isinstance(e, Estimate) for e in inputs.values()):
        raise InvalidInput(
            "inputs must be a mapping of names to estimates",
            where=where,
            found=repr(inputs)[:80],
            remedy="State a constant with Estimate.known.",
        )
    if not inputs:
        raise InvalidInput("needs at least one input", where=where)


def _common_unit(inputs: Mapping[str, Estimate], where: str) -> str:
    units = sorted({e.unit for e in inputs.values()})
    if len(units) > 1:
        raise InvalidInput(
            "the inputs have different units", where=where, found=", ".join(units), remedy="Say unit=... of the result."
        )
    return units[0]


def _ancestry(estimate: Estimate) -> set[str]:
    return {estimate.key, *estimate.provenance.inputs}


def _belief_and_data(estimate: Estimate) -> set[str]:
    return {estimate.belief_key, *estimate.provenance.data.values()}


def _is_certain(estimate: Estimate, side: Side) -> bool:
    families = [f for f in estimate.bounds if f.side == side]
    return bool(families) and all(f.kind == "certain" for f in families)
