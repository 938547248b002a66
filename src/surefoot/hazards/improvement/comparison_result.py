"""``Comparison``: two iterations side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from surefoot.bounds.whatif import Aim
from surefoot.core import Diagnostic, InvalidInput, Summary, Table, Target, Verdict
from surefoot.documents import percent, significant
from surefoot.hazards.improvement.paired import Paired

Difference = Literal["better", "worse", "not told apart", "unknown"]
HEAD = ("component", "before", "bound before", "after", "bound after", "change", "difference", "by")


@dataclass(frozen=True)
class ComponentChange:
    """A component, or the top event, in two iterations; numbers are None where there are none.

    ``difference`` is better or worse only where it is more than noise; ``how`` says by what that was judged.
    """

    name: str
    before: float | None
    bound_before: float | None
    after: float | None
    bound_after: float | None
    difference: Difference
    how: str
    paired: Paired | None = None

    @property
    def change(self) -> float | None:
        """By how much the value moved; below 0 is better."""
        return None if self.before is None or self.after is None else self.after - self.before

    def cells(self) -> tuple[Any, ...]:
        """A row of the table."""
        values = (self.before, self.bound_before, self.after, self.bound_after, self.change)
        return (self.name, *values, self.difference, self.how)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Components and top event before and after, with both verdicts."""

    components: tuple[ComponentChange, ...]
    top: ComponentChange
    target: Target
    aim: Aim
    verdict_before: Verdict
    verdict_after: Verdict
    caveats: tuple[Diagnostic, ...] = ()

    def __getitem__(self, name: str) -> ComponentChange:
        found = next((each for each in self.components if each.name == name), None)
        if found is None:
            raise InvalidInput("no such component in either iteration", where="compare", found=repr(name))
        return found

    def table(self) -> Table:
        """One row a component, the top event last with its verdicts."""
        *cells, how = self.top.cells()
        verdicts = f"{how}; {self.verdict_before.status} before, {self.verdict_after.status} after"
        return Table(HEAD, (*(each.cells() for each in self.components), (*cells, verdicts)))

    def summary(self) -> Summary:
        """What a reader needs to see, for terminal, notebook and report alike."""
        rows = [
            ("target", f"{self.target}, limit {significant(self.aim.limit, rounding='down')}"),
            *((each.name, _line(each, self.aim.level)) for each in (*self.components, self.top)),
            ("verdict", f"{self.verdict_before.status} before, {self.verdict_after.status} after"),
        ]
        return Summary("This iteration against the one before", rows, tuple(str(caveat) for caveat in self.caveats))

    def __repr__(self) -> str:
        verdicts = f"{self.verdict_before.status} to {self.verdict_after.status}"
        return f"Comparison({len(self.components)} components, {verdicts})"

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def _line(each: ComponentChange, level: float) -> str:
    before, after = (_bounded(*pair) for pair in ((each.before, each.bound_before), (each.after, each.bound_after)))
    return f"{before} before, {after} after (bounds at {percent(level)}): {each.difference}, {each.how}"


def _bounded(value: float | None, bound: float | None) -> str:
    if value is None:
        return "nothing"
    return significant(value) + ("" if bound is None else f", at most {significant(bound, rounding='up')},")
