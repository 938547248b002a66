"""``surefoot assess``: run a project and answer its targets."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.console import say
from surefoot.cli.failures import show_diagnostics
from surefoot.cli.locking import Locking
from surefoot.cli.options import PROJECT_FILE, ProjectFile, StorePlace
from surefoot.cli.progress import progress_shown
from surefoot.cli.sealing import Sealing
from surefoot.cli.verdicts import show_result
from surefoot.cli.writing import STDOUT, check_places, say_written, write_all

if TYPE_CHECKING:
    from surefoot.project import Project, Result

NOT_MET = 1
RESUME = "Stopped. Finished steps are kept; run the same command to resume."


class FailOn(StrEnum):
    """What makes the exit code 1."""

    unmet = "unmet"
    violated = "violated"
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
        FailOn, typer.Option("--fail-on", metavar="unmet|violated|never", help="Verdicts that make the exit code 1.")
    ] = FailOn.unmet,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no verdicts.")] = False,
) -> None:
    """Assess a project: compute its evidence and answer its targets.

    Exit code 0: every target is met at the level that covers all looks at the test data. 1: one is not, operation
    contradicts one, or a claim sealed in surefoot.seal.json no longer holds. 2: the project could not be assessed.
    Steps that the store already has are not computed again; Ctrl-C keeps what is finished.
    """
    if workers and dask:
        raise typer.BadParameter("give --workers or --dask, not both")
    if verify is not None:
        if locked or any((html, json, junit, markdown)):
            raise typer.BadParameter("--verify compares and writes nothing; leave the other options out")
        from surefoot.cli.verification import verify_report

        verify_report(verify, folder=file if file.is_dir() else file.parent, quiet=quiet)
        return
    check_places(html, json, junit, markdown)
    from surefoot.project import load

    project = load(file)
    lock, sealing = Locking.of(project, locked=locked), Sealing.of(project)
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
    from surefoot.project import check, run

    if not quiet:
        show_diagnostics(check(project))
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
    return not result.met
