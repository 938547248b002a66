"""What ``surefoot assess`` does with the seal of a project: fail when a sealed claim no longer holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli.console import say
from surefoot.cli.failures import UNUSABLE, show_diagnostics

if TYPE_CHECKING:
    from surefoot.case.change import PublicKey, Seal
    from surefoot.core import Diagnostic
    from surefoot.project import Project, Result

FELL = 1
SUFFIX, KEY_SUFFIX = ".seal.json", ".seal.pub"


def seal_path(project: Project) -> Path:
    """The seal of a project file: ``surefoot.seal.json`` beside ``surefoot.yaml``."""
    from surefoot.project import lock_path

    return lock_path(project).with_suffix(SUFFIX)


def seal_status(found: list[Diagnostic]) -> int:
    """The exit code: a broken seal is worse than a claim that fell."""
    wrong = {each.code for each in found if each.severity == "error"}
    return UNUSABLE if wrong - {"seal-claim-fell"} else FELL if wrong else 0


@dataclass(frozen=True)
class Sealing:
    """The seal as it was before the assessment, and the key that must have signed it; None where there is none."""

    path: Path
    seal: Seal | None
    key: PublicKey | None = None

    @classmethod
    def of(cls, project: Project) -> Sealing:
        """Read the seal; before the work begins, because a broken one stops it.

        Where ``surefoot.seal.pub`` lies beside it, the seal must be signed by that key.
        """
        from surefoot.case.change import PublicKey, Seal
        from surefoot.core import Diagnostic

        path = seal_path(project)
        key = path.with_name(path.name.removesuffix(SUFFIX) + KEY_SUFFIX)
        if not path.exists():
            if key.exists():
                text = f"there is no seal, which {key.name} beside it is there to check."
                hint = "Seal with: surefoot case seal --key KEY"
                show_diagnostics([Diagnostic("file-missing", text, "warning", str(path), hint)])
            return cls(path, None)
        return cls(path, Seal.read(path), PublicKey.read(key) if key.exists() else None)

    def settle(self, result: Result, *, quiet: bool = False) -> int | None:
        """Show what differs; the exit status where a sealed claim fell or the seal is wrong, None where all is well."""
        from surefoot.case.change import verify
        from surefoot.cli.case_snapshots import snapshot_of

        if self.seal is None:
            return None
        found = verify(self.seal, snapshot_of(result), public_key=self.key)
        status = seal_status(found) or None
        worth_telling = [each for each in found if each.severity == "error" or not (quiet or each.severity == "note")]
        show_diagnostics(worth_telling)
        if status:
            say(f"{self.path.name} does not hold any more; seal anew once it may change", stderr=True)
        elif not quiet:
            say(f"Every claim sealed in {self.path.name} holds.", stderr=True)
        return status
