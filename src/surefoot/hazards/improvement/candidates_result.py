"""``Candidates``: combinations of measures, which of them suffice, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from surefoot.bounds.whatif import Aim
from surefoot.core import InvalidInput, Summary, Table, Target, validate
from surefoot.documents import percent, significant
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.result import TreeResult, analyse
from surefoot.hazards.improvement.bench import Bench
from surefoot.hazards.improvement.candidate import Candidate
from surefoot.hazards.improvement.combining import Chosen, Conflict
from surefoot.hazards.improvement.option import Option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 8


@dataclass(frozen=True, repr=False)
class Candidates:
    """Options, those that meet the target first; none where the tree is beyond the budget.

    ``conflicts`` are the pairs that were not combined.
    """

    bench: Bench
    options: tuple[Option, ...]
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tree(self) -> FaultTree:
        """The tree as it is, without groups."""
        return self.bench.tree

    @property
    def target(self) -> Target:
        """What is asked of the top event."""
        return self.bench.asked.target

    @property
    def aim(self) -> Aim:
        """The limit and level of the verdict."""
        return self.bench.asked.aim

    @property
    def measures(self) -> tuple[Candidate, ...]:
        """The candidates."""
        return tuple(self.bench.candidates)

    @property
    def priced(self) -> bool:
        """Whether some candidate has a cost; otherwise options are compared by how many candidates they take."""
        return any(candidate.cost is not None for candidate in self.measures)

    @cached_property
    def cheapest(self) -> Option | None:
        """The cheapest option that meets the target, or the smallest where nothing has a cost."""
        first = self.options[0] if self.options else None
        return first if first is not None and first.met else None

    @property
    def front(self) -> tuple[Option, ...]:
        """The options that no other beats in cost and bound, the cheapest first."""
        best = [option for option in self.options if option.best]
        return tuple(sorted(best, key=lambda option: -option.bound))

    def __getitem__(self, names: str | tuple[str, ...]) -> Option:
        wanted = {names} if isinstance(names, str) else set(names)
        found = next((option for option in self.options if set(option.names) == wanted), None)
        if found is None:
            raise InvalidInput("this combination was not looked at", where="candidates", found=", ".join(wanted))
        return found

    def result(self, *names: str) -> TreeResult:
        """The whole analysis of the tree with some candidates: distribution, importances, cut sets."""
        known = {candidate.name: place for place, candidate in enumerate(self.measures)}
        for name in names:
            validate.choice(name, known, where="candidates", name="candidate")
        chosen: Chosen = tuple(sorted({known[name] for name in names}))
        return analyse(self.bench.changed(chosen), target=self.target, **self.bench.options)

    def table(self) -> Table:
        """One row a combination: those that meet the target first, the cheapest on top."""
        head = ("measures", "cost", "top event", "upper bound", "verdict", "best for its cost")
        rows = ((str(o), o.cost, o.top.value, o.bound, o.verdict.status, "yes" if o.best else "") for o in self.options)
        return Table(head, tuple(rows))

    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        return (*_sentences(self), *map(str, self.conflicts), *self.notes)

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        limit = significant(self.aim.limit, rounding="down")
        rows = [("target", f"{self.target}, limit {limit}"), *((str(o), _line(o)) for o in self.options[:SHOWN])]
        more = len(self.options) - SHOWN
        rows += [("", f"and {more:,} more combinations")] if more > 0 else []
        return Summary(f"Candidates for {self.tree.top}", rows, self.sentences())

    def plot(self, axes: Axes | None = None) -> Axes:
        """Cost against the upper bound, with the front and the target."""
        from surefoot.hazards.improvement.cost_figure import cost_against_bound

        return cost_against_bound(self, axes)

    def __repr__(self) -> str:
        return f"Candidates({self.tree.top!r}, {len(self.measures)} candidates, {len(self.options)} combinations)"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def _line(option: Option) -> str:
    cost = "" if option.cost is None else f", cost {significant(option.cost)}"
    return f"{option.verdict.status}, upper bound {significant(option.bound, rounding='up')}{cost}"


def _sentences(found: Candidates) -> Iterator[str]:
    if not found.options:
        return
    best = found.cheapest
    if best is None:
        least = min(found.options, key=lambda option: option.bound)
        yield (
            f"No combination that was looked at meets the target; {least} has the lowest upper bound at "
            f"{percent(found.aim.level)}, {significant(least.bound, rounding='up')}."
        )
    elif not best.names:
        yield "The target is met as things stand."
    elif best.cost is None:
        yield f"{best} meets the target with the fewest measures."
    else:
        yield f"{best} is the cheapest that meets the target: {significant(best.cost)}."
    unpriced = [candidate.name for candidate in found.measures if candidate.cost is None]
    if found.priced and unpriced:
        yield f"No cost is stated for {', '.join(unpriced)}; combinations with it come last and are not on the front."
