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
MADE_BY_TRAINING = ("model.skops", "forest.skops", "train.npz", "test.npz")
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
    from surefoot.cli.locking import Locking
    from surefoot.cli.verdicts import show_result
    from surefoot.cli.writing import put
    from surefoot.project import load
    from surefoot.report import html

    home = folder / FOLDER
    _keep_foreign_report(home, folder / REPORT)
    copy_missing("demo", home)
    _train_once(home)
    project = load(home / PROJECT_FILE)
    lock = Locking.of(project, locked=False)
    result = computed(project)
    put(html(result), folder / REPORT)
    show_result(result)
    _say_what_next(home, folder / REPORT)
    lock.settle(result)


def _train_once(home: Path) -> None:
    from surefoot.documents.whole_file import writing

    if not all((home / name).exists() for name in MADE_BY_TRAINING):
        say("Training on one half of the patients ...", stderr=True)
        with writing(str(home)):
            runpy.run_path(str(home / TRAINING), run_name="__main__")


def _keep_foreign_report(project: Path, report: Path) -> None:
    if report.exists() and not project.exists():
        from surefoot.core import InvalidInput

        raise InvalidInput("there is a report already", where=str(report), remedy="Name another place with --folder.")


def _say_what_next(project: Path, report: Path) -> None:
    say(f"\nReport: {report.resolve()}")
    say(f"Next: open it, change {project / PROJECT_FILE}, and run: surefoot assess {project} --html {report}")
    say("Your own model: surefoot init my-project")
