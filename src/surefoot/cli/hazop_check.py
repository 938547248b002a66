"""What a worksheet, and the chains that come from it, still lack: in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli.console import say, table
from surefoot.cli.findings import show_findings, show_left
from surefoot.core import Diagnostic

if TYPE_CHECKING:
    from surefoot.core import Table
    from surefoot.hazards import Hazop

VERSION = 1


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
        show_findings(self.findings)
        show_left(self.findings)


def chain_findings(scenarios: Path, hazop: Hazop) -> Sequence[Diagnostic]:
    """Conflicts, loops, and chains and rows that do not know each other."""
    from surefoot.core import DiagnosticsError
    from surefoot.hazards import Scenarios, trace

    try:
        chains = Scenarios.read(scenarios)
    except DiagnosticsError as error:
        return error.diagnostics
    return [*chains.problems, *trace(chains).findings(chains, hazop)]
