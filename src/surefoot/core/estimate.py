"""``Estimate``: a quantity with its value, bounds, distribution, assumptions and caveats, and where it comes from.

What it says to a reader is a ``Summary``, which prints in a terminal and shows as a table in a notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any, Self

from surefoot.core import validate
from surefoot.core.assumption import Answer, Assumption
from surefoot.core.bound import WITHOUT_LEVEL, Bound, BoundFamily, Kind, Side, certain
from surefoot.core.canonical import FrozenDict, digest, reading, thaw, unthaw
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Distribution, Point
from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.target import Status, Target, Verdict
from surefoot.core.validate import listed
from surefoot.version import __version__

PER_DEMAND = "per demand"
COUNTS = {
    "failures": "failures",
    "trials": "trials",
    "events": "events",
    "exposure": "units of exposure",
    "n": "samples",
    "groups": "groups",
}
_TEXT = "margin:.4em 0;font-size:.95em;line-height:1.4"
_CELL = "text-align:left;vertical-align:top;padding:.3em 1.2em .3em 0;border-bottom:1px solid rgba(128,128,128,.35)"
_HEAD = f"{_CELL};font-weight:500;opacity:.75"
_QUIET = "margin:.3em 0;opacity:.75;font-size:.9em"
"""Notebooks are light or dark: colours are inherited, and lines are half transparent."""


@dataclass(frozen=True, repr=False)
class Estimate:
    """A number somebody can sign, with everything it rests on.

    ``dist`` is set only where a distribution of belief exists (a posterior, a known value); a confidence bound is no
    such distribution and lives in ``bounds``. Estimates are combined by ``propagate``, and compared with a ``Target``
    by ``meets``.

    Parameters
    ----------
    quantity
        What was estimated, in words.
    value
        The best single number.
    unit
        What it is per, such as ``per demand``.
    scope
        What it is about, where several estimates have one quantity: a component, a class.
    bounds
        At most one family of limits for each side and kind.
    dist
        What is believed about the quantity.
    assumptions, caveats
        What must hold, and what a reader must know.
    details
        Plain values of the method, such as counts and the level.
    provenance
        Method, parameters and data; estimates without one are told apart by their content.

    Examples
    --------
    >>> import surefoot as sf
    >>> estimate = sf.bounds.clopper_pearson(2, 1000, level=0.95)
    >>> estimate.value, round(estimate.upper(0.95), 5)
    (0.002, 0.00628)

    """

    quantity: str
    value: float
    unit: str = PER_DEMAND
    scope: str = ""
    bounds: tuple[BoundFamily, ...] = ()
    dist: Distribution | None = None
    assumptions: tuple[Assumption, ...] = ()
    caveats: tuple[Diagnostic, ...] = ()
    details: Mapping[str, Any] = field(default_factory=FrozenDict)
    provenance: Provenance = field(default_factory=lambda: Provenance("stated"))

    def __post_init__(self) -> None:
        validate.fields(self)
        where = f"Estimate {self.quantity!r}"
        if not self.quantity or not all(isinstance(v, str) for v in (self.quantity, self.unit, self.scope)):
            raise InvalidInput("quantity, unit and scope must be text, the quantity not empty", where=where)
        object.__setattr__(self, "value", validate.number(self.value, where=where, name="value"))
        object.__setattr__(self, "details", FrozenDict(self.details))
        for name, kind in (("bounds", BoundFamily), ("assumptions", Assumption), ("caveats", Diagnostic)):
            object.__setattr__(self, name, _tuple_of(kind, getattr(self, name), where=where, name=name))
        if self.dist is not None and not isinstance(self.dist, Distribution):
            raise InvalidInput("dist must be a distribution", where=where, found=repr(self.dist))
        if self.provenance == Provenance("stated"):
            # Two numbers stated without a source are two inputs, not one.
            object.__setattr__(self, "provenance", Provenance("stated", {"content": self.digest}))
        sorts = [(family.side, family.kind) for family in self.bounds]
        if len(set(sorts)) < len(sorts):
            raise InvalidInput(
                "an estimate has one bound of each side and kind",
                where=where,
                found=", ".join(f"{side} {kind}" for side, kind in sorts),
                remedy="Choose the bound before the data are seen; the better of two after the fact is no bound.",
            )

    @classmethod
    def known(
        cls,
        quantity: str,
        value: float,
        *,
        source: str,
        unit: str = PER_DEMAND,
        scope: str = "",
        answer: Answer | None = None,
    ) -> Self:
        """A value that is stated, not measured: a constant of the system, with its source.

        It meets a target only where somebody answers for it, and then the verdict says who.
        """
        text = f"{quantity}{f' of {scope}' if scope else ''} is {value:g} {unit}: {source.rstrip('.')}."
        return cls(
            quantity,
            value,
            unit,
            scope,
            bounds=(certain(value, "upper"), certain(value, "lower")),
            dist=Point(value),
            assumptions=(Assumption("stated-value", text, scope=scope or quantity, stated=True, answer=answer),),
            provenance=Provenance("stated", {"value": value, "source": source}),
        )

    @cached_property
    def key(self) -> str:
        """Hash of what determines this estimate; known before the work."""
        return digest([self.provenance.key, self.quantity, self.scope])

    @cached_property
    def belief_key(self) -> str:
        """Hash of what is believed about what: two inputs with one belief key are drawn as one."""
        dist = self.dist.to_dict() if self.dist else None
        return digest([self.quantity, self.scope, self.unit, dist])

    @cached_property
    def digest(self) -> str:
        """Hash of the result itself, without its provenance."""
        return digest({name: value for name, value in self.to_dict().items() if name != "provenance"})

    def bound(self, side: Side, level: float, *, kind: Kind | None = None) -> Bound:
        """The bound of a side at a level; name the ``kind`` where there are several."""
        families = [f for f in self.bounds if f.side == side]
        fixed = [f.at(level) for f in families if f.kind == "certain"]
        open_ = [f for f in families if f.kind != "certain" and kind in (None, f.kind)]
        if len({f.kind for f in open_}) > 1:
            raise MixedKinds(
                f"{self.quantity!r} has {side} bounds of several kinds",
                found=", ".join(sorted({f.kind for f in open_})),
                remedy="Say which one with kind=...",
            )
        if not open_ and not fixed:
            raise LevelUnavailable(
                f"{self.quantity!r} has no {side} bound{f' of kind {kind!r}' if kind else ''}",
                found=", ".join(f"{f.side} {f.kind}" for f in self.bounds) or "no bounds",
            )
        tightest = min if side == "upper" else max
        return tightest([f.at(level) for f in open_] + fixed, key=lambda b: b.limit)

    def upper(self, level: float, *, kind: Kind | None = None) -> float:
        """The limit that the quantity exceeds with probability at most ``1 - level``."""
        return self.bound("upper", level, kind=kind).limit

    def lower(self, level: float, *, kind: Kind | None = None) -> float:
        """The limit that the quantity falls below with probability at most ``1 - level``."""
        return self.bound("lower", level, kind=kind).limit

    def interval(self, level: float, *, kind: Kind | None = None) -> tuple[float, float]:
        """Both limits, each at half the miss probability."""
        one_sided = 1 - (1 - validate.level(level, where="interval")) / 2
        return self.lower(one_sided, kind=kind), self.upper(one_sided, kind=kind)

    def meets(self, target: Target) -> Verdict:
        """Whether the target is shown to be met, shown to be violated, or neither."""
        if not isinstance(target, Target):
            raise InvalidInput("needs a Target", where="meets", found=repr(target), remedy="Use Target(at_most=...).")
        if self.unit != target.counted:
            raise InvalidInput(
                f"{self.quantity!r} is {self.unit}, the target {target.counted}",
                where="meets",
                remedy="Convert the exposure of one of them."
                if self.unit.startswith("per ")
                else f"Say unit: {self.unit} in the target.",
            )
        violation, open_ = self._violation(target, target.alpha), ", ".join(self.unchecked_beyond_tests)
        if violation is not None and not (violation.status == "violated" and open_):
            return violation
        proof = self._proof(target, target.alpha)
        withheld = f"{proof.text}; no violation is shown while nobody has checked: {open_}"
        return proof if violation is None else replace(proof, text=withheld)

    def _proof(self, target: Target, alpha: float) -> Verdict:
        side, limit = target.proving_side, target.cautious_limit(alpha)
        bound = self._allowed_bound(side, alpha, target)
        if bound is None:
            kinds = ", ".join(sorted({f.kind for f in self.bounds if f.side == side})) or "none"
            allowed = ", ".join(target.kinds)
            text = f"{self._name}, no {side} bound that the target accepts at level {1 - alpha:g}"
            return Verdict("not shown", target, None, f"{text} (kinds: {kinds}; accepted: {allowed})")
        shown = bound.limit <= limit if side == "upper" else bound.limit >= limit
        return self._verdict("met" if shown else "not shown", target, bound, limit)

    def _violation(self, target: Target, alpha: float) -> Verdict | None:
        side: Side = "lower" if target.proving_side == "upper" else "upper"
        bound, limit = self._allowed_bound(side, alpha, target), target.lenient_limit(alpha)
        if bound is None or not _beyond(bound.limit, limit, side) or not self._survives_priors(bound, limit):
            return None
        return self._verdict("violated", target, bound, limit)

    def _survives_priors(self, bound: Bound, limit: float) -> bool:
        """Whether a credible bound lies beyond the limit under the least favourable prior too."""
        if bound.kind != "credible":
            return True
        families = (f for f in self.bounds if f.side == bound.side and f.kind == bound.kind)
        return all(_beyond(f.refuting_limit_at(bound.level), limit, bound.side) for f in families)

    def _verdict(self, status: Status, target: Target, bound: Bound, limit: float) -> Verdict:
        """Nothing is shown, neither way, where an assumption is contradicted."""
        text = f"{self._name}, {bound.side} bound {bound.limit:.4g} ({self._kind_and_level(bound)})"
        compared = "" if target.uncertainty is None else f", which is uncertain: compared with {limit:.4g}"
        text += f", target {target.relation} {target.limit:.4g}{compared}"
        broken = list(dict.fromkeys(a.id for a in self.assumptions if a.status == "contradicted"))
        warnings = list(dict.fromkeys(c.code for c in self.caveats if c.severity == "warning"))
        if broken:
            return Verdict("not shown", target, bound, f"{text}, but contradicted: {', '.join(broken)}")
        text = f"{text}; caveat {', '.join(warnings)}" if warnings else text
        if status != "met" or not self.stated:
            return Verdict(status, target, bound, text)
        if self.unanswered:
            names = listed(dict.fromkeys(a.scope or a.id for a in self.unanswered))
            return Verdict("not shown", target, bound, f"{text}, but nobody answers for what is stated: {names}")
        by = tuple(dict.fromkeys(a.answer.by for a in self.stated if a.answer))
        what = "a stated value" if len(self.stated) == 1 else "stated values"
        return Verdict("met", target, bound, f"{text}, on {what} that {listed(by)} answers for", by)

    @property
    def stated(self) -> tuple[Assumption, ...]:
        """The stated values that it rests on: what was typed in and not found by looking."""
        return tuple(a for a in self.assumptions if a.stated)

    @property
    def unanswered(self) -> tuple[Assumption, ...]:
        """Those of them that nobody answers for, so that no target is met."""
        return tuple(a for a in self.stated if a.answer is None)

    @property
    def as_if_answered(self) -> Self:
        """The same number as if somebody answered for all that it states: to plan with, never to judge by."""
        if not self.stated:
            return self
        return replace(self, assumptions=tuple(replace(a, stated=False, answer=None) for a in self.assumptions))

    def kind_of(self, bound: BoundFamily) -> str:
        """The kind of one of its bounds; what follows from stated values alone is no surer than these: ``stated``."""
        return "stated" if bound.kind == "certain" and self.stated else bound.kind

    def _kind_and_level(self, bound: Bound) -> str:
        at = "" if bound.kind in WITHOUT_LEVEL else f" at level {bound.level:g}"
        return f"{self.kind_of(bound)}{at}"

    @property
    def unchecked_beyond_tests(self) -> tuple[str, ...]:
        """Ids of unchecked assumptions that carry the number to inputs nobody tested, so that it shows no violation."""
        found = (a.id for a in self.assumptions if a.beyond_tests and a.status == "unchecked")
        return tuple(dict.fromkeys(found))

    def _allowed_bound(self, side: Side, alpha: float, target: Target) -> Bound | None:
        families = [f for f in self.bounds if f.side == side and f.kind in target.kinds]
        on_average = [f for f in families if isinstance(f, Bound) and f.kind == "expectation"]
        if on_average:
            return on_average[0]
        if not families:
            return None
        try:
            return self.bound(side, 1 - alpha, kind=next((f.kind for f in families if f.kind != "certain"), None))
        except LevelUnavailable:
            return None

    def summary(self, level: float | None = None) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        level = validate.level(level or self.details.get("level", 0.95), where="summary")
        rows = [("value", f"{self.value:.6g} {self.unit}")]
        counts = [f"{self.details[n]} {word}" for n, word in COUNTS.items() if self.details.get(n) is not None]
        rows += [("counted", ", ".join(counts))] if counts else []
        rows += [_bound_row(self, family, level) for family in self.bounds]
        rows += [_assumption_row(assumption) for assumption in self.assumptions]
        rows += [("caveat", str(caveat)) for caveat in self.caveats]
        rows += [("method", self.provenance.method), ("key", self.key[:12])]
        return Summary(self._name, rows)

    @property
    def reference(self) -> str:
        """What evidence finds it by: the quantity, and its scope in brackets where it has one."""
        return f"{self.quantity}[{self.scope}]" if self.scope else self.quantity

    @property
    def _name(self) -> str:
        return f"{self.quantity}{f' of {self.scope}' if self.scope else ''}"

    def __repr__(self) -> str:
        against = ", contradicted by tests" if any(c.code == "contradicted-by-tests" for c in self.caveats) else ""
        told = f"{self._name!r}, {self.value:.6g} {self.unit}{against}"
        return f"Estimate({told}, {self.provenance.method}, key={self.key[:12]})"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "quantity": self.quantity,
            "value": self.value,
            "unit": self.unit,
            "scope": self.scope,
            "bounds": [bound.to_dict() for bound in self.bounds],
            "dist": self.dist.to_dict() if self.dist else None,
            "assumptions": [assumption.to_dict() for assumption in self.assumptions],
            "caveats": [caveat.to_dict() for caveat in self.caveats],
            "details": thaw(self.details),
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        expected = set(cls.__dataclass_fields__)
        if not isinstance(data, Mapping) or set(data) != expected:
            found = sorted(map(str, data)) if isinstance(data, Mapping) else type(data).__name__
            raise InvalidInput(f"an estimate has the fields {sorted(expected)}", found=found)
        with reading("estimate"):
            return cls(
                quantity=data["quantity"],
                value=data["value"],
                unit=data["unit"],
                scope=data["scope"],
                bounds=tuple(BoundFamily.from_dict(item) for item in data["bounds"]),
                dist=Distribution.from_dict(data["dist"]) if data["dist"] else None,
                assumptions=tuple(Assumption.from_dict(item) for item in data["assumptions"]),
                caveats=tuple(Diagnostic.from_dict(item) for item in data["caveats"]),
                details=unthaw(data["details"]),
                provenance=Provenance.from_dict(data["provenance"]),
            )


def _beyond(value: float, limit: float, side: Side) -> bool:
    return value > limit if side == "lower" else value < limit


def _tuple_of(kind: type, items: Iterable[Any], *, where: str, name: str) -> tuple[Any, ...]:
    collected = tuple(items) if isinstance(items, Iterable) else (items,)
    if not isinstance(items, Iterable) or not all(isinstance(item, kind) for item in collected):
        raise InvalidInput(f"{name} must be a collection of {kind.__name__}", where=where, found=repr(items))
    return collected


def _assumption_row(assumption: Assumption) -> tuple[str, str]:
    checked = f", {assumption.check.method}" if assumption.check else ""
    scope = f" ({assumption.scope})" if assumption.scope else ""
    if assumption.stated:
        answer = f"answered for by {assumption.answer}" if assumption.answer else "nobody answers for it"
        return f"states{scope}", f"{assumption.text} ({answer})"
    return f"assumes{scope}", f"{assumption.text} ({assumption.status}{checked})"


def _bound_row(estimate: Estimate, family: BoundFamily, level: float) -> tuple[str, str]:
    if isinstance(family, Bound):
        return f"{family.side} bound", f"{family.limit:.6g} ({estimate._kind_and_level(family)})"
    try:
        return f"{family.side} bound", f"{family.at(level).limit:.6g} ({family.kind} at level {level:g}, one-sided)"
    except LevelUnavailable as error:
        return f"{family.side} bound", f"unknown at level {level:g}: {error}"


@dataclass(frozen=True)
class Provenance:
    """Everything that determines a result, known before the work is done; no time, no place.

    Parameters
    ----------
    method
        Its name.
    params
        Its parameters, as plain values.
    inputs
        Keys of all estimates that went in, directly or further up.
    data
        Digests of arrays, files and models, by name.
    seed
        Where anything was drawn at random.
    versions
        Of the code.

    Examples
    --------
    >>> import surefoot as sf
    >>> one, other = (sf.core.Provenance("stated", {"value": value}) for value in (1, 1.0))
    >>> one.key == other.key
    True

    """

    method: str
    params: Mapping[str, Any] = field(default_factory=FrozenDict)
    inputs: tuple[str, ...] = ()
    data: Mapping[str, str] = field(default_factory=FrozenDict)
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: FrozenDict({"surefoot": __version__}))

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in ("params", "data", "versions"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @cached_property
    def key(self) -> str:
        """Hash of everything that determines the result; used for caching."""
        return digest(self.to_dict() | {"inputs": sorted(self.inputs)})

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "method": self.method,
            "params": thaw(self.params),
            "inputs": list(self.inputs),
            "data": thaw(self.data),
            "seed": self.seed,
            "versions": thaw(self.versions),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("provenance"):
            return cls(**{name: unthaw(value) for name, value in data.items()})


@dataclass(frozen=True)
class Summary:
    """A title, rows of label and text, and notes below them.

    Parameters
    ----------
    title
        What it is about.
    rows
        Label and text of each line.
    notes
        Lines without a label.

    Examples
    --------
    >>> import surefoot as sf
    >>> print(sf.core.Summary("brake", [("value", "0.002"), ("counted", "2 failures")]))
    brake
      value    0.002
      counted  2 failures

    """

    title: str
    rows: list[tuple[str, str]]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.rows), default=0)
        lines = (f"  {label:<{width}}  {text}" for label, text in self.rows)
        return "\n".join([self.title, *lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return table_html(self.title, (), self.rows, self.notes)


def table_html(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table for a notebook, light or dark; all text is escaped, and the first cell of a row names it."""
    caption = f'<caption style="text-align:left;font-weight:600;padding:.2em 0">{escape(title)}</caption>'
    head = f"<thead><tr>{''.join(_cell('th', text, _HEAD) for text in header)}</tr></thead>" if header else ""
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    below = "".join(f'<p style="{_QUIET}">{escape(note)}</p>' for note in notes)
    return f'<div style="{_TEXT}"><table>{caption}{head}<tbody>{body}</tbody></table>{below}</div>'


def _row(cells: Sequence[str]) -> str:
    name, *rest = cells
    return _cell("th", name, f"{_CELL};font-weight:600") + "".join(_cell("td", text, _CELL) for text in rest)


def _cell(tag: str, text: str, style: str) -> str:
    return f'<{tag} style="{style}">{escape(str(text))}</{tag}>'
