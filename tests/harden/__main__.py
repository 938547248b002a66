"""``python -m tests.harden fuzz | ...``: each part says what it did and what it found, and ends with 1 where it found something."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.harden import fuzzing
from tests.harden.readers import READERS

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
console = Console(width=160, highlight=False)
KEPT = Path("out") / "harden"


@app.callback()
def harden() -> None:
    """Try to break Surefoot."""


@app.command()
def fuzz(
    readers: Annotated[list[str] | None, typer.Argument(help=f"Which: {', '.join(READERS)}; all by default.")] = None,
    inputs: Annotated[int, typer.Option(help="Damaged files in all, shared among the readers.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The same seed and numbers give the same files.")] = 0,
) -> None:
    """Read damaged files: a result or a coded error each, within ten seconds and a gigabyte."""
    names = readers or list(READERS)
    bad = 0
    with progress() as bar:
        for name in names:
            share = inputs // len(names)
            task = bar.add_task(name, total=share)
            found = fuzzing.campaign(
                name, share, seed=seed, keep=KEPT / name, on_progress=lambda t, task=task: bar.update(task, completed=t.inputs)
            )
            bar.console.print(f"{name}: {found.inputs:,} read, {found.accepted:,} accepted, {found.refused:,} refused")
            for kind, count in found.findings.most_common():
                bar.console.print(f"  {count:,} x {kind}\n{found.texts[kind]}", markup=False)
            bad += found.findings.total()
    raise typer.Exit(1 if bad else 0)


def progress() -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console)


app()
