"""What is asked of a fault tree on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from surefoot.cli.numbers import as_number

if TYPE_CHECKING:
    from surefoot.core import Target
    from surefoot.faulttree.changes import Change

MOST_DIGITS = 15
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
    changes: Mapping[str, Change]
    mission_time: float | None
    seconds: float
    nodes: int

    @property
    def aim(self) -> Target | None:
        """The target of the top event."""
        from surefoot.core import Target

        return None if self.target is None else Target(at_most=self.target, level=self.level)


def read_changes(texts: Iterable[str]) -> dict[str, Change]:
    """From ``EVENT=P`` to values: a probability, true or false, or failures/trials. Refuses all that is wrong."""
    found: dict[str, Change] = {}
    wrong = []
    for text in texts:
        name, separator, value = map(str.strip, text.rpartition("="))
        change = _value(value)
        if not separator or not name:
            wrong.append(f"--set {text}: write EVENT=P, such as 'pump fails=1e-3'")
        elif name in found:
            wrong.append(f"--set {text}: {name} is set twice; leave one out")
        elif change is None:
            wrong.append(f"--set {text}: give a probability, true, false, or failures/trials such as 2/5000")
        else:
            found[name] = change
    if wrong:
        raise typer.BadParameter("\n".join(wrong))
    return found


def _value(value: str) -> Change | None:
    """The value that a text means, if any."""
    if value in TRUTHS:
        return TRUTHS[value]
    failures, separator, trials = value.partition("/")
    if separator and _is_count(failures) and _is_count(trials) and int(failures) <= int(trials) > 0:
        from surefoot.faulttree.quantities import Counts

        return Counts(int(failures), int(trials))
    number = as_number(value)
    return number if 0 <= number <= 1 else None


def _is_count(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and len(text) <= MOST_DIGITS
