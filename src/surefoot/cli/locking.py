"""What ``surefoot assess`` does with the lock file: compare, and write it anew last of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from surefoot.cli.console import counted, say
from surefoot.cli.failures import UNUSABLE, show_diagnostics

if TYPE_CHECKING:
    from surefoot.core import Diagnostic
    from surefoot.project import Project, Result


@dataclass(frozen=True)
class Locking:
    """The lock file as it was before the assessment."""

    path: Path
    before: Mapping[str, Any] | None
    locked: bool
    """Whether differences are errors and the file stays as it is."""

    @classmethod
    def of(cls, project: Project, *, locked: bool) -> Locking:
        """Read the lock file; before the work begins, because a damaged one stops it."""
        from surefoot.core import DiagnosticsError
        from surefoot.project import lock_path, read_lock

        path = lock_path(project)
        before = read_lock(path)
        if locked and before is None:
            hint = "Assess once without --locked."
            raise DiagnosticsError.of("file-missing", "there is no lock file", where=str(path), hint=hint)
        return cls(path, before, locked)

    def differences(self, result: Result) -> list[Diagnostic]:
        """What moved: errors when it must not, warnings otherwise."""
        from surefoot.project import moved

        found = moved(self.before, result) if self.before is not None else []
        return [replace(each, severity="error") for each in found] if self.locked else found

    def settle(self, result: Result) -> None:
        """End in failure when what is locked moved; otherwise write the file, which is no reason to fail."""
        differing = self.differences(result) if self.locked else []
        if differing:
            things = counted(differing, "thing")
            verb = "differs" if len(differing) == 1 else "differ"
            say(f"{things} {verb} from {self.path.name}; run without --locked to accept them", stderr=True)
            raise typer.Exit(UNUSABLE)
        if not self.locked:
            self._write(result)

    def _write(self, result: Result) -> None:
        from surefoot.core import DiagnosticsError
        from surefoot.project import write_lock

        try:
            write_lock(result, self.path)
        except DiagnosticsError as error:
            show_diagnostics(replace(each, severity="warning") for each in error.diagnostics)
