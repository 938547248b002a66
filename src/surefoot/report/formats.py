"""Reports as files: page, PDF, JSON, JUnit XML and Markdown, written whole or not at all, and read back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from surefoot.case.wording import compared, interval, on_stated
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, SurefootError, Verdict, digest, validate
from surefoot.documents import json, shortened, significant, visible
from surefoot.project.interchange import condensed, expanded, text
from surefoot.project.result import RESULT_VERSION, Answer, Result, in_present_words
from surefoot.project.store import write_atomically
from surefoot.report.chapters import assumptions, caveats
from surefoot.report.page import html, render
from surefoot.report.page_data import PAGE, Outside, about, canonical, extracted, without_data
from surefoot.report.paged_document import pdf
from surefoot.report.verdict import headline, left_open
from surefoot.report.wording import (
    STATUS_WORDS,
    counting_bound,
    finding,
    level_words,
    looks_words,
    margin,
    origin,
    plain_status,
    reason,
    rounded,
    short_status,
)

PAGES = (".html", ".htm")
LARGEST = 500_000_000
OF_ONE_PAGE = ("created", "document", "history", "iterations", "looks", PAGE)
"""What two pages of one result may have otherwise."""
_SPACE = re.compile(r"[ \t\n\r\f]+")
NEEDED = frozenset({"version", "definition", "answers", "evidence", "case", "keys", "digests", "versions"})


@validate.arguments
def write(result: Result, path: str | Path) -> Path:
    """Write the report in the format its suffix names.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.
    path
        Ends in .html, .pdf, .json, .md or .xml (JUnit).

    Returns
    -------
    Path
        The file, whole or as it was.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np, surefoot as sf
    >>> labels = np.array([0, 1] * 200)
    >>> project = sf.Project.of(
    ...     "Sorter",
    ...     data={"scores": np.eye(2)[labels], "labels": labels},
    ...     classes=["letter", "parcel"],
    ...     evidence={"counted": {"step": "binomial_bound"}},
    ...     targets={"errors": {"estimate": "counted.failure probability", "at_most": 0.05}},
    ... )
    >>> result = sf.run(project)
    >>> with TemporaryDirectory() as folder:
    ...     page = sf.report.write(result, Path(folder) / "report.html")
    ...     sf.report.same_page(page), sf.report.read(page)["met"]
    (True, True)
    >>> sf.report.headline(result).title
    'Yes, by its target: its number is met, and the case leaves no claim open'
    >>> answer = result.answers[0]
    >>> independent = next(each for each in answer.estimate.assumptions if each.id == "independent-trials")
    >>> print(sf.report.without_assumption(result, answer, independent).lines[0].number)
    at most 0.0149

    """
    target = Path(path)
    render = FORMATS.get(target.suffix.lower())
    if render is None:
        problem = f"no report has the suffix {target.suffix!r}"
        raise DiagnosticsError.of(
            "wrong-value", problem, where=_shown(path), hint="Use .html, .pdf, .json, .md or .xml."
        )
    made = render(result)
    write_atomically(target, made if isinstance(made, bytes) else made.encode())
    return target


@validate.arguments
def read(path: str | Path) -> dict[str, Any]:
    """The result in a report: what ``Result.to_dict`` gave.

    Parameters
    ----------
    path
        A page, which holds it without pictures and long tables, or a JSON file.

    Returns
    -------
    dict
        Plain data; ``result_schema`` describes it.

    Raises
    ------
    DiagnosticsError
        Where no result of this version can be read from it.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    try:
        found = _text_of(path)
        data = extracted(found) if Path(path).suffix.lower() in PAGES else _whole(json.loads(found))
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise _unreadable(path, "its content is damaged or of another kind") from error
    if not isinstance(data, dict) or not set(data) >= NEEDED:
        raise _unreadable(path, "it holds no result of Surefoot")
    try:
        data = dict(in_present_words(data))
    except InvalidInput as error:
        raise _unreadable(path, str(error)) from error
    if data["version"] != RESULT_VERSION:
        problem = f"the report has version {data['version']!r}, and version {RESULT_VERSION} can be read here"
        hint = "Use the version of Surefoot that wrote it."
        raise DiagnosticsError.of("unsupported-version", problem, where=_shown(path), hint=hint)
    return data


@validate.arguments
def read_report(path: str | Path) -> Result:
    """The result that a report holds, to ask it for numbers, frames and figures.

    Parameters
    ----------
    path
        A page (.html), or a result as JSON.

    Returns
    -------
    Result
        Of a page without its pictures and long tables.

    Raises
    ------
    DiagnosticsError
        Where no result of this version can be read from it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> project = sf.Project.of(
    ...     "landing",
    ...     data={"failed": [0] * 298 + [1, 0]},
    ...     evidence={"hard": {"step": "binomial_bound"}},
    ...     targets={"hard": {"estimate": "hard.failure probability", "at_most": 0.03}},
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     page = sf.report.write(sf.run(project), Path(folder, "report.html"))
    ...     result = sf.read_report(page)
    >>> print(result.frame()[["target", "value", "bound", "level", "verdict"]].round(4).to_string(index=False))
    target  value  bound  level verdict
      hard 0.0033 0.0184  0.975     met

    """
    return Result.from_dict(read(path))


def shown_data(path: str | Path) -> dict[str, Any]:
    """All that a report holds: what ``read`` gives, and what a page says of the whole that it was taken from.

    Parameters
    ----------
    path
        As for ``read``.

    Returns
    -------
    dict
        Plain data; of a page with the key ``page``.

    Raises
    ------
    DiagnosticsError
        Where no result of this version can be read from it.

    See Also
    --------
    shown_form : The same of a result that was computed.

    """
    found = read(path)
    if Path(path).suffix.lower() not in PAGES:
        return found
    try:
        return {**found, PAGE: about(_text_of(path))}
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable(path, "its content is damaged or of another kind") from error


def shown_digests(shown: str | Path | Result, *, sealed: str = "") -> dict[str, str]:
    """Digests of all that a report shows, by part, for a seal to hold.

    Parameters
    ----------
    shown
        A page or a JSON file, which must show what its own data say; or a result, of whose page all is taken but the
        date, the history and the control of the document, which another page of it may have otherwise.
    sealed
        The digest ``text`` in a seal: a page that has it is the one that was sealed, whatever version wrote it.

    Returns
    -------
    dict
        SHA-256 by part; of a page also ``text``, over all of it but its data.

    Raises
    ------
    DiagnosticsError
        Where a page shows something else than its data say.

    Examples
    --------
    >>> import surefoot as sf
    >>> data = {"failed": [0] * 298 + [1, 0]}
    >>> project = sf.Project.of("landing", data=data, evidence={"hard": {"step": "binomial_bound"}})
    >>> sorted(sf.report.shown_digests(sf.run(project)))[:4]
    ['answers', 'case', 'caveats', 'confidence']

    """
    if isinstance(shown, Result):
        parts = _parts(html(shown))
        return {name: found for name, found in parts.items() if name not in OF_ONE_PAGE}
    data = read(shown)
    page = _text_of(shown) if Path(shown).suffix.lower() in PAGES else ""
    text = hashlib.sha256(visible_text(page).encode()).hexdigest()
    if not (page and canonical(page) and text == sealed) and not same_page(shown):
        hint = "Ask for the report as it was written. Another version of Surefoot may have written it; use that one."
        raise DiagnosticsError.of(
            "report-edited", "what the report shows differs from what its own data say.", where=_shown(shown), hint=hint
        )
    return {**_parts(page), "text": text} if page else _parts(html(Result.from_dict(data)))


def _parts(page: str) -> dict[str, str]:
    data = extracted(page) or {}
    steps = {f"evidence.{step}": digest(item) for step, item in data.get("evidence", {}).items()}
    rest = {name: digest([item]) for name, item in data.items() if name != "evidence"}
    return {**rest, **steps, PAGE: digest(about(page))}


@validate.arguments
def shown_form(path: str | Path) -> Callable[[Result], dict[str, Any]]:
    """What makes of a result the data that a report of this kind holds, so that the two can be compared.

    Parameters
    ----------
    path
        A page or a JSON file, by its ending.

    Returns
    -------
    callable
        From a result to what ``shown_data`` gives of its report.

    See Also
    --------
    surefoot.project.verify : Compares them.

    """
    return _page_data if Path(path).suffix.lower() in PAGES else Result.to_dict


def _page_data(result: Result) -> dict[str, Any]:
    page = html(result)
    return {**(extracted(page) or {}), PAGE: about(page)}


def _text_of(path: str | Path) -> str:
    with open(path, "rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError("it is too large")
    return content.decode().replace("\r\n", "\n").replace("\r", "\n")


def _whole(data: Any) -> Any:
    """A result with each thing in its place; anything else as it is."""
    return expanded(data) if isinstance(data, dict) and set(data) >= NEEDED else data


def _unreadable(path: str | Path, why: str) -> DiagnosticsError:
    hint = "Give a report (.html) or a result (.json) that Surefoot wrote."
    return DiagnosticsError.of(
        "file-unreadable", f"no report can be read from it: {why}", where=_shown(path), hint=hint
    )


def _shown(path: str | Path) -> str:
    return visible(str(path))


@validate.arguments
def as_json(result: Result) -> str:
    """The complete result as text, each thing once; ``result_schema`` describes it.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.

    Returns
    -------
    str
        JSON.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    return text(condensed(result.to_dict()))


# Whether a page still shows what it was made from: it is made again from the data inside it, and compared.


@validate.arguments
def same_page(path: str | Path) -> bool:
    """Whether every word, number, figure and rule of a page follows from the result inside it.

    Found out: an edited verdict or number, a swapped figure, a hidden section, an added script; of a result as JSON,
    a part that follows from others, such as ``met``, and does not. The result itself is not judged here:
    ``surefoot assess --verify`` computes it anew. A page of another version of Surefoot may look different; the
    versions are part of the result.

    Parameters
    ----------
    path
        A page, or a JSON file, that ``write`` made.

    Returns
    -------
    bool
        Whether it is as it was made.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    data = read(path)
    if Path(path).suffix.lower() not in PAGES:
        return _follows(data)
    page = _text_of(path)
    expected = _made_again(page)
    present = canonical(page) and (extracted(page) or {}).get("version") == RESULT_VERSION
    return expected is not None and present and visible_text(expected) == visible_text(page)


@validate.arguments
def visible_text(page: str) -> str:
    """All of a page but the data inside it, white space made equal: words, structure, styles and scripts.

    Where the data stand is part of it. Only what HTML takes for white space is made equal.

    Parameters
    ----------
    page
        The text of a page.

    Returns
    -------
    str
        What two pages are compared by.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.report.visible_text("<p>Target   met</p>")
    '<p>Target met</p>'

    """
    return _SPACE.sub(" ", without_data(page)).strip(" ")


def _follows(data: dict[str, Any]) -> bool:
    try:
        found = Result.from_dict({name: item for name, item in data.items() if name != "confidence"}).to_dict()
        return digest({name: item for name, item in found.items() if name in data}) == digest(data)
    except SurefootError:
        return False


def _made_again(page: str) -> str | None:
    """The page that the data give; None where they give none, as after a careless edit."""
    from jinja2 import TemplateError

    data = extracted(page)
    try:
        if data is None:
            return None
        return render(Result.from_dict(data), Outside.recorded(data, about(page), page))
    except (SurefootError, TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None


# JUnit XML for CI: one test case a target, failed unless it counts as met and operation agrees.
#
# Estimates that contradict each other are a failed test case of their own. What the case leaves open is one that was
# skipped: neither passed nor failed.

CASE = "assurance case"


@validate.arguments
def junit(result: Result) -> str:
    """A document that CI servers show as test results: a test case for each target, failed unless it is met.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.

    Returns
    -------
    str
        XML.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    name = visible(result.definition["system"]["name"])
    failed = sum(not answer.met or bool(result.against(answer.name)) for answer in result.answers)
    disagree = result.disagreements
    tests, failed = len(result.answers) + len(disagree) + 1, failed + len(disagree)
    skipped = str(int(result.headline.open))
    counts = {"tests": str(tests), "failures": str(failed), "errors": "0", "skipped": skipped, "time": "0"}
    suites = Element("testsuites", {"name": "surefoot", **counts})
    stamp = {"timestamp": visible(result.created[:19])} if result.created else {}
    suite = SubElement(suites, "testsuite", {"name": name, **counts, **stamp})
    properties = SubElement(suite, "properties")
    for key, value in (("headline", result.headline.text), ("status", result.headline.status)):
        SubElement(properties, "property", {"name": key, "value": visible(value)})
    for answer in result.answers:
        _case(suite, name, answer, result.against(answer.name))
    for each in disagree:
        case = SubElement(suite, "testcase", {"classname": name, "name": each.code, "time": "0"})
        SubElement(case, "failure", {"type": each.code, "message": visible(each.text)}).text = each.hint
    case = SubElement(suite, "testcase", {"classname": name, "name": CASE, "time": "0"})
    if result.headline.open:
        SubElement(case, "skipped", {"message": visible(left_open(result))})
    SubElement(case, "system-out").text = visible(result.headline.text)
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _case(suite: Element, system: str, answer: Answer, operation: Sequence[Diagnostic]) -> None:
    case = SubElement(suite, "testcase", {"classname": system, "name": visible(answer.name), "time": "0"})
    alone = f"{STATUS_WORDS['alone']}." if answer.alone else ""
    against = [each.text for each in operation]
    words = [answer.claim, *against, alone, finding(answer), *answer.needed, looks_words(answer), answer.previous]
    said = "\n".join(visible(line) for line in dict.fromkeys(words) if line)
    if against:
        SubElement(case, "failure", {"type": operation[0].code, "message": visible(" ".join(against))}).text = said
    elif answer.met:
        SubElement(case, "system-out").text = said
    else:
        status = answer.status
        message = visible(f"{STATUS_WORDS[status]}: {reason(answer)}")
        SubElement(case, "failure", {"type": plain_status(status), "message": message}).text = said


# A summary in Markdown, fit for a comment on a pull request; text from files stays text there too.

LONG = 300
HEAD = ("| target | verdict | value | bound | limit | margin |", "| --- | --- | --- | --- | --- | --- |")
ASSUMED = {"contradicted": "{} contradicted", "unchecked": "{} not checked", "supported": "{} not contradicted"}
_PUNCTUATION = re.compile(r"([\\`*_\[\]<>#|~&$])")
_AT_THE_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[=+-]))(.)")
# Sites turn names, numbers and addresses into links even where punctuation is escaped.
_LINKED = re.compile(r"(@|#|:|\bwww|\bGH)(?=[^\s])", re.IGNORECASE)
_NO_LINK = "\u200b"


@validate.arguments
def markdown(result: Result) -> str:
    """The verdict, a table of the targets, what would be needed, and what to know.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.

    Returns
    -------
    str
        Markdown, fit for a comment on a pull request; text from files stays text there too.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    head = headline(result)
    lines = [
        f"### {plain(result.definition['system']['name'])}: {plain(head.title)}",
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
        f"**{short_status(answer)}**{_answered(answer)}",
        f"{significant(answer.estimate.value)} ({origin(answer.estimate).lower()})",
        f"{rounded(bound)} ({level_words(bound, answer.estimate)})" if bound else none,
        _limit(answer.verdict),
        "–" if (times := margin(answer)) is None else significant(times, rounding="down"),
    ]
    return f"| {' | '.join(cells)} |"


def _answered(answer: Answer) -> str:
    by = ", ".join(answer.verdict.answered_by) if answer.met else ""
    return f" on what is stated; {plain(by)} answers for it" if by else ""


def _limit(verdict: Verdict) -> str:
    target = verdict.target
    rests = "" if target.uncertainty is None else f" ({interval(target)}; compared with {compared(verdict)})"
    return f"{target.relation} {significant(target.limit)}{rests}"


def _more(answer: Answer) -> list[str]:
    lines = [f"- {plain(line)}" for line in answer.needed]
    looks = looks_words(answer)
    lines += [f"- {plain(stated)}"] if (stated := on_stated(answer.estimate)) else []
    lines += [f"- {plain(text)}" for text in (looks, answer.previous) if text]
    return ["", f"**{plain(answer.name)}**: {plain(answer.claim)}", "", *lines] if lines else []


def _footer(result: Result) -> list[str]:
    statuses = [use.status for use in assumptions(result)]
    counts = [text.format(statuses.count(word)) for word, text in ASSUMED.items() if word in statuses]
    warned = sorted({caveat.code for caveat, _ in caveats(result) if caveat.severity != "note"})
    version = result.versions.get("surefoot", "")
    return [
        f"Assumptions: {', '.join(counts) or 'none'}. Caveats: {', '.join(warned) or 'none'}.",
        "",
        f"Result `{result.digest[:12]}`{f', Surefoot {plain(version)}' if version else ''}",
    ]


FORMATS: dict[str, Callable[[Result], str | bytes]] = {
    ".html": html,
    ".htm": html,
    ".json": as_json,
    ".md": markdown,
    ".pdf": pdf,
    ".xml": junit,
}
