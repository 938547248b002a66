"""What a worksheet, and the chains that come from it, still lack: in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli.console import plain, say, table, tell
from surefoot.core import Diagnostic

if TYPE_CHECKING:
    from rich.text import Text

    from surefoot.core import Table
    from surefoot.hazards import Hazop

VERSION = 1
MOST_SHOWN = 10
STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


@dataclass(frozen=True)
class Checked:
    """A worksheet's state, and what was found."""

    name: str
    progress: Table
    findings: tuple[Diagnostic, ...]

    @classmethod
    def of(cls, worksheet: Path, scenarios: Path | None) -> Checked:
        """Read and check; problems of the chains are findings, those of the worksheet an error."""
        from surefoot.hazards import Hazop
        from surefoot.hazards.worksheet.progress import Progress

        hazop = Hazop.read(worksheet)
        chains = [] if scenarios is None else chain_findings(scenarios, hazop)
        return cls(hazop.name, Progress.of(hazop).table(), (*hazop.check(), *chains))

    @property
    def errors(self) -> bool:
        """Whether something cannot be used."""
        return any(found.severity == "error" for found in self.findings)

    @property
    def done(self) -> bool:
        """Whether nothing is left to do; notes are no work."""
        return all(found.severity == "note" for found in self.findings)

    def as_json(self) -> str:
        """One object with stable keys."""
        data = {
            "version": VERSION,
            "name": self.name,
            "done": self.done,
            "progress": dict(self.progress.rows),
            "findings": [found.to_dict() for found in self.findings],
        }
        return json.dumps(data, indent=2, ensure_ascii=False)

    def show(self) -> None:
        """The state, then the findings by what they are about, then whether anything is left."""
        say(self.name, style="bold")
        table(("", "count"), [(str(what), f"{count:,}") for what, count in self.progress.rows], right=("count",))
        for findings in _by_code(self.findings):
            _show_group(findings)
        left = sum(found.severity != "note" for found in self.findings)
        text = (
            "Nothing is left to do."
            if self.done
            else f"{left:,} {'thing is' if left == 1 else 'things are'} left to do."
        )
        tell(f"\n{text}", style="bold green" if self.done else "bold yellow")


def chain_findings(scenarios: Path, hazop: Hazop) -> Sequence[Diagnostic]:
    """Conflicts, loops, and chains and rows that do not know each other."""
    from surefoot.core import DiagnosticsError
    from surefoot.hazards import Scenarios, trace

    try:
        chains = Scenarios.read(scenarios)
    except DiagnosticsError as error:
        return error.diagnostics
    return [*chains.problems, *trace(chains).findings(chains, hazop)]


def _by_code(findings: Sequence[Diagnostic]) -> Iterator[list[Diagnostic]]:
    """Findings that have code and severity in common, errors first."""
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for found in sorted(findings, key=lambda found: list(STYLES).index(found.severity)):
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
