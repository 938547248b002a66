"""The step that sums the risk of cells, weighted by the operational profile, corrected by held-out labels (RAM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Frame, Tested, as_model
from surefoot.bounds.assumption_tests import IDENTICAL
from surefoot.bounds.statement import INDEPENDENT
from surefoot.core import Artefact, Check, Estimate, Evidence, Executor, InvalidInput, Model, Table
from surefoot.core.validate import FloatArray
from surefoot.profile import KDE
from surefoot.project.plan import made_with
from surefoot.project.registry import step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import (
    CELL_ESTIMATORS,
    AsPublished,
    Bandwidth,
    Boundary,
    CellDomain,
    CellEstimator,
    CellSide,
    Features,
    Kernel,
    LabelledData,
    Level,
    OperationData,
    Samples,
    Undesired,
)
from surefoot.project.steps.test_data import (
    columns_of,
    drift,
    examined,
    independence,
    require_inputs,
    scope_of,
    true_classes,
)
from surefoot.reliability import CellReliability, Cells, LocalEstimator, MonteCarlo, assess_cells, cell_estimator
from surefoot.reliability.cells.assessment import copies_of, rows_of
from surefoot.reliability.cells.table import SOURCES, Grid, bounds_of
from surefoot.reliability.proofs.model_conversion import read_network
from surefoot.reliability.proofs.tree_ensembles import read_ensemble

MOST_CELLS = 10
INSTEAD = "Use `failure probability`, which held-out labels correct and which does not need it."


@step
def reliability_cells(
    tested: Tested,
    labelled: LabelledData,
    model: Model,
    executor: Executor,
    *,
    side: CellSide,
    domain: CellDomain,
    operation: OperationData = None,
    features: Features = None,
    bandwidth: Bandwidth = "cross-validation",
    kernel: Kernel = "gaussian",
    boundary: Boundary = None,
    estimator: CellEstimator = "auto",
    samples: Samples = 10_000,
    undesired: Undesired = None,
    level: Level = 0.95,
    as_published: AsPublished = False,
    seed: int = 0,
) -> Evidence:
    """Failure probability from cells of the input domain, corrected by held-out labels (RAM).

    Rows of `labelled` label the cells they fall into, and the model's own vote labels the others; the risk inside cells
    is summed, weighted by how likely operation is to bring inputs there. The rows of `on` are held out: they correct
    the sum, because a vote lets the model judge itself. Of several highest scores the first is the answer. Gives
    `failure probability`, `failure probability by cells alone` and `average cell unastuteness`.
    """
    loaded = as_model(model)
    rows = CellRows.of(tested, labelled, operation)
    rows.require_inside(domain)
    names = _feature_names(features, rows.features)
    found = assess_cells(
        loaded,
        rows.labelled,
        rows.labels,
        side=side,
        domain=domain,
        profile=KDE(bandwidth, kernel, boundary=boundary, domain=domain if boundary else None),
        estimator=estimator_named(estimator, loaded, samples=samples, equal=as_published, where=tested.component),
        holdout=(rows.held_out, rows.held_out_labels),
        operational=rows.operation,
        classes=columns_of(loaded, tested),
        undesired=undesired,
        as_published=as_published,
        level=level,
        executor=executor,
        seed=seed,
    )
    scope = scope_of(tested, undesired=undesired)
    return Evidence(
        tuple(_about(estimate, scope) for estimate in _estimates(found, tested, corrected=not as_published)),
        tables=_tables(found, tested, names),
        artefacts=_figures(found, names),
        assumptions=tuple(replace(assumption, scope=scope) for assumption in found.assumptions),
    )


def _feature_names(names: Sequence[str] | None, count: int) -> list[str]:
    if names is not None and len(names) != count:
        raise InvalidInput(f"features must name all {count} features", where="features", found=f"{len(names)} names")
    return [f"feature {number}" for number in range(count)] if names is None else list(names)


def _estimates(found: CellReliability, tested: Tested, *, corrected: bool) -> list[Estimate]:
    """The three numbers, each with what the data say against it."""
    pmi, *others = found.pmi, found.by_cells, found.acu
    if corrected:
        return [_examined_rows(pmi, found, tested), *(examined(estimate, {}, instead=INSTEAD) for estimate in others)]
    return [examined(estimate, {}) for estimate in (pmi, *others)]


def _examined_rows(pmi: Estimate, found: CellReliability, tested: Tested) -> Estimate:
    """The corrected estimate rests on held-out rows, as a count of failures does."""
    assert found.correction is not None
    failed = found.correction.failed
    checks: dict[str, Check | None] = {IDENTICAL.id: drift(failed, tested.labels)}
    if tested.groups is not None:
        checks[INDEPENDENT.id] = independence(tested, failed)
    return examined(pmi, checks, also=[IDENTICAL])


def _about(estimate: Estimate, scope: str) -> Estimate:
    return replace(estimate, scope=scope, assumptions=tuple(replace(a, scope=scope) for a in estimate.assumptions))


def _tables(found: CellReliability, tested: Tested, names: Sequence[str]) -> dict[str, Table]:
    top = found.top(MOST_CELLS)
    return {
        "upper limits": found.limits,
        "evidence": found.cells.evidence_kinds(),
        "cells": _kinds_of_cells(found.cells),
        "cells that add most": Table((top.columns[0], *names, *top.columns[1 + len(names) :]), top.rows),
        "failures by cells, by class": found.cells.by_pair(),
        "answers": parameters.answers(tested),
    }


def _kinds_of_cells(cells: Cells) -> Table:
    counts = np.bincount(cells.source, minlength=len(SOURCES))
    masses = np.bincount(cells.source, cells.mass, minlength=len(SOURCES))
    kinds = [(name, int(counts[i]), float(masses[i])) for i, name in enumerate(SOURCES) if counts[i]]
    return Table(("label of a cell", "cells", "share of operation"), (*kinds, ("all", len(cells), 1.0)))


def _figures(found: CellReliability, names: Sequence[str]) -> dict[str, Artefact]:
    from surefoot.reliability.cells.maps import growth_by_k, limits_figure, maps

    tests = found.correction.failed if found.correction else np.empty(0, bool)
    drawn = {
        "where the risk sits": parameters.drawn(maps(found, names=names)),
        "upper limits": parameters.drawn(limits_figure(found.limits, int(tests.sum()), tests.size)),
    }
    growth = found.by_k()
    if growth.rows:  # it starts at the first failure, and there may be none
        drawn["the sum over cells, from k of them"] = parameters.drawn(growth_by_k(growth))
    return drawn


# The rows of an assessment in cells, checked under the names that a project file gives them.


@dataclass(frozen=True, eq=False)
class CellRows:
    """Rows that label cells, rows that are held out, and inputs from operation."""

    labelled: FloatArray
    labels: NDArray[np.str_]
    held_out: FloatArray
    held_out_labels: NDArray[np.str_]
    operation: FloatArray | None

    @classmethod
    def of(cls, tested: Tested, labelled: Data, operation: Data | None) -> CellRows:
        """Tables of as many features each, with labels by the names of their classes."""
        labels = true_classes(labelled, name="labelled")
        held_out = _features(tested.inputs, "on")
        columns = held_out.shape[1]
        found = cls(
            _features(labelled.inputs, "labelled", columns),
            labels,
            held_out,
            np.asarray(tested.classes)[tested.labels],
            None if operation is None else _features(operation.inputs, "operation", columns),
        )
        found._require_held_out()
        return found

    @property
    def features(self) -> int:
        """Number of features."""
        return int(self.held_out.shape[1])

    def require_inside(self, domain: Any) -> None:
        """All rows lie in the domain."""
        whole = Grid(tuple(np.array(span) for span in zip(*bounds_of(domain, self.features), strict=True)))
        for name, rows in (("on", self.held_out), ("labelled", self.labelled), ("operation", self.operation)):
            if rows is not None:
                whole.require_inside(rows, name=f"the data set of {name}:")

    def _require_held_out(self) -> None:
        if copies_of(self.labelled, self.held_out).all():
            raise InvalidInput(
                "the rows that label the cells are those of on:, so that nothing is held out",
                where="labelled",
                found=f"{len(self.labelled):,} rows, all of them in both data sets",
                remedy="Name another labelled data set, such as the training data.",
            )


def _features(inputs: NDArray[Any] | Frame | None, name: str, columns: int | None = None) -> FloatArray:
    return rows_of(require_inputs(inputs, name=name), name=f"the data set of {name}:", columns=columns)


# Which estimator finds the risk inside cells.


def estimator_named(name: str, model: Any, *, samples: int, equal: bool, where: str) -> LocalEstimator:
    """The estimator of that name; ``auto`` looks inside the model. ``equal`` draws as many points in every cell.

    It is made with those of ``samples``, ``allocation`` and ``otherwise`` (one that samples) that it takes.
    """
    CELL_ESTIMATORS.choice(name, where=where, name="estimator")
    chosen = _fitting(model) if name == "auto" else name
    allocation: Any = "equal" if equal else "sequential"
    offered = {"samples": samples, "allocation": allocation, "otherwise": MonteCarlo(samples, allocation=allocation)}
    return made_with(cell_estimator.get(chosen), offered)


def _fitting(model: Any) -> str:
    if _can(read_ensemble, model):
        return "exact_trees"
    return "interval" if _can(read_network, model) else "monte_carlo"


def _can(read: Callable[[Any], object], model: Any) -> bool:
    try:
        read(model)
    except InvalidInput:
        return False
    return True
