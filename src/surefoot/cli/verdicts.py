"""A result as people read it in a terminal: a line for each target, and what is needed where one is not met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.cli.console import listed, plain, say, table

if TYPE_CHECKING:
    from rich.text import Text

    from surefoot.project import Answer, Result

MOST_ADVICE = 1
"""The report has the rest."""
STYLES = {"met": "bold green", "violated": "bold red", "unproven": "bold yellow"}


def show_result(result: Result, *, stderr: bool = False) -> None:
    """The table of verdicts, then the advice, then the sum."""
    say(f"{result.definition['system']['name']}\n", stderr=stderr, style="bold")
    if result.answers:
        table(("target", "asked", "shown", "verdict"), [_row(answer) for answer in result.answers], stderr=stderr)
        say(stderr=stderr)
    for answer in result.answers:
        _show_advice(answer, stderr=stderr)
    for looked in result.looks:
        if looked.count > 1:
            say(
                f"{looked.data} has been looked at {looked.count} times; the report has corrected levels.",
                stderr=stderr,
            )
    say(_sum(result), stderr=stderr)


def _row(answer: Answer) -> tuple[str, str, str, Text]:
    target = answer.target
    asked = f"{target.relation} {target.limit:.4g} at {100 * target.level:.6g}%"
    return answer.name, asked, _shown(answer), _status(answer)


def _shown(answer: Answer) -> str:
    bound = answer.verdict.bound
    if bound is None:
        return "no bound that counts"
    if any(assumption.status == "contradicted" for assumption in answer.estimate.assumptions):
        return "nothing (contradicted)"
    return f"{'at most' if bound.side == 'upper' else 'at least'} {bound.limit:.4g}"


def _status(answer: Answer) -> Text:
    from surefoot.project.result import WORDS

    return plain(WORDS[answer.verdict.status], style=STYLES[answer.verdict.status])


def _show_advice(answer: Answer, *, stderr: bool) -> None:
    lines = list(answer.needed[:MOST_ADVICE])
    if answer.corrected is not None and answer.corrected.status != answer.verdict.status:
        lines.append(
            f"After {answer.looks} looks at the test data, at level {answer.corrected_level:.4g}: {answer.corrected}."
        )
    if lines:
        say(f"{answer.name}:", stderr=stderr)
        listed(lines, stderr=stderr)
        say(stderr=stderr)


def _sum(result: Result) -> str:
    if not result.answers:
        return "No targets are stated, so nothing is shown."
    met = sum(bool(answer.verdict) for answer in result.answers)
    return f"{met} of {len(result.answers)} targets met."
