"""Masks: images fail by class, pixel, object and edge, from arrays, from files and from models."""

import itertools
import json

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import surefoot as sf
from surefoot.core import DiagnosticsError

EACH = {"each": {"step": "binomial_bound", "by": "failure"}, "lost": {"step": "loss_bound", "loss": "task"}}


def segmented(*, evidence=EACH, classes=("ground", "road", "car"), **given):
    return sf.run(sf.Project.of("street", task="segmentation", evidence=evidence, classes=classes, **given))


def counts(result):
    found = {}
    for estimate in result.evidence["each"].estimates:
        kind = estimate.scope.partition(", ")[2] or "image"
        found[kind] = (estimate.details["failures"], estimate.details["trials"])
    return found


def problems(error):
    return [(d.code, d.text.partition(":")[0]) for d in error.value.diagnostics]


def street(count=40, seed=0):
    """A road with two cars on each picture; every fifth answer misses one, every tenth shifts the road."""
    rng = np.random.default_rng(seed)
    truth = np.zeros((count, 30, 40), dtype=np.uint8)
    truth[:, 10:25] = 1
    answers = None
    places = rng.integers(0, 10, (count, 2))
    for n, (a, b) in enumerate(places):
        truth[n, 12:16, a : a + 6] = 2
        truth[n, 18:23, 20 + b : 28 + b] = 2
    answers = truth.copy()
    for n, (_, b) in enumerate(places):
        if n % 5 == 0:
            answers[n, 18:23, 20 + b : 28 + b] = 1
        if n % 10 == 1:
            answers[n] = np.where(answers[n] == 1, 0, answers[n])
    return truth, answers


def test_images_fail_by_class_object_and_pixel():
    truth, answers = street()
    result = segmented(data={"labels": truth, "predictions": answers}, tolerance=0.1)
    found = counts(result)
    assert found["road"] == (4, 40)
    assert found["car"] == (8, 40)
    assert found["object"] == (8 + 4, 120)
    assert found["worst object"] == (8 + 4, 40)
    assert found["pixels"] == (4, 40)
    assert result["lost.expected loss"].value == pytest.approx((truth != answers).mean())


def test_ignored_pixels_count_on_neither_side():
    truth, answers = street()
    truth = np.where(truth != answers, 255, truth)
    found = counts(segmented(data={"labels": truth, "predictions": answers}))
    assert found["image"] == (0, 40)


def test_folders_of_masks_say_the_same_as_memory(tmp_path):
    from PIL import Image

    truth, answers = street()
    for folder, masks in (("truth", truth), ("answers", answers)):
        (tmp_path / folder).mkdir()
        for n, mask in enumerate(masks):
            Image.fromarray(mask).save(tmp_path / folder / f"{n:03}.png")
    np.savez(tmp_path / "masks.npz", labels=truth, predictions=answers)
    expected = counts(segmented(data={"labels": truth, "predictions": answers}))
    for data in ({"path": "truth", "predictions": "answers"}, {"path": "masks.npz", "predictions": "predictions"}):
        component = {"task": "segmentation", "data": {"test": data}, "classes": ["ground", "road", "car"]}
        said = {"version": 1, "system": {"name": "s"}, "components": {"part": component}, "evidence": EACH}
        assert counts(sf.run(sf.project.from_data(said, folder=tmp_path))) == expected
    (tmp_path / "answers" / "007.png").unlink()
    with pytest.raises(DiagnosticsError, match="007"):
        sf.run(sf.project.from_data(said | {"components": {"part": folder_component()}}, folder=tmp_path))


def folder_component():
    return {"task": "segmentation", "data": {"test": {"path": "truth", "predictions": "answers"}}}


@pytest.mark.parametrize("scored", [False, True])
def test_models_answer_numbers_or_scores(scored):
    truth, answers = street()

    def model(pictures):
        numbers = pictures[..., 0]
        return np.stack([numbers == n for n in range(3)], axis=1).astype(np.float32) if scored else numbers

    result = segmented(model=model, data={"inputs": answers[..., None], "labels": truth})
    assert counts(result) == counts(segmented(data={"labels": truth, "predictions": answers}))


def test_a_model_in_a_file_looks_at_a_folder_of_pictures(tmp_path):
    from PIL import Image

    truth, answers = street(8)
    for folder, masks in (("truth", truth), ("pictures", answers)):
        (tmp_path / folder).mkdir()
        for n, mask in enumerate(masks):
            Image.fromarray(mask).save(tmp_path / folder / f"{n:03}.png")
    (tmp_path / "model.py").write_text("def look(pictures):\n    return pictures[..., 0]\n")
    data = {"test": {"path": "truth", "images": "pictures"}}
    component = {"task": "segmentation", "model": "model:look", "data": data, "classes": ["ground", "road", "car"]}
    said = {"version": 1, "system": {"name": "s"}, "components": {"part": component}, "evidence": EACH}
    expected = counts(segmented(data={"labels": truth, "predictions": answers}))
    assert counts(sf.run(sf.project.from_data(said, folder=tmp_path))) == expected


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (lambda t, a: (t, [*a[:3], a[3][:-1], *a[4:]]), "row 3 (image '3')"),
        (lambda t, a: ([*t[:2], np.full((30, 40), 7), *t[3:]], a), "row 2 (image '2')"),
        (lambda t, a: (t, [*a[:1], a[1] + 0.5, *a[2:]]), "row 1 (image '1')"),
        (lambda t, a: (t, [a[0][..., None].repeat(3, 2), *a[1:]]), "row 0 (image '0')"),
    ],
)
def test_masks_that_do_not_fit_are_told_with_their_row(change, row):
    truth, answers = change(*map(list, street(6)))
    with pytest.raises(DiagnosticsError) as error:
        segmented(data={"labels": truth, "predictions": answers})
    assert problems(error) == [("data-masks", row)]


def test_steps_about_classes_are_refused():
    truth, answers = street(6)
    with pytest.raises(DiagnosticsError) as error:
        segmented(data={"labels": truth, "predictions": answers}, evidence={"n": {"step": "normal_score"}})
    assert [d.code for d in error.value.diagnostics] == ["step-of-classes"]


def test_images_of_which_every_pixel_is_ignored_are_no_trials():
    truth = np.zeros((40, 6, 6), dtype=int)
    truth[:, 2:, :] = 1
    answers = np.where(np.arange(40)[:, None, None] < 4, 1 - truth, truth)
    truth[4:30] = 255
    evidence = {"fails": {"step": "binomial_bound"}, "pixels": {"step": "loss_bound", "loss": "task"}}
    project = sf.Project.of(
        "road",
        task="segmentation",
        classes=["ground", "road"],
        data={"labels": truth, "predictions": answers},
        evidence=evidence,
    )
    result = sf.run(project)
    assert result["fails.failure probability"].value == 4 / 14
    assert result["pixels.expected loss"].value == pytest.approx(4 / 14)


# Objects with a mask each.

HEIGHT, WIDTH = 60, 90


def objects(count=30, seed=2):
    """Ellipses in pictures, answered by moved ones, other classes and ghosts; one image has no object."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]

    def ellipse(x, y, wide, high):
        return ((columns - x) / wide) ** 2 + ((rows - y) / high) ** 2 <= 1

    truth, answers = [], []
    for n in range(count):
        shapes = [(*rng.uniform((10, 10), (80, 50)), *rng.uniform(4, 16, 2)) for _ in range(n and rng.integers(1, 4))]
        kept = [s for s in range(len(shapes)) if rng.random() < 0.85]
        found = [np.array(shapes[s]) + rng.normal(0, (2.5, 2.5, 0.8, 0.8)) for s in kept]
        ghosts = [(*rng.uniform(10, 50, 2), 5, 5) for _ in range(rng.integers(0, 2))]
        labels = rng.integers(0, 2, len(shapes))
        kinds = [labels[s] if rng.random() < 0.9 else 1 - labels[s] for s in kept] + [0] * len(ghosts)
        masks, said = ([ellipse(*shape) for shape in side] for side in (shapes, [*found, *ghosts]))
        crowd = [len(labels) > 2 and k == 0 for k in range(len(labels))]
        truth.append({"masks": masks, "labels": labels.tolist(), "crowd": crowd})
        answers.append({"masks": said, "labels": kinds, "scores": rng.uniform(0.4, 1, len(said)).round(3).tolist()})
    return truth, answers


def as_coco(truth, answers, form):
    """The same as COCO JSON: run lengths packed by its own library, or plain."""
    from pycocotools import mask as coco_mask

    def written(mask):
        packed = coco_mask.encode(np.asfortranarray(mask.astype(np.uint8)))
        if form == "packed":
            return {"size": packed["size"], "counts": packed["counts"].decode()}
        flat = mask.ravel(order="F")
        edges = np.flatnonzero(np.diff(flat, prepend=False)).tolist()
        return {"size": [*mask.shape], "counts": np.diff([0, *edges, flat.size]).tolist()}

    images = [{"id": n, "file_name": f"{n}.png", "height": HEIGHT, "width": WIDTH} for n in range(len(truth))]
    said = [
        {"id": 0, "image_id": n, "category_id": label + 1, "segmentation": written(mask), "iscrowd": int(crowd)}
        for n, scene in enumerate(truth)
        for mask, label, crowd in zip(scene["masks"], scene["labels"], scene["crowd"], strict=True)
    ]
    results = [
        {"image_id": n, "category_id": int(label) + 1, "segmentation": written(mask), "score": score}
        for n, scene in enumerate(answers)
        for mask, label, score in zip(scene["masks"], scene["labels"], scene["scores"], strict=True)
    ]
    categories = [{"id": 1, "name": "road"}, {"id": 2, "name": "car"}]
    return {"images": images, "annotations": said, "categories": categories}, results


def of_coco(folder, truth, answers, evidence=EACH, **component):
    (folder / "truth.json").write_text(json.dumps(truth))
    (folder / "answers.json").write_text(json.dumps(answers))
    part = {"task": "segmentation", "data": {"test": {"path": "truth.json", "predictions": "answers.json"}}}
    said = {"version": 1, "system": {"name": "s"}, "components": {"part": part | component}, "evidence": evidence}
    return sf.run(sf.project.from_data(said, folder=folder))


def by_hand(truth, answers, least=0.5):
    """How many objects have a mask of their class that overlaps enough, by trying all pairs of each image."""
    found = counted = 0
    for real, said in zip(truth, answers, strict=True):
        there = [k for k, crowd in enumerate(real["crowd"]) if not crowd]
        sure = [k for k, score in enumerate(said["scores"]) if score >= 0.5]
        counted += len(there)
        overlap = np.zeros((len(there), len(sure)))
        for (a, i), (b, j) in itertools.product(enumerate(there), enumerate(sure)):
            one, other = real["masks"][i], said["masks"][j]
            if real["labels"][i] == said["labels"][j]:
                overlap[a, b] = (one & other).sum() / (one | other).sum()
        overlap[overlap < least] = 0
        rows, columns = linear_sum_assignment(overlap, maximize=True)
        found += int((overlap[rows, columns] > 0).sum())
    return counted - found, counted


def test_objects_are_found_by_the_overlap_of_their_masks():
    truth, answers = objects()
    result = segmented(data={"labels": truth, "predictions": answers}, classes=["road", "car"])
    found = counts(result)
    assert found["object"] == by_hand(truth, answers)
    assert found["worst object"] == found["image with missed"]
    assert found["false alarm"][1] == 1
    assert found["boundary"][1] == found["misplaced"][1]
    of_edges = next(e for e in result.evidence["each"].estimates if e.scope.endswith("boundary")).details
    assert (of_edges["demands"], of_edges["out_of"]) == ("objects with a mask of their class", found["object"][1])
    assert set(found) >= {"image", "missed", "class", "spurious", "image with spurious"}


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("form", ["packed", "plain"])
def test_files_of_coco_say_the_same_as_masks_in_memory(tmp_path, form):
    pytest.importorskip("pycocotools")
    truth, answers = objects()
    evidence = {**EACH, "ap": {"step": "average_precision", "overlap": "mAP"}}
    shown = segmented(data={"labels": truth, "predictions": answers}, classes=["road", "car"], evidence=evidence)
    result = of_coco(tmp_path, *as_coco(truth, answers, form), evidence)
    assert counts(result) == counts(shown)
    expected = sf.metrics.average_precision(truth, answers, iou="coco", iou_of="masks")
    for each in (result, shown):
        assert each["ap.average precision"].value == pytest.approx(expected.value, abs=1e-12)
        assert each["ap.average precision"].scope.endswith("mAP of masks")
    assert result["lost.expected loss"].value == shown["lost.expected loss"].value


def test_polygons_are_masks_and_crowds_are_left_out(tmp_path):
    square = [[10, 10, 30, 10, 30, 30, 10, 30]]
    image = {"id": 7, "height": 60, "width": 90}
    said = [
        {"image_id": 7, "category_id": 1, "segmentation": square, "iscrowd": 0},
        {"image_id": 7, "category_id": 1, "segmentation": [[40, 0, 90, 0, 90, 60, 40, 60]], "iscrowd": 1},
    ]
    truth = {"images": [image], "annotations": said, "categories": [{"id": 1, "name": "car"}]}
    shapes = ([[12, 10, 30, 10, 30, 30, 12, 30]], [[50, 5, 60, 5, 60, 20, 50, 20]], [[1, 40, 9, 40, 9, 59, 1, 59]])
    answers = [{"image_id": 7, "category_id": 1, "segmentation": shape, "score": 0.9} for shape in shapes]
    found = counts(of_coco(tmp_path, truth, answers))
    assert found["object"] == (0, 1)
    # One in the crowd counts on neither side.
    assert found["spurious"] == (1, 3)


def test_the_edge_of_an_object_is_that_in_the_whole_picture():
    truth, answers = objects(8)
    for width in (1, 3):
        result = segmented(
            data={"labels": truth, "predictions": answers}, classes=["road", "car"], boundary=width, iou=0.1
        )
        limits = {"iou": 0.1}
        failed = total = 0
        for real, said in zip(truth, answers, strict=True):
            there = [k for k, crowd in enumerate(real["crowd"]) if not crowd]
            sure = [k for k, score in enumerate(said["scores"]) if score >= 0.5]
            overlap = np.zeros((len(there), len(sure)))
            for (a, i), (b, j) in itertools.product(enumerate(there), enumerate(sure)):
                one, other = real["masks"][i], said["masks"][j]
                same = real["labels"][i] == said["labels"][j]
                overlap[a, b] = same * (one & other).sum() / (one | other).sum()
            overlap[overlap < limits["iou"]] = 0
            for a, b in zip(*linear_sum_assignment(overlap, maximize=True), strict=True):
                if overlap[a, b]:
                    pair = real["masks"][there[a]].astype(int), said["masks"][sure[b]].astype(int)
                    total += 1
                    failed += sf.metrics.boundary_iou(*pair, classes=2, width=width)[1] < limits["iou"]
        assert counts(result)["boundary"] == (failed, total)


def test_objects_with_masks_and_tracks_are_encounters():
    mask = np.zeros((1, 20, 30), bool)
    mask[0, 4:12, 5:15] = True
    truth = [{"masks": mask, "labels": [0], "track": [n // 10]} for n in range(60)]
    nothing = {"masks": mask[:0], "labels": [], "scores": []}
    seen = {"masks": mask, "labels": [0], "scores": [0.9]}
    answers = [nothing if n % 10 < n // 20 else seen for n in range(60)]
    evidence = {"waits": {"step": "encounter_bound", "function": "delay", "share": 0.5}}
    data = {"labels": truth, "predictions": answers, "time": np.arange(60) / 5}
    found = segmented(data=data, classes=["car"], evidence=evidence)["waits.50% quantile of the delay in seconds"]
    assert (round(found.value, 9), found.details["values"]) == (0.2, 6)


RUNS = {"size": [60, 90], "counts": [100, 50, 5250]}


@pytest.mark.parametrize(
    ("part", "change", "code", "place"),
    [
        ("truth", {"segmentation": [[1, 2, 3, 4, 5]]}, "data-masks", "truth.json.annotations[1].segmentation"),
        ("truth", {"segmentation": {"size": [9, 9], "counts": [81]}}, "data-masks", ".annotations[1].segmentation"),
        ("truth", {"segmentation": RUNS | {"counts": [1, 2]}}, "data-masks", ".annotations[1].segmentation"),
        ("truth", {"segmentation": RUNS | {"counts": "!!"}}, "data-masks", ".annotations[1].segmentation"),
        ("truth", {"segmentation": [[1, 2, 3, 4, 5, None]]}, "data-masks", ".annotations[1].segmentation"),
        ("truth", {"segmentation": RUNS | {"counts": [5400]}}, "data-boxes", ".annotations[1].segmentation"),
        ("truth", {"segmentation": None}, "data-masks", ".annotations[1].segmentation"),
        (
            "answers",
            {"segmentation": {"size": [90, 60], "counts": [5400]}},
            "data-masks",
            "answers.json[1].segmentation",
        ),
        ("answers", {"image_id": 99}, "data-boxes", "answers.json[1].segmentation"),
        ("answers", {"category_id": 9}, "data-boxes", "answers.json[1].segmentation"),
        ("answers", {"category_id": "car"}, "data-type", "answers.json[1].category_id"),
        ("answers", {"score": "high"}, "data-type", "answers.json[1].score"),
        ("answers", {"score": float("nan")}, "data-boxes", "answers.json[1].segmentation"),
    ],
)
def test_a_mask_of_an_object_that_is_none_is_told_with_its_place(tmp_path, part, change, code, place):
    said = {"image_id": 0, "category_id": 1, "segmentation": RUNS}
    truth = {
        "images": [{"id": 0, "height": 60, "width": 90}],
        "annotations": [dict(said) for _ in range(3)],
        "categories": [{"id": 1, "name": "car"}],
    }
    answers = [said | {"score": 0.9} for _ in range(3)]
    (truth["annotations"] if part == "truth" else answers)[1].update(change)
    with pytest.raises(DiagnosticsError) as error:
        of_coco(tmp_path, truth, answers)
    assert [d.code for d in error.value.diagnostics] == [code]
    assert error.value.diagnostics[0].where.endswith(place)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"masks": [np.zeros((4, 5)), np.zeros((4, 6))]}, "image 1: mask 1"),
        ({"masks": [np.zeros(4), np.zeros((4, 5))]}, "image 1: mask 0"),
        ({"masks": None, "boxes": [[0, 0, 1, 1], [0, 0, 2, 2]]}, "image 1"),
    ],
)
def test_masks_of_objects_in_memory_that_are_none_are_told_with_their_image(change, said):
    scene = {"masks": np.ones((2, 4, 5)), "labels": [0, 0], "scores": [1.0, 1.0]}
    with pytest.raises(DiagnosticsError) as error:
        segmented(data={"labels": [scene, scene], "predictions": [scene, scene | change]}, classes=["car"])
    assert {d.code for d in error.value.diagnostics} == {"data-masks"}
    assert said in str(error.value)


@pytest.mark.parametrize(("key", "value"), [("tolerance", 0.1), ("ignore", 3)])
def test_keys_of_the_other_kind_of_mask_are_refused(key, value):
    truth, answers = objects(4)
    with pytest.raises(DiagnosticsError, match=key):
        segmented(data={"labels": truth, "predictions": answers}, classes=["road", "car"], **{key: value})
    pixels = dict(zip(("labels", "predictions"), street(4), strict=True))
    with pytest.raises(DiagnosticsError, match="score"):
        segmented(data=pixels, score=0.5)
    with pytest.raises(DiagnosticsError) as error:
        segmented(data=pixels, evidence={"ap": {"step": "average_precision"}})
    assert [d.code for d in error.value.diagnostics] == ["step-failed"]


def test_models_are_not_asked_for_masks_of_objects():
    truth, answers = objects(4)
    with pytest.raises(DiagnosticsError) as error:
        segmented(model=lambda rows: answers, data={"inputs": np.zeros((4, 60, 90, 3)), "labels": truth})
    assert "model-output" in {d.code for d in error.value.diagnostics}
