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

from surefoot.cli.console import counted, listed, progress_shown, say
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
    from surefoot.project import Project, Result, Verification


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
        typer.Option(
            "--verify",
            metavar="REPORT",
            help="Compute this project anew, and compare a report (.html, .json) with it. Code, files and targets are "
            "those of the project here, whatever the report says.",
        ),
    ] = None,
    no_code: Annotated[
        bool,
        typer.Option(
            "--no-code", help="With --verify: run no code of the project and no pickle, and say what was left out."
        ),
    ] = False,
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
    With --verify nothing is written: 0 says that the report is what the files here give, 2 that it is not. A model in
    Python runs then as in any assessment: look through a folder that comes from somebody else first, or use --no-code.
    """
    if workers and dask:
        raise typer.BadParameter("give --workers or --dask, not both")
    if verify is not None:
        if locked or any((html, json, junit, markdown)):
            raise typer.BadParameter("--verify compares and writes nothing; leave the other options out")
        verify_report(verify, file=file, code=not no_code, quiet=quiet)
        return
    if no_code:
        raise typer.BadParameter("--no-code goes with --verify")
    check_places(html, json, junit, markdown)
    from surefoot.project import load

    project = load(file)
    lock, sealing = LockFile.of(project, locked=locked), ProjectSeal.of(project, store)
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


# ``surefoot assess --verify``: whether a report is what the project here gives.

PAGES = (".html", ".htm")
WIDEST = 60
NEED_THE_FOLDER = ("file-missing", "unknown-reference")
MAPPINGS = ("definition", "evidence", "keys", "digests", "versions")


def verify_report(report: Path, *, file: Path, code: bool, quiet: bool) -> None:
    """Print what differs and what was not compared; exit 2 when anything differs that matters."""
    from surefoot.project import load, verify
    from surefoot.report import shown_form

    recorded = _read(report)
    with _folder_hinted(report):
        project = load(file)
        with progress_shown(quiet=quiet) as progress:
            found = verify(recorded, project, code=code, form=shown_form(report), progress=progress)
    genuine = _genuine(report)
    if found.different and not quiet:
        listed(
            f"{each.what}: {_short(each.recorded)} in the report, {_short(each.found)} here" for each in found.different
        )
    if not genuine:
        say(f"{report}: not genuine; what it shows differs from what its own data say.")
    same, all_of_it = len(found.comparisons) - len(found.different), len(found.comparisons)
    broken = sum(each.matters for each in found.different)
    if broken:
        say(f"{report}: not reproduced; {broken} of {all_of_it} recorded values differ.")
    elif genuine:
        word = "agrees where it was computed" if found.not_computed else "reproduced"
        say(f"{report}: {word}; {same} of {all_of_it} recorded values are the same.")
    if found.different and not broken:
        say("Versions of libraries may differ as long as files, numbers and verdicts agree.")
    if not quiet:
        _tell_what_was_not_compared(found)
    if broken or not genuine:
        raise typer.Exit(UNUSABLE)


def _tell_what_was_not_compared(found: Verification) -> None:
    say("Taken from the report and not compared:")
    listed(found.not_compared)
    if found.not_computed:
        say("Not computed, because of --no-code; the results are those of the report:")
        listed(f"{step}: {code}" for step, code in found.not_computed.items())


def _read(report: Path) -> Mapping[str, Any]:
    from surefoot.core import DiagnosticsError
    from surefoot.report import shown_data

    try:
        recorded = shown_data(report)
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


def _genuine(report: Path) -> bool:
    """Whether a report shows what its own data say."""
    from surefoot.report import same_page

    return same_page(report)


def _short(value: object) -> str:
    from surefoot.documents import shortened

    text = str(value)
    return f"{text[:12]}..." if len(text) == 64 else shortened(text, WIDEST)


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


def chain_of(project: Project, store: str | None) -> dict[str, tuple[str, str]]:
    """The history of a project in its store: of each iteration the one before, and its date."""
    from surefoot.project import Store
    from surefoot.project.history import project_key
    from surefoot.project.runner import store_location

    found = Store.open(store_location(project, store)).chain(project_key(project))
    return {sha256: (link.before, link.created) for sha256, link in found.items()}


def seal_status(found: list[Diagnostic]) -> int:
    """The exit code: a broken seal is worse than a claim that fell."""
    wrong = {each.code for each in found if each.severity == "error"}
    return UNUSABLE if wrong - {"seal-claim-fell"} else FELL if wrong else 0


@dataclass(frozen=True)
class ProjectSeal:
    """The seal as it was before the assessment, None where there is none, and the keys that must have signed it."""

    path: Path
    project: Project
    store: str | None
    seal: Seal | None
    keys: tuple[PublicKey, ...] = ()
    pinned: str = ""
    """The first of the files of these keys."""

    @classmethod
    def of(cls, project: Project, store: str | None) -> ProjectSeal:
        """Read the seal; before the work begins, because a broken one stops it.

        By each key beside it, ``surefoot.seal.pub`` or ``surefoot.seal.assessor.pub``, it must be signed.
        """
        from surefoot.case import PublicKey, Seal

        path = seal_path(project)
        keys = sorted(path.parent.glob(glob.escape(path.name.removesuffix(SUFFIX)) + KEYS))
        seal = Seal.read(path) if path.exists() else None
        read = tuple(map(PublicKey.read, keys)) if seal else ()
        return cls(path, project, store, seal, read, keys[0].name if keys else "")

    def settle(self, result: Result, *, quiet: bool = False) -> int | None:
        """Show what differs; the exit status where a sealed claim fell or the seal is wrong, None where all is well."""
        from surefoot.case import verify
        from surefoot.core import Diagnostic

        if self.seal is None:
            if not self.pinned:
                return None
            text = f"there is no seal, and {self.pinned} beside it says that there must be one."
            hint = "Put the seal back; or seal with: surefoot case seal --key KEY; or take the key away."
            show_diagnostics([Diagnostic("file-missing", text, "error", str(self.path), hint)])
            return UNUSABLE
        now = replace(result.snapshot, chain=chain_of(self.project, self.store))
        found = verify(self.seal, now, public_key=self.keys)
        status = seal_status(found) or None
        worth_telling = [each for each in found if each.severity == "error" or not (quiet or each.severity == "note")]
        show_diagnostics(worth_telling)
        if status:
            say(f"{self.path.name} does not hold any more; seal anew once it may change", stderr=True)
        elif not quiet:
            say(f"Every claim sealed in {self.path.name} holds.", stderr=True)
        return status
