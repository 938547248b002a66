"""Average precision and recall, against the evaluation of COCO."""

import contextlib
import io
import os
from pathlib import Path

import numpy as np
import pytest

import surefoot as sf
from surefoot.core import InvalidInput, Undefined

NAMES = ("AP", "AP50", "AP75", "AP small", "AP medium", "AP large")
NAMES += ("AR1", "AR10", "AR100", "AR small", "AR medium", "AR large")


def coco_stats(truth, predictions):
    """The twelve numbers of pycocotools."""
    pytest.importorskip("pycocotools")
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    def boxes(scene):
        corners = np.asarray(scene["boxes"], dtype=float).reshape(-1, 4)
        return np.column_stack([corners[:, :2], corners[:, 2:] - corners[:, :2]]).tolist()

    images = [{"id": number + 1, "width": 1000, "height": 1000} for number in range(len(truth))]
    annotations = []
    for number, scene in enumerate(truth):
        for row, (box, label) in enumerate(zip(boxes(scene), scene["labels"], strict=True)):
            area = scene["area"][row] if "area" in scene else box[2] * box[3]
            crowd = int(scene["crowd"][row]) if "crowd" in scene else 0
            said = {"id": len(annotations) + 1, "image_id": number + 1, "category_id": int(label), "iscrowd": crowd}
            annotations.append(said | {"bbox": box, "area": float(area)})
    found = [
        {"image_id": number + 1, "category_id": int(label), "bbox": box, "score": float(score)}
        for number, scene in enumerate(predictions)
        for box, label, score in zip(boxes(scene), scene["labels"], scene["scores"], strict=True)
    ]
    classes = sorted({each["category_id"] for each in annotations})
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {"images": images, "annotations": annotations, "categories": [{"id": c} for c in classes]}
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return {name: value for name, value in zip(NAMES, evaluation.stats.tolist(), strict=True) if value != -1}


def random_scenes(seed, images=30, *, ties=False):
    rng = np.random.default_rng(seed)
    truth, predictions = [], []
    for _ in range(images):
        count = rng.integers(0, 8)
        low = rng.uniform(0, 300, (count, 2))
        size = np.exp(rng.uniform(np.log(8), np.log(250), (count, 2)))
        boxes = np.column_stack([low, low + size])
        boxes = boxes.round() if ties else boxes
        labels = rng.integers(1, 5, count)
        area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]) * rng.uniform(0.5, 1, count)
        truth.append({"boxes": boxes, "labels": labels, "crowd": rng.random(count) < 0.15, "area": area})
        kept = np.flatnonzero(rng.random(count) < 0.85)
        kept = np.concatenate([kept, kept[rng.random(kept.size) < 0.3]])
        moved = boxes[kept] + rng.normal(0, 0.08, (kept.size, 4)) * np.tile(size[kept], 2)
        extra = rng.integers(0, 20)
        corner = rng.uniform(0, 300, (extra, 2))
        ghosts = np.column_stack([corner, corner + rng.uniform(5, 200, (extra, 2))])
        every = np.concatenate([moved, ghosts])
        scores = rng.random(len(every))
        predictions.append(
            {
                "boxes": every.round() if ties else every,
                "labels": np.concatenate([labels[kept], rng.integers(1, 6, extra)]),
                "scores": scores.round(1) if ties else scores,
            }
        )
    return truth, predictions


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_all_twelve_numbers_are_those_of_coco(seed, ties):
    truth, predictions = random_scenes(seed, ties=ties)
    expected = coco_stats(truth, predictions)
    assert sf.metrics.coco_summary(truth, predictions) == pytest.approx(expected, abs=1e-9)


def test_more_boxes_than_count_are_left_out():
    rng = np.random.default_rng(3)
    truth = [{"boxes": [[0, 0, 50, 50], [60, 60, 99, 99]], "labels": [1, 1]}]
    corner = rng.uniform(0, 50, (150, 2))
    found = [{"boxes": np.column_stack([corner, corner + 45]), "labels": [1] * 150, "scores": rng.random(150)}]
    assert sf.metrics.coco_summary(truth, found) == pytest.approx(coco_stats(truth, found), abs=1e-9)


def pets():
    folder = Path(os.environ.get("SUREFOOT_DATA", "")) / "mot15" / "PETS09-S2L1"
    if not (folder / "gt.txt").exists():
        pytest.skip("SUREFOOT_DATA has no mot15/PETS09-S2L1")
    real, found = (np.loadtxt(folder / name, delimiter=",") for name in ("gt.txt", "det_frrcnn_sort.txt"))

    def scenes(rows, **more):
        parts = [rows[rows[:, 0] == frame] for frame in range(1, 796)]
        return [
            {"boxes": np.column_stack([p[:, 2:4], p[:, 2:4] + p[:, 4:6]]), "labels": np.ones(len(p), dtype=int)}
            | {name: p[:, column] for name, column in more.items()}
            for p in parts
        ]

    return scenes(real), scenes(found, scores=6)


def test_a_real_video_has_the_numbers_of_coco():
    truth, found = pets()
    assert sf.metrics.coco_summary(truth, found) == pytest.approx(coco_stats(truth, found), abs=1e-9)


def test_resampling_images_is_evaluating_them_anew():
    truth, predictions = random_scenes(1, images=12)
    estimate = sf.metrics.average_precision(truth, predictions, draws=200, seed=4)
    rng = np.random.default_rng(4)
    drawn = []
    for counts in rng.multinomial(12, np.full(12, 1 / 12), size=200):
        chosen = np.repeat(np.arange(12), counts)
        again = sf.metrics.average_precision([truth[i] for i in chosen], [predictions[i] for i in chosen], draws=0)
        drawn.append(again.value)
    errors = np.array(drawn) - estimate.value
    upper = estimate.value - min(np.quantile(errors, 0.05, method="lower"), 0)
    lower = estimate.value - max(np.quantile(errors, 0.95, method="higher"), 0)
    assert estimate.upper(0.95) == pytest.approx(min(upper, 1), abs=1e-9)
    assert estimate.lower(0.95) == pytest.approx(lower, abs=1e-9)
    assert {family.kind for family in estimate.bounds} == {"heuristic"}


def hard_and_easy(rng, images):
    """Images of two sorts: in hard ones more objects are missed, and there are more ghosts."""
    truth, predictions = [], []
    for hard in rng.random(images) < 0.3:
        low, ghosts = rng.uniform(0, 200, (rng.integers(1, 4), 2)), rng.uniform(300, 400, (rng.poisson(1 + hard), 2))
        kept = rng.random(len(low)) < 0.9 - 0.3 * hard
        boxes = np.concatenate([low[kept], ghosts])
        scores = np.concatenate([rng.beta(4, 2, kept.sum()), rng.beta(2, 3, len(ghosts))])
        truth.append({"boxes": np.column_stack([low, low + 30]), "labels": [0] * len(low)})
        predictions.append(
            {"boxes": np.column_stack([boxes, boxes + 30]), "labels": [0] * len(boxes), "scores": scores}
        )
    return truth, predictions


def test_bounds_without_a_guarantee_miss_about_as_often_as_their_page_says():
    rng = np.random.default_rng(1)
    real = sf.metrics.average_precision(*hard_and_easy(rng, 10_000), draws=0).value
    found = [sf.metrics.average_precision(*hard_and_easy(rng, 100), draws=200, seed=n) for n in range(100)]
    missed = [
        np.mean([each.lower(0.95) > real for each in found]),
        np.mean([each.upper(0.95) < real for each in found]),
    ]
    assert max(missed) < 0.2


def test_the_share_of_missed_objects_is_one_minus_recall_where_images_have_one_object():
    rng = np.random.default_rng(2)
    boxes = rng.uniform(0, 50, (80, 1, 2))
    truth = [{"boxes": np.column_stack([b, b + 20]), "labels": [1]} for b in boxes]
    found = [{"boxes": np.column_stack([b, b + 20]) + rng.normal(0, 4, 4), "labels": [1], "scores": [1]} for b in boxes]
    shares = sf.metrics.missed_shares(truth, found)
    hits = [sf.metrics.iou_matrix(t["boxes"], f["boxes"])[0, 0] >= 0.5 for t, f in zip(truth, found, strict=True)]
    assert shares.tolist() == [float(not hit) for hit in hits]


@pytest.mark.parametrize(
    ("truth", "predictions", "error"),
    [
        ([{"boxes": [[0, 0, 1, 1]], "labels": [1]}], [], InvalidInput),
        ([{"boxes": [[5, 0, 1, 1]], "labels": [1]}], [{"boxes": []}], InvalidInput),
        ([{"boxes": [[0, 0, 1, 1]], "labels": [1]}], [{"boxes": [[0, 0, 1, 1]], "labels": [1]}], InvalidInput),
        ([{"boxes": [[0, 0, 1, 1]], "labels": [1, 2]}], [{"boxes": []}], InvalidInput),
        ([{"boxes": []}], [{"boxes": []}], Undefined),
    ],
)
def test_what_is_no_scene_is_refused(truth, predictions, error):
    with pytest.raises(error):
        sf.metrics.average_precision(truth, predictions)
