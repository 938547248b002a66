"""What a model says of itself, and what it answers to a few rows: it runs in a process of its own, as in an assessment.

Whether answers are right is not looked at, so that a trial is no look at the test data.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from surefoot.project.components import TIME_LIMIT, model_arguments
from surefoot.project.definition import ModelSource

TRIED = 64
"""Rows that the model answers."""
HOLDING_DATA = frozenset(
    {
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        *(f"sklearn.neighbors._kd_tree.KDTree{bits}" for bits in ("", "32", "64")),
        *(f"sklearn.neighbors._ball_tree.BallTree{bits}" for bits in ("", "32", "64")),
    }
)
"""Types of scikit-learn that hold numbers and run nothing; others somebody must trust."""
AS_THEY_ARE = {"form": "values", "repeats": 1}


def trusted_types(path: str, folder: Path, trust: tuple[str, ...]) -> tuple[str, ...]:
    """Types to list under ``trust``: what somebody trusts, and what can do nothing but hold numbers."""
    if Path(path).suffix.lower() != ".skops":
        return trust
    needed = types_to_trust(locate_file(path, folder, what="model"))
    return tuple(name for name in needed if name in HOLDING_DATA or name in trust)


def said_of_itself(model: Mapping[str, Any], folder: Path) -> ModelDescription:
    """The model's own description."""
    source = ModelSource.model_validate(dict(model))
    return describe_isolated(model_arguments(source), folder=folder, time_limit=source.time_limit or TIME_LIMIT)


def answered(model: Mapping[str, Any], rows: Data, folder: Path, where: str) -> NDArray[Any]:
    """What the model answers to the first rows, as it is."""
    return np.array(_tried(model, rows, folder, where, classes=(), answers=AS_THEY_ARE).scores)


def scored(model: Mapping[str, Any], rows: Data, folder: Path, where: str, classes: tuple[str, ...]) -> Scored:
    """The scores of the first rows, one column a class."""
    return _tried(model, rows, folder, where, classes=classes, answers=None)


def _tried(
    model: Mapping[str, Any],
    rows: Data,
    folder: Path,
    where: str,
    *,
    classes: tuple[str, ...],
    answers: Mapping[str, Any] | None,
) -> Scored:
    source = ModelSource.model_validate(dict(model))
    assert rows.inputs is not None
    with TemporaryDirectory(prefix="surefoot-") as place:
        write_arrays(Arrays({"inputs": rows.inputs[:TRIED]}, where), Path(place))
        data = {"callable": where, "inputs": "inputs", "made": place, "classes": list(classes)}
        target = Path(place, "scores.npy")
        found = score_isolated(
            model_arguments(source),
            data | ({} if answers is None else {"judged": []}),
            folder=folder,
            batch_size=min(source.batch_size, TRIED),
            time_limit=source.time_limit,
            target=target,
            answers=answers,
        )
        return Scored(found.output, found.classes, found.caveats, np.array(found.scores))
