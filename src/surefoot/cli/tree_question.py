"""What is asked of a fault tree on the command line."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from surefoot.cli.numbers import as_number

if TYPE_CHECKING:
    from surefoot.core import Target
    from surefoot.faulttree.changes import Change

TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class Question:
    """The options of the command, each as a number."""

    level: float
    draws: int
    cut_sets: int
    order: int | None
    cutoff: float | None
    importance: int
    target: float | None
    allocate: tuple[str, ...]
    method: str
    changes: tuple[str, ...]
    seconds: float
    nodes: int

    @property
    def aim(self) -> Target | None:
        """The target of the top event."""
        from surefoot.core import Target

        return None if self.target is None else Target(at_most=self.target, level=self.level)


def read_changes(texts: Iterable[str]) -> dict[str, Change]:
    """From ``EVENT=P`` to values: a probability, true or false, or failures/trials."""
    found: dict[str, Change] = {}
    for text in texts:
        name, separator, value = text.rpartition("=")
        if not separator or not name:
            raise typer.BadParameter(f"--set {text}: write EVENT=P, such as 'pump fails=1e-3'")
        found[name.strip()] = _value(text, value.strip())
    return found


def _value(text: str, value: str) -> Change:
    if value in TRUTHS:
        return TRUTHS[value]
    failures, separator, trials = value.partition("/")
    if separator and failures.strip().isdigit() and trials.strip().isdigit():
        from surefoot.faulttree.quantities import Counts

        return Counts(int(failures), int(trials))
    number = as_number(value)
    if math.isnan(number) or not 0 <= number <= 1:
        raise typer.BadParameter(f"--set {text}: give a probability, true, false, or failures/trials such as 2/5000")
    return number
