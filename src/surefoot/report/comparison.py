"""Whether a page still shows what it was made from: it is made again from the data inside it, and compared."""

from __future__ import annotations

from pathlib import Path

from surefoot.core import SurefootError
from surefoot.project.result import Result
from surefoot.report.embedding import about, canonical, extracted, without_data
from surefoot.report.files import read
from surefoot.report.outside import Outside
from surefoot.report.page import render


def same_page(path: str | Path) -> bool:
    """Whether every word, number, figure and rule of a page follows from the result inside it.

    Found out: an edited verdict or number, a swapped figure, a hidden section, an added script. The result itself is
    not judged here: ``surefoot assess --verify`` computes it anew. A page of another version of Surefoot may look
    different; the versions are part of the result.
    """
    read(path)
    page = Path(path).read_text(encoding="utf-8")
    expected = _made_again(page)
    return expected is not None and canonical(page) and visible_text(expected) == visible_text(page)


def visible_text(page: str) -> str:
    """All of a page but the data inside it, white space made equal: words, structure, styles and scripts."""
    return " ".join(without_data(page).split())


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
