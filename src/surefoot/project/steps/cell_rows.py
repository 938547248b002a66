"""The rows of an assessment in cells, checked under the names that a project file gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Tested
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.grid import Grid, bounds_of
from surefoot.reliability.inputs import copies_of, rows_of


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
        if labelled.labels is None:
            raise InvalidInput("the data set has no labels", where="labelled", remedy="Name their column with labels:.")
        held_out = _features(tested.inputs, "on")
        columns = held_out.shape[1]
        found = cls(
            _features(labelled.inputs, "labelled", columns),
            np.asarray(labelled.classes)[labelled.labels],
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


def _features(inputs: NDArray[Any] | None, name: str, columns: int | None = None) -> FloatArray:
    if inputs is None:
        raise InvalidInput(
            "the data set has no inputs, or more of them than fit into memory beside their scores",
            where=name,
            remedy="Name the columns with inputs:, or take fewer rows.",
        )
    return rows_of(inputs, name=f"the data set of {name}:", columns=columns)
