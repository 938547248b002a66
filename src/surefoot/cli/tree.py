"""``surefoot tree``: a fault tree's top event, its cut sets, what matters, and what a target asks of events."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from surefoot.cli.numbers import positive, share
from surefoot.cli.options import AsJson, ThemeName
from surefoot.cli.tree_files import Wanted
from surefoot.cli.tree_question import Question, read_changes
from surefoot.cli.writing import check_places, say_written

if TYPE_CHECKING:
    from surefoot.cli.tree_answer import Answer
    from surefoot.drawing import Theme

NOT_MET = 1
MOST_SHOWN = 1_000_000
MOST_DRAWS = 10_000_000
MOST_NAMED = 10
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Open-PSA XML (all files of a model), YAML, JSON, Aralia text or static Galileo.",
        show_default=False,
    ),
]
Top = Annotated[
    str | None, typer.Option("--top", metavar="NAME", help="The top event, where a file has several, or another gate.")
]
Level = Annotated[str, typer.Option("--level", metavar="L", help="Level of intervals, and of the target.")]
Draws = Annotated[
    int, typer.Option("--draws", metavar="N", min=100, max=MOST_DRAWS, help="Joint draws of uncertain inputs.")
]
CutSetsShown = Annotated[
    int,
    typer.Option(
        "--cut-sets", metavar="N", min=0, max=MOST_SHOWN, help="Show so many minimal cut sets; 0 does not look."
    ),
]
Order = Annotated[
    int | None,
    typer.Option("--order", metavar="K", min=1, help="Only cut sets of at most K events, the smallest first."),
]
Cutoff = Annotated[str | None, typer.Option("--cutoff", metavar="P", help="Only cut sets at least so probable.")]
ImportanceShown = Annotated[
    int, typer.Option("--importance", metavar="N", min=0, max=MOST_SHOWN, help="Show so many events.")
]
Limit = Annotated[str | None, typer.Option("--target", metavar="P", help="The top event shall be at most so probable.")]
Chosen = Annotated[
    list[str] | None,
    typer.Option("--allocate", metavar="EVENT", help="Say what this event must be for the target; repeat for more."),
]
Method = Annotated[
    str, typer.Option("--method", metavar="HOW", help="How to allocate: equal, proportional, importance or cost.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="EVENT=P", help="Another probability; also true, false, or failures/trials."),
]
MissionTime = Annotated[
    float | None,
    typer.Option("--mission-time", metavar="T", help="Where the file gives none: in the unit of its rates."),
]
Diagram = Annotated[
    Path | None,
    typer.Option("--diagram", metavar="FILE", help="Draw the tree: .svg, .png or .pdf.", show_default=False),
]
Write = Annotated[
    Path | None,
    typer.Option("--write", metavar="FILE", help="Write the tree: .yaml, .json or .xml.", show_default=False),
]
TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit",
        metavar="S",
        min=0.001,
        help="Seconds until a certain interval has to do; cut sets may take five times as long.",
    ),
]
Nodes = Annotated[int, typer.Option("--node-budget", metavar="N", min=1, help="Most nodes of a decision diagram.")]


def tree(
    files: Files,
    top: Top = None,
    level: Level = "0.95",
    draws: Draws = 10_000,
    cut_sets: CutSetsShown = 5,
    order: Order = None,
    cutoff: Cutoff = None,
    importance: ImportanceShown = 5,
    target: Limit = None,
    allocate: Chosen = None,
    method: Method = "equal",
    changes: Changes = None,
    mission_time: MissionTime = None,
    diagram: Diagram = None,
    theme: ThemeName = None,
    write: Write = None,
    as_json: AsJson = False,
    time_limit: TimeLimit = 120.0,
    node_budget: Nodes = 20_000_000,
) -> None:
    """Compute the top event of a fault tree.

    Shows the exact probability with its uncertainty, the minimal cut sets and how much lies in those that are not
    shown, and the events that matter most. A file with several top events has all of them in one table: gates that
    are no input of another one, and sequences of event trees, each in every phase of an alignment. With --target it
    says whether the target is met, and with --allocate what each named event must be for it. Exits with 0, with 1 when
    a target is not met, with 2 when the input is wrong.
    """
    if allocate and target is None:
        raise typer.BadParameter("--allocate needs --target, which says what the top event shall be at most")
    check_places(diagram, write)
    question = Question(
        level=share(level, "--level", "0.95"),
        draws=draws,
        cut_sets=cut_sets,
        order=order,
        cutoff=None if cutoff is None else share(cutoff, "--cutoff", "1e-9"),
        importance=importance,
        target=None if target is None else share(target, "--target", "1e-6"),
        allocate=tuple(allocate or ()),
        method=method,
        changes=read_changes(changes or ()),
        mission_time=None if mission_time is None else positive(mission_time, "--mission-time"),
        seconds=time_limit,
        nodes=node_budget,
    )
    _answer(files, top, question, Wanted(diagram, write, cast("Theme | None", theme)), as_json)


def _answer(files: list[Path], top: str | None, question: Question, wanted: Wanted, as_json: bool) -> None:
    from surefoot.cli.progress import waiting
    from surefoot.cli.tree_answer import answer, read_trees
    from surefoot.cli.tree_json import tops_as_text
    from surefoot.cli.tree_shown import show_tops, warn_of_left_out

    wanted.check()
    with waiting(f"reading {files[0].name}") as tell:
        trees = read_trees(files, top, question)
        if len(trees) > 1:
            _refuse_for_several(trees, question, wanted)
        answers = {name: answer(tree, question, tell) for name, tree in trees.items()}
    warn_of_left_out(trees.values())
    if len(answers) > 1:
        typer.echo(tops_as_text(answers)) if as_json else show_tops(answers)
    else:
        [found] = answers.values()
        _show_one(found, wanted, as_json)
    if any(found.verdict is not None and not found.verdict for found in answers.values()):
        raise typer.Exit(NOT_MET)


def _show_one(found: Answer, wanted: Wanted, as_json: bool) -> None:
    from surefoot.cli.tree_json import as_text
    from surefoot.cli.tree_shown import show

    try:
        wanted.write(found)
    finally:
        typer.echo(as_text(found, wanted.written)) if as_json else show(found)
    say_written(wanted.written)


def _refuse_for_several(names: Collection[str], question: Question, wanted: Wanted) -> None:
    """Refuse what can be asked of one top event only."""
    asked = {
        "--set": question.changes,
        "--allocate": question.allocate,
        "--diagram": wanted.diagram,
        "--write": wanted.tree,
    }
    options = [option for option, value in asked.items() if value]
    if options:
        from surefoot import documents

        known = documents.listed(list(names), MOST_NAMED)
        text = f"{options[0]} is for one top event, and there are {len(names):,}: name one with --top ({known})"
        raise typer.BadParameter(text)
