"""The step that shows a HAZOP worksheet: what was found, and what nobody looked at."""

from __future__ import annotations

from dataclasses import fields

from surefoot.core import Artefact, Assumption, Check, Evidence, Table
from surefoot.hazards import Deviation, Hazop, Property, Row
from surefoot.hazards.drawing import draw_matrix, draw_system
from surefoot.hazards.worksheet.progress import Progress, risk_class
from surefoot.project.step import step
from surefoot.project.steps.tree_parameters import WorksheetFile
from surefoot.project.trees import hazop_of

SVG = "image/svg+xml"
COLUMN = 760.0
"""Pixels; what fits the column of a report."""
COLUMNS = ("id", "deviation", "causes", "consequences", "mitigations", "endangers", "risk", "status", "remark")


@step
def hazop(*, file: WorksheetFile) -> Evidence:
    """Hazard analysis: the worksheet of a HAZOP, how complete it is, and its safety properties.

    Gives no estimate; what it finds is shown in the report, and how complete it is becomes a side-claim of every target
    whose fault tree is built from its rows.
    """
    found = hazop_of(file)
    return Evidence(
        (),
        tables={
            "progress": _counted(found),
            "worksheet": worksheet(found),
            **properties(found),
            **missing(found),
        },
        artefacts=_pictures(found),
        assumptions=(complete(found),),
    )


def _counted(found: Hazop) -> Table:
    """How far the team has come; what there is none of is left out."""
    table = Progress.of(found).table()
    return Table(table.columns, tuple(row for row in table.rows if row[1]))


def worksheet(found: Hazop) -> Table:
    """All rows, as a team reads them."""
    return Table(COLUMNS, tuple(_cells(found, row) for row in found.rows))


def _cells(found: Hazop, row: Row) -> tuple[str, ...]:
    rated = " × ".join(filter(None, (row.severity, row.likelihood)))
    risk = ": ".join(filter(None, (risk_class(found, row), rated)))
    mitigations = (str(each).replace(" -> ", " → ") for each in row.mitigations)
    lists = ("; ".join(said) for said in (row.causes, row.consequences, mitigations, row.endangers))
    status = ", ".join(filter(None, (row.status, row.reviewer)))
    return row.id, str(Deviation(*row.deviation)), *lists, risk, status, row.remark


def properties(found: Hazop) -> dict[str, Table]:
    """The safety properties, each a requirement with its verification; nothing where there are none."""
    head = tuple(field.name for field in fields(Property))
    rows = tuple(tuple(getattr(each, name) for name in head) for each in found.properties)
    return {"safety properties": Table(head, rows)} if rows else {}


def missing(found: Hazop) -> dict[str, Table]:
    """What the team still has to do; nothing where all is done."""
    rows = tuple((each.severity, each.text, each.hint, each.where) for each in found.check())
    return {"to do": Table(("severity", "what", "what to do", "where"), rows)} if rows else {}


def complete(found: Hazop) -> Assumption:
    """Whether every deviation was considered, as far as a worksheet can tell."""
    deviations = found.deviations()
    considered = sum(deviation.considered for deviation in deviations)
    waiting = sum(row.status in ("open", "filled") and not row.blank for row in found.rows)
    figures = {"deviations": len(deviations), "considered": considered, "rows without review": waiting}
    done = considered == len(deviations) > 0 and not waiting
    check = Check("supported" if done else "unchecked", "guide words of the worksheet", figures)
    text = "Every deviation that may lead to the hazard was considered, and reviewed, in the hazard analysis."
    return Assumption("hazards-complete", text, check)


def _pictures(found: Hazop) -> dict[str, Artefact]:
    drawn = {"system": draw_system(found, width=COLUMN)} if found.items else {}
    if any(risk_class(found, row) for row in found.rows):
        drawn["risk matrix"] = draw_matrix(found)
    return {title: Artefact(SVG, picture.encode()) for title, picture in drawn.items()}
