"""MOTA, IDF1 and HOTA, against trackeval's own combination of sequences and hand cases."""

import contextlib
import io
import re

import numpy as np
import pytest
from tests.refusals import refusal
from trackeval.datasets._base_dataset import _BaseDataset
from trackeval.metrics import CLEAR, HOTA, Identity

from surefoot.core import InvalidInput, SurefootError
from surefoot.datasets import locate
from surefoot.metrics import match, metric_named, of, tasks

ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 20))
THEIRS = {"mota": CLEAR, "idf1": Identity, "hota": HOTA}


def box(frame, track, x, y=0.0, size=10.0):
    return [frame, track, x, y, size, size]


def theirs(name, outputs, truths):
    """The combined result of trackeval, with its own overlaps."""
    with contextlib.redirect_stdout(io.StringIO()):
        metric = THEIRS[name]()
    results = {
        index: metric.eval_sequence(their_data(*pair)) for index, pair in enumerate(zip(outputs, truths, strict=True))
    }
    return float(np.mean(metric.combine_sequences(results)[name.upper()]))


def their_data(output, truth):
    frames = np.union1d(output[:, 0], truth[:, 0])
    data = {"num_timesteps": len(frames), "similarity_scores": []}
    for side, rows in (("gt", truth), ("tracker", output)):
        ids = np.unique(rows[:, 1], return_inverse=True)[1]
        data[f"{side}_ids"] = [ids[rows[:, 0] == frame] for frame in frames]
        data[f"num_{side}_dets"], data[f"num_{side}_ids"] = len(rows), len(set(ids))
    for frame in frames:
        boxes = [rows[rows[:, 0] == frame, 2:6] for rows in (truth, output)]
        data["similarity_scores"].append(_BaseDataset._calculate_box_ious(*boxes, box_format="xywh"))
    return data


@pytest.fixture(scope="module")
def pets():
    """Four parts of PETS09-S2L1: true tracks and detections."""
    try:
        folder = locate("mot15") / "PETS09-S2L1"
        files = [np.loadtxt(folder / name, delimiter=",") for name in ("gt.txt", "det.txt")]
    except (SurefootError, OSError) as error:
        pytest.skip(f"MOT15 is not here: {error}")
    return [[rows[(rows[:, 0] > start) & (rows[:, 0] <= start + 60)] for start in range(0, 240, 60)] for rows in files]


def perturbed(rows, seed):
    """Boxes that tremble, some lost, some found twice, some with the id of another for a while."""
    rng = np.random.default_rng(seed)
    changed = rows.copy()
    changed[:, 2:4] += rng.normal(0, 5, (len(rows), 2))
    exchanged = (changed[:, 0] % 40 < 15) & np.isin(changed[:, 1], [9, 15])
    changed[exchanged, 1] = 24 - changed[exchanged, 1]
    false = changed[rng.random(len(rows)) < 0.1] + [0, 100, 15, 0, 0, 0, 0, 0, 0, 0]
    return np.concatenate([changed[rng.random(len(rows)) > 0.1], false])


def linked(detections):
    """Detections with the id of the detection before that they overlap most; a tracker of the simplest kind."""
    rows, fresh = detections.copy(), iter(range(len(detections)))
    before = rows[:0]
    for frame in np.unique(rows[:, 0]):
        here = np.flatnonzero(rows[:, 0] == frame)
        corners = [np.column_stack([side[:, 2:4], side[:, 2:4] + side[:, 4:6]]) for side in (rows[here], before)]
        known = dict(match(*corners, iou=0.3).pairs.tolist())
        rows[here, 1] = [before[known[i], 1] if i in known else next(fresh) for i in range(len(here))]
        before = rows[here]
    return rows


@pytest.mark.parametrize("name", sorted(THEIRS))
@pytest.mark.parametrize("tracker", ["perturbed", "detections"])
def test_real_sequences_give_what_trackeval_combines(name, tracker, pets):
    truths, detections = pets
    outputs = [perturbed(rows, seed) for seed, rows in enumerate(truths)]
    outputs = outputs if tracker == "perturbed" else [linked(rows) for rows in detections]
    expected = theirs(name, outputs, truths)
    assert 0.1 < expected < 0.9
    assert of(outputs, truths, name) == pytest.approx(expected, rel=1e-12)
    metric = metric_named(name)
    errors = metric.error(metric.statistics(outputs, truths))
    singles = [theirs(name, [output], [truth]) for output, truth in zip(outputs, truths, strict=True)]
    np.testing.assert_allclose(errors, 1 - np.array(singles), rtol=1e-12)


def test_the_order_of_rows_and_the_names_of_tracks_do_not_matter(pets):
    output, truth = perturbed(pets[0][0], 3), pets[0][0]
    shuffled = np.random.default_rng(1).permutation(output)
    shuffled[:, 1] = 1000 - shuffled[:, 1]
    for name in THEIRS:
        assert of([shuffled], [truth], name) == pytest.approx(of([output], [truth], name), rel=1e-12)


def test_misses_false_alarms_and_switches_are_counted():
    truth = [box(1, 1, 0), box(2, 1, 0), box(3, 1, 0), box(4, 1, 0)]
    output = [box(1, 7, 0), box(2, 7, 0), box(2, 8, 50), box(4, 9, 0)]
    assert tasks.mota().statistics([output], [truth]).tolist() == [[1, 1, 1, 4]]
    assert of([output], [truth], "mota") == 0.25
    assert tasks.idf1().statistics([output], [truth]).tolist() == [[2, 2, 2]]
    assert of([output], [truth], "idf1") == 0.5


def test_hota_of_a_track_that_is_cut_in_two():
    truth = [box(t, 1, 0) for t in range(1, 5)]
    output = [box(t, 1 if t < 3 else 2, 0) for t in range(1, 5)]
    assert of([output], [truth], "hota") == pytest.approx(np.sqrt(0.5))
    assert tasks.hota().error(tasks.hota().statistics([output], [truth])) == pytest.approx(1 - np.sqrt(0.5))
    assert pytest.approx(HOTA().array_labels) == ALPHAS


def test_mota_may_be_negative():
    assert of([[box(1, track, 50) for track in range(3)]], [[box(1, 1, 0)]], "mota") == -3


def test_a_least_overlap_can_be_stated():
    truth, output = [[box(1, 1, 0)]], [[box(1, 1, 4)]]
    assert of(output, truth, "mota") == -1
    assert of(output, truth, tasks.mota(iou=0.4)) == of(output, truth, tasks.idf1(iou=0.4)) == 1
    assert tasks.mota(iou=0.4).meaning.endswith("at IoU 0.4")
    for make in (tasks.mota, tasks.idf1):
        with pytest.raises(InvalidInput, match="iou must be above 0"):
            make(iou=0)


@pytest.mark.parametrize("name", sorted(THEIRS))
def test_sequences_without_boxes_add_what_there_is(name):
    metric, boxes = metric_named(name), [box(1, 1, 0), box(2, 1, 0)]
    statistics = metric.statistics([[], boxes, [], boxes], [[], [], boxes, boxes])
    assert metric.error(statistics).tolist() == [0, 2 if name == "mota" else 1, 1, 0]
    expected = {"mota": 0.0, "idf1": 0.5, "hota": np.sqrt(1 / 3)}[name]
    assert metric.value(statistics.sum(axis=0)) == pytest.approx(expected)


def test_lists_by_frame_are_read_as_rows_are():
    rows = [box(1, 1, 0), box(1, 2, 50), box(3, 1, 5)]
    listed = [(["a", "b"], [[0, 0, 10, 10], [50, 0, 10, 10]]), ([], []), (["a"], [[5, 0, 10, 10]])]
    for name in THEIRS:
        assert of([listed], [rows], name) == of([rows], [listed], name) == 1


def test_what_are_no_tracks_is_refused():
    for outputs, message in (
        ([None], "output 0 must be tracks"),
        ([[box(1, 1, 0), box(1, 1, 5)]], "id 1.0 twice in frame 1"),
        ([[box(1, 1, 0, size=-1)]], "negative sizes"),
        ([[box(1, 1, np.nan)]], "finite"),
        ([[[1, 2, 3]]], "6 columns"),
        ([[], []], "same length"),
    ):
        for name in THEIRS:
            assert re.search(message, refusal(InvalidInput, of, outputs, [[box(1, 1, 0)]], name)), message
