"""The answers to what is asked of a fault tree."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot import documents
from surefoot.cli.tree_names import check_names
from surefoot.cli.tree_question import Question

if TYPE_CHECKING:
    from surefoot.core import Verdict
    from surefoot.faulttree import Budget, FaultTree
    from surefoot.faulttree.allocation import Allocation
    from surefoot.faulttree.cutsets import CutSets
    from surefoot.faulttree.importance import Importance
    from surefoot.faulttree.result import Approximation, TreeResult

Tell = Callable[[str], None]
MOST_NAMED = 5


@dataclass(frozen=True)
class Answer:
    """A tree and what was found of it; nothing numerical where some events have no probability."""

    tree: FaultTree
    question: Question
    unknown: tuple[str, ...]
    result: TreeResult | None
    as_in_file: float | None
    """The probability before anything was set, where something was."""
    allocation: Allocation | None

    @property
    def verdict(self) -> Verdict | None:
        """Whether the target is met; None without one."""
        return self.result.verdict if self.result else None

    @property
    def compiled(self) -> bool:
        """Whether the whole logic is known, so that cut sets can be counted."""
        return self.result is None or self.result.compiled

    @cached_property
    def cut_sets(self) -> CutSets | None:
        """The minimal cut sets that are shown, the most probable or the smallest first.

        None beyond the budget, and where nobody wants to see one: finding them can take longer than everything else.
        """
        from surefoot.faulttree.logic.engines import OverLimit

        if not self.compiled or not self.question.cut_sets:
            return None
        q = self.question
        by = "order" if q.order is not None or self.unknown else "probability"
        try:
            return self.tree.cut_sets(order=q.order, cutoff=q.cutoff, limit=q.cut_sets, by=by)
        except OverLimit:
            return None

    @cached_property
    def approximations(self) -> tuple[Approximation, ...]:
        """What others would give for the probability, from the cut sets."""
        return () if self.result is None or self.cut_sets is None else self.result.approximations

    @cached_property
    def importance(self) -> Importance | None:
        """The events that matter most; None where nobody asked, or the top event cannot happen."""
        from surefoot.core import Undefined

        if self.result is None or not self.result.compiled or not self.question.importance:
            return None
        try:
            found = self.tree.importance(level=self.question.level, gates=False)
        except Undefined:
            return None
        return found.sorted().first(self.question.importance)

    @property
    def values(self) -> dict[str, float]:
        """Probabilities of events, and of the top event where it is known."""
        from surefoot.faulttree.quantities import probabilities

        known = [name for name, quantity in self.tree.events.items() if quantity is not None]
        values = {name: float(value) for name, value in probabilities(self.tree, events=known).items()}
        top = None if self.result is None else self.result.probability
        return values if top is None else {**values, self.tree.top: top}


def read_trees(files: Sequence[Path], top: str | None, question: Question) -> dict[str, FaultTree]:
    """All top events of the file, or those that are meant; what is left out of them is shown with the answer."""
    from surefoot.faulttree import FaultTree
    from surefoot.faulttree.formats import PartLeftOut

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartLeftOut)
        return FaultTree.read_all(files, top=top, mission_time=question.mission_time)


def answer(read: FaultTree, question: Question, tell: Tell) -> Answer:
    """Compute what is asked of a tree."""
    from surefoot.faulttree.changes import changed

    check_names(read, question)
    tell(f"computing {read.top}")
    changes = question.changes
    tree = changed(read, changes, where="--set") if changes else read
    unknown = _unknown(tree)
    if unknown:
        return _without_numbers(tree, question, unknown)
    before = _analysed(read, replace(question, draws=1)).probability if changes and not _unknown(read) else None
    result = _analysed(tree, question)
    return Answer(tree, question, (), result, before, _allocation(tree, question) if result.compiled else None)


def _without_numbers(tree: FaultTree, question: Question, unknown: tuple[str, ...]) -> Answer:
    if question.target is not None and not set(unknown) <= set(question.allocate):
        from surefoot.core import InvalidInput

        raise InvalidInput(
            "a target needs the probability of every event",
            where=tree.name,
            found=f"none for {listed(unknown)}",
            remedy="Give them with --set EVENT=P, or ask with --allocate what they must be.",
        )
    _compile(tree, question)
    return Answer(tree, question, unknown, None, None, _allocation(tree, question))


def _compile(tree: FaultTree, question: Question) -> None:
    """Without probabilities there is no interval to fall back on."""
    from surefoot.core import DiagnosticsError
    from surefoot.faulttree.logic import BeyondBudget

    try:
        tree.compile(_budget(question))
    except BeyondBudget:
        text = "the tree is too large to find its cut sets within the budget, and some events have no probability."
        hint = "Raise --time-limit or --node-budget, or give each event a probability: an interval can then be found."
        raise DiagnosticsError.of("tree-beyond-budget", text, where=tree.name, hint=hint) from None


def _unknown(tree: FaultTree) -> tuple[str, ...]:
    """Events without a probability."""
    return tuple(name for name, quantity in tree.events.items() if quantity is None)


def _analysed(tree: FaultTree, question: Question) -> TreeResult:
    return tree.analyse(level=question.level, draws=question.draws, target=question.aim, budget=_budget(question))


def _budget(question: Question) -> Budget:
    from surefoot.faulttree import Budget

    return Budget(question.nodes, question.seconds)


def _allocation(tree: FaultTree, question: Question) -> Allocation | None:
    """Requirements that hold with the other events on the safe side of what is uncertain about them."""
    if not question.allocate or question.aim is None:
        return None
    from surefoot.faulttree.uncertainty import relevant_inputs

    level = question.level if relevant_inputs(tree) else None
    return tree.allocate(question.aim, events=list(question.allocate), method=question.method, level=level)


def listed(names: Sequence[str]) -> str:
    """The first few names."""
    return documents.listed(names, MOST_NAMED)
