"""What people read: lines, tables, findings and progress, with or without a terminal, colours and Unicode."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID
    from rich.text import Text

    from surefoot.core import Diagnostic
    from surefoot.project import Event


Justify = Literal["left", "right"]
SPACE_BETWEEN = 3
SHORT, SHORT_WORD = 16, 10
STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}
VERDICT_STYLES = {"met": "bold green", "violated": "bold red", "not shown": "bold yellow"}
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls, what turns the direction of the text around it, and halves of characters."""


def make_output_forgiving() -> None:
    """What an encoding cannot express is replaced, so that no name of a file stops the output."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def console(*, stderr: bool = False) -> Console:
    """A console that takes no text for markup."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def say(text: object = "", *, stderr: bool = False, style: str = "") -> None:
    """Print lines as they are, whatever the width."""
    console(stderr=stderr).print(plain(str(text), style=style), soft_wrap=True)


def tell(text: str, *, style: str = "") -> None:
    """Print a sentence, wrapped to the width."""
    console().print(plain(text, style=style))


def listed(lines: Iterable[str], *, stderr: bool = False) -> None:
    """Print sentences as a list, wrapped to the width."""
    from rich.table import Table

    shown = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        shown.add_row("  -", plain(line))
    console(stderr=stderr).print(shown)


def counted(things: Sized, name: str) -> str:
    """How many there are: ``1 step``, ``2 steps``."""
    return f"{len(things):,} {name}{'' if len(things) == 1 else 's'}"


def quoted(what: object) -> str:
    """A word of a command to type, as a shell takes it."""
    import shlex

    return shlex.quote(str(what))


def plain(text: str, *, style: str = "") -> Text:
    """Text from anywhere, without what would steer a terminal."""
    from rich.text import Text

    return Text(STEERING.sub("\N{REPLACEMENT CHARACTER}", text), style=style)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str | Text]], *, right: Iterable[str] = (), stderr: bool = False
) -> None:
    """Print a table with a rule below its head and no other lines; ``right`` names columns of numbers.

    No word of the head and no number is broken: a table that needs more than the width of the terminal gets it. Other
    words are whole as long as there is room.
    """
    from rich import box
    from rich.table import Table

    cells = [[plain(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    screen = console(stderr=stderr)
    widths = _widths(columns, cells, frozenset(right), screen.width - SPACE_BETWEEN * (len(columns) - 1))
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for name, width in zip(columns, widths, strict=True):
        justify: Justify = "right" if name in right else "left"
        shown.add_column(plain(name), justify=justify, overflow="fold", width=width)
    for row in cells:
        shown.add_row(*row)
    screen.width = max(screen.width, sum(widths) + SPACE_BETWEEN * len(columns))
    screen.print(shown, crop=False)


def _widths(columns: Sequence[str], rows: Sequence[Sequence[Text]], right: Collection[str], room: int) -> list[int]:
    """Short cells and words are whole where there is room; the rest goes to the columns with the most lines."""
    needed, short, wished, natural = [], [], [], []
    for place, name in enumerate(columns):
        lines = [line for row in rows for line in row[place].plain.split("\n")]
        longest, word = _longest(lines), _longest(word for line in lines for word in line.split())
        head = _longest(name.split())
        needed.append(max(head, word) if name in right else head)
        short.append(max(needed[-1], min(word, SHORT_WORD)))
        wished.append(max(head, longest if longest <= SHORT else word))
        natural.append(max(longest, _longest([name])))
    widths = next((widths for widths in (wished, short) if sum(widths) <= room), needed)
    for _ in range(room - sum(widths)):
        place = max(range(len(columns)), key=lambda place: natural[place] / widths[place])
        widths[place] += natural[place] > widths[place]
    return widths


def _longest(texts: Iterable[str]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, texts), default=1) or 1


# Findings of a check as people read them: grouped by what they are about, worst first.

MOST_SHOWN = 10


def show_findings(findings: Sequence[Diagnostic]) -> None:
    """A heading for each code, and the first findings of it."""
    for group in _by_code(findings):
        _show_group(group)


def show_left(findings: Sequence[Diagnostic]) -> None:
    """Whether anything is left to do; notes are no work."""
    left = sum(found.severity != "note" for found in findings)
    text = "Nothing is left to do." if not left else f"{left:,} {'thing is' if left == 1 else 'things are'} left to do."
    tell(f"\n{text}", style="bold yellow" if left else "bold green")


def _by_code(findings: Sequence[Diagnostic]) -> Iterator[list[Diagnostic]]:
    """Findings that have code and severity in common, errors first."""
    from surefoot.core.diagnostics import WORST_FIRST

    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for found in sorted(findings, key=lambda found: WORST_FIRST.index(found.severity)):
        groups.setdefault((found.severity, found.code), []).append(found)
    yield from groups.values()


def _show_group(findings: list[Diagnostic]) -> None:
    """A heading, and the first findings; a hint that all share is given once."""
    from surefoot.core import CODES

    first = findings[0]
    say(f"\n{first.severity} [{first.code}] {CODES[first.code]}", style=STYLES[first.severity])
    shared = len({found.hint for found in findings}) == 1
    table(("where", "what"), [(found.where, _said(found, shared)) for found in findings[:MOST_SHOWN]])
    if len(findings) > MOST_SHOWN:
        say(f"and {len(findings) - MOST_SHOWN:,} more; --json lists all", style="dim")
    if shared and first.hint:
        tell(first.hint, style="dim")


def _said(found: Diagnostic, shared: bool) -> Text:
    text = plain(found.text)
    return text if shared or not found.hint else text.append("\n").append(plain(found.hint, style="dim"))


# Progress of a run on stderr, where somebody watches.

FINAL = ("stored", "finished")


@contextmanager
def progress_shown(*, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """A bar for the steps, for each component being scored and each long step; they vanish when the work is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=quiet or not screen.is_terminal) as bars:
        yield Watcher(bars, quiet=quiet)


@contextmanager
def waiting(text: str) -> Iterator[Callable[[str], None]]:
    """A sign of life where somebody watches, for work without a measure; what is yielded changes its text."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda text: None
        return
    with screen.status(plain(text)) as status:
        yield lambda text: status.update(plain(text))


class Watcher:
    """Turns events of a run into movements of bars.

    Parameters
    ----------
    bars
        Of rich, which draws them.
    quiet
        Say nothing beside them.

    See Also
    --------
    surefoot.project.Event : What is told.

    """

    def __init__(self, bars: Progress, *, quiet: bool = False) -> None:
        self._bars = bars
        self._quiet = quiet
        self._steps = bars.add_task("steps", total=None)
        self._others: dict[str, TaskID] = {}

    def __call__(self, event: Event) -> None:
        if event.kind == "planned":
            self._bars.update(self._steps, total=event.total)
        elif event.kind == "scoring":
            self._move(f"scoring {event.name}", event)
        elif event.kind == "computing":
            self._compute(event)
        elif event.kind in FINAL:
            self._bars.advance(self._steps)
        elif event.kind == "note" and not self._quiet:
            self._bars.console.print(plain(event.name), soft_wrap=True)
        if event.kind in ("finished", "failed") and (bar := self._others.pop(event.name, None)) is not None:
            self._bars.remove_task(bar)

    def _compute(self, event: Event) -> None:
        self._bars.update(self._steps, description=event.name)
        if event.total:
            self._move(event.name, event)

    def _move(self, name: str, event: Event) -> None:
        if name not in self._others:
            self._others[name] = self._bars.add_task(name, total=None)
        self._bars.update(self._others[name], completed=event.done, total=event.total)
