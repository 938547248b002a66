"""Cells of CSV that no spreadsheet takes for a formula."""

from __future__ import annotations

_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet calculate (OWASP, CSV injection)."""


def guarded(cell: str) -> str:
    """The cell with an apostrophe before what looks like a formula, and before such an apostrophe.

    >>> guarded("=A1"), guarded("'=A1"), guarded("'tis")
    ("'=A1", "''=A1", "'tis")
    """
    return f"'{cell}" if cell.lstrip("'").startswith(_STARTS) else cell


def unguarded(cell: str) -> str:
    """The cell without the apostrophe that guards it."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_STARTS) else cell
