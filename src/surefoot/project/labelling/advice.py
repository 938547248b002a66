"""What to do with a plan of labels, in sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from surefoot.documents import scalar
from surefoot.hazards.labels import LabelPlan
from surefoot.project.labelling.gathering import Gathered
from surefoot.project.plan import step_of
from surefoot.project.steps.stratified_parameters import RISK

SHEET = "labels.csv"
CREDIBLE = "jeffreys"
"""The method of steps whose result is credible, which must stay so to combine with the rest of a tree."""


def way_back(gathered: Sequence[Gathered], plan: LabelPlan, sheet: str) -> Iterator[str]:
    """How labels come back into the project by the sheet, and what to keep in mind."""
    for each, part in zip(gathered, plan.parts, strict=True):
        name = each.found.reference
        if not part.added.sum():
            yield f"{name}: labels help more elsewhere, so it gets none."
            continue
        if part.asked.marks is None:
            yield f"{name}: the data bring no inputs, so that rows that are labelled already cannot be recognised."
        yield _where_to(each, step_of(name), sheet)
    if plan.rows and any(each.found.said("method") == CREDIBLE for each in gathered):
        yield "Label every row of the sheet; where nobody can tell, write ? and use method: melded, a confidence bound."
    elif plan.rows:
        yield "Label every row of the sheet; write ? where nobody can tell, which counts as a failure."


def set_aside(each: Gathered, chosen: Gathered) -> str:
    """Why a result is not planned for: rows drawn for one rule of strata would bias another."""
    name, first = each.found.reference, chosen.found.reference
    return (
        f"{name}: labels of {each.found.component!r} are planned for {first}, which matters more; one plan serves one."
    )


def _where_to(each: Gathered, step: str, sheet: str) -> str:
    if not each.found.is_stratified:
        return f"When the sheet is filled in, write for {step}: {_step(each, sheet)}"
    if each.found.sheet is None:
        return f"When the sheet is filled in, add to {step}: labels: {scalar(sheet)}"
    return f"Add the filled rows to the sheet of {step}: {each.found.task.files['labels',]}"


def _step(each: Gathered, sheet: str) -> str:
    """The step that reads the labels, as the project file would say it."""
    rows = each.rows
    said: dict[str, Any] = {"step": "stratified_bound", "component": each.found.component, "on": each.found.task.data}
    said |= {"operation": each.data, "labels": sheet}
    said |= {"strata": rows.strata} if rows.strata != RISK else {"bins": rows.bins}
    said |= {"method": CREDIBLE} if each.found.said("method") == CREDIBLE else {}
    said |= {"of": rows.of} if rows.of else {}
    undesired = [f"undesired: {json.dumps(rows.undesired, ensure_ascii=False)}"] if rows.undesired else []
    return f"{{{', '.join([*(f'{name}: {scalar(value)}' for name, value in said.items()), *undesired])}}}"
