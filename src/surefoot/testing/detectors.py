"""``check_detector``: whether a detector keeps the contract; one that passes is complete."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
import zipfile
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, SurefootError, Table, validate
from surefoot.core.evidence import Detector
from surefoot.documents import counted, listed
from surefoot.testing.detector_fixtures import (
    CLEAR,
    WHERE,
    Check,
    Failed,
    NotApplicable,
    Rows,
    Subject,
    another_class,
    fit,
    flat_columns,
    material,
    normalised,
    quoted,
    require_refusal,
    require_same,
    require_scores,
    scores,
)

Outcome = Literal["passed", "failed", "skipped"]
WARNINGS = "gives no warnings about numbers"


class ConformanceError(SurefootError, AssertionError):
    """Something is not what its kind is relied on for; of a detector, ``found`` is the whole ``DetectorReport``.

    See Also
    --------
    check_detector

    """

    def __str__(self) -> str:
        more = self.found.lines("failed") if isinstance(self.found, DetectorReport) else []
        return "\n".join([f"{self.where}: {self.problem}", *more])


@dataclass(frozen=True)
class DetectorCheck:
    """What one check found; ``detail`` says why it failed or was skipped.

    See Also
    --------
    DetectorReport

    """

    name: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class DetectorReport:
    """All checks of one detector.

    See Also
    --------
    check_detector

    """

    detector: str
    checks: tuple[DetectorCheck, ...]

    def of(self, outcome: Outcome) -> tuple[DetectorCheck, ...]:
        """The checks with one outcome."""
        return tuple(check for check in self.checks if check.outcome == outcome)

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.of("failed")

    def table(self) -> Table:
        """One row a check."""
        return Table(("check", "outcome", "detail"), tuple((c.name, c.outcome, c.detail) for c in self.checks))

    def __str__(self) -> str:
        head = ", ".join(f"{len(self.of(outcome))} {outcome}" for outcome in get_args(Outcome))
        return "\n".join([f"{self.detector}: {head}", *self.lines("failed", "skipped", "passed")])

    def lines(self, *outcomes: Outcome) -> list[str]:
        """One line of text a check, for those with these outcomes."""
        found = [check for outcome in outcomes for check in self.of(outcome)]
        return [f"  {c.outcome:<8}{c.name}{f': {c.detail}' if c.detail else ''}" for c in found]


def check_detector(
    make: Callable[[], Any] | Any,
    *,
    features: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    predictions: ArrayLike | None = None,
    strange: ArrayLike | None = None,
    objects: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> DetectorReport:
    """Put a detector through every check, and raise with all that failed.

    Rows are made to suit what the detector ``takes``: features of three classes and others far away, outputs with a
    clear class and flat ones, images and dark ones. A detector that takes ``inputs`` of a model needs features. Checks
    of what it does not have, such as files, are reported as skipped.

    Parameters
    ----------
    make
        A function that returns a fresh detector, such as its class, or a detector that is not fitted yet. Any object
        with ``fit(features, labels)`` and ``decision_function(features, predictions)`` will do.
    features, labels, predictions
        Stand for the usual rows where they are given, with their labels and the predictions of the model.
    strange
        Rows that must score higher (area under the ROC curve of at least 0.9).
    objects
        What its files do not hold, such as a ``model``.
    seed
        Of everything that is drawn.

    Returns
    -------
    DetectorReport
        What each check found.

    Raises
    ------
    ConformanceError
        Where a check failed.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.check_detector(sf.monitors.Mahalanobis).passed
    True

    """
    factory = _factory(make)
    first = factory()
    if isinstance(first, type) or not isinstance(first, Detector):
        raise InvalidInput(
            "a detector has fit and decision_function",
            where=WHERE,
            found=type(first).__name__,
            remedy="Give a detector, or a function that makes one.",
        )
    takes = str(getattr(first, "takes", "features"))
    rows = material(takes, features, labels, predictions, strange, validate.seed(seed, where=WHERE))
    subject = Subject(factory, rows, takes, getattr(first, "by_class", None), dict(objects or {}))
    report = DetectorReport(_name(first), _outcomes(subject))
    if not report.passed:
        failed = counted(len(report.of("failed")), "check")
        raise ConformanceError(f"{report.detector} fails {failed}", where=WHERE, found=report)
    return report


def _factory(make: Any) -> Callable[[], Any]:
    """A way to get fresh detectors; one that was fitted cannot be made fresh."""
    if isinstance(make, type) or not hasattr(make, "decision_function"):
        if callable(make):
            return make
        raise InvalidInput("needs a detector, or a function that makes one", where=WHERE, found=repr(make))
    if getattr(make, "fitted", False):
        raise InvalidInput(
            "the detector is fitted already", where=WHERE, found=_name(make), remedy="Give one that is fresh."
        )
    return lambda: deepcopy(make)


def _outcomes(subject: Subject) -> tuple[DetectorCheck, ...]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = [_outcome(name, check, subject) for name, check in CHECKS.items()]
    said = sorted({f"{w.message}" for w in seen if issubclass(w.category, RuntimeWarning)})
    return (*found, DetectorCheck(WARNINGS, "failed" if said else "passed", listed(said)))


def _outcome(name: str, check: Check, subject: Subject) -> DetectorCheck:
    try:
        check(subject)
    except NotApplicable as why:
        return DetectorCheck(name, "skipped", str(why))
    except Failed as what:
        return DetectorCheck(name, "failed", str(what))
    except Exception as error:
        return DetectorCheck(name, "failed", f"raises {quoted(error)}")
    return DetectorCheck(name, "passed")


def _name(detector: Any) -> str:
    shown = repr(detector)
    return type(detector).__name__ if shown.startswith("<") or "\n" in shown else shown


BATCH, MOST_ONE_BY_ONE, LEAST_AUROC = 7, 12, 0.9
PICKLE_STARTS = b"\x80"


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


SCORING: dict[str, Check] = {
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


def scores_from_a_file(subject: Subject) -> None:
    """What ``save`` writes, ``load`` reads."""
    subject.needs("save", "load")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "detector.npz"
        subject.ready.save(path)
        _require_copy(subject, type(subject.ready).load(path, **subject.objects), "read from its file")


def no_pickle_in_files(subject: Subject) -> None:
    """A file is data: reading it must not run anything."""
    subject.needs("save")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "detector.npz"
        subject.ready.save(path)
        written = sorted(each for each in Path(folder).rglob("*") if each.is_file())
        if not written:
            raise Failed("save writes no file at the path it is given")
        for each in written:
            _require_no_pickle(each)


def parameters_as_json(subject: Subject) -> None:
    """Plain values, from which the same detector can be made again."""
    subject.needs("parameters", "restored", "learned", "members")
    detector = subject.ready
    try:
        text = json.dumps(detector.parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Failed(f"JSON cannot hold its parameters: {quoted(error)}") from error
    again = type(detector).restored(json.loads(text), detector.learned, detector.members, subject.objects)
    if json.dumps(again.parameters) != text:
        raise Failed(f"its parameters come back as {again.parameters} instead of {text}")
    _require_copy(subject, again, "restored from its parameters and arrays")


def scores_in_a_copy(subject: Subject) -> None:
    """A deep copy stands for itself: to fit it anew does not change the first."""
    expected = scores(subject.ready, subject.material.probe)
    twin = copy.deepcopy(subject.ready)
    _require_copy(subject, twin, "copied")
    scores(fit(twin, subject.material.elsewhere), subject.material.elsewhere)
    require_same(scores(subject.ready, subject.material.probe), expected, "after its copy was fitted anew")


def scores_in_a_pickle(subject: Subject) -> None:
    """Other processes get detectors so."""
    try:
        content = pickle.dumps(subject.ready)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Failed(f"it cannot be pickled: {quoted(error)}") from error
    _require_copy(subject, pickle.loads(content), "read from a pickle")


def _require_copy(subject: Subject, twin: Any, what: str) -> None:
    if type(twin) is not type(subject.ready):
        raise Failed(f"{what}: it is a {type(twin).__name__}")
    require_same(scores(twin, subject.material.probe), scores(subject.ready, subject.material.probe), what)


def _require_no_pickle(path: Path) -> None:
    with path.open("rb") as stream:
        if stream.read(1) == PICKLE_STARTS:
            raise Failed(f"{path.name} is a pickle")
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as members:
        for name in members.namelist():
            with members.open(name) as stream:
                _require_plain_member(name, stream)


def _require_plain_member(name: str, stream: Any) -> None:
    if stream.read(1) == PICKLE_STARTS:
        raise Failed(f"{name} in its file is a pickle")
    stream.seek(0)
    if name.endswith(".npy"):
        try:
            np.lib.format.read_array(stream, allow_pickle=False)
        except ValueError as error:
            raise Failed(f"{name} in its file holds objects: {quoted(error)}") from error


COPIES: dict[str, Check] = {
    "keeps its scores in a file": scores_from_a_file,
    "writes no pickle": no_pickle_in_files,
    "keeps its parameters as JSON": parameters_as_json,
    "keeps its scores in a copy": scores_in_a_copy,
    "keeps its scores in a pickle": scores_in_a_pickle,
}


NOT_FINITE = ("nan", "finite", "inf", "missing")
HUGE = 1e150
"""Its square is the last to be a float."""
TIMES = 8


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
    few = np.linspace(0, len(usual) - 1, min(len(usual), TIMES)).astype(int)
    _require_scores_after(subject, usual[np.repeat(few, TIMES)], f"every row {TIMES} times")


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

CHECKS: dict[str, Check] = {**SCORING, **REFUSALS, **ODD_ROWS, **COPIES}
