"""Checks of rows that are in order but odd: few, equal, constant, huge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefoot.testing.detector_checks.data import Rows, another_class, flat_columns, normalised
from surefoot.testing.detector_checks.subject import CLEAR, Check, Failed, Subject, require_scores, scores

HUGE = 1e150
"""Its square is the last to be a float."""
COPIES = 8


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


CHECKS: dict[str, Check] = {
    "copes with a class of one row": class_of_one_row,
    "copes with constant features": constant_features,
    "copes with fewer rows than features": fewer_rows_than_features,
    "copes with duplicate rows": duplicate_rows,
    "copes with a single class or refuses it": one_class,
    "copes with huge values or refuses them": huge_values,
}
