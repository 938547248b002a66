"""Findings of a check as people read them: grouped by what they are about, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from surefoot.cli.console import plain, say, table, tell

if TYPE_CHECKING:
    from rich.text import Text

    from surefoot.core import Diagnostic

MOST_SHOWN = 10
STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


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
