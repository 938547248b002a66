"""What if: the top event before and after a change, with what is uncertain drawn once for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.core.evidence import Table
from surefoot.core.propagation import propagate
from surefoot.core.summary import Summary
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.faulttree.changes import Change, changed
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.uncertainty import QUANTITY, TopEvent, drawn_top_event, relevant_inputs, top_event

DIRECTION = {"before": -1, "after": 1}


@dataclass(frozen=True, repr=False)
class Comparison:
    """The top event before and after a change.

    ``point_before`` and ``point_after`` are exact, with every input at its value. The estimates carry the uncertainty:
    difference and ratio (after to before) come from joint draws, so that what both share cancels. ``ratio`` is None
    where the top event may have been impossible before.
    """

    name: str
    changes: Mapping[str, str]
    point_before: float
    point_after: float
    before: Estimate
    after: Estimate
    difference: Estimate
    ratio: Estimate | None
    level: float = 0.95

    def __post_init__(self) -> None:
        object.__setattr__(self, "changes", FrozenMap(self.changes))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        rows = [
            *((name, change) for name, change in self.changes.items()),
            ("before", f"{significant(self.point_before)}, {self._interval(self.before)}"),
            ("after", f"{significant(self.point_after)}, {self._interval(self.after)}"),
            ("difference", f"{significant(self.point_after - self.point_before)}, {self._interval(self.difference)}"),
        ]
        if self.ratio is not None:
            rows.append(("after to before", f"{significant(self.ratio.value)}, {self._interval(self.ratio)}"))
        return Summary(self.name, rows)

    def _interval(self, estimate: Estimate) -> str:
        low, high = estimate.interval(self.level)
        if low == high:
            return "certain"
        return f"{percent(self.level)} from {significant(low, rounding='down')} to {significant(high, rounding='up')}"

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"Comparison({self.name!r}, {self.point_before:.6g} before, {self.point_after:.6g} after)"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


@dataclass(frozen=True)
class Scenarios:
    """Several changes of one tree, each compared with the tree as it is."""

    comparisons: tuple[Comparison, ...]

    def __getitem__(self, name: str) -> Comparison:
        found = [comparison for comparison in self.comparisons if comparison.name == name]
        if not found:
            known = ", ".join(comparison.name for comparison in self.comparisons)
            raise InvalidInput(f"no scenario {name!r}", where="Scenarios", found=known)
        return found[0]

    def table(self) -> Table:
        """One row a scenario; low and high are the ends of the interval of the difference."""
        rows = tuple(
            (c.name, c.point_before, c.point_after, c.point_after - c.point_before, *c.difference.interval(c.level))
            for c in self.comparisons
        )
        return Table(("scenario", "before", "after", "difference", "low", "high"), rows)

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def what_if(
    tree: FaultTree,
    changes: Mapping[str, Change],
    *,
    name: str = "what if",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    mix: bool = False,
) -> Comparison:
    """The top event with events, gates, house events or parameters changed, against the tree as it is.

    Inputs that the two have in common are drawn once, so that the interval of the difference is that of the change
    alone. ``mix`` allows confidence and credible inputs together, as in ``propagate``.
    """
    return scenarios(tree, {name: changes}, level=level, draws=draws, seed=seed, mix=mix).comparisons[0]


def scenarios(
    tree: FaultTree,
    changes: Mapping[str, Mapping[str, Change]],
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    mix: bool = False,
) -> Scenarios:
    """Several named sets of changes, each compared with the tree as it is."""
    for some in (changes, *(changes.values() if isinstance(changes, Mapping) else ())):
        if not isinstance(some, Mapping) or not some:
            raise InvalidInput("needs at least one change, by name", where="what if", found=repr(some))
    tree.compile()
    trees = {name: changed(tree, some, where=f"scenario {name!r}") for name, some in changes.items()}
    options: dict[str, Any] = {"level": level, "draws": draws, "seed": seed, "mix": mix}
    drawn = all(e.dist is not None for each in (tree, *trees.values()) for e in relevant_inputs(each).values())
    top = drawn_top_event if drawn else top_event
    before, point = top(tree, **options), _point(tree)
    found = []
    for name, other in trees.items():
        after = top(other, quantity=f"{QUANTITY}, {name}", **options)
        pair = {"before": before, "after": after}
        joint: dict[str, Any] = {"direction": DIRECTION, "scope": f"{tree.name}, {name}", **options}
        difference = propagate(_difference, pair, quantity="change of the top event", **joint)
        ratio = (
            propagate(_ratio, pair, quantity="ratio of the top event", unit="", **joint)
            if before.dist is not None and before.dist.ppf(0.0) > 0
            else None
        )
        told = {key: str(change) for key, change in changes[name].items()}
        found.append(Comparison(name, told, point, _point(other), before, after, difference, ratio, level))
    return Scenarios(tuple(found))


def _point(tree: FaultTree) -> float:
    return float(TopEvent(tree).at({}, 1)[0])


def _difference(before: FloatArray, after: FloatArray) -> FloatArray:
    return after - before


def _ratio(before: FloatArray, after: FloatArray) -> FloatArray:
    return after / before
