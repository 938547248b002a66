"""A result whose argument is to be written, and what is said of its assumptions and limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from surefoot.case.goal import Goal
from surefoot.case.templates.draft import Draft
from surefoot.core import Assumption, Estimate


@dataclass(frozen=True)
class Job:
    """A result whose argument is to be written."""

    owner: str
    """What ids of its nodes begin with."""
    reference: str
    estimate: Estimate
    module: str = ""

    @property
    def argument(self) -> str:
        """The id of the main argument."""
        return f"{self.owner}.argument"


def derived(draft: Draft, goal: Goal) -> str:
    """Where a limit comes from, in one line; empty where nobody says."""
    given = draft.ingredients.derivations.get(goal.name, "") or goal.verdict.target.source
    if isinstance(given, str):
        return given
    return "; ".join(": ".join(filter(None, (str(cell) for cell in row))) for row in given.rows)


def stated(assumption: Assumption) -> tuple[str, str, str]:
    """What makes an assumption one, whatever its check found."""
    return assumption.id, assumption.text, assumption.scope


def is_about(assumption: Assumption, label: str) -> bool:
    """Whether it says that what goes into a calculation under this label is what was measured."""
    return assumption.id == "event-is-what-was-measured" and assumption.scope == label


def of_input(assumption: Assumption, labels: Iterable[str]) -> bool:
    """Whether it says so of one of these labels."""
    return any(is_about(assumption, label) for label in labels)
