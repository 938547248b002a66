"""What a model says of itself, and what it answers to a few rows: it runs in a process of its own, as in an assessment.

Whether answers are right is not looked at, so that a trial is no look at the test data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import (
    Arrays,
    Data,
    ModelDescription,
    Scored,
    describe_isolated,
    score_isolated,
    types_to_trust,
    write_arrays,
)
from surefoot.adapters.project_code import locate_file
from surefoot.core import DiagnosticsError
from surefoot.project.components import judged_names, model_arguments
from surefoot.project.definition import ModelSource
from surefoot.project.project import Project
from surefoot.project.proposal.commented import TEST

TRIED = 64
"""Rows that the model answers."""
HOLDING_DATA = frozenset(
    {
        "numpy.dtype",
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        *(f"sklearn.neighbors._kd_tree.KDTree{bits}" for bits in ("", "32", "64")),
        *(f"sklearn.neighbors._ball_tree.BallTree{bits}" for bits in ("", "32", "64")),
    }
)
"""Types of numpy and scikit-learn that hold numbers and run nothing; others somebody must trust."""
AS_THEY_ARE = {"form": "values", "repeats": 1}
NEEDS_COLUMNS = ("model-raised", "data-type")
"""What goes wrong where a model takes columns by name, or text, and not an array."""


def trusted_types(path: str, folder: Path, trust: tuple[str, ...]) -> tuple[str, ...]:
    """Types to list under ``trust``: what somebody trusts, and what can do nothing but hold numbers."""
    if Path(path).suffix.lower() != ".skops":
        return trust
    needed = types_to_trust(locate_file(path, folder, what="model"))
    return tuple(name for name in needed if name in HOLDING_DATA or name in trust)


def said_of_itself(model: Mapping[str, Any], folder: Path) -> ModelDescription:
    """The model's own description."""
    source = ModelSource.model_validate(dict(model))
    return describe_isolated(model_arguments(source), folder=folder, time_limit=source.time_limit)


@dataclass(frozen=True)
class Trial:
    """A model and the rows that it is tried on.

    Parameters
    ----------
    project
        As far as it is known.
    component
        The name of the component.
    rows
        Its rows, as they were read.
    where
        What messages call them.

    """

    project: Project
    component: str
    rows: Data
    where: str

    def answers(self) -> NDArray[Any]:
        """What the model answers, as it is."""
        return np.array(self._tried({"labels": None, "judged": self._judged}, AS_THEY_ARE).scores)

    def scores(self, classes: tuple[str, ...]) -> Scored:
        """Scores of the rows, one column a class."""
        return self._tried({"classes": list(classes)}, None)

    @property
    def _judged(self) -> list[str]:
        part = self.project.definition.components[self.component]
        source = part.data[TEST]
        if not part.classifies:
            return [
                name for names in judged_names(self.project, self.component, TEST, made=None).values() for name in names
            ]
        return [source.labels] if isinstance(source.labels, str) else []

    def _tried(self, asked: Mapping[str, Any], answers: Mapping[str, Any] | None) -> Scored:
        """On the first rows, as an array; where the model needs the columns themselves, on all rows of their file."""
        source = self.project.definition.components[self.component].data[TEST]
        whole: dict[str, Any] = {**source.reading, "classes": [], **asked}
        if not isinstance(self.rows.inputs, np.ndarray):
            return self._run(whole, answers)
        with TemporaryDirectory(prefix="surefoot-") as place:
            write_arrays(Arrays({"inputs": self.rows.inputs[:TRIED]}, self.where), Path(place))
            first: dict[str, Any] = {"callable": self.where, "inputs": "inputs", "made": place}
            first |= {"judged": []} if answers else {"classes": asked["classes"]}
            try:
                return self._run(first, answers)
            except DiagnosticsError as error:
                if source.path is None or error.diagnostics[0].code not in NEEDS_COLUMNS:
                    raise
        return self._run(whole, answers)

    def _run(self, data: Mapping[str, Any], answers: Mapping[str, Any] | None) -> Scored:
        source = self.project.definition.components[self.component].model
        assert source is not None, "only a model is tried"
        with TemporaryDirectory(prefix="surefoot-") as place:
            found = score_isolated(
                model_arguments(source),
                data,
                folder=self.project.folder,
                batch_size=min(source.batch_size, TRIED) if "made" in data else source.batch_size,
                time_limit=source.time_limit,
                target=Path(place, "scores.npy"),
                answers=answers,
            )
            return Scored(found.output, found.classes, found.caveats, np.array(found.scores))
