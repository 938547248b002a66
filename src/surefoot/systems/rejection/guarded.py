"""``guarded``: a learned rejection with a guarantee, from what was measured of a system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.core import validate
from surefoot.systems.rejection.acceptance import Acceptance
from surefoot.systems.rejection.guaranteed import accept_below
from surefoot.systems.rejection.learned import ErrorModel, fold_of
from surefoot.systems.rejection.rows import Rows
from surefoot.systems.tables.measured import Measured, Score

WHERE = "guarded"


def guarded(
    measured: Measured,
    *,
    target: float,
    limit: float = 0.0,
    delta: float = 0.05,
    scores: Sequence[Score] | None = None,
    max_group_size: int | None = None,
    seed: int = 0,
) -> tuple[ErrorModel, Acceptance]:
    """A model of errors, and the predicted error below which at most the share ``target`` of accepted answers fail.

    An answer has failed where its error is above ``limit``. The model is fitted to one half of the units and the
    threshold is placed on the other. All conditions count the same, and the guarantee is about that mix. The versions
    of an item are one group, as large as there are conditions; where items come in units of their own,
    ``max_group_size`` is the largest number of items in one.
    """
    validate.at_least_zero(limit, where=WHERE, name="limit")
    half = fold_of(measured, folds=2, seed=seed) == 0
    model = ErrorModel.fit(measured, half, scores=scores, seed=seed)
    rows = Rows.of(measured, measured.conditions)
    predicted = rows.column(lambda condition: model.predict(measured, condition), name="predicted error")
    held = rows.column(lambda _: (~half).astype(np.float64), name="held out") > 0
    items = 1 if measured.units is None else max_group_size
    found = accept_below(
        predicted[held],
        (rows.errors > limit)[held].astype(np.float64),
        target=target,
        delta=delta,
        units=rows.units[held],
        max_group_size=None if items is None else items * len(measured.conditions),
        seed=seed,
        scope=measured.system,
    )
    return model, found
