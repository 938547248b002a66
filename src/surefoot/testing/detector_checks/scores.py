"""Checks of rows that are in order but odd: few, equal, constant, huge."""

from __future__ import annotations

from collections.abc import Callable
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
    require_same,
    require_scores,
    scores,
)

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


# Checks of what a detector answers for rows that are in order.

BATCH, MOST_ONE_BY_ONE, LEAST_AUROC = 7, 12, 0.9


def asks_to_be_fitted(subject: Subject) -> None:
    """Scores before fitting mean nothing."""
    require_refusal(lambda: scores(subject.make(), subject.material.probe), "scoring before fit", says=("fit",))


def fit_returns_it(subject: Subject) -> None:
    """``detector.fit(...).decision_function(...)`` works."""
    detector, rows = subject.make(), subject.material.usual.copy()
    found = detector.fit(rows.features, rows.classes)
    if found is not detector:
        raise Failed(f"fit returns {type(found).__name__} instead of the detector itself")


def one_finite_score_a_row(subject: Subject) -> None:
    """Usual rows, and strange ones too."""
    for rows in (subject.material.usual, subject.material.probe, subject.material.strange):
        if rows is not None:
            require_scores(scores(subject.ready, rows), len(rows), "usual and strange rows")


def no_rows(subject: Subject) -> None:
    """An empty batch gives empty scores."""
    require_scores(scores(subject.ready, subject.material.probe[:0]), 0, "a batch without rows")


def order_of_rows(subject: Subject) -> None:
    """Rows and, where they are fitted, classes stand for themselves."""
    probe = subject.material.probe
    mixed = np.random.default_rng(0).permutation(len(probe))
    found, expected = scores(subject.ready, probe[mixed]), scores(subject.ready, probe)
    require_same(found, np.asarray(expected)[mixed], "rows in another order")


def size_of_batches(subject: Subject) -> None:
    """A row scores the same alone, in a small batch and in a large one."""
    probe = subject.material.probe
    expected = scores(subject.ready, probe)
    parts = [scores(subject.ready, probe[start : start + BATCH]) for start in range(0, len(probe), BATCH)]
    require_same(np.concatenate(parts), expected, f"batches of {BATCH} rows")
    alone = [scores(subject.ready, probe[row : row + 1])[0] for row in range(min(len(probe), MOST_ONE_BY_ONE))]
    require_same(alone, expected[: len(alone)], "batches of one row")


def layout_of_arrays(subject: Subject) -> None:
    """Memory order is no part of the data."""
    probe = subject.material.probe
    sideways = probe.features.copy(order="F")
    found = subject.ready.decision_function(sideways, probe.classes.copy())
    require_same(found, scores(subject.ready, probe), "an array in column order")


def the_same_twice(subject: Subject) -> None:
    """The same rows score the same, and so they do after the same fit of another detector."""
    probe = subject.material.probe
    expected = scores(subject.ready, probe)
    require_same(scores(subject.ready, probe), expected, "the same rows again")
    require_same(scores(subject.fitted(), probe), expected, "another detector fitted to the same rows")


def forgets(subject: Subject) -> None:
    """Nothing of an earlier fit is left, neither data nor what was prepared of them."""
    detector, elsewhere = subject.fitted(subject.material.elsewhere), subject.material.elsewhere
    scores(detector, elsewhere)
    found = scores(fit(detector, subject.material.usual), subject.material.probe)
    require_same(found, scores(subject.ready, subject.material.probe), "fitted to other rows before")


def leaves_inputs(subject: Subject) -> None:
    """Arrays belong to the caller."""
    usual, probe = subject.material.usual.copy(), subject.material.probe.copy()
    detector = subject.make()
    detector.fit(usual.features, usual.classes)
    _require_unchanged(usual, subject.material.usual, "fit")
    detector.decision_function(probe.features, probe.classes)
    _require_unchanged(probe, subject.material.probe, "decision_function")


def strange_rows_score_higher(subject: Subject) -> None:
    """Mann-Whitney's share of pairs in which the strange row scores higher."""
    if subject.material.strange is None:
        raise NotApplicable("rows that it should find strange were not given")
    usual, strange = (scores(subject.ready, rows) for rows in (subject.material.probe, subject.material.strange))
    share = auroc(np.asarray(usual), np.asarray(strange))
    if not share >= LEAST_AUROC:
        raise Failed(f"strange rows score higher in {share:.1%} of pairs; at least {LEAST_AUROC:.0%} are asked for")


def one_row_as_in_a_batch(subject: Subject) -> None:
    """Streams see what batches see."""
    subject.needs("score_one")
    probe = subject.material.probe[:MOST_ONE_BY_ONE].copy()
    found = [subject.ready.score_one(row, answer) for row, answer in zip(probe.features, probe.classes, strict=True)]
    if not all(isinstance(score, float) for score in found):
        raise Failed(f"score_one gives {type(found[0]).__name__} instead of float")
    require_same(found, scores(subject.ready, probe), "score_one")


def auroc(usual: NDArray[np.float64], strange: NDArray[np.float64]) -> float:
    """Share of pairs in which the strange row scores higher; ties count one half."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([usual, strange]))[len(usual) :]
    return float((ranks.mean() - (len(strange) + 1) / 2) / len(usual))


def _require_unchanged(found: Rows, expected: Rows, what: str) -> None:
    if not np.array_equal(found.features, expected.features):
        raise Failed(f"{what} changes the rows it is given")
    if not np.array_equal(found.classes, expected.classes):
        raise Failed(f"{what} changes the classes it is given")


SCORING_CHECKS: dict[str, Check] = {
    "asks to be fitted before it scores": asks_to_be_fitted,
    "returns itself from fit": fit_returns_it,
    "gives one finite score a row": one_finite_score_a_row,
    "gives no scores for no rows": no_rows,
    "does not mind the order of rows": order_of_rows,
    "does not mind the size of batches": size_of_batches,
    "does not mind the layout of arrays": layout_of_arrays,
    "gives the same scores twice": the_same_twice,
    "forgets when it is fitted anew": forgets,
    "leaves its inputs as they were": leaves_inputs,
    "scores strange rows higher": strange_rows_score_higher,
    "scores one row as in a batch": one_row_as_in_a_batch,
}
