"""A titled list of labelled lines that prints in a terminal and shows in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Summary:
    """A title and rows of label and text."""

    title: str
    rows: list[tuple[str, str]]

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.rows), default=0)
        return "\n".join([self.title, *(f"  {label:<{width}}  {text}" for label, text in self.rows)])

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><th>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in self.rows)
        return f"<table><caption>{escape(self.title)}</caption>{cells}</table>"
