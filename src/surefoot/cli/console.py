"""What people read: lines and tables on a terminal, without one, without colours and without Unicode."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Justify = Literal["left", "right"]


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


def listed(lines: Iterable[str], *, stderr: bool = False) -> None:
    """Print sentences as a list, wrapped to the width."""
    from rich.table import Table

    shown = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        shown.add_row("  -", plain(line))
    console(stderr=stderr).print(shown)


def plain(text: str, *, style: str = "") -> Text:
    """Text from anywhere, without what would steer a terminal."""
    from rich.text import Text

    return Text("".join(map(_harmless, text)), style=style)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str | Text]], *, right: Iterable[str] = (), stderr: bool = False
) -> None:
    """Print a table with a rule below its head and no other lines; ``right`` names columns of numbers."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for name in columns:
        shown.add_column(plain(name), justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in row))
    console(stderr=stderr).print(shown)


def _harmless(character: str) -> str:
    steers = character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cs")
    return "\N{REPLACEMENT CHARACTER}" if steers else character
