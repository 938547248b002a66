"""The report on paper: a controlled document in pages, with contents, diagrams, register, matrix and signatures.

Two pages for a reader in a hurry come first. WeasyPrint (extra ``pdf``) sets the pages, because it alone numbers the
contents; it loads nothing but the fonts of this machine and those that come with matplotlib.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.case import Seal, verify
from surefoot.case.drawings import picture
from surefoot.case.evaluation import CHECKS_WORST_FIRST, Doubt
from surefoot.case.model import Case
from surefoot.case.parts import part
from surefoot.case.wording import surely
from surefoot.core import MissingExtra, validate
from surefoot.documents import counted, shortened
from surefoot.drawing import svg
from surefoot.drawing.pdf import faces
from surefoot.project.result import Answer, Result
from surefoot.report import chapters
from surefoot.report.case_chapter import asset, decides
from surefoot.report.case_outline import SIGNS, Row, outline
from surefoot.report.page import environment
from surefoot.report.page_data import Outside, few_pictures, ranked
from surefoot.report.signature import grouped, signature
from surefoot.report.verdict import first_screen, headline, joint

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_LISTED = 8
"""Assumptions and doubts that the first two pages name; the chapters have all."""
MOST_DIAGRAMS, MOST_FIGURES, MOST_NODES, MOST_NEEDED = 24, 6, 2_000, 1
PAGE_WIDE, HALF_WIDE, HIGH = 772.0, 380.0, 424.0
"""Room for a diagram on a page across, and for each of two beside each other, in points."""
SMALLEST, LARGEST = 0.47, 0.64
"""How much diagrams are made smaller: their letters are six to eight points high."""
ENOUGH = 0.6
"""A diagram takes half a page where that shows at least this share of the nodes that a page would show."""
TOLD = ("assumption-contradicted", "repeated-looks")
"""Caveats that other parts of the document tell."""
LONGEST, LONGEST_NAME = 180, 60
FINGERPRINT = 16
LETTERS = 8.2
"""Of the text, in points."""
SIGN = {"met": "✓", "violated": "✕", "not-shown": "?", "alone": "?", "none": "?"}


@validate.arguments
def pdf(result: Result, *, seal: Seal | None = None) -> bytes:
    """The result as a document to print, file and sign.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.
    seal
        The seal of this result, so that the document says who signed it, and whether what was sealed still holds.

    Returns
    -------
    bytes
        PDF, A4, with bookmarks and a table of contents.

    Raises
    ------
    MissingExtra
        Where WeasyPrint or a library that it needs is not installed.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    page = document(result, seal=seal)
    with _strict_pictures():
        try:
            from weasyprint import HTML
            from weasyprint.urls import URLFetcher
        except (ImportError, OSError) as error:
            raise _missing(error) from error
    inside = HTML(string=page, url_fetcher=URLFetcher(allowed_protocols=("data",)))
    found: bytes = inside.write_pdf(pdf_identifier=result.digest.encode())
    return found


def document(result: Result, *, seal: Seal | None = None) -> str:
    """The pages as HTML, before they are set.

    Parameters
    ----------
    result, seal
        As for ``pdf``.

    Returns
    -------
    str
        HTML that needs no network.

    See Also
    --------
    pdf : Sets it in pages.

    """
    from markupsafe import Markup

    outside = few_pictures(result, Outside.of(result))
    case = result.case
    rows = [row for row in outline(result.evaluation, case, {}, {}) if not row.again]
    control = result.document
    return (
        environment()
        .get_template("document.html")
        .render(
            result=result,
            system=result.definition["system"],
            definition=result.definition,
            control=control,
            title=(control and control.title) or result.definition["system"]["name"],
            name=control.name(result.definition["system"]["name"]) if control else result.definition["system"]["name"],
            headline=headline(result),
            first=first_screen(result),
            joint=joint(result.answers),
            surely=surely(result.evaluation, case.top.id) if case.tops else "",
            rests=Rests.of(result),
            left_open=LeftOpen.of(result),
            signed=SealedBy.of(result, seal),
            targets_of=targets_of,
            more_modules=max(0, len({node.module for node in case}) - MOST_DIAGRAMS),
            signature=signature(result, outside),
            digest=grouped(outside.digest),
            outside=outside,
            conditions=chapters.conditions(result),
            assumptions=chapters.assumptions(result),
            caveats=[
                each for each in chapters.caveats(result) if each[0].severity != "note" and each[0].code not in TOLD
            ],
            most_needed=MOST_NEEDED,
            sheets=list(_sheets(diagrams(result))),
            modules=_by_module(case, rows[:MOST_NODES]),
            more_nodes=max(0, len(rows) - MOST_NODES),
            register=result.register,
            matrix=chapters.standards_matrix(result),
            figures=_figures(result, outside),
            iterations=chapters.chapter(result),
            SIGN=SIGN,
            SIGNS=SIGNS,
            style=Markup(asset("document.css") + _fonts()),
        )
    )


# The first two pages: what it rests on, what is open, who signed.


@dataclass(frozen=True)
class Rests:
    """What the verdicts rest on, counted, with the assumptions to know first."""

    assumptions: tuple[chapters.AssumptionUse, ...]
    """The doubtful ones that targets rest on."""
    more: int
    counts: Mapping[str, int]
    """How many of them a check contradicted, nobody checked, or a check found nothing against."""
    registered: str
    """How many documents, data sets, models and results."""

    @classmethod
    def of(cls, result: Result) -> Rests:
        """Out of a result."""
        used = [use for use in chapters.assumptions(result) if use.targets]
        doubtful = [use for use in used if use.status != "supported"]
        statuses = Counter(use.status for use in used)
        return cls(
            tuple(doubtful[:MOST_LISTED]),
            max(0, len(doubtful) - MOST_LISTED),
            {status: statuses[status] for status in CHECKS_WORST_FIRST},
            chapters.registered(result),
        )


@dataclass(frozen=True)
class OpenDoubt:
    """A doubt as a line."""

    id: str
    kind: str
    text: str
    decides: str


@dataclass(frozen=True)
class LeftOpen:
    """What the case leaves open, by what it decides."""

    states: tuple[tuple[str, int], ...]
    doubts: tuple[OpenDoubt, ...]
    more: int
    accepted: tuple[tuple[str, int], ...]
    """Who accepted how many doubts."""

    @classmethod
    def of(cls, result: Result) -> LeftOpen:
        """Out of a result."""
        doubts = result.evaluation.doubts
        waiting = [doubt for doubt in doubts if doubt.state == "open"]
        by = [doubt.by or "nobody named" for doubt in doubts if doubt.state == "accepted"]
        return cls(
            tuple((state, count) for state, count in result.evaluation.counted().items() if count)[::-1],
            tuple(cls._line(result.case, doubt) for doubt in waiting[:MOST_LISTED]),
            max(0, len(waiting) - MOST_LISTED),
            tuple((name, by.count(name)) for name in dict.fromkeys(by)),
        )

    @staticmethod
    def _line(case: Case, doubt: Doubt) -> OpenDoubt:
        return OpenDoubt(doubt.id, doubt.kind, shortened(case[doubt.id].text, LONGEST), decides(doubt))


@dataclass(frozen=True)
class SealedBy:
    """The seal of a result: who signed it as what, and whether what was sealed still holds."""

    holds: bool
    told: str
    signatures: tuple[tuple[str, str, str, str], ...] = ()
    """Name, role, date, and the beginning of the public key."""

    @classmethod
    def of(cls, result: Result, seal: Seal | None) -> SealedBy | None:
        """None where nothing was sealed."""
        if seal is None:
            return None
        wrong = [each for each in verify(seal, result.snapshot) if each.severity == "error"]
        what = counted(len(seal.sealed.claims), "claim")
        by = f" by {seal.sealed.by}" if seal.sealed.by else ""
        on = f" on {seal.sealed.date}" if seal.sealed.date else ""
        told = f"Sealed{by}{on}: {what} that held then. "
        told += "Every one holds in this result." if not wrong else " ".join(each.text for each in wrong[:3])
        signed = ((each.by or "–", each.role or "–", each.date or "–", each.public_key) for each in seal.signatures)
        return cls(not wrong, told, tuple((*each[:3], grouped(each[3][:FINGERPRINT])) for each in signed))


# The case: a diagram of every module as far as it can be read on a page, and a line for every node.


@dataclass(frozen=True)
class Diagram:
    """A picture of a module, to be set in pages."""

    title: str
    markup: str = field(repr=False)
    width: float
    height: float
    note: str
    half: bool
    """Whether another may stand beside it."""
    id: str


def diagrams(result: Result) -> Iterator[Diagram]:
    """Of each module its upper levels, as many as can be read on half a page or a page of A4."""
    from markupsafe import Markup

    sizes = Counter(node.module for node in result.case)
    for place, module in enumerate([*sizes][:MOST_DIAGRAMS], start=1):
        half, whole = (_most_readable(result, module, wide) for wide in (HALF_WIDE, PAGE_WIDE))
        best = half if half.scale >= SMALLEST and len(half.case) >= ENOUGH * len(whole.case) else whole
        scene = picture(best.case, evaluation=result.evaluation, cut=best.cut, explained=False)
        hidden = sizes[module] - len(best.case)
        name = module or ("The top" if len(sizes) > 1 else result.case.name or "The case")
        yield Diagram(
            shortened(name, LONGEST_NAME),
            Markup(svg(scene, theme="print", prefix=f"diagram-{place}")),
            scene.width * best.scale,
            scene.height * best.scale,
            f"{counted(hidden, 'node')} further below stand in the list of nodes." if hidden else "",
            best is half,
            f"diagram-{place}",
        )


def _sheets(drawn: Iterable[Diagram]) -> Iterator[list[Diagram]]:
    """Pages of them: halves two by two, in their order; what needs a page waits for the second of a pair."""
    waiting: list[Diagram] = []
    first: Diagram | None = None
    for each in drawn:
        if not each.half:
            waiting.append(each)
        elif first is None:
            first = each
        else:
            yield [first, each]
            first = None
        if first is None:
            yield from ([whole] for whole in waiting)
            waiting = []
    yield from ([each] for each in (first, *waiting) if each is not None)


@dataclass(frozen=True)
class _Levels:
    """The upper levels of a module, and how much their picture is made smaller to fit."""

    case: Case
    cut: Mapping[str, int]
    scale: float


def _most_readable(result: Result, module: str, wide: float) -> _Levels:
    """The most levels of a module whose picture fits with letters that can be read, one at least."""
    found: _Levels | None = None
    for depth in range(1, len(result.case) + 1):
        kept = part(result.case, module=module or "main", depth=depth)
        if found is not None and len(kept.case) == len(found.case):
            break
        scene = picture(kept.case, evaluation=result.evaluation, cut=kept.cut, explained=False)
        scale = min(wide / scene.width, HIGH / scene.height, LARGEST)
        if found is not None and scale < SMALLEST:
            break
        found = _Levels(kept.case, kept.cut, scale)
    assert found is not None
    return found


def _by_module(case: Case, rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Rows of the outline module by module, in the order in which modules come."""
    found: dict[str, list[Row]] = {node.module: [] for node in case}
    for row in rows:
        found[case[row.id].module].append(row)
    return [(module, each) for module, each in found.items() if each]


def _figures(result: Result, outside: Outside) -> list[tuple[str, str, Markup]]:
    """Step, caption and markup of the most important figures."""
    from markupsafe import Markup

    found = []
    for step, name in ranked(result, outside.figures)[:MOST_FIGURES]:
        shown = outside.figures[step][name]
        found.append((step, shown.caption(name), Markup(shown.markup)))
    return found


def targets_of(use: chapters.AssumptionUse, answers: Sequence[Answer]) -> str:
    """Names of targets that rest on an assumption, or that all do."""
    return "all" if len(use.targets) == len(answers) > 1 else ", ".join(use.targets)


# Setting pages: what a machine may lack.


@contextmanager
def _strict_pictures() -> Iterator[None]:
    """WeasyPrint lets Pillow take truncated pictures wherever the process reads some; data must not be read so."""
    from PIL import ImageFile

    strict = ImageFile.LOAD_TRUNCATED_IMAGES
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = strict


@cache
def _symbols() -> str:
    """A font that comes with matplotlib, for signs and for machines that have none."""
    from matplotlib import get_data_path

    content = Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf").read_bytes()
    source = f"data:font/ttf;base64,{b64encode(content).decode()}"
    return f'@font-face{{font-family:"Report Symbols";src:url("{source}")}}'


def _fonts() -> str:
    """Signs for every machine, and smaller letters where the font at hand is a wide one."""
    return f"{_symbols()}html{{font-size:{LETTERS * faces(bold=False).usual[0].scale:.2f}pt}}"


def _missing(error: Exception) -> MissingExtra:
    if isinstance(error, OSError):
        problem = "to write PDF, WeasyPrint needs Pango, which is not installed"
        return MissingExtra(problem, where="report.pdf", remedy="On Debian: apt-get install libpango-1.0-0.")
    problem = "to write PDF, the package 'weasyprint' is needed, which is not installed"
    return MissingExtra(problem, where="report.pdf", remedy="Run: pip install 'surefoot[pdf]'")
