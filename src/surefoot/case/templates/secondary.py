"""What stands beside an argument: how far a metric is trusted (SL), and the other figures of a monitor (MON).

The links of a trust chain are justifications, not side-claims: their opinions are in the number already, and a
side-claim would discount it once more.
"""

from __future__ import annotations

from surefoot.case.findings import measured
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.job import Job
from surefoot.case.templates.names import escaped
from surefoot.case.templates.standards import Role, tags
from surefoot.core import Evidence
from surefoot.documents import significant

LAYERS = {
    "model": "The model's own forecasts can be trusted so far",
    "data": "The data show so much of the operating conditions",
    "input space": "The description of the input space can be trusted so far",
}


def beside(draft: Draft, job: Job, evidence: Evidence | None) -> tuple[str, ...]:
    """Justifications and contexts that the evidence of the step gives."""
    if evidence is None:
        return ()
    method = job.estimate.provenance.method
    if method.startswith("opinions.") and job.estimate.quantity.startswith("trusted "):
        return _trust(draft, job, evidence)
    return _figures(draft, job, evidence) if method == "monitors.evaluate" else ()


def _trust(draft: Draft, job: Job, evidence: Evidence) -> tuple[str, ...]:
    """A justification for each link of the chain."""
    table = evidence.tables.get("trust")
    found = []
    for name, layer, belief, disbelief, uncertainty, source in table.rows if table else ():
        opinion = ", ".join(significant(float(mass)) for mass in (belief, disbelief, uncertainty))
        said = LAYERS.get(str(layer), f"The layer {layer!r} can be trusted so far")
        text = (
            f"{said}, and the metric is discounted by it: {name}, {source} (belief, disbelief, uncertainty {opinion})."
        )
        role: Role = "data" if layer == "data" else "learning"
        identity = f"{job.owner}.trust.{escaped(str(name))}"
        found.append(draft.add(identity, "justification", text, tags=tags(role), module=job.module))
    return tuple(found)


def _figures(draft: Draft, job: Job, evidence: Evidence) -> tuple[str, ...]:
    others = [
        measured(each)
        for each in evidence.estimates
        if each.provenance.method == "monitors.evaluate" and each.quantity != job.estimate.quantity
    ]
    if not others:
        return ()
    text = f"The other figures of the monitor: {'; '.join(others)}."
    return (draft.add(f"{job.owner}.figures", "context", text, tags=tags("operation"), module=job.module),)
