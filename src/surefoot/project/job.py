"""One step with everything it needs, ready to run in this process or in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from traceback import extract_tb
from typing import Any

import numpy as np

from surefoot.core import (
    Assumption,
    Diagnostic,
    DiagnosticsError,
    Estimate,
    Evidence,
    MissingExtra,
    Provenance,
    SurefootError,
    union,
)
from surefoot.project.step import find
from surefoot.project.store import Store


@dataclass(frozen=True, eq=False)
class Job:
    """A step, the values of its parameters, and what its results rest on beside the step's own assumptions."""

    name: str
    step: str
    values: Mapping[str, Any]
    provenance: Provenance
    where: str
    assumptions: tuple[Assumption, ...] = ()
    caveats: tuple[Diagnostic, ...] = ()
    store: str | None = None
    """Where to keep the evidence as soon as it is there; None where only the caller can."""
    alone: bool = False
    """Whether the step uses the executor itself, and so runs in the main process."""


Outcome = Evidence | tuple[Diagnostic, ...]


def perform(job: Job, rng: np.random.Generator | None = None) -> Outcome:
    """The evidence, or what went wrong; a step that fails does not stop the others."""
    try:
        evidence = _finished(find(job.step).function(**job.values), job)
        if job.store is not None:
            Store.open(job.store).put(job.provenance.key, evidence, step=job.name)
    except MemoryError:
        raise
    except Exception as error:
        return problems_of(error, job.where)
    return evidence


def problems_of(error: Exception, where: str) -> tuple[Diagnostic, ...]:
    """An exception as coded problems."""
    if isinstance(error, DiagnosticsError) and error.diagnostics:
        return tuple(d if d.where else replace(d, where=where) for d in error.diagnostics)
    if isinstance(error, MissingExtra):
        return (Diagnostic("missing-extra", str(error), "error", where),)
    if isinstance(error, SurefootError):
        return (Diagnostic("step-failed", str(error), "error", where),)
    frames = extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return (Diagnostic("step-failed", f"{type(error).__name__}: {error}{place}", "error", where),)


def _finished(returned: Any, job: Job) -> Evidence:
    """What the step returned, with what the step could not know."""
    if isinstance(returned, Evidence):
        found = returned
    else:
        found = Evidence((returned,) if isinstance(returned, Estimate) else tuple(returned))
    return replace(
        found,
        estimates=tuple(_traced(estimate, job) for estimate in found.estimates),
        assumptions=union(found.assumptions, job.assumptions),
        provenance=job.provenance,
    )


def _traced(estimate: Estimate, job: Job) -> Estimate:
    data = {**estimate.provenance.data, **job.provenance.data}
    return replace(
        estimate,
        assumptions=union(estimate.assumptions, job.assumptions),
        caveats=(*estimate.caveats, *(c for c in job.caveats if c not in estimate.caveats)),
        provenance=replace(estimate.provenance, data=data),
    )
