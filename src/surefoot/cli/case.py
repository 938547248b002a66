"""``surefoot case show``, ``check``, ``draw``, ``convert``, ``new`` and ``matrix``: a case, whatever file it is in."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from surefoot.cli.assess import PAGES
from surefoot.cli.case_change import ANYWHERE, Sources, asked_of, evaluated, kind_of, snapshot_at
from surefoot.cli.console import console, counted, plain, quoted, say, table
from surefoot.cli.conventions import (
    LEFT_TO_DO,
    PROJECT_FILE,
    UNUSABLE,
    AsJson,
    StorePlace,
    ThemeName,
    check_places,
    free_place,
    not_folders,
    not_the_source,
    say_written,
)

if TYPE_CHECKING:
    from rich.text import Text

    from surefoot.case.coverage_matrix import Coverage
    from surefoot.case.evaluation import Assessed, Doubt, Evaluation, Standing
    from surefoot.case.model import Case, Node, Notation
    from surefoot.case.parts import Part
    from surefoot.core import Diagnostic
    from surefoot.drawing import Theme


VERSION = 1
TO_FILL = "fill what stands in braces and remove the lines uninstantiated: true"
NotationName = Annotated[
    str | None,
    typer.Option("--notation", metavar="cae|gsn", help="Words and shapes of CAE or GSN.", show_default=False),
]
Tag = Annotated[
    str | None,
    typer.Option("--tag", metavar="TAG", help="Only nodes with this tag, and those above them.", show_default=False),
]
Depth = Annotated[int | None, typer.Option("--depth", min=1, metavar="N", help="Levels to show.", show_default=False)]
ModuleName = Annotated[
    str | None,
    typer.Option("--module", metavar="NAME", help="Only this module; main is the first.", show_default=False),
]
NodeName = Annotated[
    str | None, typer.Option("--node", metavar="ID", help="Only this node and all below it.", show_default=False)
]
Opinions = Annotated[
    bool, typer.Option("--opinions", help="Every node by subjective logic as well, with its base rates.")
]
AllDoubts = Annotated[bool, typer.Option("--doubts", help="All doubts, not only those that decide most.")]
EvidencePlace = Annotated[
    Path | None,
    typer.Option(
        "--evidence", metavar="SOURCE", help="What was measured: a project, or a report of it.", show_default=False
    ),
]
NO_FILE = Path()
Picture = Annotated[
    Path, typer.Argument(metavar="OUT", help="File to write: .svg, .pdf, .png, .md, .mmd or .html.", show_default=False)
]
NewFile = Annotated[
    Path, typer.Argument(metavar="OUT", help="File to write: .yaml, .json, .gsn.yaml or .xmi.", show_default=False)
]
NewPlace = Annotated[
    Path | None,
    typer.Argument(
        metavar="OUT",
        help="File to write (.yaml, .json, .gsn.yaml or .xmi), or a folder for a file each module.",
        show_default=False,
    ),
]
AllTemplates = Annotated[bool, typer.Option("--list", help="Show what templates there are.")]
MatrixPlaces = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[SOURCE]... [OUT]",
        help=f"{ANYWHERE} With OUT (.csv or .md) the whole table is written there.",
        show_default=PROJECT_FILE,
    ),
]
StandardName = Annotated[
    str | None,
    typer.Option(
        "--standard",
        metavar="NAME",
        help="AMLAS, UL 4600, ISO 26262, ...",
        show_default="all that nodes are tagged with",
    ),
]
MOST_IDS = 4
"""Ids in a cell of the terminal."""
STATE_STYLES = {"gap": "bold red", "open": "yellow", "shown": "green"}
Template = Annotated[
    str,
    typer.Option(
        "--template",
        metavar="NAME",
        help="Which pattern: amlas, system, component, ...; --list shows all.",
    ),
]


def show(
    sources: Sources = None,
    notation: NotationName = None,
    tag: Tag = None,
    module: ModuleName = None,
    node: NodeName = None,
    depth: Depth = None,
    evidence: EvidencePlace = None,
    store: StorePlace = None,
    doubts: AllDoubts = False,
    opinions: Opinions = False,
) -> None:
    """Show a case as an outline, with how each claim stands.

    Each line has a sign for the standing (supported, not shown, contradicted), the number that is claimed, what was
    measured, and how surely all targets below hold together. Below it stand the doubts, what decides most first.
    """
    found = evaluated(snapshot_at(_named(sources), store=store), evidence)
    case = _part(found.case, tag, module, node).case
    if not len(case):
        say("The case has no nodes.")
    elif found.evaluation is not None:
        show_outline(case, found.evaluation, notation=_notation(notation) or case.notation, depth=depth)
        show_surely(case, found.evaluation, every=doubts)
        if opinions:
            show_opinions(case, found.evaluation)


def check(
    sources: Sources = None, evidence: EvidencePlace = None, store: StorePlace = None, json: AsJson = False
) -> None:
    """Say what is wrong or doubtful with a case.

    Looks at its structure, its numbers and, with --evidence or for a project or report, at what was measured and what
    the targets ask for. Exits with 0 when nothing is left to do, with 1 when something is, with 2 when something is
    wrong. A pattern may have places that are still to be filled in.
    """
    found = snapshot_at(_named(sources), store=store)
    if evidence is not None:
        found = evaluated(found, evidence)
    findings = found.case.check(found.evidence or None, targets=asked_of(found) or None, unattached=found.unattached)
    if found.evaluation is not None:
        findings = [*findings, *found.evaluation.findings]
    typer.echo(_as_json(found.case, findings)) if json else _show(found.case, findings)
    severities = {each.severity for each in findings}
    if severities - {"note"}:
        raise typer.Exit(UNUSABLE if "error" in severities else LEFT_TO_DO)


def draw(
    sources: Sources = None,
    output: Picture = NO_FILE,
    notation: NotationName = None,
    tag: Tag = None,
    module: ModuleName = None,
    node: NodeName = None,
    depth: Depth = None,
    theme: ThemeName = None,
    evidence: EvidencePlace = None,
    store: StorePlace = None,
) -> None:
    """Draw a case in CAE or GSN, or write it for people to read.

    The ending says what is written: a picture (.svg, .pdf, .png), an outline (.md), a Mermaid diagram (.mmd) or a page
    (.html) in which branches open and close, with search. Where the case was assessed, or --evidence is given, it shows
    how each node stands. --module, --node and --depth draw a part, with the number of nodes that were cut away.
    """
    from surefoot.case.formats.case_file import refuse_large, render

    places = _named(sources)
    check_picture(output)
    check_output(output, *places)
    chosen = _notation(notation)
    found = snapshot_at(places, store=store)
    part = _part(found.case, tag, module, node, depth)
    refuse_large(part.case, output)
    if evidence is not None:
        found = evaluated(found, evidence)
    if output.suffix.lower() == ".html" and theme is None:
        _write_page(part, found.evaluation, chosen, output)
    else:
        shown = found.case if tag is None else _part(found.case, tag).case
        render(
            shown,
            output,
            evaluation=found.evaluation,
            notation=chosen,
            module=module,
            node=node,
            depth=depth,
            theme=cast("Theme | None", theme),
        )
    of = f" of {len(found.case):,}" if len(part.case) < len(found.case) else ""
    say(f"{found.case.name or places[0]}: {counted(part.case, 'node')}{of}{f' with {tag} or above' if tag else ''}.")
    say_written([output])
    remark(part.case, output)


def _write_page(part: Part, evaluation: Evaluation | None, notation: Notation | None, output: Path) -> None:
    """The graph of the report by itself; nodes that nobody assessed say nothing of how they stand."""
    from dataclasses import replace

    from surefoot.documents import write_whole
    from surefoot.report import case_page

    case = replace(part.case, notation=notation or part.case.notation)
    write_whole(output, case_page(case, evaluation, cut=part.cut))


def convert(sources: Sources = None, output: NewFile = NO_FILE, store: StorePlace = None) -> None:
    """Write a case in another format.

    Reads YAML, JSON, gsn2x YAML and SACM XMI, and the case in a project or report; writes .yaml, .json, .gsn.yaml
    or .xmi by the ending.
    """
    places = _named(sources)
    check_output(output, *places)
    case = snapshot_at(places, store=store).case
    written = case.write(output)
    say(f"{case.name or places[0]}: {counted(case, 'node')}.")
    say_written([written])


def new(
    output: NewPlace = None,
    template: Template = "component",
    notation: NotationName = None,
    list_: AllTemplates = False,
) -> None:
    """Start a case from a template.

    Writes the claims, arguments and assumptions that such a case needs, with placeholders in braces to fill in; YAML
    has comments that say what goes where. A folder gets a file for each module. Nothing is overwritten.
    """
    from surefoot.case import PATTERNS, pattern
    from surefoot.case.templates.patterns import PATTERN_SUMMARIES, files_of, to_fill, write_pattern
    from surefoot.core import validate

    if list_:
        rows = [(name, str(len(pattern(name))), said) for name, said in PATTERN_SUMMARIES.items()]
        table(("template", "nodes", "what it is"), rows, right=("nodes",))
        return
    if output is None:
        raise typer.BadParameter("name the file or folder to write, or use --list")
    validate.choice(template, tuple(PATTERNS), where="--template", name="template")
    chosen = _notation(notation) or "cae"
    files = files_of(template, output)
    check_places(output)
    for file in files:
        if file == output:
            check_output(file)
    free_place(*files, *written_beside(output))
    written = write_pattern(template, output, chosen)
    say_written(written)
    case = pattern(template)
    say(f"{counted(case, 'node')}, of which {sum(node.uninstantiated for node in case)} are to be filled in.")
    shared = {name: count for name, count in to_fill(case).items() if count > 1}
    if shared:
        say(f"Named in several: {', '.join(f'{name} in {count}' for name, count in shared.items())}.")
    say(f"\nNext: {TO_FILL}, then\n  surefoot case check {quoted(written[0])}")


def matrix(
    places: MatrixPlaces = None,
    standard: StandardName = None,
    evidence: EvidencePlace = None,
    store: StorePlace = None,
) -> None:
    """Show what a case has on each clause or artefact of a standard, gaps first.

    Nodes carry clauses in their tags (tags: ["AMLAS: artefact H"]). A clause is a gap where no node carries it, shown
    where all that carry it are supported, and open otherwise. Where a node belongs is not that a standard is fulfilled.
    """
    from surefoot.case import coverage, coverage_line
    from surefoot.case.coverage_matrix import write_coverage

    sources, output = _with_table(list(places or ()))
    found = evaluated(snapshot_at(sources, store=store), evidence)
    rows = coverage(found.case, found.evaluation, standard)
    if output is not None:
        say_written([write_coverage(rows, output)])
        say(coverage_line(rows))
    for name in dict.fromkeys(row.standard for row in rows) if output is None else ():
        _show_coverage([row for row in rows if row.standard == name])
    if not rows:
        say(coverage_line(rows))


def _with_table(places: list[Path]) -> tuple[list[Path], Path | None]:
    """The case, and where its table goes: the last place, where it has the ending of a table or is no file yet."""
    from surefoot.case.coverage_matrix import TABLES, check_ending

    last = places[-1] if places else None
    if last is None or (last.suffix.lower() not in TABLES and (len(places) == 1 or last.exists())):
        return _named(places), None
    check_ending(last)
    sources = _named(places[:-1])
    check_output(last, *sources)
    return sources, last


def _show_coverage(rows: Sequence[Coverage]) -> None:
    """One standard: how many of each state, then its clauses."""
    from surefoot.case import coverage_line, coverage_table

    say(f"\n{coverage_line(rows)}", style="bold")
    lines = (
        (plain(state, style=STATE_STYLES[state]), *cells)
        for state, _, *cells in coverage_table(rows, most=MOST_IDS).rows
    )
    table(("state", "clause", "title", "claims", "evidence"), lines)


def _named(sources: list[Path] | None) -> list[Path]:
    """What was named, or the project of this folder."""
    return sources or [Path(PROJECT_FILE)]


def _part(
    case: Case, tag: str | None, module: str | None = None, node: str | None = None, depth: int | None = None
) -> Part:
    from surefoot.case.parts import part, tagged

    return part(case if tag is None else tagged(case, tag), module=module, node=node, depth=depth)


def _notation(name: str | None) -> Notation | None:
    from surefoot.case.model import NOTATIONS
    from surefoot.core import validate

    if name is not None:
        validate.choice(name, NOTATIONS, where="--notation", name="notation")
    return cast("Notation | None", name)


def _as_json(case: Case, findings: list[Diagnostic]) -> str:
    done = all(each.severity == "note" for each in findings)
    told = [each.to_dict() for each in findings]
    data = {"version": VERSION, "name": case.name, "nodes": len(case), "done": done, "findings": told}
    return json_module.dumps(data, indent=2, ensure_ascii=False)


def _show(case: Case, findings: list[Diagnostic]) -> None:
    from surefoot.cli.console import show_findings, show_left

    say(f"{case.name or 'case'}: {counted(case, 'node')}", style="bold")
    show_findings(findings)
    unfilled = [node for node in case if node.uninstantiated]
    if case.tops and case.tops[0].uninstantiated and all(each.severity == "note" for each in findings):
        say(f"\nIt is a pattern: {counted(unfilled, 'node')} still to be filled in. To make it a case, {TO_FILL}.")
    else:
        show_left(findings)


# Files that ``surefoot case`` writes: which endings, over what not, and what a reader of them should know.

PRINTED = (".pdf", ".png")
MERMAID = (".mmd", ".mermaid")
MOST_EDGES, MOST_LETTERS = 500, 50_000
"""What Mermaid draws unless it is told otherwise."""
SHOWN = 12


def check_output(output: Path, *sources: Path) -> None:
    """Refuse places that cannot be written to, or that hold what the case was made from, before any work is done."""
    if output == NO_FILE:
        raise typer.BadParameter("name the file to write")
    check_places(output)
    not_folders(output)
    not_the_source(output, *sources)
    if output.is_file() and _is_worked_on(output):
        from surefoot.core import InvalidInput

        problem = "a project or a report lies there, and would be overwritten"
        raise InvalidInput(problem, where=str(output), remedy="Name another file, or remove it first.")


def written_beside(output: Path) -> list[Path]:
    """The folder that a case with modules becomes as gsn2x, instead of one file."""
    name = output.name.lower()
    return [output.with_suffix("")] if name.endswith((".gsn.yaml", ".gsn.yml")) else []


def check_picture(output: Path) -> None:
    """Refuse endings of files that are read again, which are no pictures."""
    from surefoot.case.formats.case_file import CONTENTS

    if output == NO_FILE:
        raise typer.BadParameter("name the file to write")
    ending = output.suffix.lower()
    if ending not in CONTENTS:
        from surefoot.core import DiagnosticsError

        text = f"nothing is drawn as {ending or 'a file without an ending'}."
        hint = f"Use one of {', '.join(CONTENTS)}; surefoot case convert writes files that can be read again."
        raise DiagnosticsError.of("wrong-value", text, where=str(output), hint=hint)


def remark(case: Case, output: Path) -> None:
    """What does not show in a picture that was written."""
    ending = output.suffix.lower()
    if ending in PRINTED:
        from surefoot.case.drawings import undrawable

        missing = undrawable(case)
        if missing:
            some = f"{missing[:SHOWN]}{'...' if len(missing) > SHOWN else ''}"
            text = f"note: the fonts here have no letters for {some}; {output.name} shows boxes. SVG and HTML show them"
            say(f"{text} where the reader has the fonts.", stderr=True)
    if ending == ".png":
        from surefoot.drawing import MOST_DOTS

        if max(_dots(output)) == MOST_DOTS:
            text = f"note: {output.name} is {MOST_DOTS:,} dots wide or high, which is the most, and coarser for that;"
            say(f"{text} .svg and .pdf are sharp at any size.", stderr=True)
    if ending in MERMAID:
        edges = sum(len(set(node.related)) for node in case)
        if edges > MOST_EDGES or output.stat().st_size > MOST_LETTERS:
            text = f"note: Mermaid draws up to {MOST_EDGES} edges and {MOST_LETTERS:,} characters unless it is told"
            say(f"{text} otherwise (maxEdges, maxTextSize). Use .svg, or --tag for a part.", stderr=True)


def _dots(picture: Path) -> tuple[int, int]:
    """Width and height of a PNG, by its first chunk."""
    with picture.open("rb") as file:
        start = file.read(24)
    return int.from_bytes(start[16:20]), int.from_bytes(start[20:24])


def _is_worked_on(path: Path) -> bool:
    if path.suffix.lower() in PAGES or (path.suffix.lower() == ".json" and kind_of(path) == "report"):
        from surefoot.core import DiagnosticsError
        from surefoot.report import read

        try:
            read(path)
        except DiagnosticsError:
            return False
        return True
    return kind_of(path) == "project"


# A case in the terminal: an outline with signs, words and figures.

TYPED = {"supported": "+", "not shown": "o", "contradicted": "x"}
STYLES = {"supported": "green", "not shown": "yellow", "contradicted": "red"}
DEEPEST = 40
"""Beyond so many levels the indent no longer grows."""
MOST_DOUBTS = 8
MASSES = ("probability", "belief", "disbelief", "uncertainty")
JUDGED = ("claim", "side-claim", "sub-case", "contract", "defeater")


def show_outline(case: Case, evaluation: Evaluation, *, notation: Notation, depth: int | None = None) -> None:
    """Every node below what it holds up; one that was shown before is only named."""
    screen = console()
    above: list[str] = []
    for level, node, again in outline(case, depth=depth):
        del above[level:]
        against = bool(above) and above[-1] in node.challenges
        above.append(node.id)
        found = evaluation.nodes.get(node.id)
        line = _line(case, node, found, level, again=again, against=against, notation=notation)
        screen.print(line, soft_wrap=True)


def show_surely(case: Case, evaluation: Evaluation, *, every: bool = False) -> None:
    """How surely all targets of the top claim hold together, and the doubts that decide most, or every one."""
    from surefoot.case.wording import state_words, surely

    if not case.tops or not evaluation.case.tops:
        return
    say(f"\n{surely(evaluation, evaluation.case.top.id)}", style="bold")
    states = evaluation.counted()
    if evaluation.doubts:
        told = ", ".join(f"{count} {state}" for state, count in reversed(states.items()) if count)
        say(f"\n{counted(evaluation.doubts, 'doubt')}: {told}")
        rows = [
            (state_words(doubt), doubt.id, _decides(doubt), " < ".join(evaluation.chain(doubt.id)[1:]))
            for doubt in evaluation.doubts[: None if every else MOST_DOUBTS]
        ]
        table(("state", "doubt", "decides", "up to the top"), rows)
        if (more := len(evaluation.doubts) - len(rows)) > 0:
            say(f"and {more:,} more; --doubts lists all")


def _decides(doubt: Doubt) -> str:
    return "the top claim, alone" if doubt.alone else counted(doubt.decides, "claim")


def show_opinions(case: Case, evaluation: Evaluation) -> None:
    """Every node by subjective logic."""
    opinions = evaluation.opinions()
    rows = [
        (node.id, *(f"{float(getattr(opinions[node.id], name)):.3f}" for name in MASSES))
        for node in case
        if node.kind in JUDGED
    ]
    say("\nBy subjective logic, in which what is not known counts at its base rate", style="bold")
    table(("node", *MASSES), rows, right=MASSES)


def outline(case: Case, *, depth: int | None = None) -> Iterator[tuple[int, Node, bool]]:
    """Nodes from the tops downward with their level, and whether each was met before; what no top reaches is last."""
    seen: set[str] = set()
    hidden: set[str] = set()
    starts = [*case.tops, *(node for node in case if not case.parents[node.id] and not node.challenges), *case]
    for start in starts:
        todo = [] if start.id in seen or start.id in hidden else [(0, start.id)]
        while todo:
            level, identity = todo.pop()
            node, again = case[identity], identity in seen
            yield level, node, again
            seen.add(identity)
            below = () if again else _below(case, node)
            if depth is not None and level + 1 >= depth:
                _hide(case, below, hidden)
            else:
                todo += [(level + 1, each) for each in reversed(below)]


def _below(case: Case, node: Node) -> tuple[str, ...]:
    return tuple(each for each in (*node.below, *case.challengers.get(node.id, ())) if each in case.nodes)


def _hide(case: Case, ids: tuple[str, ...], hidden: set[str]) -> None:
    """What a limited depth leaves out does not come again as something that nothing reaches."""
    todo = list(ids)
    while todo:
        identity = todo.pop()
        if identity not in hidden:
            hidden.add(identity)
            todo += _below(case, case[identity])


def _line(
    case: Case, node: Node, assessed: Assessed | None, level: int, *, again: bool, against: bool, notation: Notation
) -> Text:
    from surefoot.case.evaluation import for_the_case
    from surefoot.case.model import word

    text = plain("  " * min(level, DEEPEST))
    if (standing := for_the_case(case, node, assessed)) is not None:
        text.append(plain(f"{_sign(standing)} ", style=STYLES[standing]))
    text.append(plain("challenged by ", style="red") if against else "")
    text.append(plain(" ".join(node.id.split()), style="bold")).append(plain(f" ({word(node, notation)}) "))
    if again:
        return text.append(plain("see above", style="dim"))
    text.append(plain(node.text.replace("\n", " ")))
    figures = "; ".join(_figures(node, assessed))
    return text.append(plain(f"  [{figures}]", style="dim")) if figures else text


def _figures(node: Node, assessed: Assessed | None) -> Iterator[str]:
    """How it stands and how surely, what is claimed, and what was measured."""
    from surefoot.case.evaluation import standing_word
    from surefoot.case.wording import in_short, known_by

    if assessed is not None and node.kind in JUDGED:
        surely = in_short(assessed) if node.kind == "claim" and assessed.targets else ""
        yield ", ".join(filter(None, (standing_word(node, assessed), surely)))
    if node.number is not None:
        yield str(node.number)
    if assessed is not None and assessed.verdict is not None and assessed.verdict.answered_by:
        yield f"on what is stated; {', '.join(assessed.verdict.answered_by)} answers for it"
    if assessed is not None and assessed.estimate is not None:
        yield f"{node.rests_on} {known_by(assessed.estimate)}: {assessed.estimate.value:.4g}"
    if node.undeveloped:
        yield "undeveloped"


def _sign(standing: Standing) -> str:
    """A sign that the terminal has."""
    from surefoot.case.evaluation import SIGNS

    try:
        SIGNS[standing].encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return TYPED[standing]
    return SIGNS[standing]


# What ``surefoot case --help`` teaches.

ABOUT = """Assurance cases: show, check, draw, compare, seal.

A case says by which arguments a claim follows from evidence. Every project has one, made from its targets and results;
a case can also be a file of its own, or a part that a project takes over (case: file:). All commands take a case, a
project that was assessed, or a report of it, and both notations: CAE (claims, arguments, evidence) and GSN (goals,
strategies, solutions).
"""
CASE_GUIDE = """\b
A case of a project:
  surefoot assess --html report.html
  surefoot case show
  surefoot case seal --by 'A. Assessor'
  surefoot case diff report.html surefoot.yaml

\b
A case of its own, from a pattern or written by hand:
  surefoot case new own.case.yaml --template monitor
  surefoot case check own.case.yaml
  surefoot case draw own.case.yaml own.svg --notation gsn

\b
By a standard:
  surefoot case new signs.yaml --template amlas
  surefoot case matrix signs.yaml --standard AMLAS

\b
The smallest file that says something:
  surefoot-case: 1
  nodes:
    C1: {claim: The brake stops in time, supported by: [A1]}
    A1: {argument: By tests, block: evidence incorporation, supported by: [E1]}
    E1: {evidence: Tests of May, url: tests.pdf}
"""
