"""Checks of what a detector must refuse, with an error that says what is wrong, and of odd rows that it copes with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.testing.detector_checks.fixtures import (
    CLEAR,
    Check,
    Failed,
    NotApplicable,
    Rows,
    Subject,
    another_class,
    fit,
    flat_columns,
    normalised,
    require_refusal,
    require_scores,
    scores,
)

NOT_FINITE = ("nan", "finite", "inf", "missing")
HUGE = 1e150
"""Its square is the last to be a float."""
COPIES = 8


def nan(subject: Subject) -> None:
    """In fit and in scoring."""
    _require_finite(subject, np.nan)


def infinities(subject: Subject) -> None:
    """Of both signs, in fit and in scoring."""
    _require_finite(subject, np.inf)
    _require_finite(subject, -np.inf)


def another_shape(subject: Subject) -> None:
    """The error tells the number it found."""
    wider = _wider(subject.material.probe)
    found = str(wider.features.shape[1])
    require_refusal(lambda: scores(subject.ready, wider), "rows of another shape", says=(found,))


def no_rows_to_fit(subject: Subject) -> None:
    """Nothing is usual where nothing was seen."""
    require_refusal(lambda: fit(subject.make(), subject.material.usual[:0]), "fit without rows")


def labels_of_another_length(subject: Subject) -> None:
    """Also where it needs no labels: they were meant for other rows."""
    usual = subject.material.usual
    require_refusal(lambda: fit(subject.make(), Rows(usual.features, usual.classes[:-1])), "one label too few")


def predictions_of_another_length(subject: Subject) -> None:
    """Not spread over all rows, either."""
    subject.needs_classes()
    probe = subject.material.probe
    for count, words in ((-1, "one prediction too few"), (1, "one prediction for all rows")):
        short = Rows(probe.features, probe.classes[:count])
        require_refusal(partial(scores, subject.ready, short), words)


def unseen_classes(subject: Subject) -> None:
    """Of a class without usual rows nothing is known."""
    subject.needs_classes()
    unseen = _unseen(subject)
    require_refusal(lambda: scores(subject.ready, unseen), "a predicted class without usual rows")


def classes_where_needed(subject: Subject) -> None:
    """Missing classes are refused where it says ``by_class``; elsewhere predictions are not missed."""
    if subject.by_class is None:
        raise NotApplicable("it does not say by_class")
    usual, probe = subject.material.usual.copy(), subject.material.probe.copy()
    if subject.by_class:
        require_refusal(lambda: subject.make().fit(usual.features), "fit without labels")
        require_refusal(lambda: subject.ready.decision_function(probe.features), "scoring without predictions")
        return
    detector = _fitted_without_labels(subject) or subject.ready
    require_scores(detector.decision_function(probe.features), len(probe), "without classes")


def _fitted_without_labels(subject: Subject) -> Any:
    """None where it says that it learns from labels, though it scores without predictions."""
    try:
        return subject.make().fit(subject.material.usual.features.copy())
    except CLEAR as error:
        if "label" not in str(error).lower():
            raise
        return None


def refusals_of_one_row(subject: Subject) -> None:
    """A quick path for streams keeps the checks."""
    subject.needs("score_one")
    probe = subject.material.probe
    wrong = [
        (_with(probe, np.nan), "NaN in score_one", NOT_FINITE),
        (_with(probe, np.inf), "infinity in score_one", NOT_FINITE),
        (_wider(probe), "a row of another shape in score_one", ()),
    ]
    wrong += [(_unseen(subject), "a class without usual rows in score_one", ())] if subject.by_class else []
    for rows, what, says in wrong:
        taken = rows.copy()
        one = partial(subject.ready.score_one, taken.features[0], taken.classes[0])
        require_refusal(one, what, says=says)


def _require_finite(subject: Subject, value: float) -> None:
    usual, probe = _with(subject.material.usual, value), _with(subject.material.probe, value)
    require_refusal(lambda: fit(subject.make(), usual), f"fit with {value}", says=NOT_FINITE)
    require_refusal(lambda: scores(subject.ready, probe), f"scoring with {value}", says=NOT_FINITE)


def _with(rows: Rows, value: float) -> Rows:
    changed = rows.copy()
    changed.features.reshape(len(rows), -1)[0, -1] = value
    return changed


def _wider(rows: Rows) -> Rows:
    extra: NDArray[Any] = np.take(rows.features, [0], axis=1)
    return Rows(np.concatenate([rows.features, extra], axis=1), rows.classes)


def _unseen(subject: Subject) -> Rows:
    probe = subject.material.probe
    return Rows(probe.features, np.full(len(probe), another_class(subject.material.usual.classes)))


REFUSALS: dict[str, Check] = {
    "refuses NaN": nan,
    "refuses infinities": infinities,
    "refuses rows of another shape": another_shape,
    "refuses to be fitted to no rows": no_rows_to_fit,
    "refuses labels of another length": labels_of_another_length,
    "refuses predictions of another length": predictions_of_another_length,
    "refuses classes it was not fitted with": unseen_classes,
    "asks for classes just where it says so": classes_where_needed,
    "refuses in score_one what it refuses in a batch": refusals_of_one_row,
}


def class_of_one_row(subject: Subject) -> None:
    """A spread cannot be learned from it."""
    usual = subject.material.usual.copy()
    few = Rows(usual.features, np.append(usual.classes[:-1], another_class(usual.classes)))
    _require_scores_after(subject, few, "a class of one row")


def constant_features(subject: Subject) -> None:
    """Half of the features; where all are constant, it may say that there is nothing to learn."""
    usual = subject.material.usual
    half = flat_columns(usual.features) // 2
    if half:
        flat = usual.features.reshape(len(usual), -1).copy()
        flat[:, :half] = flat[0, :half]
        rows = normalised(subject.takes, flat.reshape(usual.features.shape))
        _require_scores_after(subject, Rows(rows, usual.classes), "half of the features constant")
    same = Rows(np.broadcast_to(usual.features[:1], usual.features.shape), usual.classes)
    _require_scores_or_refusal(lambda: _scores_after(subject, same), len(same), "all features constant")


def fewer_rows_than_features(subject: Subject) -> None:
    """Covariances of so few rows are singular."""
    usual = subject.material.usual
    count = max(2, min(flat_columns(usual.features) // 2, len(usual) - 1))
    spread = np.linspace(0, len(usual) - 1, count).astype(int)
    _require_scores_after(subject, usual[spread], f"{count} rows of {flat_columns(usual.features)} features")


def duplicate_rows(subject: Subject) -> None:
    """Distances between equal rows are 0."""
    usual = subject.material.usual
    few = np.linspace(0, len(usual) - 1, min(len(usual), COPIES)).astype(int)
    _require_scores_after(subject, usual[np.repeat(few, COPIES)], f"every row {COPIES} times")


def one_class(subject: Subject) -> None:
    """Some detectors compare classes; those say that they need two."""
    usual = subject.material.usual
    alone = usual[usual.classes == usual.classes[0]]
    _require_scores_or_refusal(lambda: _scores_after(subject, alone), len(alone), "a single class")


def huge_values(subject: Subject) -> None:
    """Scored after a usual fit, and fitted."""
    usual, probe = subject.material.usual, subject.material.probe
    large, larger = Rows(probe.features * HUGE, probe.classes), Rows(usual.features * HUGE, usual.classes)
    words = f"rows {HUGE:g} times as large"
    _require_scores_or_refusal(lambda: scores(subject.ready, large), len(large), words)
    _require_scores_or_refusal(lambda: _scores_after(subject, larger), len(larger), f"fitted to {words}")


def _scores_after(subject: Subject, rows: Rows) -> Any:
    return scores(subject.fitted(rows), rows)


def _require_scores_after(subject: Subject, rows: Rows, what: str) -> None:
    """Fit these rows, and score them and the usual ones."""
    detector = subject.fitted(rows)
    require_scores(scores(detector, rows), len(rows), what)
    probe = subject.material.probe
    known = Rows(probe.features, np.resize(rows.classes, len(probe)))
    require_scores(scores(detector, known), len(known), f"usual rows after {what}")


def _require_scores_or_refusal(call: Callable[[], Any], rows: int, what: str) -> None:
    try:
        found = call()
    except Exception as error:
        if isinstance(error, CLEAR) and not isinstance(error, np.linalg.LinAlgError):
            return
        raise Failed(f"{what}: raises {type(error).__name__}, which does not say what is wrong: {error}") from error
    require_scores(found, rows, what)


ODD_ROWS: dict[str, Check] = {
    "copes with a class of one row": class_of_one_row,
    "copes with constant features": constant_features,
    "copes with fewer rows than features": fewer_rows_than_features,
    "copes with duplicate rows": duplicate_rows,
    "copes with a single class or refuses it": one_class,
    "copes with huge values or refuses them": huge_values,
}
