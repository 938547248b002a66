"""The events of a fault tree that matter most, as a table that fits a terminal."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import TYPE_CHECKING

from surefoot.cli.console import SPACE_BETWEEN, console, say, table, tell
from surefoot.cli.numbers import figure
from surefoot.documents import percent, shortened

if TYPE_CHECKING:
    from surefoot.faulttree.importance import Importance, Measure

MEASURES: dict[Measure, str] = {
    "fussell_vesely": "Fussell-Vesely",
    "birnbaum": "Birnbaum",
    "raw": "RAW",
    "rrw": "RRW",
}
EXPENDABLE = ("RRW", "Fussell-Vesely", "Birnbaum")
"""Left out where there is no room; RRW says the same as criticality, Fussell-Vesely nearly the same."""
LONGEST_NAME = 40
READABLE_NAME = 20


def show_importance(importance: Importance) -> None:
    """A table of the usual measures, as many as fit."""
    say("\nEvents that matter most", style="bold")
    numbers = {"criticality": [figure(importance.of(n, "criticality"), digits=3) for n in importance.names]}
    if importance.kind not in (None, "certain"):
        numbers[f"{percent(importance.level)} interval"] = [_ends(importance, name) for name in importance.names]
    for measure, title in MEASURES.items():
        numbers[title] = [figure(importance.of(name, measure), digits=3) for name in importance.names]
    names = [shortened(name, LONGEST_NAME) for name in importance.names]
    left_out = _leave_out(numbers, min(READABLE_NAME, max(map(len, names))))
    table(("event", *numbers), list(zip(names, *numbers.values(), strict=True)), right=tuple(numbers))
    if left_out:
        tell(f"too wide for here: {', '.join(left_out)}; --json has everything", style="dim")


def _leave_out(numbers: dict[str, list[str]], name_width: int) -> list[str]:
    """Take away columns until the others fit."""
    left_out = []
    for title in EXPENDABLE:
        widths = (max(map(len, (head, *cells))) + SPACE_BETWEEN for head, cells in numbers.items())
        if name_width + sum(widths) > console().width:
            left_out.append(title)
            del numbers[title]
    return left_out


def _ends(importance: Importance, name: str) -> str:
    low, high = importance.interval(name, "criticality")
    return f"[{figure(low, digits=2, rounding=ROUND_FLOOR)},{figure(high, digits=2, rounding=ROUND_CEILING)}]"
