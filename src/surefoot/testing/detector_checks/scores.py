"""Checks of what a detector answers for rows that are in order, and whether a copy of it answers the same."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.testing.detector_checks.fixtures import (
    Check,
    Failed,
    NotApplicable,
    Rows,
    Subject,
    fit,
    quoted,
    require_refusal,
    require_same,
    require_scores,
    scores,
)

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
