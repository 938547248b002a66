"""What an edited worksheet, or edited chains, do to the fault tree and to what is asked of components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

from surefoot.core.errors import InvalidInput, SurefootError
from surefoot.core.evidence import Table
from surefoot.core.target import Target
from surefoot.faulttree import FaultTree
from surefoot.faulttree.formats.plain import COMPONENT
from surefoot.hazards.scenarios.draft import drafted
from surefoot.hazards.scenarios.model import Scenarios
from surefoot.hazards.scenarios.trace import Trace, joined
from surefoot.hazards.worksheet import Hazop, Row

ASIDE = ("id", "place")


@dataclass(frozen=True)
class Study:
    """A worksheet with its chains; without any, those that its rows give."""

    hazop: Hazop
    stated: Scenarios | None = None

    @cached_property
    def scenarios(self) -> Scenarios:
        """The chains."""
        return self.stated if self.stated is not None else drafted(self.hazop)

    @property
    def trace(self) -> Trace:
        """Rows, events and top events."""
        return self.scenarios.trace


@dataclass(frozen=True)
class Difference:
    """Changes of rows with what they bear on, of the tree of a top event, and of its requirements."""

    rows: Table
    tree: Table
    requirements: Table

    @property
    def empty(self) -> bool:
        """Whether nothing has changed."""
        return not (self.rows.rows or self.tree.rows)


def compare(before: Study, after: Study, *, top: str | None = None, target: float | Target | None = None) -> Difference:
    """What changed from one study to another.

    Rows: added, removed, edited (and in which columns), with the events and top events of either study that rest on
    them. Tree: gates and events of the top event, added, removed or changed. Requirements: for each event of a learned
    component, or each event without one, what it may be at most when all others stay as they are; empty where
    probabilities are missing.
    """
    return _compared(row_changes(before, after), before, after, top, target)


def compare_tops(
    before: Study, after: Study, tops: Iterable[str], *, target: float | Target | None = None
) -> dict[str, Difference]:
    """The same for several top events, which both studies have."""
    rows = row_changes(before, after)
    return {top: _compared(rows, before, after, top, target) for top in tops}


def _compared(rows: Table, before: Study, after: Study, top: str | None, target: float | Target | None) -> Difference:
    trees = [study.scenarios.fault_tree(top) for study in (before, after)]
    asked = [{} if target is None else requirements(tree, target) for tree in trees]
    return Difference(rows, _tree(*trees), _requirements(*asked))


def requirements(tree: FaultTree, target: float | Target) -> dict[str, float | None]:
    """What each event may be at most by itself; None where no number of it would do."""
    learned = [name for name in tree.events if COMPONENT in tree.attributes.get(name, {})]
    found: dict[str, float | None] = {}
    for name in learned or tree.events:
        try:
            alone = tree.allocate(target, events=[name], relax=True)
        except InvalidInput:
            continue
        except SurefootError:
            return {}
        found[name] = alone.requirements[name] if alone.feasible else None
    return found


def row_changes(before: Study, after: Study) -> Table:
    """Rows that were added, removed or edited, with the events and top events that rest on them."""
    old, new = before.hazop.row, after.hazop.row
    edits = {id: _edit(old.get(id), new.get(id)) for id in dict.fromkeys((*old, *new))}
    found = ((id, edit, *_bears_on(id, before, after)) for id, edit in edits.items() if edit)
    return Table(("row", "change", "events", "top events"), tuple(found))


def _edit(old: Row | None, new: Row | None) -> str:
    if old is None or new is None:
        return "added" if old is None else "removed"
    changed = [f.name for f in fields(Row) if f.name not in ASIDE and getattr(old, f.name) != getattr(new, f.name)]
    return f"edited: {', '.join(changed).replace('_', ' ')}" if changed else ""


def _bears_on(id: str, before: Study, after: Study) -> tuple[str, str]:
    both = (before.trace, after.trace)
    events = dict.fromkeys(event for each in both for event in each.events_of(id))
    tops = dict.fromkeys(top for each in both for top in each.tops_of(id))
    return joined(events), joined(tops)


def _tree(before: FaultTree, after: FaultTree) -> Table:
    rows: list[tuple[str, str, str, str]] = []
    for kind, old, new in (("gate", before.gates, after.gates), ("event", before.events, after.events)):
        for name in dict.fromkeys((*old, *new)):
            if name not in old or name not in new:
                rows.append((name, kind, "added" if name not in old else "removed", ""))
            elif old[name] != new[name]:
                rows.append((name, kind, "changed", f"{_shown(old[name])} -> {_shown(new[name])}"))
    return Table(("name", "kind", "change", "from and to"), tuple(rows))


def _shown(what: object) -> str:
    from surefoot.faulttree import Formula

    if isinstance(what, Formula):
        return f"{what.kind} of {len(what.inputs)}: {', '.join(dict.fromkeys(what.names()))}"
    return "unknown" if what is None else str(what)


def _requirements(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> Table:
    names = dict.fromkeys((*before, *after))
    return Table(("event", "at most before", "at most now"), tuple((n, before.get(n), after.get(n)) for n in names))
