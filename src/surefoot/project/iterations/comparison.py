"""What an iteration did to component bounds, top events, verdicts and requirements, against the one before."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from surefoot.core import Table
from surefoot.documents import percent, sentence
from surefoot.project.answer import VERDICTS
from surefoot.project.iterations.iteration import Iteration, Judged, Measured, rounded_bound

COLUMNS = ("what", "of", "before", "now", "now ÷ before")
Bounded = Judged | Measured
Row = tuple[str, str, float | str | None, float | str | None, float | None]


def last_two(iterations: Sequence[Iteration]) -> Compared | None:
    """The present iteration against the one before; None where there is none before."""
    return next((Compared(before, after) for before, after in pairwise(iterations) if after.this), None)


def history_table(iterations: Sequence[Iteration]) -> Table:
    """A row for each iteration: date, what changed, component bounds, top events, verdicts."""
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
    if (before.bound_level, before.per) != (now.bound_level, now.per):
        old, new = (f"{shown} ({percent(of.bound_level)}, per {of.per})" for shown, of in ((old, before), (new, now)))
    bound = f"bound {new}" if old == new else f"bound {old} → {new}"
    if before.status == now.status:
        return f"{bound}, {VERDICTS[now.status]} as before"
    return f"{bound}, {VERDICTS[before.status]} → {VERDICTS[now.status]}"


def _bound_words(item: Bounded) -> str:
    relation = "" if item.bound is None else f"{item.relation} "
    return f"{item.name} {relation}{rounded_bound(item)} ({percent(item.bound_level)})"
