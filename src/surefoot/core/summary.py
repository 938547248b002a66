"""A titled list of labelled lines that prints in a terminal and shows in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

TEXT = "margin:.4em 0;font-size:.95em;line-height:1.4"
CELL = "text-align:left;vertical-align:top;padding:.3em 1.2em .3em 0;border-bottom:1px solid rgba(128,128,128,.35)"
HEAD = f"{CELL};font-weight:500;opacity:.75"
QUIET = "margin:.3em 0;opacity:.75;font-size:.9em"
"""Notebooks are light or dark: colours are inherited, and lines are half transparent."""


@dataclass(frozen=True)
class Summary:
    """A title, rows of label and text, and notes below them."""

    title: str
    rows: list[tuple[str, str]]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.rows), default=0)
        lines = (f"  {label:<{width}}  {text}" for label, text in self.rows)
        return "\n".join([self.title, *lines, *(f"  {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return table_html(self.title, (), self.rows, self.notes)


def table_html(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table for a notebook, light or dark; all text is escaped, and the first cell of a row names it."""
    caption = f'<caption style="text-align:left;font-weight:600;padding:.2em 0">{escape(title)}</caption>'
    head = f"<thead><tr>{''.join(_cell('th', text, HEAD) for text in header)}</tr></thead>" if header else ""
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    below = "".join(f'<p style="{QUIET}">{escape(note)}</p>' for note in notes)
    return f'<div style="{TEXT}"><table>{caption}{head}<tbody>{body}</tbody></table>{below}</div>'


def _row(cells: Sequence[str]) -> str:
    name, *rest = cells
    return _cell("th", name, f"{CELL};font-weight:600") + "".join(_cell("td", text, CELL) for text in rest)


def _cell(tag: str, text: str, style: str) -> str:
    return f'<{tag} style="{style}">{escape(str(text))}</{tag}>'
