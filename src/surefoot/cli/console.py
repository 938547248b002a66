"""What people read: lines and tables on a terminal, without one, without colours and without Unicode."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence, Sized
from io import TextIOWrapper
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Justify = Literal["left", "right"]
SPACE_BETWEEN = 3


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
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


def plain(text: str, *, style: str = "") -> Text:
    """Text from anywhere, without what would steer a terminal."""
    from rich.text import Text

    return Text("".join(map(_harmless, text)), style=style)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str | Text]], *, right: Iterable[str] = (), stderr: bool = False
) -> None:
    """Print a table with a rule below its head and no other lines; ``right`` names columns of numbers.

    No word of the head and no number is broken: a table that needs more than the width of the terminal gets it.
    """
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    rows = list(rows)
    narrowest = [max(map(len, name.split()), default=1) for name in columns]
    for place in (place for place, name in enumerate(columns) if name in right):
        narrowest[place] = max([narrowest[place], *(len(row[place]) for row in rows)])
    for name, width in zip(columns, narrowest, strict=True):
        justify: Justify = "right" if name in right else "left"
        shown.add_column(plain(name), justify=justify, overflow="fold", min_width=width)
    for row in rows:
        shown.add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in row))
    screen = console(stderr=stderr)
    needed = sum(narrowest) + SPACE_BETWEEN * (len(columns) - 1)
    screen.print(shown, width=max(screen.width, needed), crop=False)


def _harmless(character: str) -> str:
    steers = character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs")
    return "\N{REPLACEMENT CHARACTER}" if steers else character
