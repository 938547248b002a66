"""Names that people type for parts of a fault tree, all refused at once where they are none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.cli.tree_question import Question
    from surefoot.core import Diagnostic
    from surefoot.faulttree import FaultTree


def check_names(tree: FaultTree, question: Question) -> None:
    """Refuse what ``--set`` and ``--allocate`` name and the tree does not have."""
    from surefoot.core import DiagnosticsError

    events = {*tree.events, *(member for group in tree.groups for member in group.members)}
    others = {*tree.gates, *tree.houses, *tree.parameters}
    if not {*question.changes, *question.allocate} <= events | others:
        events |= set(tree.expanded.events)
        others |= {*tree.expanded.gates, *tree.expanded.parameters}
    found = [
        *_unknown("--set", "event, gate or parameter", question.changes, events | others),
        *_unknown("--allocate", "event", question.allocate, events),
        *_grouped(tree, question),
    ]
    DiagnosticsError.raise_if_any(found)


def _grouped(tree: FaultTree, question: Question) -> Iterator[Diagnostic]:
    """A member of a group has its probability from the group."""
    from surefoot.core import Diagnostic

    hint = "Set it true or false, or change the group in the file."
    for group in tree.groups:
        for name in group.members:
            if name in question.changes and not isinstance(question.changes[name], bool):
                text = f"{name!r} has its probability from the common-cause group {group.name!r}."
                yield Diagnostic("tree-unsupported", text, "error", "--set", hint)


def _unknown(option: str, kind: str, names: Iterable[str], known: Collection[str]) -> Iterator[Diagnostic]:
    from surefoot.core import Diagnostic, InvalidInput, validate

    for name in names:
        try:
            validate.choice(name, known, where=option, name=kind)
        except InvalidInput as error:
            yield Diagnostic(
                "tree-undefined", f"{name!r} is no {kind} of the tree.", "error", option, error.remedy or ""
            )
