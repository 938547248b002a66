"""The report: one HTML file that needs no network, runs no script but its own and lets no text become markup."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from surefoot.case.evaluation import CHECK_WORDS, Evaluation
from surefoot.case.model import Case
from surefoot.case.templates.builder import goal_id
from surefoot.case.wording import compared, counted, interval, unchecked
from surefoot.core import Bound, validate
from surefoot.documents import Rounding, hyphenated, listed, percent, sentence, shortened, significant, visible
from surefoot.project.result import Result
from surefoot.report import chapters, wording
from surefoot.report.case_chapter import asset, case_chapter, case_style, script_hash
from surefoot.report.chapters import (
    PROPERTY_WORDS,
    bound_picture,
    caveat_words,
    chapter,
    contents,
    evidence_chapters,
    registered,
    requirements,
    standards_matrix,
)
from surefoot.report.page_data import MOST_ROWS, PICTURE, Outside, embedded, few_pictures, most_bytes, smaller
from surefoot.report.signature import signature
from surefoot.report.verdict import Targets, first_screen, headline
from surefoot.report.wording import check_words, label, plain

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LONG = 600
MOST_NAMES = 100
"""Targets that are named in one place; how many there are more is said."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""What a browser may load: nothing; beside it the page names the one script that may run."""


@validate.arguments
def html(result: Result) -> str:
    """The whole report as one page, which stays within its limits.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.

    Returns
    -------
    str
        HTML that loads nothing and runs no script but its own.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    outside = few_pictures(result, Outside.of(result))
    told = _told(result, outside)
    page, most = _filled(result, outside, told), most_bytes(result)
    excess = len(page.encode()) - most
    for less in smaller(result, outside, excess) if excess > 0 else ():
        page = _filled(result, less, told)
        if len(page.encode()) <= most:
            break
    return page


def render(result: Result, outside: Outside) -> str:
    """The page of a result, with what the data inside it do not hold."""
    return _filled(result, outside, _told(result, outside))


def _filled(result: Result, outside: Outside, told: Mapping[str, Any]) -> str:
    from markupsafe import Markup

    inside = Markup(embedded(result, outside))
    return environment().get_template("page.html").render(**told, outside=outside, embedded=inside, **_look())


def _told(result: Result, outside: Outside) -> dict[str, Any]:
    """What a page says, however much of pictures and tables it shows."""
    anchors, iterations = chapters.anchors(result), chapter(result)
    control, matrix, targets = result.document, standards_matrix(result), Targets.of(result)
    return {
        "control": control,
        "title": (control and control.title) or result.definition["system"]["name"],
        "register": result.register,
        "register_words": registered(result),
        "matrix": matrix,
        "matrix_words": ", ".join(
            f"{name}: {len(gaps)} of {len(gaps) + len(there)} are gaps" for name, gaps, there in matrix
        ),
        "result": result,
        "anchors": anchors,
        "system": result.definition["system"],
        "definition": result.definition,
        "headline": headline(result),
        "assumptions": chapters.assumptions(result),
        "caveats": chapters.alike(chapters.caveats(result)),
        "caveat_words": caveat_words(result),
        "conditions": chapters.conditions(result),
        "case_chapter": case_chapter(
            result.case,
            result.evaluation,
            anchors=anchors,
            told={goal_id(name): at for name, at in targets.told_once.items()},
        ),
        "targets": targets,
        "first": first_screen(result),
        "chapters": evidence_chapters(result),
        "contents": contents(result, iterations=iterations is not None),
        "signature": signature(result, outside),
        "requirements": requirements(result),
        "iterations": iterations,
    }


@validate.arguments
def case_page(
    case: Case,
    evaluation: Evaluation | None = None,
    *,
    anchors: Mapping[str, str] | None = None,
    cut: Mapping[str, int] | None = None,
) -> str:
    """The chapter on a case as a page of its own: its graph to open and close, its outline, and how it stands.

    Parameters
    ----------
    case, evaluation
        The case, and how its nodes stand; without that nothing is said of it.
    anchors
        Where the page shows results and assumptions, by their names: ids of elements.
    cut
        Of a part of a case: how many nodes were left out below each, as ``surefoot.case.part`` tells.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.case import Case, Node
    >>> case = Case.of([Node("C1", "claim", "It stops", undeveloped=True)], name="Brake")
    >>> "<title>Brake" in sf.report.case_page(case, case.evaluate())
    True

    """
    return (
        environment()
        .get_template("case_page.html")
        .render(
            title=case.name or "Assurance case",
            case_chapter=case_chapter(case, evaluation, anchors=anchors or {}, cut=cut),
            **_look(),
        )
    )


def _look() -> dict[str, Any]:
    """Style and policy of every page."""
    from markupsafe import Markup

    style = Markup(asset("page.css") + case_style())
    return {"style": style, "policy": f"{POLICY}; script-src {script_hash()}"}


@cache
def environment() -> Environment:
    """Where templates are found, and what they can call."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "hyphenated": hyphenated,
        "number": number,
        "limit": limit,
        "percent": percent,
        "value": value,
        "label": label,
        "sentence": sentence,
    }
    environment.globals |= {
        "CHECK_WORDS": CHECK_WORDS,
        "MOST_NAMES": MOST_NAMES,
        "MOST_ROWS": MOST_ROWS,
        "PROPERTY_WORDS": PROPERTY_WORDS,
        "status_words": wording.status_words,
        "bound_picture": lambda answer, identity: Markup(bound_picture(answer, identity)),
        "cautious": cautious,
        "check_words": check_words,
        "compared": compared,
        "contradicted": wording.contradicted,
        "counted": counted,
        "counting_bound": wording.counting_bound,
        "estimate_bounds": chapters.estimate_bounds,
        "finding": wording.finding,
        "interval": interval,
        "level_words": wording.level_words,
        "listed": listed,
        "looks_words": wording.looks_words,
        "margin": wording.margin,
        "origin": wording.origin,
        "picture_start": Markup(PICTURE),
        "plain": plain,
        "plain_status": wording.plain_status,
        "rounded": wording.rounded,
        "short_status": wording.short_status,
        "stated": stated,
        "as_markup": Markup,
        "different_assumptions": chapters.different_assumptions,
        "unchecked_of": unchecked,
    }
    return environment


def _shown_text(found: Any) -> Any:
    """Every text that reaches the page shows what it is; markup of our own passes."""
    return visible(found) if isinstance(found, str) and not hasattr(found, "__html__") else found


def number(found: float | None, *, rounding: Rounding = "nearest") -> Markup:
    """A rounded number that tells its exact value when pointed at."""
    from markupsafe import Markup

    if found is None:
        return Markup("–")
    exact = repr(found)
    return Markup('<data value="{0}" title="{0}">{1}</data>').format(exact, significant(found, rounding=rounding))


def limit(bound: Bound) -> Markup:
    """The limit of a bound, rounded to its cautious side."""
    return number(bound.limit, rounding="up" if bound.side == "upper" else "down")


def cautious(column: str) -> Rounding:
    """How to round the numbers of a column: as bounds, where it says that it holds bounds."""
    return "up" if "upper bound" in column else "down" if "lower bound" in column else "nearest"


def value(found: Any, *, rounding: Rounding = "nearest", name: str = "") -> Any:
    """A value of a table or of a record, whatever it is; a seed is a name, not an amount."""
    if name == "seed":
        return str(found)
    if found is None or (isinstance(found, int | float) and not isinstance(found, bool)):
        return number(found, rounding=rounding)
    return shortened(plain(found), LONG)


def stated(*groups: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and values of several mappings, without what was left empty."""
    return [
        (name, item) for group in groups for name, item in group.items() if item not in (None, "", ()) and item != {}
    ]
