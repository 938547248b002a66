"""Parts of the campaign: each says what it did and what it found, and ends with 1 where it found something."""

from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__, pretty_exceptions_enable=False)
console = Console(width=160, highlight=False)
KEPT = Path("out") / "harden"
Inputs = Annotated[int, typer.Option(help="Damaged files in all, shared among the readers.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same campaign.")]


@app.command()
def fuzz(
    readers: Annotated[
        list[str] | None, typer.Argument(help="Which readers, such as tree or seal; all by default.")
    ] = None,
    inputs: Inputs = 20_000,
    seed: Seed = 0,
) -> None:
    """Read damaged files: a result or a coded error each, within ten seconds and a gigabyte."""
    from tests.harden import fuzzing
    from tests.harden.readers import READERS

    names = readers or list(READERS)
    bad = read = 0
    for name in names:
        with progress(name, inputs // len(names)) as seen:
            found = fuzzing.campaign(
                name,
                inputs // len(names),
                seed=seed,
                keep=KEPT / name,
                on_progress=lambda tally, seen=seen: seen(tally.inputs),
            )
        console.print(f"{name}: {found.inputs:,} read, {found.accepted:,} accepted, {found.refused:,} refused")
        for kind, count in found.findings.most_common():
            console.print(f"  {count:,} x {kind}\n{found.texts[kind]}", markup=False)
        bad += found.findings.total()
        read += found.inputs
    ended(
        f"{read:,} damaged files",
        [f"{bad} without a result or a coded error; the first of each kind is in {KEPT}"] * (bad > 0),
    )


@app.command()
def kill(
    moments: Annotated[int, typer.Option(help="How many assessments to kill at random moments.")] = 50,
    seed: Seed = 0,
) -> None:
    """Kill assessments at random moments and at every operation on a file; the next has the same digests."""
    from tests.harden import crashes

    with progress("random moments", moments) as seen:
        found = crashes.kill_at_random(moments, seed=seed, on_progress=seen)
    with progress("every operation", None) as seen:
        every = crashes.kill_at_every_operation(on_progress=seen)
    ended(
        f"{found['kills']} killed at random moments, {every['kills']} at each operation",
        [*found["problems"], *every["problems"]],
    )


@app.command()
def power(losses: Annotated[int, typer.Option(help="How many losses of power.")] = 2000, seed: Seed = 0) -> None:
    """Lose power after each operation of a writer: what was told to be stored is there and whole."""
    from tests.harden import crashes

    with progress("power", losses) as seen:
        found = crashes.lose_power(losses, seed=seed, on_progress=seen)
    ended(f"{found['losses']:,} losses of power after {found['operations']} operations", found["problems"])


@app.command()
def soak(
    lines: Annotated[int, typer.Option(help="Lines for surefoot watch.")] = 200_000,
    projects: Annotated[int, typer.Option(help="Projects on one store.")] = 20,
    processes: Annotated[int, typer.Option(help="Processes that assess them.")] = 8,
) -> None:
    """Watch millions of lines with flat memory, and assess many projects at a time on one store."""
    from tests.harden import soak

    with progress("lines", lines) as seen:
        found = soak.lines_through_watch(lines, on_progress=seen)
    crowd = soak.projects_on_one_store(projects, processes)
    early, late = found["early"] / 1e6, found["late"] / 1e6
    ended(
        f"{found['lines']:,} lines in {found['seconds']:.0f} s, memory {early:.0f} MB, then {late:.0f} MB; "
        f"{crowd['projects']} projects by {crowd['processes']} processes",
        [*found["problems"], *crowd["problems"]],
    )


@app.command()
def mutants(
    targets: Annotated[
        list[str] | None, typer.Argument(help="core, bounds, logic, confidence, verification; all by default.")
    ] = None,
    most: Annotated[int, typer.Option(help="Mutants of each target, drawn at random; 0 for all.")] = 100,
    least: Annotated[float, typer.Option(help="Share that tests must notice.")] = 0.9,
    seed: Seed = 0,
) -> None:
    """Change functions, one thing at a time: some test must notice."""
    from tests.harden.mutants import TARGETS, campaign

    problems = []
    for name in targets or TARGETS:
        with progress(name, most or None) as seen:
            found = campaign(name, most=most or None, seed=seed, on_progress=lambda f, _, seen=seen: seen(f["mutants"]))
        share = found["killed"] / found["mutants"]
        console.print(
            f"{name}: {found['killed']} of {found['mutants']} noticed ({share:.0%}), {found['unreached']} unreached"
        )
        for survivor in found["survivors"]:
            console.print(f"  {survivor}", markup=False)
        if share < least:
            problems.append(f"{name}: {share:.0%} noticed")
    ended("mutants", problems)


@app.command()
def versions(
    pythons: Annotated[list[Path] | None, typer.Argument(help="Interpreters; this one by default.")] = None,
    suite: Annotated[bool, typer.Option(help="Run the tests too, not only the demo.")] = False,
) -> None:
    """Build a wheel and an sdist, install them bare, and run the demo; with the oldest libraries, too."""
    import sys

    from tests.harden import versions

    home, problems = Path(mkdtemp(prefix="harden-")), []
    files = versions.distributions(home)
    pythons = pythons or [Path(sys.executable)]
    tried = [(f"{file.name} under {python}", versions.demo_of, (python, file)) for python in pythons for file in files]
    tried.append((f"oldest libraries under {pythons[0]}", versions.demo_with_oldest, (pythons[0], files[-1])))
    for number, (what, attempt, given) in enumerate(tried):
        try:
            attempt(*given, home / str(number))
            console.print(f"{what}: the demo ran")
        except RuntimeError as error:
            problems.append(f"{what}: {error}")
    for python in pythons if suite else ():
        try:
            console.print(
                f"{python}: {versions.suite_of(python, home / f'suite-{python.parent.parent.name}', 'tests')}",
                markup=False,
            )
        except RuntimeError as error:
            problems.append(f"{python}: {error}")
    ended(f"{len(tried)} installations", problems)


def ended(done: str, problems: list[str]) -> None:
    for problem in problems:
        console.print(problem, markup=False)
    console.print(f"{done}: {f'{len(problems)} problems' if problems else 'nothing found'}")
    raise typer.Exit(1 if problems else 0)


class progress:  # noqa: N801
    """A bar for as long as the block lasts; calling what it gives moves it."""

    def __init__(self, name, total):
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.bar = Progress(*columns, console=console, disable=not console.is_terminal)
        self.task = self.bar.add_task(name, total=total)

    def __enter__(self):
        self.bar.start()
        return lambda done: self.bar.update(self.task, completed=done)

    def __exit__(self, *_):
        self.bar.stop()


app()
