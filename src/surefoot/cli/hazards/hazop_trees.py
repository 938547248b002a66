"""``surefoot hazop to-tree`` and ``diff``: from rows over chains of events to fault trees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from surefoot.cli.console import counted, listed, quoted, say, table, tell
from surefoot.cli.conventions import (
    UNUSABLE,
    AsJson,
    ThemeName,
    TreeFiles,
    check_places,
    figure,
    free_place,
    say_written,
    share,
    show_diagnostics,
)
from surefoot.cli.hazards.hazop import Chains, TopEvent, Worksheet

if TYPE_CHECKING:
    from surefoot.core import Diagnostic, Table
    from surefoot.drawing import Theme
    from surefoot.faulttree import FaultTree
    from surefoot.hazards import HazardStudy
    from surefoot.hazards.trees import Difference


DIFFERENT = 1
TreeFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the tree: .yaml, .json or .xml.", show_default=False),
]
Diagram = Annotated[
    Path | None,
    typer.Option("--diagram", metavar="FILE", help="Draw the tree: .svg, .png or .pdf.", show_default=False),
]
DraftFile = Annotated[
    Path | None,
    typer.Option(
        "--draft", metavar="FILE", help="Write the chains that rows give, to be refined: .yaml.", show_default=False
    ),
]
OldWorksheet = Annotated[Path, typer.Argument(metavar="OLD", help="The worksheet as it was.", show_default=False)]
NewWorksheet = Annotated[Path, typer.Argument(metavar="NEW", help="The worksheet as it is.", show_default=False)]
BothChains = Annotated[
    Path | None,
    typer.Option("--scenarios", metavar="FILE", help="Chains of events of both worksheets.", show_default=False),
]
OldChains = Annotated[
    Path | None,
    typer.Option("--old-scenarios", metavar="FILE", help="Chains of events as they were.", show_default=False),
]
NewChains = Annotated[
    Path | None,
    typer.Option("--new-scenarios", metavar="FILE", help="Chains of events as they are.", show_default=False),
]
Limit = Annotated[str | None, typer.Option("--target", metavar="P", help="The top event shall be at most so probable.")]


def to_tree(
    file: Worksheet,
    scenarios: Chains = None,
    top: TopEvent = None,
    output: TreeFile = None,
    diagram: Diagram = None,
    theme: ThemeName = None,
    draft: DraftFile = None,
) -> None:
    """Merge chains of events into a fault tree.

    Without --scenarios each row gives its own chains: cause, deviation, consequence. --draft writes them to a file, for
    people to add intermediate events, barriers, gates and probabilities. Shows which rows each basic event comes from.
    Exits with 2 where there are several top events and --top names none, and lists them.
    """
    wanted = TreeFiles(output, diagram, cast("Theme | None", theme))
    _check_places(wanted, file, scenarios, draft)
    study = _study(file, scenarios)
    merged = MergedTree(study, wanted, file, scenarios, draft)
    show_diagnostics(merged.warnings)
    merged.write_draft()
    try:
        if not merged.choose(top):
            raise typer.Exit(UNUSABLE)
    finally:
        say_written(merged.written)


def diff(
    old: OldWorksheet,
    new: NewWorksheet,
    scenarios: BothChains = None,
    old_scenarios: OldChains = None,
    new_scenarios: NewChains = None,
    top: TopEvent = None,
    target: Limit = None,
    json: AsJson = False,
) -> None:
    """Show what edits of a worksheet, or of its chains, change.

    Names the rows that were added, removed or edited, with the events and top events that rest on them; what changes in
    the fault tree of each top event, or of --top; and with --target what each event of a learned component, or each
    event without one, may be at most. Exits with 0 when nothing differs, with 1 when something does, with 2 in trouble.
    """
    from surefoot.cli.console import waiting

    if scenarios is not None and (old_scenarios is not None or new_scenarios is not None):
        raise typer.BadParameter("--scenarios is for both worksheets; leave it out, or --old- and --new-scenarios")
    limit = None if target is None else share(target, "--target", "1e-6")
    with waiting("comparing"):
        studies = _study(old, old_scenarios or scenarios), _study(new, new_scenarios or scenarios)
        found = Changes.of(*studies, top=top, target=limit)
    typer.echo(found.as_json()) if json else found.show()
    show_diagnostics(found.warnings)
    if not found.empty:
        raise typer.Exit(DIFFERENT)


def _check_places(wanted: TreeFiles, file: Path, scenarios: Path | None, draft: Path | None) -> None:
    wanted.check(file, scenarios)
    if draft is not None:
        if scenarios is not None:
            raise typer.BadParameter("--draft writes the chains that rows give; leave out --scenarios")
        check_places(draft)
        free_place(draft)


def _study(file: Path, scenarios: Path | None) -> HazardStudy:
    from surefoot.hazards import HazardStudy, Hazop, Scenarios

    return HazardStudy(Hazop.read(file), None if scenarios is None else Scenarios.read(scenarios))


# What differs between two worksheets with their chains: in words and as JSON.

VERSION = 1
MOST_SHOWN = 100
DASH = "A dash: the event is not there, or no probability of it alone would do."


@dataclass(frozen=True)
class Changes:
    """Changed rows, top events that came or went, and what changed in the trees of the others."""

    rows: Table
    moved: Mapping[str, str]
    trees: Mapping[str, Difference]
    warnings: tuple[Diagnostic, ...]

    @classmethod
    def of(cls, before: HazardStudy, after: HazardStudy, *, top: str | None, target: float | None) -> Changes:
        """Compare a top event, or all."""
        from surefoot.hazards.trees import compare_tops, row_changes

        names = dict.fromkeys((*before.scenarios.tops, *after.scenarios.tops)) if top is None else {top: None}
        sides = {name: (_leads_to(before, name), _leads_to(after, name)) for name in names}
        if top is not None and not any(sides[top]):
            after.scenarios.fault_tree(top)
        both = [name for name, there in sides.items() if all(there)]
        moved = {name: "added" if there[1] else "removed" for name, there in sides.items() if not all(there)}
        trees = compare_tops(before, after, both, target=target)
        # Where stated chains and the new rows do not know each other.
        warnings = () if after.stated is None else tuple(after.trace.findings(after.scenarios, after.hazop))
        return cls(row_changes(before, after), moved, trees, warnings)

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.rows.rows or self.moved) and all(tree.empty for tree in self.trees.values())

    def as_json(self) -> str:
        """One object with stable keys."""
        told = {name: {"change": change, "tree": [], "requirements": []} for name, change in self.moved.items()}
        told |= {name: _tree_data(tree) for name, tree in self.trees.items()}
        data = {
            "version": VERSION,
            "different": not self.empty,
            "rows": _records(self.rows),
            "top_events": told,
            "warnings": [each.to_dict() for each in self.warnings],
        }
        return json.dumps(data, indent=2, ensure_ascii=False)

    def show(self) -> None:
        """Rows, then top events."""
        if self.empty:
            say("Nothing differs.")
        if self.rows.rows:
            say("Rows", style="bold")
            _show_table(self.rows)
        for name, change in self.moved.items():
            say(f"\nTop event {name!r}: {change}", style="bold")
        for name, tree in self.trees.items():
            _show_tree(name, tree)


def _leads_to(study: HazardStudy, event: str) -> bool:
    return event in study.scenarios.links or event in study.scenarios.gates


def _tree_data(tree: Difference) -> dict[str, Any]:
    change = "changed" if tree.tree.rows else "same"
    return {"change": change, "tree": _records(tree.tree), "requirements": _records(tree.requirements)}


def _records(content: Table) -> list[dict[str, Any]]:
    keys = [name.replace(" ", "_") for name in content.columns]
    return [dict(zip(keys, row, strict=True)) for row in content.rows]


def _show_tree(name: str, tree: Difference) -> None:
    if tree.tree.rows or tree.requirements.rows:
        say(f"\nTop event {name!r}{'' if tree.tree.rows else ': its tree is the same'}", style="bold")
    if tree.tree.rows:
        _show_table(tree.tree)
    if tree.requirements.rows:
        say()
        columns = tree.requirements.columns
        rows = [
            (event, *(figure(value, rounding="ROUND_FLOOR") for value in values))
            for event, *values in tree.requirements.rows
        ]
        table(columns, rows, right=columns[1:])
        tell(DASH, style="dim") if any("-" in row[1:] for row in rows) else None


def _show_table(content: Table) -> None:
    table(content.columns, [list(map(str, row)) for row in content.rows[:MOST_SHOWN]])
    if len(content.rows) > MOST_SHOWN:
        say(f"and {len(content.rows) - MOST_SHOWN:,} more; --json lists all", style="dim")


# Chains merged into a fault tree: what it is, which rows its events come from, what to do next.

MOST_EVENTS_SHOWN = 50
COMPONENT = "component"
"""The attribute of an event whose probability evidence of a component is to give."""


@dataclass(frozen=True)
class MergedTree:
    """A worksheet with its chains, and the files that they come from and go to."""

    study: HazardStudy
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
        unknown = [
            name
            for name, quantity in tree.events.items()
            if quantity is None and COMPONENT not in tree.attributes.get(name, {})
        ]
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
        table(found.columns[:3], rows[:MOST_EVENTS_SHOWN])
        if len(rows) > MOST_EVENTS_SHOWN:
            say(
                f"and {len(rows) - MOST_EVENTS_SHOWN:,} more; the tree has them all, as attributes of its events",
                style="dim",
            )

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
