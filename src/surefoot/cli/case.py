"""``surefoot case``: an assurance case, shown, checked, drawn and converted."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from surefoot.cli.case_files import check_output, check_picture, remark, written_beside
from surefoot.cli.case_snapshots import OtherSource, Source, asked_of, evaluated, snapshot_at
from surefoot.cli.console import counted, quoted, say
from surefoot.cli.failures import UNUSABLE
from surefoot.cli.hazop_files import free_place
from surefoot.cli.options import PROJECT_FILE, AsJson, StorePlace, ThemeName
from surefoot.cli.writing import say_written

if TYPE_CHECKING:
    from surefoot.case.case import Case
    from surefoot.case.notation import Notation
    from surefoot.core import Diagnostic
    from surefoot.drawing import Theme

LEFT_TO_DO = 1
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
EvidencePlace = Annotated[
    Path | None,
    typer.Option(
        "--evidence", metavar="SOURCE", help="What was measured: a project, or a report of it.", show_default=False
    ),
]
Picture = Annotated[
    Path, typer.Argument(metavar="OUT", help="File to write: .svg, .pdf, .png, .md, .mmd or .html.", show_default=False)
]
NewFile = Annotated[
    Path, typer.Argument(metavar="OUT", help="File to write: .yaml, .json, .gsn.yaml or .xmi.", show_default=False)
]
Template = Annotated[
    str,
    typer.Option(
        "--template",
        metavar="NAME",
        help="system, component, classification, normal-score, metric, monitor or ai-system.",
    ),
]


def show(
    source: Source = Path(PROJECT_FILE),
    notation: NotationName = None,
    tag: Tag = None,
    depth: Depth = None,
    evidence: EvidencePlace = None,
    store: StorePlace = None,
) -> None:
    """Show a case as an outline, with how each claim stands.

    Each line has a sign for the standing (supported, not shown, contradicted), the number that is claimed, what was
    measured, and the probability with its range. Below it stands what would raise the top claim most.
    """
    from surefoot.cli.case_outline import show_levers, show_outline

    found = evaluated(snapshot_at(source, store=store), evidence)
    case = _part(found.case, tag)
    if not len(case):
        say("The case has no nodes.")
    elif found.evaluation is not None:
        show_outline(case, found.evaluation, notation=_notation(notation) or case.notation, depth=depth)
        show_levers(found.evaluation)


def check(source: OtherSource, evidence: EvidencePlace = None, store: StorePlace = None, json: AsJson = False) -> None:
    """Say what is wrong or doubtful with a case.

    Looks at its structure, its numbers and, with --evidence or for a project or report, at what was measured and what
    the targets ask for. Exits with 0 when nothing is left to do, with 1 when something is, with 2 when something is
    wrong. A pattern may have places that are still to be filled in.
    """
    found = snapshot_at(source, store=store)
    if evidence is not None:
        found = evaluated(found, evidence)
    findings = found.case.check(found.evidence or None, targets=asked_of(found) or None)
    if found.evaluation is not None:
        findings = [*findings, *found.evaluation.findings]
    typer.echo(_as_json(found.case, findings)) if json else _show(found.case, findings)
    severities = {each.severity for each in findings}
    if severities - {"note"}:
        raise typer.Exit(UNUSABLE if "error" in severities else LEFT_TO_DO)


def draw(
    source: OtherSource,
    output: Picture,
    notation: NotationName = None,
    tag: Tag = None,
    theme: ThemeName = None,
    evidence: EvidencePlace = None,
    store: StorePlace = None,
) -> None:
    """Draw a case in CAE or GSN, or write it for people to read.

    The ending says what is written: a picture (.svg, .pdf, .png), an outline (.md), a Mermaid diagram (.mmd) or a page
    (.html). Where the case was assessed, or --evidence is given, the picture shows how each node stands.
    """
    from surefoot.case.rendering import render

    check_picture(output)
    check_output(output, source)
    chosen = _notation(notation)
    found = snapshot_at(source, store=store)
    if evidence is not None:
        found = evaluated(found, evidence)
    case = _part(found.case, tag)
    render(case, output, evaluation=found.evaluation, notation=chosen, theme=cast("Theme | None", theme))
    say(f"{found.case.name or source}: {counted(case, 'node')}{f' with {tag} or above' if tag else ''}.")
    say_written([output])
    remark(case, output)


def convert(source: OtherSource, output: NewFile, store: StorePlace = None) -> None:
    """Write a case in another format.

    Reads YAML, JSON, gsn2x YAML and SACM XMI, and the case in a project or report; writes .yaml, .json, .gsn.yaml
    or .xmi by the ending.
    """
    check_output(output, source)
    case = snapshot_at(source, store=store).case
    written = case.write(output)
    say(f"{case.name or source}: {counted(case, 'node')}.")
    say_written([written])


def new(output: NewFile, template: Template = "component") -> None:
    """Start a case from a pattern.

    Writes the claims, arguments and assumptions that such a case needs, with placeholders in braces to fill in. Nothing
    is overwritten.
    """
    from surefoot.case.templates import PATTERNS, pattern
    from surefoot.core import validate

    validate.choice(template, tuple(PATTERNS), where="--template", name="template")
    check_output(output)
    case = pattern(template)
    free_place(output, *written_beside(output))
    written = case.write(output)
    say_written([written])
    say(f"{counted(case, 'node')}.\n\nNext: {TO_FILL}, then\n  surefoot case check {quoted(written)}")


def _part(case: Case, tag: str | None) -> Case:
    if tag is None:
        return case
    from surefoot.case.filtering import tagged

    return tagged(case, tag)


def _notation(name: str | None) -> Notation | None:
    from surefoot.case.notation import NOTATIONS
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
    from surefoot.cli.findings import show_findings, show_left

    say(f"{case.name or 'case'}: {counted(case, 'node')}", style="bold")
    show_findings(findings)
    unfilled = [node for node in case if node.uninstantiated]
    if case.tops and case.tops[0].uninstantiated and all(each.severity == "note" for each in findings):
        say(f"\nIt is a pattern: {counted(unfilled, 'node')} still to be filled in. To make it a case, {TO_FILL}.")
    else:
        show_left(findings)
