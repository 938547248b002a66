"""``propagate``: the only way estimates combine.

Inputs with distributions are sampled, each once however often it appears. Inputs with bounds only
are combined by sharing alpha among them, which holds whatever their dependence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from surefoot.core import validate
from surefoot.core.assumption import union
from surefoot.core.bound import BoundFamily, Kind, QuantileBound, Side, TabulatedBound, certain
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Empirical, Point
from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.estimate import PER_DEMAND, Estimate
from surefoot.core.identity import function_identity
from surefoot.core.provenance import Provenance
from surefoot.core.validate import FloatArray

GUARANTEED: tuple[Kind, ...] = ("confidence", "credible")
TABLE_LEVELS = np.unique(1 - np.concatenate([np.logspace(-12, -1, 45), np.linspace(0.1, 0.5, 9), [0.05, 0.025]]))
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
    unit: str = PER_DEMAND,
    scope: str = "",
    mix: bool = False,
) -> Estimate:
    """Carry estimates through ``f(**{name: array})``, a vectorised function.

    Where every input has a distribution, ``f`` is evaluated on joint draws and the bounds of the
    result are credible (heuristic, if an input is). Otherwise ``direction`` must say, for each
    input, whether ``f`` rises (+1) or falls (-1) with it, and the bounds are found by sharing alpha
    equally among the inputs. ``level`` is the level the table of bounds must contain.

    ``mix=True`` allows confidence and credible inputs together; the result is then marked
    heuristic. Two inputs count as one when their keys agree: give estimates about different
    things different scopes.

    >>> from surefoot import Estimate
    >>> a = Estimate.known("a", 0.1, source="data sheet")
    >>> b = Estimate.known("b", 0.2, source="data sheet")
    >>> propagate(lambda a, b: a + b - a * b, {"a": a, "b": b}, quantity="a or b").value
    0.28
    """
    where = f"propagate {quantity!r}"
    if not inputs:
        raise InvalidInput("needs at least one input", where=where)
    if level is not None:
        validate.level(level, where=where)
    run = _Run(f, dict(inputs), where, validate.count(draws, where=where, name="draws", at_least=1), seed)
    sampled = all(e.dist is not None for e in inputs.values())
    params = {
        "function": function_identity(f),
        "names": {name: e.key for name, e in inputs.items()},
        "direction": dict(direction or {}),
        "level": level,
        "draws": draws if sampled else None,
        "mix": mix,
    }
    if sampled:
        value, dist, bounds, caveats = run.sample(mix)
    else:
        dist = None
        value, bounds, caveats = run.split(direction, level, mix)
    return Estimate(
        quantity,
        value,
        unit,
        scope,
        bounds,
        dist,
        assumptions=union(*(e.assumptions for e in inputs.values())),
        caveats=tuple(dict.fromkeys([*caveats, *(c for e in inputs.values() for c in e.caveats)])),
        details={} if level is None else {"level": level},
        provenance=Provenance(
            "propagate",
            params,
            inputs=tuple(dict.fromkeys(k for e in inputs.values() for k in (e.key, *e.provenance.inputs))),
            data={k: v for e in inputs.values() for k, v in e.provenance.data.items()},
            seed=seed if sampled else None,
        ),
    )


@dataclass(frozen=True)
class _Run:
    f: Callable[..., FloatArray]
    inputs: dict[str, Estimate]
    where: str
    draws: int
    seed: int

    @property
    def stream(self) -> str:
        return f"{self.seed}/{self.draws}"

    def evaluate(self, arguments: Mapping[str, FloatArray], size: int) -> FloatArray:
        result = validate.numbers(self.f(**arguments), where=self.where, name="result of f")
        if result.shape not in ((), (size,)):
            raise InvalidInput(
                f"f must return one number a draw, {size} in all",
                where=self.where,
                found=f"shape {result.shape}",
                remedy="Write f with numpy operations on arrays.",
            )
        return np.broadcast_to(result, (size,))

    def sample(self, mix: bool) -> tuple[float, Empirical | Point, tuple[BoundFamily, ...], list[Diagnostic]]:
        self._refuse_broken_streams()
        by_key = {e.key: e for e in self.inputs.values()}
        drawn = {key: self._draws_of(e) for key, e in by_key.items()}
        result = self.evaluate({name: drawn[e.key] for name, e in self.inputs.items()}, self.draws)
        if all(isinstance(e.dist, Point) for e in by_key.values()):
            point = float(result[0])
            return point, Point(point), (certain(point, "upper"), certain(point, "lower")), []
        kind, caveats = self._common_kind(mix, without_bounds="credible")
        dist = Empirical(tuple(result.tolist()), self.stream)
        bounds = (QuantileBound(dist, "upper", kind), QuantileBound(dist, "lower", kind))
        return dist.mean, dist, bounds, caveats + self._same_inputs() + self._shared_data()

    def _draws_of(self, estimate: Estimate) -> FloatArray:
        dist = estimate.dist
        assert dist is not None
        if isinstance(dist, Empirical) and dist.stream == self.stream:
            return np.asarray(dist.draws)
        # The generator depends on the input alone, so later propagations draw it identically.
        entropy = int.from_bytes(hashlib.sha256(estimate.key.encode()).digest()[:16], "big")
        return dist.sample(np.random.default_rng([self.seed, entropy]), self.draws)

    def _refuse_broken_streams(self) -> None:
        for (a, x), (b, y) in combinations(self.inputs.items(), 2):
            if x.key == y.key or not _ancestry(x) & _ancestry(y):
                continue
            for name, e in ((a, x), (b, y)):
                if isinstance(e.dist, Empirical) and e.dist.stream != self.stream:
                    raise InvalidInput(
                        f"{a!r} and {b!r} have an input in common, and {name!r} was drawn with other draws or seed",
                        where=self.where,
                        found=f"seed/draws {e.dist.stream} against {self.stream}",
                        remedy="Use the same seed and draws in every propagation of a chain.",
                    )

    def _same_inputs(self) -> list[Diagnostic]:
        pairs = [(a, b) for (a, x), (b, y) in combinations(self.inputs.items(), 2) if x.key == y.key]
        return [
            Diagnostic(
                "same-input",
                f"{a!r} and {b!r} are one input and were drawn once.",
                "note",
                hint="Give them different scopes if they are about different things.",
            )
            for a, b in pairs
        ]

    def _shared_data(self) -> list[Diagnostic]:
        pairs = [
            (a, b)
            for (a, x), (b, y) in combinations(self.inputs.items(), 2)
            if not _ancestry(x) & _ancestry(y) and set(x.provenance.data.values()) & set(y.provenance.data.values())
        ]
        text = "{!r} and {!r} were measured on the same data and drawn as if independent."
        return [Diagnostic("shared-data", text.format(a, b)) for a, b in pairs]

    def split(
        self, direction: Mapping[str, int] | None, level: float | None, mix: bool
    ) -> tuple[float, tuple[BoundFamily, ...], list[Diagnostic]]:
        signs = self._signs(direction)
        kind, caveats = self._common_kind(mix)
        values = self.evaluate({name: np.array([e.value]) for name, e in self.inputs.items()}, 1)
        levels = np.union1d(TABLE_LEVELS, [] if level is None else [level])
        sides = (self._split_side(side, signs, kind, levels) for side in ("upper", "lower"))
        bounds = tuple(bound for bound in sides if bound is not None)
        if not bounds:
            raise LevelUnavailable(
                "the inputs lack the bounds that these directions need",
                where=self.where,
                found={name: sorted({b.side for b in e.bounds}) for name, e in self.inputs.items()},
            )
        return float(values[0]), bounds, caveats

    def _split_side(self, side: Side, signs: Mapping[str, int], kind: Kind, levels: FloatArray) -> BoundFamily | None:
        needed: dict[str, Side] = {name: side if sign > 0 else _OPPOSITE[side] for name, sign in signs.items()}
        uncertain = {(e.key, needed[name]) for name, e in self.inputs.items() if not _is_certain(e, needed[name])}
        rows = []
        for level in levels.tolist():
            share = 1 - (1 - level) / max(len(uncertain), 1)
            try:
                rows.append((level, [self.inputs[n].bound(s, share).limit for n, s in needed.items()]))
            except LevelUnavailable:
                continue
        if not rows:
            return None
        limits = np.array([row for _, row in rows])
        result = self.evaluate(dict(zip(needed, limits.T, strict=True)), len(rows))
        widening = np.maximum.accumulate if side == "upper" else np.minimum.accumulate
        return TabulatedBound(tuple(lv for lv, _ in rows), tuple(widening(result).tolist()), side, kind)

    def _signs(self, direction: Mapping[str, int] | None) -> dict[str, int]:
        without = [name for name, e in self.inputs.items() if e.dist is None]
        if direction is None:
            raise InvalidInput(
                "inputs with bounds but no distribution need a direction",
                where=self.where,
                found=", ".join(without),
                remedy="Pass direction={'name': +1 or -1, ...}: does f rise or fall with the input?",
            )
        if set(direction) != set(self.inputs) or not set(direction.values()) <= {1, -1}:
            raise InvalidInput(
                "direction must give +1 or -1 for each input",
                where=self.where,
                found=dict(direction),
                remedy=f"The inputs are {', '.join(self.inputs)}.",
            )
        return dict(direction)

    def _common_kind(self, mix: bool, *, without_bounds: Kind = "certain") -> tuple[Kind, list[Diagnostic]]:
        """The kind all inputs share; one heuristic input makes the result heuristic."""
        kinds = {f.kind for e in self.inputs.values() for f in e.bounds} - {"certain"}
        if not kinds:
            return without_bounds, []
        firm = kinds - {"heuristic"}
        if len(firm) <= 1 and firm <= set(GUARANTEED):
            return ("heuristic" if "heuristic" in kinds else firm.pop()), []
        if not mix:
            raise MixedKinds(
                "these kinds of bounds do not combine",
                where=self.where,
                found=", ".join(sorted(kinds)),
                remedy="Use estimates of one kind, or pass mix=True and accept a heuristic result.",
            )
        text = f"Inputs with {' and '.join(sorted(kinds))} bounds were combined."
        return "heuristic", [Diagnostic("mixed-kinds", text)]


def _ancestry(estimate: Estimate) -> set[str]:
    return {estimate.key, *estimate.provenance.inputs}


def _is_certain(estimate: Estimate, side: Side) -> bool:
    families = [f for f in estimate.bounds if f.side == side]
    return bool(families) and all(f.kind == "certain" for f in families)
