"""A summary in Markdown, fit for a comment on a pull request; text from files stays text there too."""

from __future__ import annotations

import re

from surefoot.case.words import compared, interval
from surefoot.core import Verdict
from surefoot.documents import shortened, significant, visible
from surefoot.project.answer import Answer
from surefoot.project.result import Result
from surefoot.report.headline import headline
from surefoot.report.view import assumptions, caveats
from surefoot.report.words import (
    counting_bound,
    level_words,
    looks_words,
    margin,
    origin,
    plain_status,
    rounded,
)

LONG = 300
HEAD = ("| target | verdict | value | bound | limit | margin |", "| --- | --- | --- | --- | --- | --- |")
ASSUMED = {"contradicted": "{} contradicted", "unchecked": "{} not checked", "supported": "{} not contradicted"}
_PUNCTUATION = re.compile(r"([\\`*_\[\]<>#|~&$])")
_AT_THE_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[=+-]))(.)")
# Sites turn names, numbers and addresses into links even where punctuation is escaped.
_LINKED = re.compile(r"(@|#|:|\bwww|\bGH)(?=[^\s])", re.IGNORECASE)
_NO_LINK = "\u200b"


def markdown(result: Result) -> str:
    """The verdict, a table of the targets, what would be needed, and what to know."""
    head = headline(result)
    lines = [
        f"### {plain(result.definition['system']['name'])}: {head.title}",
        "",
        *([plain(head.warning), ""] if head.warning else []),
        plain(head.text),
    ]
    if result.answers:
        lines += ["", *HEAD, *(_row(answer) for answer in result.answers)]
    for answer in result.answers:
        lines += _more(answer)
    return "\n".join([*lines, "", *_footer(result), ""])


def plain(text: str) -> str:
    """Text that stays text in Markdown: no markup, no table cell, no mention, no link."""
    escaped = _PUNCTUATION.sub(r"\\\1", shortened(visible(text), LONG))
    return _LINKED.sub(rf"\1{_NO_LINK}", _AT_THE_START.sub(r"\1\\\2", escaped))


def _row(answer: Answer) -> str:
    bound = counting_bound(answer)
    none = "none counts" if answer.verdict.bound else "none"
    cells = [
        plain(answer.name),
        f"**{plain_status(answer.status)}**",
        f"{significant(answer.estimate.value)} ({origin(answer.estimate).lower()})",
        f"{rounded(bound)} ({level_words(bound)})" if bound else none,
        _limit(answer.verdict),
        "–" if (times := margin(answer)) is None else significant(times, rounding="down"),
    ]
    return f"| {' | '.join(cells)} |"


def _limit(verdict: Verdict) -> str:
    target = verdict.target
    rests = "" if target.uncertainty is None else f" ({interval(target)}; compared with {compared(verdict)})"
    return f"{target.relation} {significant(target.limit)}{rests}"


def _more(answer: Answer) -> list[str]:
    lines = [f"- {plain(line)}" for line in answer.needed]
    looks = looks_words(answer)
    lines += [f"- {plain(text)}" for text in (looks, answer.previous) if text]
    return ["", f"**{plain(answer.name)}**: {plain(answer.claim)}", "", *lines] if lines else []


def _footer(result: Result) -> list[str]:
    statuses = [rested.status for rested in assumptions(result)]
    counts = [text.format(statuses.count(word)) for word, text in ASSUMED.items() if word in statuses]
    warned = sorted({caveat.code for caveat, _ in caveats(result) if caveat.severity != "note"})
    version = result.versions.get("surefoot", "")
    return [
        f"Assumptions: {', '.join(counts) or 'none'}. Caveats: {', '.join(warned) or 'none'}.",
        "",
        f"Result `{result.digest[:12]}`{f', Surefoot {plain(version)}' if version else ''}",
    ]
