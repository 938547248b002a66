"""The history of a project: what each iteration of its loop of improvement changed, and what that did.

Figure 4 of RAM closes a loop: a target that is not met leads to a better component, more tests or another design, and
the assessment is made again. An ``Iteration`` is what a result shows of one assessment whose result differed from the
one before, ``Compared`` what changed between two, ``Record`` what the store keeps; ``history`` makes and keeps records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

from surefoot.core import Table, Target, digest, validate
from surefoot.core.canonical import FrozenDict, reading, thaw, unthaw
from surefoot.core.target import present
from surefoot.documents import percent, sentence, significant

__all__ = ["Compared", "Iteration", "Judged", "Measured", "Record", "history_table", "last_two"]


VERDICTS = {"met": "met", "alone": "met at this look alone", "not shown": "not shown", "violated": "violated"}
"""How the status of an answer is told."""


# One iteration: targets and their verdicts, top events, and the component bounds they rest on.

MAPPINGS = ("required", "inputs", "looks")
NO_BOUND = "none"


@dataclass(frozen=True)
class Judged:
    """A target, and what was found of it."""

    name: str
    reference: str
    relation: str
    limit: float
    cautious: float
    """What a bound must keep: the limit, or the strict end of a limit that is uncertain itself."""
    level: float
    per: str
    value: float
    bound: float | None
    """On the side that can show the target met; None where none counts."""
    bound_level: float
    """Stricter than the level of the target where the limit is uncertain itself and takes its share."""
    status: str
    """``met``, ``alone`` (at this look alone), ``not shown`` or ``violated``."""
    unit: str = ""
    """In place of ``per``, where the quantity is per nothing."""

    @property
    def target(self) -> Target:
        """What a bound must keep, as a target."""
        at_most, at_least = (self.cautious, None) if self.relation == "at most" else (None, self.cautious)
        return Target(at_most, at_least, self.level, self.per, unit=self.unit)

    @property
    def asked(self) -> str:
        """The target in words."""
        unsure = "" if self.cautious == self.limit else f" (compared with {self.cautious:.4g})"
        return f"{self.relation} {self.limit:g}{unsure} {self.target.counted} at level {self.level:g}"


@dataclass(frozen=True)
class Measured:
    """A top event, or an event that evidence feeds: what it is called, where its number comes from, and the number."""

    name: str
    reference: str
    value: float
    bound: float | None
    """Upper bound at the level; None where it is not known there."""
    level: float

    @property
    def relation(self) -> str:
        """A top event, or what feeds one, is kept low."""
        return "at most"

    @property
    def bound_level(self) -> float:
        """The level of the bound."""
        return self.level


@dataclass(frozen=True)
class Iteration:
    """What one assessment found, as far as later ones are compared with it: one of ``Result.iterations``.

    See Also
    --------
    last_two : The present iteration against the one before.

    """

    number: int
    created: str
    result: str
    """Digest of the result when it was recorded."""
    targets: tuple[Judged, ...] = ()
    tops: tuple[Measured, ...] = ()
    events: tuple[Measured, ...] = ()
    required: Mapping[str, float | None] = field(default_factory=dict)
    """What each event would need, where that was said; None where no number of this event alone would do."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Digests of models, data and files."""
    looks: Mapping[str, int] = field(default_factory=dict)
    """How often each test set had been looked at."""
    changed: tuple[str, ...] = ()
    """What changed since the iteration before."""
    this: bool = False
    """Whether the result that holds this history is this iteration."""

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in MAPPINGS:
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @property
    def component_bounds(self) -> tuple[Measured | Judged, ...]:
        """What feeds events, and what targets ask about beside that and beside top events; each number once."""
        known = {_without_scope(item.reference) for item in (*self.tops, *self.events)}
        return (*self.events, *(item for item in self.targets if _without_scope(item.reference) not in known))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        lists = {name: [asdict(item) for item in getattr(self, name)] for name in ("targets", "tops", "events")}
        lists["targets"] = [{k: v for k, v in item.items() if k != "unit" or v} for item in lists["targets"]]
        return {
            "number": self.number,
            "created": self.created,
            "result": self.result,
            **{name: thaw(items) for name, items in lists.items()},
            **{name: thaw(getattr(self, name)) for name in MAPPINGS},
            "changed": list(self.changed),
            "this": self.this,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("iteration"):
            return cls(
                number=data["number"],
                created=data["created"],
                result=data["result"],
                targets=tuple(
                    Judged(**{**unthaw(item), "status": present(item["status"])}) for item in data["targets"]
                ),
                tops=tuple(Measured(**unthaw(item)) for item in data["tops"]),
                events=tuple(Measured(**unthaw(item)) for item in data["events"]),
                **{name: unthaw(data[name]) for name in MAPPINGS},
                changed=tuple(data["changed"]),
                this=data["this"],
            )


def rounded_bound(item: Judged | Measured) -> str:
    """The bound as people read it, rounded to its cautious side."""
    if item.bound is None:
        return NO_BOUND
    return significant(item.bound, rounding="up" if item.relation == "at most" else "down")


def _without_scope(reference: str) -> str:
    return reference.partition("[")[0]


# What an iteration did to component bounds, top events, verdicts and requirements, against the one before.

COLUMNS = ("what", "of", "before", "now", "now ÷ before")
Bounded = Judged | Measured
Row = tuple[str, str, float | str | None, float | str | None, float | None]


def last_two(iterations: Sequence[Iteration]) -> Compared | None:
    """The present iteration against the one before.

    Parameters
    ----------
    iterations
        Those of a result.

    Returns
    -------
    Compared or None
        None where there is none before.

    Examples
    --------
    >>> from surefoot.project.iterations import Iteration, last_two
    >>> before, after = Iteration(1, "2026-05-01", "", looks={"test": 1}), Iteration(2, "2026-05-02", "", this=True)
    >>> last_two([before, after]).before.number
    1

    """
    return next((Compared(before, after) for before, after in pairwise(iterations) if after.this), None)


def history_table(iterations: Sequence[Iteration]) -> Table:
    """A row for each iteration: date, what changed, component bounds, top events, verdicts.

    Parameters
    ----------
    iterations
        Those of a result.

    Returns
    -------
    Table
        As the report shows it.

    Examples
    --------
    >>> from surefoot.project.iterations import Iteration, history_table
    >>> history_table([Iteration(1, "2026-05-01", "", changed=("the model of guard changed",))]).rows[0][:3]
    (1, '2026-05-01', 'the model of guard changed')

    """
    rows = [
        (
            each.number,
            each.created,
            "; ".join(each.changed),
            "; ".join(_bound_words(item) for item in each.component_bounds),
            "; ".join(_bound_words(item) for item in each.tops),
            "; ".join(f"{target.name}: {VERDICTS[target.status]}" for target in each.targets),
        )
        for each in iterations
    ]
    return Table(("iteration", "date", "what changed", "component bounds", "top event", "verdict"), tuple(rows))


@dataclass(frozen=True)
class Compared:
    """Two iterations, the later one last."""

    before: Iteration
    after: Iteration

    def table(self) -> Table:
        """Verdicts, limits and bounds before and now; what only one of them has is empty in the other."""
        before, after = self.before, self.after
        rows = [
            *_verdicts(before.targets, after.targets),
            *_limits(before.targets, after.targets),
            *_bounds("top event", before.tops, after.tops),
            *_bounds("component", before.component_bounds, after.component_bounds),
            *_requirements(before.required, after.required),
        ]
        return Table(COLUMNS, tuple(rows))

    def lines(self) -> tuple[str, ...]:
        """One line for each target: bound and verdict before and now."""
        return tuple(f"{line}, since iteration {self.before.number}" for line in self._lines())

    def sentences(self) -> tuple[str, ...]:
        """What changed, and what that did to the verdicts."""
        changed = f"Since iteration {self.before.number}: {'; '.join(self.after.changed)}"
        return (sentence(changed), *(f"Target {line}." for line in self._lines()))

    def _lines(self) -> Iterator[str]:
        old = {target.name: target for target in self.before.targets}
        yield from (f"{now.name}: {_line(old.get(now.name), now)}" for now in self.after.targets)

    def caveats(self) -> tuple[str, ...]:
        """What a reader must not conclude from an improvement on test sets that were seen before."""
        again = {name: count for name, count in self.after.looks.items() if count > 1}
        told = " and ".join(f"{name} {count} times" for name, count in again.items())
        if not again:
            return ()
        return (
            f"Test data were looked at again: {told}. A bound at its level covers one look that was fixed beforehand; "
            "over all iterations on the same test data the level of a single look does not hold. The targets say "
            "which level covers all looks, for models and targets fixed beforehand.",
        )


def _verdicts(before: Sequence[Judged], after: Sequence[Judged]) -> Iterator[Row]:
    old, new = ({item.name: VERDICTS[item.status] for item in items} for items in (before, after))
    for name in _both(old, new):
        yield "verdict", name, old.get(name, ""), new.get(name, ""), None


def _limits(before: Sequence[Judged], after: Sequence[Judged]) -> Iterator[Row]:
    old, new = ({item.name: item for item in items} for items in (before, after))
    for name in _both(old, new):
        limits = [each.cautious if (each := items.get(name)) else None for items in (old, new)]
        units = dict.fromkeys(each.per for items in (old, new) if (each := items.get(name)))
        if limits[0] != limits[1] or len(units) > 1:
            row = _numbers(f"limit of the target, per {', '.join(units)}", name, *limits)
            yield row if len(units) == 1 else _unlike(row)


def _bounds(what: str, before: Sequence[Bounded], after: Sequence[Bounded]) -> Iterator[Row]:
    old, new = ({(item.name, item.reference): item for item in items} for items in (before, after))
    for key in dict.fromkeys([*new, *old]):
        was, now = old.get(key), new.get(key)
        found = [item for item in (was, now) if item]
        side = "upper" if found[-1].relation == "at most" else "lower"
        levels = dict.fromkeys(percent(item.bound_level) for item in found)
        row = _numbers(f"{what}, {side} bound ({', '.join(levels)})", key[0], _bound(was), _bound(now))
        yield row if len(levels) == 1 else _unlike(row)


def _requirements(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> Iterator[Row]:
    for name in _both(before, after):
        yield _numbers("requirement, at most", name, before.get(name), after.get(name))


def _both(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    return list(dict.fromkeys([*after, *before]))


def _bound(item: Bounded | None) -> float | None:
    return None if item is None else item.bound


def _numbers(what: str, name: str, before: float | None, now: float | None) -> Row:
    if before is None or now is None or before <= 0 or not (math.isfinite(before) and math.isfinite(now)):
        return what, name, before, now, None
    return what, name, before, now, now / before


def _unlike(row: Row) -> Row:
    """Without the ratio: numbers at different levels, or per different exposures, do not tell what got better."""
    return (*row[:-1], None)


def _line(before: Judged | None, now: Judged) -> str:
    if before is None:
        return f"{VERDICTS[now.status]}, a new target"
    old, new = rounded_bound(before), rounded_bound(now)
    if (before.bound_level, before.target.counted) != (now.bound_level, now.target.counted):
        both = ((old, before), (new, now))
        old, new = (f"{shown} ({percent(of.bound_level)}, {of.target.counted})" for shown, of in both)
    bound = f"bound {new}" if old == new else f"bound {old} → {new}"
    if before.status == now.status:
        return f"{bound}, {VERDICTS[now.status]} as before"
    return f"{bound}, {VERDICTS[before.status]} → {VERDICTS[now.status]}"


def _bound_words(item: Bounded) -> str:
    relation = "" if item.bound is None else f"{item.relation} "
    return f"{item.name} {relation}{rounded_bound(item)} ({percent(item.bound_level)})"


# What the store keeps of an iteration: its numbers, and fingerprints by which a later one is compared.

FINGERPRINTS = ("settings", "results", "rows", "versions")


@dataclass(frozen=True)
class Record:
    """What the store keeps of an iteration; what only serves comparison stays out of results and reports."""

    iteration: Iteration
    settings: Mapping[str, str] = field(default_factory=dict)
    """Digests of the parts of the project file."""
    results: Mapping[str, str] = field(default_factory=dict)
    """Digests of what each step found."""
    rows: Mapping[str, str] = field(default_factory=dict)
    """Digests of the rows of worksheets, by id."""
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in FINGERPRINTS:
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @cached_property
    def content(self) -> str:
        """Two assessments with one content are one iteration: date, looks, words and versions make no difference."""
        said = self.iteration.to_dict()
        found = {name: said[name] for name in ("targets", "tops", "events", "required", "inputs")}
        return digest([found, self.results, self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; number and changes follow from the place in the history."""
        said = self.iteration.to_dict()
        kept = {name: item for name, item in said.items() if name not in ("number", "changed", "this")}
        return kept | {name: thaw(getattr(self, name)) for name in FINGERPRINTS}

    @classmethod
    def from_dict(cls, number: int, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("iteration"):
            iteration = Iteration.from_dict({**data, "number": number, "changed": [], "this": False})
            return cls(iteration, **{name: data[name] for name in FINGERPRINTS})

    def numbered(self, number: int) -> Record:
        """The record with its number."""
        return replace(self, iteration=replace(self.iteration, number=number))
