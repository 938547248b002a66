"""A detector with a threshold: streams and batches agree, and a file holds both without code."""

import io
import json
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest
from tests.refusals import refused

from surefoot.core import DiagnosticsError, InvalidInput, Undefined, array_digest, digest
from surefoot.monitors import Detector, FeatureBox, MaxLogit, Monitor


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 5)), rng.integers(0, 3, 60)


@pytest.fixture
def monitor(rows):
    return Monitor(FeatureBox().fit(*rows), 0.1, name="guard")


def test_a_stream_and_a_batch_raise_the_same_alarms(monitor, rows):
    strange = rows[0] * 3
    steps = [monitor.step(x, p) for x, p in zip(strange, rows[1], strict=True)]
    assert [s.alarm for s in steps] == monitor.alarms(strange, rows[1]).tolist()
    assert [s.score for s in steps] == monitor.scores(strange, rows[1]).tolist()
    assert 0 < sum(s.alarm for s in steps) < 60


def test_an_alarm_needs_a_score_above_the_threshold(rows):
    at_most = MaxLogit().fit(rows[0])
    scores = at_most.decision_function(rows[0])
    assert not Monitor(at_most, scores.max()).alarms(rows[0]).any()
    assert not Monitor(at_most, np.inf).alarms(rows[0]).any()
    assert Monitor(at_most, -np.inf).alarms(rows[0]).all()


def test_what_is_watched_is_made_from_raw_inputs(rows):
    def watch(batch):
        return batch.reshape(len(batch), -1) * 2, np.zeros(len(batch), dtype=int)

    detector = FeatureBox().fit(rows[0] * 2, np.zeros(60, dtype=int))
    found = Monitor(detector, 0.0, watch).step(rows[0][0].reshape(5, 1))
    assert (found.score, found.alarm, found.prediction) == (0.0, False, 0)


def test_what_cannot_be_scored_is_an_alarm_where_the_monitor_is_told_so(rows):
    detector = FeatureBox().fit(*rows)
    guard, plain = Monitor(detector, np.inf, on_error="alarm"), Monitor(detector, np.inf)
    inputs, answers = rows[0].copy(), rows[1].copy()
    inputs[3, 2], answers[7] = np.nan, 99
    alarms, scores = guard.alarms(inputs, answers), guard.scores(inputs, answers)
    assert np.flatnonzero(alarms).tolist() == np.flatnonzero(np.isinf(scores)).tolist() == [3, 7]
    good = ~alarms
    assert np.array_equal(scores[good], plain.scores(inputs[good], answers[good]))
    seen = guard.observe(inputs, answers)
    assert "finite" in seen[3].problem
    assert "not fitted with" in seen[7].problem
    assert seen[4] == guard.step(inputs[4], answers[4]) == plain.step(inputs[4], answers[4])
    assert seen[4].problem == ""
    with pytest.raises(InvalidInput):
        plain.alarms(inputs, answers)


def test_a_model_that_breaks_is_an_alarm_too_and_a_stop_is_not(rows):
    def watch(batch):
        if (batch > 2).any():
            raise MemoryError("of the model")
        if (batch < -9).any():
            raise KeyboardInterrupt
        return batch, np.zeros(len(batch), dtype=int)

    guard = Monitor(FeatureBox().fit(rows[0], np.zeros(60, dtype=int)), 0.1, watch, on_error="alarm")
    found = guard.step(np.full(5, 3.0))
    assert (found.alarm, found.problem) == (True, "MemoryError: of the model")
    assert guard.alarms(np.vstack([np.full(5, 3.0), rows[0].mean(axis=0)])).tolist() == [True, False]
    with pytest.raises(KeyboardInterrupt):
        guard.step(np.full(5, -10.0))


def test_what_errors_are_stays_with_the_file(rows, tmp_path):
    Monitor(FeatureBox().fit(*rows), 0.1, on_error="alarm").save(tmp_path / "m.npz")
    assert Monitor.load(tmp_path / "m.npz").step(np.full(5, np.nan), 1).alarm
    with pytest.raises(InvalidInput, match="on_error"):
        Monitor(FeatureBox().fit(*rows), 0.1, on_error="quiet")


WATCHES = {
    "nothing": (lambda batch: None, "features and predictions"),
    "features alone": (lambda batch: batch, "features and predictions"),
    "too many rows": (lambda batch: (np.concatenate([batch, batch]), [0, 0]), "one row of features an input"),
    "no rows": (lambda batch: (batch[:0], []), "one row of features an input"),
    "too few predictions": (lambda batch: (batch, []), "one row of predictions an input"),
}


@pytest.mark.parametrize(("watch", "said"), WATCHES.values(), ids=WATCHES)
def test_a_watch_gives_a_row_and_a_prediction_an_input(rows, watch, said):
    guard = Monitor(FeatureBox().fit(*rows), 0.1, watch)
    for look in (lambda: guard.step(rows[0][0]), lambda: guard.alarms(rows[0])):
        with pytest.raises(InvalidInput, match=said):
            look()


def test_a_watch_is_a_function(rows):
    with pytest.raises(InvalidInput, match="function of a batch"):
        Monitor(FeatureBox().fit(*rows), 0.1, 3)


def test_a_monitor_reads_back_from_its_file(monitor, rows, tmp_path):
    monitor.save(tmp_path / "guard.npz")
    again = Monitor.load(tmp_path / "guard.npz")
    assert (again.threshold, again.name) == (0.1, "guard")
    assert again.detector.parameters == monitor.detector.parameters
    assert np.array_equal(again.scores(rows[0] * 2, rows[1]), monitor.scores(rows[0] * 2, rows[1]))


@pytest.mark.parametrize("threshold", [np.inf, -np.inf, 0.1 + 0.2])
def test_every_threshold_survives_its_file(rows, tmp_path, threshold):
    Monitor(FeatureBox().fit(*rows), threshold).save(tmp_path / "m.npz")
    assert Monitor.load(tmp_path / "m.npz").threshold == threshold


def test_a_file_holds_arrays_and_json_only(monitor, tmp_path):
    monitor.save(tmp_path / "guard.npz")
    with zipfile.ZipFile(tmp_path / "guard.npz") as archive:
        arrays = {name: np.load(io.BytesIO(archive.read(name)), allow_pickle=False) for name in archive.namelist()}
    described = json.loads(arrays.pop("described.npy").tobytes())
    assert described["monitor"] == {"threshold": "0.1", "name": "guard"}
    assert all(array.dtype.kind in "biufU" for array in arrays.values())


def test_a_detector_file_is_no_monitor(rows, tmp_path):
    FeatureBox().fit(*rows).save(tmp_path / "d.npz")
    assert isinstance(Detector.load(tmp_path / "d.npz"), FeatureBox)
    with pytest.raises(InvalidInput, match="without a threshold"):
        Monitor.load(tmp_path / "d.npz")


def _zip(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


def _zip_of(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("described.npy", content)
    return packed.getvalue()


def _npy(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def _head(**said):
    return np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)


DAMAGED = {
    "empty": b"",
    "text": b"detector",
    "cut": _zip(described=np.zeros(1000, dtype=np.uint8))[:200],
    **{f"header cut at {end}": _zip_of(_npy(np.zeros(9))[:end]) for end in (0, 7, 9, 10, 30, 60, 117, 127)},
    "header with an open bracket": _zip_of(_npy(np.zeros(9)).replace(b"(9,)", b"((9,")),
    "no head": _zip(a=np.zeros(2)),
    "head is no JSON": _zip(described=np.zeros(3, dtype=np.uint8)),
    "another format": _zip(described=_head(format="other", version=1)),
    "another version": _zip(described=_head(format="surefoot.detector", version=99)),
    "no detector": _zip(described=_head(format="surefoot.detector", version=1)),
    "unknown parameter": _zip(
        described=_head(
            format="surefoot.detector",
            version=1,
            detector={"name": "feature_box", "parameters": {"open": 1}, "members": []},
            arrays=digest({}),
        )
    ),
    "one array": _npy(np.zeros(3)),
    "brackets without end": _zip(described=np.frombuffer(b"[" * 100_000, dtype=np.uint8)),
}


def test_a_damaged_file_is_refused_in_words(tmp_path):
    for name, content in DAMAGED.items():
        (tmp_path / "m.npz").write_bytes(content)
        with refused(name, DiagnosticsError, match="does not hold a detector"):
            Monitor.load(tmp_path / "m.npz")


def test_an_unknown_detector_gets_a_suggestion(tmp_path):
    said = {"name": "feature_boxes", "parameters": {}, "members": []}
    head = _head(format="surefoot.detector", version=1, detector=said, arrays=digest({}))
    (tmp_path / "m.npz").write_bytes(_zip(described=head))
    with pytest.raises(InvalidInput, match="feature_box"):
        Detector.load(tmp_path / "m.npz")


def test_a_pickle_inside_a_file_is_not_run(tmp_path):
    content = io.BytesIO()
    np.savez(content, described=np.array([{"a": 1}], dtype=object))
    (tmp_path / "m.npz").write_bytes(content.getvalue())
    with pytest.raises(DiagnosticsError, match="does not hold a detector"):
        Detector.load(tmp_path / "m.npz")


def _rewritten(path, **changed):
    """The file with other arrays, as somebody who knows the format would write it."""
    arrays = dict(np.load(path)) | changed
    said = json.loads(arrays.pop("described").tobytes())
    arrays = {name: array for name, array in arrays.items() if array is not None}
    said["arrays"] = digest({name: array_digest(array) for name, array in sorted(arrays.items())})
    path.write_bytes(_zip(described=_head(**said), **arrays))


MISFITS = {
    "missing": {"low": None},
    "too few features": {"low": np.zeros((3, 4))},
    "too few classes": {"low": np.zeros((1, 5)), "high": np.zeros((1, 5)), "widths": np.ones((1, 5))},
    "NaN": {"widths": np.full((3, 5), np.nan)},
    "text": {"low": np.full((3, 5), "a")},
    "complex": {"low": np.zeros((3, 5), dtype=complex)},
    "no classes": {"classes": np.zeros(0, dtype=int)},
    "classes twice": {"classes": np.array([0, 1, 1])},
    "more classes": {"classes": np.arange(9)},
    "endless rows": {"row_shape": np.array([2**40])},
    "negative rows": {"row_shape": np.array([-5])},
    "rows without a shape": {"row_shape": np.array(5)},
}


def test_arrays_that_do_not_fit_together_are_refused_before_operation(rows, tmp_path):
    for name, changed in MISFITS.items():
        FeatureBox().fit(*rows).save(tmp_path / "d.npz")
        _rewritten(tmp_path / "d.npz", **changed)
        with refused(name, DiagnosticsError, match="does not fit together"):
            Detector.load(tmp_path / "d.npz")


def test_arrays_of_another_file_are_refused(rows, tmp_path):
    FeatureBox().fit(*rows).save(tmp_path / "d.npz")
    arrays = dict(np.load(tmp_path / "d.npz"))
    (tmp_path / "d.npz").write_bytes(_zip(**{**arrays, "low": arrays["low"] * 2}))
    with pytest.raises(DiagnosticsError, match="not those that were written"):
        Detector.load(tmp_path / "d.npz")


def test_a_file_that_is_huge_in_memory_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as to:
        for _ in range(300):
            to.write(bytes(1 << 20))
    with pytest.raises(DiagnosticsError, match="are packed into"):
        Detector.load(tmp_path / "bomb.npz")


@pytest.mark.parametrize("threshold", ["nan", "high", None])
def test_a_file_without_a_usable_threshold_is_refused(monitor, tmp_path, threshold):
    monitor.save(tmp_path / "m.npz")
    arrays = dict(np.load(tmp_path / "m.npz"))
    said = json.loads(arrays["described"].tobytes())
    said["monitor"]["threshold"] = threshold
    (tmp_path / "m.npz").write_bytes(_zip(**{**arrays, "described": _head(**said)}))
    with pytest.raises(InvalidInput, match="one number" if threshold == "nan" else "without a threshold"):
        Monitor.load(tmp_path / "m.npz")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DiagnosticsError, match="no such file"):
        Detector.load(tmp_path / "nowhere.npz")


def test_an_unfitted_detector_is_not_saved(tmp_path):
    with pytest.raises(Undefined, match="not fitted"):
        FeatureBox().save(tmp_path / "m.npz")
    assert not (tmp_path / "m.npz").exists()


@dataclass(eq=False)
class Broken(Detector, name="broken"):
    """Gives what the test says."""

    scores: float | list[float] = 0.0

    def _fit(self, rows, classes):
        return {}

    def _score(self, rows, classes, ready):
        return np.asarray(self.scores)


@pytest.mark.parametrize("scores", [[float("nan")], 0.0, [0.0, 0.0]])
def test_a_monitor_is_not_quiet_because_a_score_is_no_number(rows, scores):
    with pytest.raises(Undefined, match="no score for each row"):
        Monitor(Broken(scores).fit(rows[0]), 0.1).step(rows[0][0])


def test_what_is_masked_is_not_seen_in_a_stream(monitor):
    with pytest.raises(InvalidInput, match="numbers"):
        monitor.step(np.ma.masked_array(np.zeros(5), [0, 0, 1, 0, 0]), 1)


def test_whole_numbers_are_classes_whatever_holds_them(rows):
    plain = FeatureBox().fit(*rows).decision_function(rows[0] * 2, rows[1])
    for labels in (rows[1].astype(object), rows[1].astype(float), rows[1].astype(np.uint8)):
        assert np.array_equal(FeatureBox().fit(rows[0], labels).decision_function(rows[0] * 2, labels), plain)


def test_labels_that_no_whole_number_holds_are_refused(rows):
    for label in [1e300, 2.0**60, np.inf, 2**70, None]:
        with refused(label, InvalidInput, match="whole numbers or text"):
            FeatureBox().fit(rows[0], [label] * 60)


def test_bad_input_is_refused_in_words(rows):
    for wrong, said in [
        (lambda d: Monitor(FeatureBox, 0.1), "object such as"),
        (lambda d: Monitor(d, float("nan")), "one number"),
        (lambda d: Monitor(d, [0.1, 0.2]), "one number"),
        (lambda d: Monitor(d, "high"), "one number"),
        (lambda d: Monitor(d, 0.1).step(np.zeros(5), 7), "not fitted with"),
        (lambda d: Monitor(d, 0.1).step(np.zeros(5)), "needs predictions"),
        (lambda d: Monitor(d, 0.1).step(np.full(5, np.nan), 1), "finite"),
        (lambda d: Monitor(d, 0.1).step(np.zeros(4), 1), "shape"),
    ]:
        with refused((wrong, said), InvalidInput, match=said):
            wrong(FeatureBox().fit(*rows))
