"""What the four steps of the RAM need beside the assumptions that a number carries."""

from __future__ import annotations

from typing import Any

from surefoot.case.findings import about
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.job import Job
from surefoot.case.templates.method import ABOUT
from surefoot.case.templates.ram import ESTIMATOR, MODELLED, Modelled, kind_of
from surefoot.case.templates.standards import tags
from surefoot.core import Estimate


def needed(draft: Draft, job: Job) -> dict[str, list[str]]:
    """For each step the modelling assumptions that the number does not carry, and what nobody has developed of step 2.

    The paper calls the latter claims; here they are side-claims, so that the step is held up by all that it needs.
    """
    kind = kind_of(job.estimate)
    held = {assumption.id for assumption in job.estimate.assumptions}
    found: dict[str, list[str]] = {}
    for each in MODELLED:
        if each.carried_by(kind) not in held:
            found.setdefault(each.aspect, []).append(_stated(draft, job.owner, each, kind, job.module))
    if _estimated(job.estimate, kind):
        options: dict[str, Any] = {"undeveloped": True, "tags": tags("learning"), "module": job.module}
        for name, (text, place) in ESTIMATOR.items():
            identity, said = f"{job.owner}.profile.{name}", text.replace(ABOUT, about(job.estimate))
            draft.add(identity, "side-claim", said, note=f"{place} of RAM.", **options)
            found.setdefault("profile", []).append(identity)
    return found


def _stated(draft: Draft, owner: str, each: Modelled, kind: str, module: str) -> str:
    """Why an assumption is not needed; or the assumption itself, which nobody checked."""
    identity = f"{owner}.assumption {each.number}"
    options: dict[str, Any] = {"tags": tags("verification"), "module": module}
    if kind in each.not_needed:
        return draft.add(identity, "justification", each.not_needed[kind], **options)
    return draft.add(identity, "side-claim", each.text, note="Nobody checked it.", **options)


def _estimated(estimate: Estimate, kind: str) -> bool:
    """Whether shares of operation come from an estimator; rows that count alike are operation as it is."""
    if kind == "cells":
        return True
    signed = estimate.provenance.method.endswith(".pmi")
    return not signed or any(caveat.code == "approximate-coverage" for caveat in estimate.caveats)
