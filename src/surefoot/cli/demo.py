"""``surefoot demo``: a whole assessment, from training to report."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.console import say
from surefoot.cli.options import PROJECT_FILE
from surefoot.cli.projects import copy_missing

FOLDER = "surefoot-demo"
TRAINING = "train.py"
MADE_BY_TRAINING = ("model.skops", "test.npz")
REPORT = "report.html"


def demo(
    folder: Annotated[
        Path, typer.Option("--folder", metavar="DIR", help=f"Where to make {FOLDER}/ and {REPORT}.")
    ] = Path(),
) -> None:
    """See an assessment, from training to report.

    Trains a breast-cancer classifier on data that come with scikit-learn, assesses it on patients it has never seen,
    and writes report.html. Works offline and takes seconds. The targets were chosen beforehand; not all need be met.
    """
    from surefoot.cli.assess import computed
    from surefoot.cli.verdicts import show_result
    from surefoot.cli.writing import put
    from surefoot.project import load
    from surefoot.report import html

    project = folder / FOLDER
    _keep_foreign_report(project, folder / REPORT)
    copy_missing("demo", project)
    if not all((project / name).exists() for name in MADE_BY_TRAINING):
        say("Training on one half of the patients ...", stderr=True)
        runpy.run_path(str(project / TRAINING), run_name="__main__")
    result = computed(load(project / PROJECT_FILE))
    show_result(result)
    put(html(result), folder / REPORT)
    _say_what_next(project, folder / REPORT)


def _keep_foreign_report(project: Path, report: Path) -> None:
    if report.exists() and not project.exists():
        from surefoot.core import InvalidInput

        raise InvalidInput("there is a report already", where=str(report), remedy="Name another place with --folder.")


def _say_what_next(project: Path, report: Path) -> None:
    say(f"\nReport: {report.resolve()}")
    say(f"Next: open it, change {project / PROJECT_FILE}, and run: surefoot assess {project} --html {report}")
    say("Your own model: surefoot init my-project")
