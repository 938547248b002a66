"""``surefoot assess``: run a project and answer its targets, against its lock file, its seal, or a report."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surefoot.cli.console import counted, progress_shown, say, table
from surefoot.cli.conventions import (
    PROJECT_FILE,
    STDOUT,
    UNUSABLE,
    ProjectFile,
    StorePlace,
    check_places,
    say_written,
    show_diagnostics,
    write_all,
)
from surefoot.cli.report import show_result

if TYPE_CHECKING:
    from surefoot.case import PublicKey, Seal
    from surefoot.core import Diagnostic
    from surefoot.project import Project, Result


NOT_MET = 1
RESUME = "Stopped. Finished steps are kept; run the same command to resume."


class FailOn(StrEnum):
    """What makes the exit code 1."""

    violated = "violated"
    not_shown = "not-shown"
    open = "open"
    never = "never"


def assess(
    file: ProjectFile = Path(PROJECT_FILE),
    store: StorePlace = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            metavar="N",
            help="Processes to run steps in; where steps take seconds, one is faster.",
            show_default="1",
        ),
    ] = None,
    dask: Annotated[
        str | None, typer.Option("--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster to run steps on.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="PATH", help="Write the report.")] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="PATH", help="Write the result as JSON; - prints nothing else.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="PATH", help="Write JUnit XML for CI.")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="PATH", help="Write a summary for a pull request.")
    ] = None,
    locked: Annotated[
        bool, typer.Option("--locked", help="Exit 2 when something differs from the lock file, and leave it as it is.")
    ] = False,
    verify: Annotated[
        Path | None,
        typer.Option("--verify", metavar="REPORT", help="Compute a report anew from the files here, and compare."),
    ] = None,
    fail_on: Annotated[
        FailOn,
        typer.Option(
            "--fail-on",
            metavar="violated|not-shown|open|never",
            help="What makes the exit code 1: a violated target, one that is not met, or what the case leaves open.",
        ),
    ] = FailOn.not_shown,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no verdicts.")] = False,
) -> None:
    """Assess a project: compute its evidence and answer its targets.

    Exit code 0: every target is met at the level that covers all looks at the test data. 1: one is not, operation
    contradicts one, or a claim sealed in surefoot.seal.json no longer holds. 2: the project could not be assessed.
    With --fail-on open also 1: the case leaves a claim that it needs open, a doubt stands, a document is not accepted,
    or a target is not used.
    Steps that the store already has are not computed again; Ctrl-C keeps what is finished.
    """
    if workers and dask:
        raise typer.BadParameter("give --workers or --dask, not both")
    if verify is not None:
        if locked or any((html, json, junit, markdown)):
            raise typer.BadParameter("--verify compares and writes nothing; leave the other options out")
        verify_report(verify, folder=file if file.is_dir() else file.parent, quiet=quiet)
        return
    check_places(html, json, junit, markdown)
    from surefoot.project import load

    project = load(file)
    lock, sealing = LockFile.of(project, locked=locked), ProjectSeal.of(project)
    result = computed(project, store=store, workers=workers, dask=dask, quiet=quiet)
    if locked or not quiet:
        show_diagnostics(lock.differences(result))
    written = write_all(result, html=html, json=json, junit=junit, markdown=markdown)
    if not quiet:
        show_result(result, stderr=STDOUT in (html, json, junit, markdown))
        say_written(written)
        if html is None:
            say("surefoot report writes the report of it.", stderr=True)
    show_diagnostics([each for each in result.operation if not quiet or each.severity == "error"])
    lock.settle(result)
    if (broken := sealing.settle(result, quiet=quiet)) is not None:
        raise typer.Exit(broken)
    if fails(result, fail_on):
        raise typer.Exit(NOT_MET)


def computed(
    project: Project,
    *,
    store: str | None = None,
    workers: int | None = None,
    dask: str | None = None,
    quiet: bool = False,
) -> Result:
    """Run a project while progress is shown, and show what it warns about."""
    from surefoot.core import DiagnosticsError
    from surefoot.project import check, run

    if not quiet:
        found = check(project)
        DiagnosticsError.raise_if_any(found)
        show_diagnostics(found)
    with progress_shown(quiet=quiet) as progress:
        result = run(project, store=store, workers=workers, dask=dask, progress=progress)
    show_diagnostics(result.caveats)
    return result


def fails(result: Result, fail_on: FailOn) -> bool:
    """Whether the verdicts make the exit code 1."""
    if fail_on is FailOn.never:
        return False
    if fail_on is FailOn.violated:
        # Of two estimates that contradict each other, one may have been the violation.
        against = result.contradictions or result.disagreements
        return bool(against) or any(answer.verdict.status == "violated" for answer in result.answers)
    return not result.met or (fail_on is FailOn.open and result.headline.open)


# ``surefoot assess --verify``: whether a report can be computed again from the files that are here.

PAGES = (".html", ".htm")
MAPPINGS = ("definition", "evidence", "keys", "digests", "versions")
NEED_THE_FOLDER = ("file-missing", "unknown-reference")


def verify_report(report: Path, *, folder: Path, quiet: bool) -> None:
    """Print what differs; exit 2 when a file, a number, a verdict or what the page shows does."""
    from surefoot.project import verify

    recorded = _read(report)
    with progress_shown(quiet=quiet) as progress, _folder_hinted(report):
        compared = verify(recorded, folder=folder, progress=progress)
    different = [each for each in compared if not each.same]
    broken = [each for each in different if each.matters]
    if different and not quiet:
        rows = [(each.what, _short(each.recorded), _short(each.found)) for each in different]
        table(("what", "in the report", "here"), rows)
        say()
    true_page = _true_page(report)
    if not true_page:
        say(f"{report}: not genuine; what the page shows differs from what its own data say.")
    if broken:
        say(f"{report}: not reproduced; {len(broken)} of {len(compared)} recorded values differ.")
    elif true_page:
        same = len(compared) - len(different)
        say(f"{report}: reproduced; {same} of {len(compared)} recorded values are the same.")
    if different and not broken:
        say("Versions of libraries may differ as long as files, numbers and verdicts agree.")
    if broken or not true_page:
        raise typer.Exit(UNUSABLE)


def _read(report: Path) -> Mapping[str, Any]:
    from surefoot.core import DiagnosticsError
    from surefoot.report import read

    try:
        recorded = read(report)
        if not all(isinstance(recorded[part], Mapping) for part in MAPPINGS):
            raise TypeError("a part is no mapping")
        return recorded
    except (KeyError, TypeError, AttributeError) as error:
        hint = "Use the file as it was written."
        raise DiagnosticsError.of("file-unreadable", "its data are damaged", where=str(report), hint=hint) from error


@contextmanager
def _folder_hinted(report: Path) -> Iterator[None]:
    """A file that is not here is most likely in the folder of the project."""
    from surefoot.core import DiagnosticsError

    try:
        yield
    except DiagnosticsError as error:
        hint = f"Name the project's folder: surefoot assess FOLDER --verify {report}"
        told = [replace(d, hint=hint) if d.code in NEED_THE_FOLDER else d for d in error.diagnostics]
        raise DiagnosticsError(error.problem, diagnostics=told) from error


def _true_page(report: Path) -> bool:
    """Whether a page shows what its own data say."""
    from surefoot.report import same_page

    return report.suffix.lower() not in PAGES or same_page(report)


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:12]}..." if len(text) == 64 else text


# What ``surefoot assess`` does with the lock file: compare, and write it anew last of all.


@dataclass(frozen=True)
class LockFile:
    """The lock file as it was before the assessment."""

    path: Path
    before: Mapping[str, Any] | None
    locked: bool
    """Whether differences are errors and the file stays as it is."""

    @classmethod
    def of(cls, project: Project, *, locked: bool) -> LockFile:
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


# What ``surefoot assess`` does with the seal of a project: fail when a sealed claim no longer holds.

FELL = 1
SUFFIX, KEYS = ".seal.json", ".seal.*pub"


def seal_path(project: Project) -> Path:
    """The seal of a project file: ``surefoot.seal.json`` beside ``surefoot.yaml``."""
    from surefoot.project import lock_path

    return lock_path(project).with_suffix(SUFFIX)


def seal_status(found: list[Diagnostic]) -> int:
    """The exit code: a broken seal is worse than a claim that fell."""
    wrong = {each.code for each in found if each.severity == "error"}
    return UNUSABLE if wrong - {"seal-claim-fell"} else FELL if wrong else 0


@dataclass(frozen=True)
class ProjectSeal:
    """The seal as it was before the assessment, None where there is none, and the keys that must have signed it."""

    path: Path
    seal: Seal | None
    keys: tuple[PublicKey, ...] = ()

    @classmethod
    def of(cls, project: Project) -> ProjectSeal:
        """Read the seal; before the work begins, because a broken one stops it.

        By each key beside it, ``surefoot.seal.pub`` or ``surefoot.seal.assessor.pub``, it must be signed.
        """
        from surefoot.case import PublicKey, Seal
        from surefoot.core import Diagnostic

        path = seal_path(project)
        keys = sorted(path.parent.glob(glob.escape(path.name.removesuffix(SUFFIX)) + KEYS))
        if not path.exists():
            if keys:
                text = f"there is no seal, which {keys[0].name} beside it is there to check."
                hint = "Seal with: surefoot case seal --key KEY"
                show_diagnostics([Diagnostic("file-missing", text, "warning", str(path), hint)])
            return cls(path, None)
        return cls(path, Seal.read(path), tuple(map(PublicKey.read, keys)))

    def settle(self, result: Result, *, quiet: bool = False) -> int | None:
        """Show what differs; the exit status where a sealed claim fell or the seal is wrong, None where all is well."""
        from surefoot.case import verify

        if self.seal is None:
            return None
        found = verify(self.seal, result.snapshot, public_key=self.keys)
        status = seal_status(found) or None
        worth_telling = [each for each in found if each.severity == "error" or not (quiet or each.severity == "note")]
        show_diagnostics(worth_telling)
        if status:
            say(f"{self.path.name} does not hold any more; seal anew once it may change", stderr=True)
        elif not quiet:
            say(f"Every claim sealed in {self.path.name} holds.", stderr=True)
        return status
