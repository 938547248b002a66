"""Chains merged into a fault tree: what it is, which rows its events come from, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli.console import counted, listed, quoted, say, table, tell
from surefoot.cli.hazop_files import TreeFiles

if TYPE_CHECKING:
    from surefoot.core import Diagnostic
    from surefoot.faulttree import FaultTree
    from surefoot.hazards import Study

MOST_SHOWN = 50
COMPONENT = "component"


@dataclass(frozen=True)
class Merged:
    """A worksheet with its chains, and the files that they come from and go to."""

    study: Study
    wanted: TreeFiles
    worksheet: Path
    scenarios: Path | None
    draft: Path | None

    @property
    def warnings(self) -> Iterator[Diagnostic]:
        """What is odd about the chains, and where they and the rows do not know each other; errors stop."""
        from surefoot.core import DiagnosticsError

        chains = self.study.scenarios
        found = [*chains.problems]
        if self.study.stated is not None:
            found += self.study.trace.findings(chains, self.study.hazop)
            DiagnosticsError.raise_if_any(found)
        return (each for each in found if each.severity != "error")

    @property
    def written(self) -> list[Path]:
        """The files that were written."""
        return [*([self.draft] if self.draft and self.draft.exists() else []), *self.wanted.written]

    def write_draft(self) -> None:
        """Write the chains where somebody asked for them."""
        if self.draft is not None:
            self.study.scenarios.write(self.draft)

    def choose(self, top: str | None) -> bool:
        """Show the tree of a top event, or say which there are; whether what was asked for could be done."""
        tops = self.study.scenarios.tops
        if not self.study.scenarios.chains:
            from surefoot.core import InvalidInput

            problem, remedy = "no row says what follows from its deviation", "Give rows consequences."
            raise InvalidInput(problem, where=str(self.worksheet), remedy=remedy)
        if top is None and len(tops) > 1:
            return self._list(tops)
        self._show(self.study.scenarios.fault_tree(top))
        return True

    def _list(self, tops: Sequence[str]) -> bool:
        drafted_only = self.draft is not None and not self.wanted
        say(f"{counted(tops, 'top event')}; name one with --top:", stderr=not drafted_only)
        listed(tops, stderr=not drafted_only)
        if drafted_only:
            self._next(tops[0])
        return drafted_only

    def _show(self, tree: FaultTree) -> None:
        self.wanted.write(tree)
        say(tree.name, style="bold")
        unknown = [name for name, quantity in tree.events.items() if quantity is None and not _measured(tree, name)]
        say(f"  top event  {tree.top}\n  tree       {_size(tree)}")
        if unknown:
            say(f"  unknown    {counted(unknown, 'event')} without a probability")
        self._trace(tree)
        self._next(tree.top)

    def _trace(self, tree: FaultTree) -> None:
        """Each basic event with what it comes from."""
        found = self.study.trace.events_table()
        rows = [row[:3] for row in found.rows if row[0] in tree.attributes]
        say()
        table(found.columns[:3], rows[:MOST_SHOWN])
        if len(rows) > MOST_SHOWN:
            say(f"and {len(rows) - MOST_SHOWN:,} more; the tree has them all, as attributes of its events", style="dim")

    def _next(self, top: str) -> None:
        again = f"surefoot hazop to-tree {quoted(self.worksheet)}"
        named = f" --top {quoted(top)}" if len(self.study.scenarios.tops) > 1 else ""
        if self.draft is not None:
            tell("\nNext: in the draft, add events between cause and consequence, barriers and probabilities; then")
            say(f"  {again} --scenarios {quoted(self.draft)}{named} -o tree.yaml")
        elif self.wanted.tree is not None:
            say(f"\nNext:\n  surefoot tree {quoted(self.wanted.tree)}")
        else:
            given = f" --scenarios {quoted(self.scenarios)}" if self.scenarios else ""
            say(f"\nNext:\n  {again}{given}{named} -o tree.yaml")


def _size(tree: FaultTree) -> str:
    level = tree.attributes[tree.top]["level"]
    members = {member for group in tree.groups for member in group.members}
    return (
        f"{counted(tree.gates, 'gate')}, {counted({*tree.events, *members}, 'basic event')}, top event at level {level}"
    )


def _measured(tree: FaultTree, name: str) -> bool:
    """Whether evidence of a component is to say how probable it is."""
    return COMPONENT in tree.attributes.get(name, {})
