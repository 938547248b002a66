"""The step that sums the risk of cells, weighted by the operational profile, corrected by held-out labels (RAM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Frame, LoadedModel, Tested, as_model
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
    InputColumns,
    Kernel,
    LabelledData,
    Level,
    OperationData,
    Samples,
    Undesired,
)
from surefoot.project.steps.test_data import (
    Columns,
    Encoding,
    columns_of,
    drift,
    examined,
    framed,
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
    columns: InputColumns = None,
    seed: int = 0,
) -> Evidence:
    """Failure probability from cells of the input domain, corrected by held-out labels (RAM).

    Rows of `labelled` label the cells they fall into, and the model's own vote labels the others; the risk inside cells
    is summed, weighted by how likely operation is to bring inputs there. The rows of `on` are held out: they correct
    the sum, because a vote lets the model judge itself. Of several highest scores the first is the answer. Of frames
    `columns` says how they become numbers; the model is asked with frames, whose numbers vary in a cell. Gives
    `failure probability`, `failure probability by cells alone` and `average cell unastuteness`.
    """
    loaded = as_model(model)
    encoded = None if columns is None else EncodedCells.of(tested, columns, loaded)
    rows = CellRows.of(tested, labelled, operation, encoded)
    if encoded is not None:
        loaded, features = encoded.model(loaded), features or [*encoded.encoding.columns]
        side, domain = encoded.sides(side), encoded.domain(domain)
        bandwidth = encoded.bandwidth(bandwidth, kernel, rows)
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
        tables=_tables(found, tested, names, encoded),
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


def _tables(
    found: CellReliability, tested: Tested, names: Sequence[str], encoded: EncodedCells | None
) -> dict[str, Table]:
    top = found.top(MOST_CELLS)
    rows = top.rows if encoded is None else tuple(encoded.in_words(row) for row in top.rows)
    return {
        "upper limits": found.limits,
        "evidence": found.cells.evidence_kinds(),
        "cells": _kinds_of_cells(found.cells),
        "cells that add most": Table((top.columns[0], *names, *top.columns[1 + len(names) :]), rows),
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
    def of(
        cls, tested: Tested, labelled: Data, operation: Data | None, encoded: EncodedCells | None = None
    ) -> CellRows:
        """Tables of as many features each, with labels by the names of their classes."""
        labels = true_classes(labelled, name="labelled")
        view = encoded or (lambda rows, _: rows.inputs)
        held_out = _features(view(tested, "on"), "on")
        columns = held_out.shape[1]
        found = cls(
            _features(view(labelled, "labelled"), "labelled", columns),
            labels,
            held_out,
            np.asarray(tested.classes)[tested.labels],
            None if operation is None else _features(view(operation, "operation"), "operation", columns),
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


# Columns of frames as features of cells: numbers, and places of categories in the middle of cells of side 1.

NARROW = 0.1
"""Bandwidth of places: half a side is five standard deviations, so that no mass reaches other categories."""


@dataclass(frozen=True, eq=False)
class EncodedCells:
    """How columns of frames become features, and features a frame for the model."""

    encoding: Encoding
    listed: NDArray[np.bool_]
    """Which features are places of categories."""

    @classmethod
    def of(cls, tested: Tested, columns: Columns, model: LoadedModel) -> EncodedCells:
        """Every column that the model takes must be among them, and none may be spread over several features."""
        encoding = Encoding.of(framed(tested, where=tested.component), columns, where="on")
        spread = [name for name, how in encoding.columns.items() if how == "one-hot"]
        if spread:
            problem = f"cells cannot be made of columns of 0 and 1 for each category, as of {spread[0]!r}"
            remedy = (
                f"List its categories, such as columns: {{{spread[0]}: [{', '.join(encoding.categories[spread[0]])}]}}."
            )
            raise InvalidInput(problem, where="columns", found=f"{spread[0]}: one-hot", remedy=remedy)
        lacking = [name for name in model.features or encoding.rows.names if name not in encoding.columns]
        if lacking:
            problem, found = "cells are made of every column that the model takes", f"none of {', '.join(lacking)}"
            remedy = "Name them too, or assess a model of fewer columns; binomial_bound counts rows of any."
            raise InvalidInput(problem, where="columns", found=found, remedy=remedy)
        return cls(encoding, np.array([bool(encoding.listed(name)) for name in encoding.columns]))

    def __call__(self, rows: Tested | Data, name: str) -> FloatArray:
        """The rows of a data set as features."""
        return self.encoding(framed(rows, where=name), where=name)

    def model(self, model: LoadedModel) -> LoadedModel:
        """The model as a function of features, which it gets as a frame."""
        encoding, order = self.encoding, model.features or self.encoding.rows.names

        def answer(features: NDArray[Any]) -> Any:
            frame = encoding.decoded(features).select(order)
            if model.takes == "array" or not (model.features or model.takes or model.source is None):
                return model.function(frame.matrix())
            return model.function((frame if model.takes is None else frame.as_kind(model.takes)).native)

        return replace(model, function=answer, source=None, features=(), columns=(), takes="array")

    def sides(self, said: CellSide) -> list[float]:
        """A side for each feature: as said for numbers, 1 for places."""
        return [
            1.0 if place else float(side) for place, side in zip(self.listed, self._each(said, "side"), strict=True)
        ]

    def domain(self, said: CellDomain) -> list[list[float]]:
        """Where features can lie: as said for numbers, half a side around the places of categories."""
        pair = not isinstance(said[0], Sequence)
        spans = self._each([said] if pair else said, "domain", single=pair)
        counts = [len(self.encoding.listed(name)) for name in self.encoding.columns]
        return [[-0.5, count - 0.5] if count else list(span) for count, span in zip(counts, spans, strict=True)]

    def bandwidth(self, said: Bandwidth, kernel: Kernel, rows: CellRows) -> Any:
        """Widths as said, or by the rule, for numbers; places keep to themselves."""
        numbers = (rows.labelled if rows.operation is None else rows.operation)[:, ~self.listed]
        if not self.listed.any() or (isinstance(said, str) and not numbers.shape[1]):
            return said if numbers.shape[1] else [NARROW] * len(self.listed)
        if not isinstance(said, str):
            given = self._each(said, "bandwidth")
            return [NARROW if place else float(width) for place, width in zip(self.listed, given, strict=True)]
        found = np.asarray(KDE(said, kernel).fit(numbers).bandwidth_)
        widths = np.full(len(self.listed), NARROW)
        if found.ndim < 2:
            widths[~self.listed] = found
            return widths.tolist()
        whole = np.diag(widths**2)
        whole[np.ix_(~self.listed, ~self.listed)] = found
        return whole

    def in_words(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row of the table of cells, with categories in place of the spans and places of features."""
        spans, failing = row[1 : 1 + len(self.listed)], row[-1]
        said = [
            names[round((float(span.split(" to ")[0]) + float(span.split(" to ")[1])) / 2)] if names else span
            for names, span in zip(map(self.encoding.listed, self.encoding.columns), spans, strict=True)
        ]
        if isinstance(failing, str) and failing.count(", ") == len(said) - 1:
            parts = zip(map(self.encoding.listed, self.encoding.columns), failing.split(", "), strict=True)
            failing = ", ".join(names[round(float(part))] if names else part for names, part in parts)
        return (row[0], *said, *row[1 + len(said) : -1], failing)

    def _each(self, said: Any, name: str, *, single: bool = False) -> list[Any]:
        """What was said of features that are numbers, one for each feature; it does not matter for others."""
        given = [said] if not isinstance(said, Sequence) else list(said)
        numbers = int((~self.listed).sum())
        one_for_all = single or not isinstance(said, Sequence)
        if not one_for_all and len(given) != numbers:
            found = f"{len(given)} for {numbers} columns of numbers"
            remedy = "Say it of numbers only, in their order; categories have cells of their own."
            raise InvalidInput(
                f"{name} must say one for each column of numbers", where=name, found=found, remedy=remedy
            )
        waiting = iter(given * numbers if one_for_all else given)
        return [None if place else next(waiting) for place in self.listed]


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
