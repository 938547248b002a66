"""``surefoot tree``: a fault tree's top event, its cut sets, what matters, and what a target asks of events."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from surefoot.cli.conventions import AsJson, ThemeName, TreeFiles, as_number, positive, say_written, share

if TYPE_CHECKING:
    from surefoot.core import Diagnostic, Target, Verdict
    from surefoot.drawing import Theme
    from surefoot.faulttree import Budget, FaultTree
    from surefoot.faulttree.allocation import Allocation
    from surefoot.faulttree.analysis import Approximation, TreeResult
    from surefoot.faulttree.cutsets import CutSets
    from surefoot.faulttree.importance import Importance
    from surefoot.faulttree.model import Change


NOT_MET = 1
MOST_SHOWN = 1_000_000
MOST_DRAWS = 10_000_000
MOST_NAMED, MOST_EVENTS_NAMED = 10, 5
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
    _answer(files, top, question, TreeFiles(write, diagram, cast("Theme | None", theme)), as_json)


def _answer(files: list[Path], top: str | None, question: Question, wanted: TreeFiles, as_json: bool) -> None:
    from surefoot.cli.console import waiting
    from surefoot.cli.hazards.tree_results import show_tops, tops_as_text, warn_of_left_out

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


def _show_one(found: Answer, wanted: TreeFiles, as_json: bool) -> None:
    from surefoot.cli.hazards.tree_results import as_text, show

    try:
        wanted.write(found.tree, values=found.values if wanted.diagram else None)
    finally:
        typer.echo(as_text(found, wanted.written)) if as_json else show(found)
    say_written(wanted.written)


def _refuse_for_several(names: Collection[str], question: Question, wanted: TreeFiles) -> None:
    """Refuse what can be asked of one top event only."""
    asked = {
        "--set": question.changes,
        "--allocate": question.allocate,
        "--diagram": wanted.diagram,
        "--write": wanted.tree,
    }
    options = [option for option, value in asked.items() if value]
    if options:
        from surefoot.documents import listed as several

        known = several(list(names), MOST_NAMED)
        text = f"{options[0]} is for one top event, and there are {len(names):,}: name one with --top ({known})"
        raise typer.BadParameter(text)


# What is asked of a fault tree on the command line.

MOST_DIGITS = 15
TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class Question:
    """The options of the command, each as a number."""

    level: float
    draws: int
    cut_sets: int
    order: int | None
    cutoff: float | None
    importance: int
    target: float | None
    allocate: tuple[str, ...]
    method: str
    changes: Mapping[str, Change]
    mission_time: float | None
    seconds: float
    nodes: int

    @property
    def aim(self) -> Target | None:
        """The target of the top event."""
        from surefoot.core import Target

        return None if self.target is None else Target(at_most=self.target, level=self.level)


def read_changes(texts: Iterable[str]) -> dict[str, Change]:
    """From ``EVENT=P`` to values: a probability, true or false, or failures/trials. Refuses all that is wrong."""
    found: dict[str, Change] = {}
    wrong = []
    for text in texts:
        name, separator, value = map(str.strip, text.rpartition("="))
        change = _value(value)
        if not separator or not name:
            wrong.append(f"--set {text}: write EVENT=P, such as 'pump fails=1e-3'")
        elif name in found:
            wrong.append(f"--set {text}: {name} is set twice; leave one out")
        elif change is None:
            wrong.append(f"--set {text}: give a probability, true, false, or failures/trials such as 2/5000")
        else:
            found[name] = change
    if wrong:
        raise typer.BadParameter("\n".join(wrong))
    return found


def _value(value: str) -> Change | None:
    """The value that a text means, if any."""
    if value in TRUTHS:
        return TRUTHS[value]
    failures, separator, trials = value.partition("/")
    if separator and _is_count(failures) and _is_count(trials) and int(failures) <= int(trials) > 0:
        from surefoot.faulttree.quantities import Counts

        return Counts(int(failures), int(trials))
    number = as_number(value)
    return number if 0 <= number <= 1 else None


def _is_count(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and len(text) <= MOST_DIGITS


# Names that people type for parts of a fault tree, all refused at once where they are none.


def check_names(tree: FaultTree, question: Question) -> None:
    """Refuse what ``--set`` and ``--allocate`` name and the tree does not have."""
    from surefoot.core import DiagnosticsError

    events = {*tree.events, *(member for group in tree.groups for member in group.members)}
    others = {*tree.gates, *tree.houses, *tree.parameters}
    if not {*question.changes, *question.allocate} <= events | others:
        events |= set(tree.expanded.events)
        others |= {*tree.expanded.gates, *tree.expanded.parameters}
    found = [
        *_unknown("--set", "event, gate or parameter", question.changes, events | others),
        *_unknown("--allocate", "event", question.allocate, events),
        *_grouped(tree, question),
    ]
    DiagnosticsError.raise_if_any(found)


def _grouped(tree: FaultTree, question: Question) -> Iterator[Diagnostic]:
    """A member of a group has its probability from the group."""
    from surefoot.core import Diagnostic

    hint = "Set it true or false, or change the group in the file."
    for group in tree.groups:
        for name in group.members:
            if name in question.changes and not isinstance(question.changes[name], bool):
                text = f"{name!r} has its probability from the common-cause group {group.name!r}."
                yield Diagnostic("tree-unsupported", text, "error", "--set", hint)


def _unknown(option: str, kind: str, names: Iterable[str], known: Collection[str]) -> Iterator[Diagnostic]:
    from surefoot.core import Diagnostic, InvalidInput, validate

    for name in names:
        try:
            validate.choice(name, known, where=option, name=kind)
        except InvalidInput as error:
            yield Diagnostic(
                "tree-undefined", f"{name!r} is no {kind} of the tree.", "error", option, error.remedy or ""
            )


# The answers to what is asked of a fault tree.

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Answer:
    """A tree and what was found of it; nothing numerical where some events have no probability."""

    tree: FaultTree
    question: Question
    unknown: tuple[str, ...]
    result: TreeResult | None
    as_in_file: float | None
    """The probability before anything was set, where something was."""
    allocation: Allocation | None

    @property
    def verdict(self) -> Verdict | None:
        """Whether the target is met; None without one."""
        return self.result.verdict if self.result else None

    @property
    def compiled(self) -> bool:
        """Whether the whole logic is known, so that cut sets can be counted."""
        return self.result is None or self.result.compiled

    @cached_property
    def cut_sets(self) -> CutSets | None:
        """The minimal cut sets that are shown, the most probable or the smallest first.

        None beyond the budget, and where nobody wants to see one: finding them can take longer than everything else.
        """
        from surefoot.faulttree.logic.engines import OverLimit

        if not self.compiled or not self.question.cut_sets:
            return None
        q = self.question
        by = "order" if q.order is not None or self.unknown else "probability"
        try:
            return self.tree.cut_sets(order=q.order, cutoff=q.cutoff, limit=q.cut_sets, by=by)
        except OverLimit:
            return None

    @cached_property
    def approximations(self) -> tuple[Approximation, ...]:
        """What others would give for the probability, from the cut sets."""
        return () if self.result is None or self.cut_sets is None else self.result.approximations

    @cached_property
    def importance(self) -> Importance | None:
        """The events that matter most; None where nobody asked, or the top event cannot happen."""
        from surefoot.core import Undefined

        if self.result is None or not self.result.compiled or not self.question.importance:
            return None
        try:
            found = self.tree.importance(level=self.question.level, gates=False)
        except Undefined:
            return None
        return found.sorted().first(self.question.importance)

    @property
    def values(self) -> dict[str, float]:
        """Probabilities of events, and of the top event where it is known."""
        from surefoot.faulttree.quantities import probabilities

        known = [name for name, quantity in self.tree.events.items() if quantity is not None]
        values = {name: float(value) for name, value in probabilities(self.tree, events=known).items()}
        top = None if self.result is None else self.result.probability
        return values if top is None else {**values, self.tree.top: top}


def read_trees(files: Sequence[Path], top: str | None, question: Question) -> dict[str, FaultTree]:
    """All top events of the file, or those that are meant; what is left out of them is shown with the answer."""
    from surefoot.faulttree import FaultTree
    from surefoot.faulttree.formats import PartLeftOut

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartLeftOut)
        return FaultTree.read_all(files, top=top, mission_time=question.mission_time)


def answer(read: FaultTree, question: Question, tell: Tell) -> Answer:
    """Compute what is asked of a tree."""
    from surefoot.faulttree.model import changed

    check_names(read, question)
    tell(f"computing {read.top}")
    changes = question.changes
    tree = changed(read, changes, where="--set") if changes else read
    unknown = _without_probability(tree)
    if unknown:
        return _without_numbers(tree, question, unknown)
    before = (
        _analysed(read, replace(question, draws=1)).probability if changes and not _without_probability(read) else None
    )
    result = _analysed(tree, question)
    return Answer(tree, question, (), result, before, _allocation(tree, question) if result.compiled else None)


def _without_numbers(tree: FaultTree, question: Question, unknown: tuple[str, ...]) -> Answer:
    if question.target is not None and not set(unknown) <= set(question.allocate):
        from surefoot.core import InvalidInput

        raise InvalidInput(
            "a target needs the probability of every event",
            where=tree.name,
            found=f"none for {listed(unknown)}",
            remedy="Give them with --set EVENT=P, or ask with --allocate what they must be.",
        )
    _compile(tree, question)
    return Answer(tree, question, unknown, None, None, _allocation(tree, question))


def _compile(tree: FaultTree, question: Question) -> None:
    """Without probabilities there is no interval to fall back on."""
    from surefoot.core import DiagnosticsError
    from surefoot.faulttree.logic import BeyondBudget

    try:
        tree.compile(_budget(question))
    except BeyondBudget:
        text = "the tree is too large to find its cut sets within the budget, and some events have no probability."
        hint = "Raise --time-limit or --node-budget, or give each event a probability: an interval can then be found."
        raise DiagnosticsError.of("tree-beyond-budget", text, where=tree.name, hint=hint) from None


def _without_probability(tree: FaultTree) -> tuple[str, ...]:
    """Events without a probability."""
    return tuple(name for name, quantity in tree.events.items() if quantity is None)


def _analysed(tree: FaultTree, question: Question) -> TreeResult:
    return tree.analyse(level=question.level, draws=question.draws, target=question.aim, budget=_budget(question))


def _budget(question: Question) -> Budget:
    from surefoot.faulttree import Budget

    return Budget(question.nodes, question.seconds)


def _allocation(tree: FaultTree, question: Question) -> Allocation | None:
    """Requirements that hold with the other events on the safe side of what is uncertain about them."""
    if not question.allocate or question.aim is None:
        return None
    from surefoot.faulttree.uncertainty import relevant_inputs

    level = question.level if relevant_inputs(tree) else None
    return tree.allocate(question.aim, events=list(question.allocate), method=question.method, level=level)


def listed(names: Sequence[str]) -> str:
    """The first few names."""
    from surefoot.documents import listed as several

    return several(names, MOST_EVENTS_NAMED)
