"""A case in the terminal: an outline with signs, words and figures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

from surefoot.cli.console import console, plain, say, table

if TYPE_CHECKING:
    from rich.text import Text

    from surefoot.case.case import Case
    from surefoot.case.evaluation import Assessed, Evaluation, Lever, Standing
    from surefoot.case.node import Node
    from surefoot.case.notation import Notation

TYPED = {"supported": "+", "not shown": "o", "contradicted": "x"}
STYLES = {"supported": "green", "not shown": "yellow", "contradicted": "red"}
DEEPEST = 40
"""Beyond so many levels the indent no longer grows."""
MOST_LEVERS = 5
LEAST_POINTS = 0.05
JUDGED = ("claim", "side-claim", "sub-case", "contract", "defeater")


def show_outline(case: Case, evaluation: Evaluation, *, notation: Notation, depth: int | None = None) -> None:
    """Every node below what it holds up; one that was shown before is only named."""
    screen = console()
    above: list[str] = []
    for level, node, again in outline(case, depth=depth):
        del above[level:]
        against = bool(above) and above[-1] in node.challenges
        above.append(node.id)
        found = evaluation.nodes.get(node.id)
        line = _line(node, found, level, again=again, against=against, notation=notation)
        screen.print(line, soft_wrap=True)


def show_levers(evaluation: Evaluation) -> None:
    """What would raise the top claim most."""
    if not evaluation.levers:
        return
    say("\nWhat would raise the top claim most, if it were certain", style="bold")
    rows = [(_points(lever), _times(lever), " < ".join(lever.chain)) for lever in evaluation.levers[:MOST_LEVERS]]
    table(("points", "times as likely", "up to the top"), rows, right=("points", "times as likely"))


def _points(lever: Lever) -> str:
    """Percentage points; what rounds to none is told by the factor alone."""
    points = 100 * lever.effect
    return f"+{points:.1f}" if points >= LEAST_POINTS else "+0.0"


def _times(lever: Lever) -> str:
    return "from 0" if lever.factor == inf else f"{lever.factor:.3g}"


def outline(case: Case, *, depth: int | None = None) -> Iterator[tuple[int, Node, bool]]:
    """Nodes from the tops downward with their level, and whether each was met before; what no top reaches is last."""
    seen: set[str] = set()
    hidden: set[str] = set()
    starts = [*case.tops, *(node for node in case if not case.parents[node.id] and not node.challenges), *case]
    for start in starts:
        todo = [] if start.id in seen or start.id in hidden else [(0, start.id)]
        while todo:
            level, identity = todo.pop()
            node, again = case[identity], identity in seen
            yield level, node, again
            seen.add(identity)
            below = () if again else _below(case, node)
            if depth is not None and level + 1 >= depth:
                _hide(case, below, hidden)
            else:
                todo += [(level + 1, each) for each in reversed(below)]


def _below(case: Case, node: Node) -> tuple[str, ...]:
    return tuple(each for each in (*node.below, *case.challengers.get(node.id, ())) if each in case.nodes)


def _hide(case: Case, ids: tuple[str, ...], hidden: set[str]) -> None:
    """What a limited depth leaves out does not come again as something that nothing reaches."""
    todo = list(ids)
    while todo:
        identity = todo.pop()
        if identity not in hidden:
            hidden.add(identity)
            todo += _below(case, case[identity])


def _line(node: Node, assessed: Assessed | None, level: int, *, again: bool, against: bool, notation: Notation) -> Text:
    from surefoot.case.notation import word
    from surefoot.case.words import for_the_case

    text = plain("  " * min(level, DEEPEST))
    if (standing := for_the_case(node, assessed)) is not None:
        text.append(plain(f"{_sign(standing)} ", style=STYLES[standing]))
    text.append(plain("challenged by ", style="red") if against else "")
    text.append(plain(" ".join(node.id.split()), style="bold")).append(plain(f" ({word(node, notation)}) "))
    if again:
        return text.append(plain("see above", style="dim"))
    text.append(plain(node.text.replace("\n", " ")))
    figures = "; ".join(_figures(node, assessed))
    return text.append(plain(f"  [{figures}]", style="dim")) if figures else text


def _figures(node: Node, assessed: Assessed | None) -> Iterator[str]:
    """How it stands with its probability and the range of that, what is claimed, and what was measured."""
    from surefoot.case.words import standing_word

    if assessed is not None and node.kind in JUDGED:
        low, high = float(assessed.opinion.belief), 1 - float(assessed.opinion.disbelief)
        yield f"{standing_word(node, assessed)}, {float(assessed.opinion.probability):.3f} ({low:.3f} to {high:.3f})"
    if node.number is not None:
        yield str(node.number)
    if assessed is not None and assessed.estimate is not None:
        yield f"{node.rests_on} measured {assessed.estimate.value:.4g}"
    if node.undeveloped:
        yield "undeveloped"


def _sign(standing: Standing) -> str:
    """A sign that the terminal has."""
    from surefoot.case.words import SIGNS

    try:
        SIGNS[standing].encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return TYPED[standing]
    return SIGNS[standing]
