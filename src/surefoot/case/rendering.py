"""What people look at, written to a file: pictures, outlines and pages, by the ending of its name."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from surefoot.case.case import Case
from surefoot.case.drawings import pdf, png, svg
from surefoot.case.evaluation import Evaluation
from surefoot.case.filtering import tagged
from surefoot.case.measured import Measurements
from surefoot.case.notation import NOTATIONS, Notation
from surefoot.core import DiagnosticsError, validate
from surefoot.documents import visible, write_whole
from surefoot.drawing import Theme

Content = Callable[[Case, Evaluation | None, Notation, Theme | None], str | bytes]
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>:root{{color-scheme:light dark}}body{{margin:0}}@media print{{svg{{width:100%;height:auto}}}}</style>
</head><body>
{drawing}</body></html>
"""


def render(
    case: Case,
    path: str | Path,
    *,
    evidence: Measurements | None = None,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    theme: Theme | None = None,
) -> Path:
    """Write the case as .svg, .pdf, .png, .html, .md, .mmd (Mermaid), or as a file that can be read again.

    With ``evidence``, or an ``evaluation`` that was made already, every node shows how it stands. With a ``tag`` only
    nodes that carry it are shown, and those above them. Unless a ``theme`` is given, SVG and HTML follow the
    setting of the reader, and PDF and PNG are for print. The file is complete, or as it was.
    """
    from surefoot.case.formats.files import SUFFIXES, written_as

    target = Path(path)
    ending = target.suffix.lower()
    if ending not in CONTENTS and written_as(target) is None:
        known = ", ".join((*CONTENTS, *SUFFIXES))
        problem = f"a case cannot be written as {ending or 'a file without an ending'}."
        raise DiagnosticsError.of("wrong-value", problem, where=str(path), hint=f"Use one of {known}.")
    chosen: Notation = case.notation
    if notation is not None:
        validate.choice(notation, NOTATIONS, where="render", name="notation")
        chosen = notation
    shown = case if tag is None else tagged(case, tag)
    if ending not in CONTENTS:
        return shown.write(target)
    if evaluation is None and evidence is not None:
        evaluation = case.evaluate(evidence)
    write_whole(target, CONTENTS[ending](shown, evaluation, chosen, theme))
    return target


def _svg(case: Case, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> str:
    return svg(case, evaluation=evaluation, notation=notation, theme=theme or "auto")


def _pdf(case: Case, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> bytes:
    return pdf(case, evaluation=evaluation, notation=notation, theme=theme or "print")


def _png(case: Case, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> bytes:
    return png(case, evaluation=evaluation, notation=notation, theme=theme or "print")


def _html(case: Case, evaluation: Evaluation | None, notation: Notation, theme: Theme | None) -> str:
    drawing = _svg(case, evaluation, notation, theme)
    return PAGE.format(title=escape(visible(case.name or "Assurance case")), drawing=drawing)


def _markdown(case: Case, evaluation: Evaluation | None, notation: Notation, _: Theme | None) -> str:
    from surefoot.case.formats.markdown import markdown

    return markdown(case, evaluation=evaluation, notation=notation)


def _mermaid(case: Case, evaluation: Evaluation | None, notation: Notation, _: Theme | None) -> str:
    from surefoot.case.formats.mermaid import mermaid

    return mermaid(case, evaluation=evaluation, notation=notation)


CONTENTS: dict[str, Content] = {
    ".svg": _svg,
    ".pdf": _pdf,
    ".png": _png,
    ".html": _html,
    ".md": _markdown,
    ".mmd": _mermaid,
    ".mermaid": _mermaid,
}
