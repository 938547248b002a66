"""``surefoot report``: render again from the store, without computing; and results as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.console import VERDICT_STYLES, listed, plain, say, table
from surefoot.cli.conventions import PROJECT_FILE, STDOUT, ProjectFile, StorePlace, check_places, put, say_written

if TYPE_CHECKING:
    from rich.text import Text

    from surefoot.core import Bound
    from surefoot.project import Answer, Result


class Format(StrEnum):
    """What a result can be rendered as."""

    html = "html"
    json = "json"
    junit = "junit"
    markdown = "markdown"
    pdf = "pdf"


SUFFIXES = {
    ".html": Format.html,
    ".json": Format.json,
    ".xml": Format.junit,
    ".md": Format.markdown,
    ".pdf": Format.pdf,
}


def report(
    file: ProjectFile = Path(PROJECT_FILE),
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Where to write; - prints, but no PDF.",
            show_default="report.html, or by FORMAT",
        ),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            metavar="html|json|junit|markdown|pdf",
            help="What to write.",
            show_default="by the suffix of PATH",
        ),
    ] = None,
    store: StorePlace = None,
) -> None:
    """Render the report again, without computing.

    The evidence comes from the store; what is not there is an error with the code not-assessed. As PDF it is a document
    of A4 pages to print, file and sign, and says who signed the seal beside the project file.
    """
    from surefoot import report as rendering
    from surefoot.cli.assess import ProjectSeal
    from surefoot.project import load, run
    from surefoot.project.store import write_atomically

    chosen = format or (Format.html if output is None else _by_suffix(output))
    place = output or next(Path(f"report{suffix}") for suffix, each in SUFFIXES.items() if each is chosen)
    if place == STDOUT and chosen is Format.pdf:
        raise typer.BadParameter("a PDF is not printed; name a file with --output")
    check_places(place)
    project = load(file)
    result = run(project, store=store, only_stored=True)
    if chosen is Format.pdf:
        seal = ProjectSeal.of(project, store).seal
        write_atomically(place, rendering.pdf(result, seal=seal))
    else:
        renderers = {
            Format.html: rendering.html,
            Format.json: rendering.as_json,
            Format.junit: rendering.junit,
            Format.markdown: rendering.markdown,
        }
        put(renderers[chosen](result), place)
    say_written([place] if place != STDOUT else [])


def _by_suffix(output: Path) -> Format:
    if output == STDOUT:
        return Format.markdown
    if output.suffix not in SUFFIXES:
        raise typer.BadParameter(f"say with --format what {output} is: {', '.join(Format)}")
    return SUFFIXES[output.suffix]


# A result as people read it in a terminal: a line for each target, and what is needed where one is not met.

MOST_ADVICE = 1
"""The report has the rest."""
NEW_TESTS = (
    "New tests: fix their number beforehand and run them once. Adding to the present ones, or repeating, until it "
    "works breaks the level."
)
_TYPED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def show_result(result: Result, *, stderr: bool = False) -> None:
    """The table of verdicts, then the advice, then the sum."""
    say(f"{result.definition['system']['name']}\n", stderr=stderr, style="bold")
    if result.answers:
        table(
            ("target", "asked", "shown", "verdict"), [_row(result, answer) for answer in result.answers], stderr=stderr
        )
        say(stderr=stderr)
    for answer in result.answers:
        _show_remarks(answer, stderr=stderr)
    if any(answer.new_tests for answer in result.answers):
        say(f"{NEW_TESTS}\n", stderr=stderr)
    for name, why in result.doubted.items():
        say(f"{name}: the number is met, and the case does not show the claim. {why}", stderr=stderr)
    for line in result.since:
        say(f"{_typed(line).replace('→', '->')}.", stderr=stderr)
    for looked in result.looks:
        if looked.count > 1:
            say(f"{looked}{_how(result)}.", stderr=stderr)
    show_headline(result, stderr=stderr)


def show_headline(result: Result, *, stderr: bool = False) -> None:
    """The answer to the whole, and where its case is open."""
    found = result.headline
    say(found.text, stderr=stderr, style=VERDICT_STYLES.get(found.status, "bold"))
    if found.left:
        left = f"{found.left[:1].upper()}{found.left[1:]}."
        say(f"{left} surefoot case show and surefoot case check tell more.", stderr=stderr)


def _how(result: Result) -> str:
    """For what the correction of repeated looks is valid."""
    from surefoot.project.looks import ADAPTIVE, FIXED

    adaptive = result.definition.get("looks") == ADAPTIVE
    return ", and nothing but verdicts is shown" if adaptive else f"; the correction for it is {FIXED}"


def _row(result: Result, answer: Answer) -> tuple[str, str, str, Text]:
    status = _status(answer)
    if result.against(answer.name):
        status = plain(f"{status.plain} by tests alone", style=VERDICT_STYLES["violated"])
    return answer.name, _asked(answer), _shown(answer), status


def _asked(answer: Answer) -> str:
    from surefoot.core.bound import WITHOUT_LEVEL
    from surefoot.documents import percent

    target, bound = answer.target, answer.verdict.bound
    level = "" if bound is not None and bound.kind in WITHOUT_LEVEL else f" at {percent(target.level)}"
    digits = 12 if answer.derivation is None else 4
    return f"{target.relation} {target.limit:.{digits}g}{_compared(answer)}{level}"


def _compared(answer: Answer) -> str:
    """The end of an uncertain limit that decides."""
    from surefoot.case.wording import compared

    return "" if answer.target.uncertainty is None else f" (compared with {_typed(compared(answer.verdict))})"


def _shown(answer: Answer) -> str:
    bound = answer.verdict.bound
    if bound is None:
        return "no bound that counts"
    if any(assumption.status == "contradicted" for assumption in answer.estimate.assumptions):
        return "nothing (contradicted)"
    kind = "" if bound.kind == "confidence" else f" ({answer.estimate.kind_of(bound)})"
    return f"{'at most' if bound.side == 'upper' else 'at least'} {_cautious(bound)}{kind}"


def _cautious(bound: Bound) -> str:
    """The limit rounded as the report rounds it, in characters that every terminal has."""
    from surefoot.documents import significant

    rounded = significant(bound.limit, rounding="up" if bound.side == "upper" else "down")
    return _typed(rounded)


def _typed(text: str) -> str:
    return text.replace("×10", "e").translate(_TYPED)


def _status(answer: Answer) -> Text:
    word = _word(answer.verdict.status)
    if answer.alone:
        return plain(f"{word} (this look alone)", style=VERDICT_STYLES["not shown"])
    stated = " (on what is stated)" if answer.verdict.answered_by else ""
    return plain(f"{word}{stated}", style=VERDICT_STYLES[answer.verdict.status])


def _word(status: str) -> str:
    from surefoot.project.iterations import VERDICTS

    return VERDICTS[status]


def _show_remarks(answer: Answer, *, stderr: bool) -> None:
    lines = list(_remarks(answer))
    if lines:
        say(f"{answer.name}:", stderr=stderr)
        listed(lines, stderr=stderr)
        say(stderr=stderr)


def _remarks(answer: Answer) -> Iterator[str]:
    from surefoot.case.wording import on_stated

    if answer.met and not answer.refuted:
        yield _why_met(answer)
    yield from answer.needed[:MOST_ADVICE]
    if answer.verdict.answered_by:
        yield on_stated(answer.estimate)
    if answer.corrected is not None and answer.corrected.status != answer.verdict.status:
        yield _about_looks(answer)
    if answer.previous:
        yield answer.previous


def _why_met(answer: Answer) -> str:
    """What was counted, and which bound keeps the limit at the level that counts."""
    from surefoot.core.bound import WITHOUT_LEVEL
    from surefoot.documents import percent

    verdict, details = answer.corrected or answer.verdict, answer.estimate.details
    bound = verdict.bound
    assert bound is not None, "a target is met by a bound"
    failures, trials = details.get("failures"), details.get("trials")
    counted = f"{failures:,} of {trials:,} failed; " if isinstance(failures, int) and isinstance(trials, int) else ""
    look = f", the level of look {answer.looks}" if answer.corrected is not None else ""
    sure = "" if bound.kind in WITHOUT_LEVEL else f" at {percent(verdict.target.level)}{look}"
    side = "below" if bound.side == "upper" else "above"
    return f"Met: {counted}the bound is {_cautious(bound)}{sure}, {side} the limit."


def _about_looks(answer: Answer) -> str:
    """The verdict at the level that covers all looks."""
    from surefoot.documents import percent

    verdict, level = answer.corrected, percent(answer.corrected_level or answer.target.level)
    if verdict is None:
        return ""
    bound = f" the bound is {_cautious(verdict.bound)}:" if verdict.bound else ""
    return (
        f"This is look {answer.looks} at the test data. At the level that covers all looks ({level}){bound} "
        f"{_word(verdict.status)}."
    )
