"""Average precision and recall, against the evaluation of COCO."""

import contextlib
import io
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import surefoot as sf
from surefoot.core import InvalidInput, Undefined

NAMES = ("AP", "AP50", "AP75", "AP small", "AP medium", "AP large")
NAMES += ("AR1", "AR10", "AR100", "AR small", "AR medium", "AR large")


def coco_stats(truth, predictions):
    """The twelve numbers of pycocotools."""
    pytest.importorskip("pycocotools")

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
    return evaluated(images, annotations, found, "bbox")


def evaluated(images, annotations, found, kind):
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    classes = sorted({each["category_id"] for each in annotations})
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {"images": images, "annotations": annotations, "categories": [{"id": c} for c in classes]}
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(found), kind)
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


def random_masks(seed, images=12):
    """Objects as ellipses, with answers that are moved, doubled or made up; some truths are crowds."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:90, :120]

    def ellipse(x, y, wide, high):
        return ((columns - x) / wide) ** 2 + ((rows - y) / high) ** 2 <= 1

    truth, predictions = [], []
    for _ in range(images):
        shapes = [(*rng.uniform(5, 85, 2), *rng.uniform(3, 45, 2)) for _ in range(rng.integers(0, 6))]
        kept = [n for n in range(len(shapes)) for _ in range(rng.integers(0, 3))]
        moved = [np.array(shapes[n]) + rng.normal(0, 2, 4) for n in kept]
        made_up = [(*rng.uniform(5, 85, 2), *rng.uniform(3, 30, 2)) for _ in range(rng.integers(0, 4))]
        labels = rng.integers(1, 4, len(shapes))
        real = np.array([ellipse(*shape) for shape in shapes]).reshape(-1, 90, 120)
        found = np.array([ellipse(*shape) for shape in [*moved, *made_up]]).reshape(-1, 90, 120)
        truth.append({"masks": real, "labels": labels, "crowd": rng.random(len(shapes)) < 0.2})
        kinds = np.concatenate([labels[kept], rng.integers(1, 4, len(made_up))]).astype(int)
        predictions.append({"masks": found, "labels": kinds, "scores": rng.random(len(found)).round(1)})
    return truth, predictions


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("seed", range(4))
def test_all_numbers_of_masks_are_those_of_coco(seed):
    packed = pytest.importorskip("pycocotools.mask").encode
    truth, predictions = random_masks(seed)
    for scene in (*truth, *predictions):
        scene["rle"] = [packed(np.asfortranarray(mask.astype(np.uint8))) for mask in scene["masks"]]
    expected = coco_stats_of_masks(truth, predictions)
    assert sf.metrics.coco_summary(truth, predictions, iou_of="masks") == pytest.approx(expected, abs=1e-9)
    as_coco = [[{**scene, "masks": scene["rle"]} for scene in side] for side in (truth, predictions)]
    found = sf.metrics.average_precision(*as_coco, iou="coco", iou_of="masks")
    assert found.value == pytest.approx(expected["AP"], abs=1e-9)
    assert found.lower(0.95) < found.value < found.upper(0.95)
    assert sf.metrics.average_recall(truth, predictions, iou_of="masks") == pytest.approx(expected["AR100"], abs=1e-9)


def coco_stats_of_masks(truth, predictions):
    from pycocotools import mask as coco_mask

    annotations, found = [], []
    for number, (real, seen) in enumerate(zip(truth, predictions, strict=True), 1):
        for rle, label, crowd in zip(real["rle"], real["labels"], real["crowd"], strict=True):
            said = {"id": len(annotations) + 1, "image_id": number, "category_id": int(label), "iscrowd": int(crowd)}
            box = coco_mask.toBbox(rle).tolist()
            annotations.append(said | {"segmentation": rle, "area": float(coco_mask.area(rle)), "bbox": box})
        for rle, label, score in zip(seen["rle"], seen["labels"], seen["scores"], strict=True):
            said = {"image_id": number, "category_id": int(label), "segmentation": rle, "score": float(score)}
            found.append(said)
    images = [{"id": number, "width": 120, "height": 90} for number in range(1, len(truth) + 1)]
    return evaluated(images, annotations, found, "segm")


@pytest.mark.parametrize(
    "masks", [[np.ones((4, 5, 6))], [{"size": [4, 5], "counts": [3]}], [np.ones((4, 5)), np.ones((4, 6))], None]
)
def test_masks_that_are_none_are_refused(masks):
    scene = {"boxes": [[0, 0, 1, 1]], "labels": [1], "scores": [1.0]}
    scene |= {} if masks is None else {"masks": masks, "labels": [1] * len(masks), "scores": [1.0] * len(masks)}
    with pytest.raises(InvalidInput):
        sf.metrics.average_precision([scene], [scene], iou_of="masks")


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


def cautious_precision(truth, predictions):
    """AP50 of one class with Haldane's precision at each recall, hit by hit."""
    rows = []
    for real, seen in zip(truth, predictions, strict=True):
        free = [*range(len(real["boxes"]))]
        for n in np.argsort(-np.asarray(seen["scores"]), kind="stable"):
            overlap = sf.metrics.iou_matrix([seen["boxes"][n]], real["boxes"])[0] if len(real["boxes"]) else []
            best = max(free, key=lambda k: overlap[k], default=None)
            hit = best is not None and overlap[best] >= 0.5
            if hit:
                free.remove(best)
            rows.append((seen["scores"][n], hit))
    hits = boxes = 0
    reached = []
    for _, hit in sorted(rows, key=lambda row: -row[0]):
        hits, boxes = hits + hit, boxes + 1
        if hit:
            reached.append((hits, 1.0 if boxes == hits else (hits - 1) / (boxes - 1)))
    objects = sum(len(real["boxes"]) for real in truth)
    found = [next((p for k, p in reached if k / objects >= r), 0.0) for r in np.linspace(0, 1, 101)]
    return float(np.mean(found))


def student_limit(measure, images, sign):
    """The limit at 95% from leaving out images one by one, on the logit scale."""
    from scipy import special, stats

    whole, kept = measure(range(images)), [[k for k in range(images) if k != n] for n in range(images)]
    without = np.array([measure(rows) for rows in kept])
    error = np.sqrt((images - 1) * np.mean((without - without.mean()) ** 2))
    step = stats.t.ppf(0.95, images - 1) * error / (whole * (1 - whole))
    return special.expit(special.logit(whole) + sign * step)


def test_limits_are_those_of_leaving_out_image_by_image():
    truth, predictions = hard_and_easy(np.random.default_rng(5), 25)

    def average(rows):
        return sf.metrics.average_precision([truth[n] for n in rows], [predictions[n] for n in rows], parts=0).value

    def cautious(rows):
        return cautious_precision([truth[n] for n in rows], [predictions[n] for n in rows])

    estimate = sf.metrics.average_precision(truth, predictions)
    assert estimate.upper(0.95) == pytest.approx(student_limit(average, 25, 1), abs=1e-9)
    assert estimate.lower(0.95) == pytest.approx(student_limit(cautious, 25, -1), abs=1e-9)
    assert {family.kind for family in estimate.bounds} == {"heuristic"}
    parts = sf.metrics.average_precision(truth, predictions, parts=8, seed=2)
    assert parts.lower(0.95) == pytest.approx(estimate.lower(0.95), abs=0.05)


def test_answers_that_do_not_differ_from_image_to_image_have_no_bounds():
    truth = [{"boxes": [[0, 0, 4, 4]], "labels": [1]}] * 30
    found = sf.metrics.average_precision(truth, [each | {"scores": [0.9]} for each in truth])
    assert (found.value, found.bounds) == (pytest.approx(1), ())


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


def of_classes(rng, images, classes):
    """The same, objects being of several classes and ghosts of any."""
    truth, predictions = hard_and_easy(rng, images)
    for real, found in zip(truth, predictions, strict=True):
        real["labels"] = rng.integers(0, classes, len(real["boxes"]))
        kinds = {tuple(box): label for box, label in zip(real["boxes"].tolist(), real["labels"], strict=True)}
        found["labels"] = np.array(
            [kinds.get(tuple(box), rng.integers(0, classes)) for box in found["boxes"].tolist()], dtype=int
        )
    return truth, predictions


@pytest.mark.parametrize(("images", "classes", "sets"), [(100, 1, 50), (60, 6, 40)])
def test_bounds_without_a_guarantee_miss_about_as_often_as_their_page_says(images, classes, sets):
    rng = np.random.default_rng(1)
    real = sf.metrics.average_precision(*of_classes(rng, 3_000, classes), parts=0).value
    found = [sf.metrics.average_precision(*of_classes(rng, images, classes), parts=40, seed=n) for n in range(sets)]
    missed = [
        np.mean([each.lower(0.95) > real for each in found]),
        np.mean([each.upper(0.95) < real for each in found]),
    ]
    # 5%, and chance: a count above this comes in one of a thousand such tests.
    assert max(missed) * sets <= stats.binom.isf(1e-3, sets, 0.05)


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
