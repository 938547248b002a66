"""Detectors: what becomes of objects and boxes, from files of answers and from detectors that run."""

import itertools
import json
import os
from pathlib import Path
from shutil import copyfile
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import surefoot as sf
from surefoot.core import DiagnosticsError, LevelUnavailable, SurefootError

COUNT = {"counted": {"step": "binomial_bound"}}
EACH = {"each": {"step": "binomial_bound", "by": "failure"}}


def detected(*, evidence=EACH, classes=("car", "person"), **given):
    return sf.run(sf.Project.of("system", task="detection", evidence=evidence, classes=classes, **given))


def counts(result, step="each"):
    """Failures and trials by kind of failure."""
    found = {}
    for estimate in result.evidence[step].estimates:
        kind = estimate.scope.partition(", ")[2] or "image"
        found[kind] = (estimate.details["failures"], estimate.details["trials"])
    return found


def problems(error):
    return [(d.code, d.where) for d in error.value.diagnostics]


TRUTH = [
    {"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "labels": [0, 1]},
    {"boxes": [[0, 0, 10, 10], [50, 50, 60, 60]], "labels": [0, 0]},
    {"boxes": []},
    {"boxes": [[0, 0, 10, 10]], "labels": [1]},
]
ANSWERS = [
    # Found; another class in its place.
    {"boxes": [[0, 0, 10, 9], [20, 20, 30, 30]], "labels": [0, 0], "scores": [0.9, 0.8]},
    # Misplaced; missed, because its box has too low a score; and a ghost.
    {"boxes": [[0, 0, 10, 4], [50, 50, 60, 60], [80, 80, 90, 90]], "labels": [0, 0, 1], "scores": [0.9, 0.1, 0.6]},
    {"boxes": []},
    # Found once, and a double.
    {"boxes": [[0, 0, 10, 10], [0, 0, 10, 10]], "labels": [1, 1], "scores": [0.9, 0.7]},
]


def test_each_object_and_each_box_is_counted_once_for_what_became_of_it():
    found = counts(detected(data={"labels": TRUTH, "predictions": ANSWERS}))
    assert found == {
        "image": (3, 4),
        "object": (3, 5),
        "missed": (1, 5),
        "misplaced": (1, 3),
        "class": (1, 3),
        "spurious": (2, 6),
        "image with missed": (2, 3),
        "image with spurious": (2, 4),
        "false alarm": (0, 1),
    }


@pytest.mark.parametrize(
    ("of", "counted", "out_of"),
    [
        ("misplaced", "objects with a box of their class", 5),
        ("class", "objects with a box in their place", 5),
        ("object", "objects", None),
        ("spurious", "answered boxes", None),
        ("image with missed", "images with objects", 4),
        ("false alarm", "images without objects", 4),
    ],
)
def test_a_share_says_of_what(of, counted, out_of):
    evidence = {"counted": {"step": "binomial_bound", "of": of}, **EACH}
    result = detected(data={"labels": TRUTH, "predictions": ANSWERS}, evidence=evidence)
    found = result["counted.failure probability"].details
    assert (found["demands"], found.get("out_of")) == (counted, out_of)
    said = counted if out_of is None else f"{counted} ({found['trials']} of {out_of})"
    assert result.evidence["counted"].tables["answers"].columns[1] == said
    kinds = {row[0]: row[-1] for row in result.evidence["each"].tables["failures"].rows}
    assert kinds[of] == said


def test_a_spurious_box_without_objects_fails_the_image_and_costs_no_object():
    truth = [{"boxes": []}] * 3 + [{"boxes": [[0, 0, 9, 9]], "labels": [0]}]
    ghost = {"boxes": [[0, 0, 9, 9]], "labels": [0], "scores": [1.0]}
    data = {"labels": truth, "predictions": [ghost, {"boxes": []}, ghost, ghost]}
    found = detected(data=data, evidence={**EACH, "lost": {"step": "loss_bound", "loss": "task"}})
    assert found["lost.expected loss"].value == 0
    each = counts(found)
    assert each["image"] == (2, 4)
    assert each["image with spurious"] == (2, 4)
    assert each["false alarm"] == (2, 3)


def test_the_loss_of_an_image_is_the_share_of_its_objects_that_are_not_found():
    evidence = {"lost": {"step": "loss_bound", "loss": "task"}}
    result = detected(data={"labels": TRUTH, "predictions": ANSWERS}, evidence=evidence)
    assert result["lost.expected loss"].value == pytest.approx((0.5 + 1 + 0 + 0) / 4)


def random_images(seed, images=60):
    rng = np.random.default_rng(seed)
    truth, answers = [], []
    for _ in range(images):
        low = rng.uniform(0, 40, (rng.integers(0, 5), 2))
        boxes = np.column_stack([low, low + rng.uniform(8, 20, low.shape)])
        labels = rng.integers(0, 2, len(boxes))
        truth.append({"boxes": boxes, "labels": labels})
        kept = np.flatnonzero(rng.random(len(boxes)) < 0.9)
        ghosts = rng.uniform(0, 40, (rng.integers(0, 3), 2))
        moved = np.sort((boxes[kept] + rng.normal(0, 2, (kept.size, 4))).reshape(-1, 2, 2), axis=1).reshape(-1, 4)
        every = np.concatenate([moved, np.column_stack([ghosts, ghosts + 9])])
        kinds = np.concatenate([labels[kept], rng.integers(0, 2, len(ghosts))])
        answers.append({"boxes": every, "labels": kinds, "scores": rng.uniform(0.3, 1, len(every))})
    return truth, answers


def best_pairs(real, found, iou):
    """The pairs with the largest sum of overlaps, by trying all of them."""
    overlap = sf.metrics.iou_matrix(real["boxes"], found["boxes"])
    overlap = np.where((overlap >= iou) & (np.asarray(real["labels"])[:, None] == found["labels"]), overlap, -1e-6)
    rows, columns = overlap.shape
    if rows > columns:
        overlap, (rows, columns) = overlap.T, (columns, rows)
    if not rows:
        return 0
    best = max(itertools.permutations(range(columns), rows), key=lambda c: overlap[range(rows), c].sum())
    return int((overlap[range(rows), best] > 0).sum())


@pytest.mark.parametrize("seed", range(3))
def test_as_many_objects_are_found_as_the_best_pairs_of_all_have(seed):
    truth, answers = random_images(seed)
    result = detected(data={"labels": truth, "predictions": answers})
    surer = [{k: np.asarray(v)[a["scores"] >= 0.5] for k, v in a.items()} for a in answers]
    found = sum(best_pairs(real, seen, 0.5) for real, seen in zip(truth, surer, strict=True))
    objects = sum(len(real["boxes"]) for real in truth)
    assert counts(result)["object"] == (objects - found, objects)


def coco(truth, answers, names=("car", "person")):
    def box(corners):
        return [corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]]

    images = [{"id": 7 + n, "file_name": f"{n}.png", "width": 100, "height": 100} for n in range(len(truth))]
    categories = [{"id": 10 + n, "name": name} for n, name in enumerate(names)]
    annotations = [
        {"id": 0, "image_id": 7 + n, "category_id": 10 + int(label), "bbox": box(corners), "iscrowd": 0}
        for n, scene in enumerate(truth)
        for corners, label in zip(scene["boxes"], scene.get("labels", []), strict=True)
    ]
    results = [
        {"image_id": 7 + n, "category_id": 10 + int(label), "bbox": box(corners), "score": score}
        for n, scene in enumerate(answers)
        for corners, label, score in zip(scene["boxes"], scene.get("labels", []), scene.get("scores", []), strict=True)
    ]
    return {"images": images, "annotations": annotations, "categories": categories}, results


def write_csv(path, scenes, names=("car", "person"), *, scored):
    lines = ["image,x1,y1,x2,y2,label,score"]
    for n, scene in enumerate(scenes):
        rows = zip(scene["boxes"], scene.get("labels", []), scene.get("scores", [1] * len(scene["boxes"])), strict=True)
        said = [f"{n},{','.join(map(str, box))},{names[label]},{score}" for box, label, score in rows]
        lines += said or ([] if scored else [f"{n},,,,,,"])
    path.write_text("\n".join(lines) + "\n")


def of_files(folder, **component):
    said = {"version": 1, "system": {"name": "s"}, "components": {"camera": {"task": "detection", **component}}}
    return sf.project.from_data(said | {"evidence": EACH}, folder=folder)


def test_files_of_coco_and_csv_say_the_same_as_memory(tmp_path):
    truth, answers = coco(TRUTH, ANSWERS)
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    write_csv(tmp_path / "truth.csv", TRUTH, scored=False)
    write_csv(tmp_path / "answers.csv", ANSWERS, scored=True)
    expected = counts(detected(data={"labels": TRUTH, "predictions": ANSWERS}))
    for ending in ("json", "csv"):
        data = {"test": {"path": f"truth.{ending}", "predictions": f"answers.{ending}"}}
        assert counts(sf.run(of_files(tmp_path, data=data, classes=["car", "person"]))) == expected


def test_a_change_of_the_answers_changes_the_evidence(tmp_path):
    write_csv(tmp_path / "truth.csv", TRUTH, scored=False)
    write_csv(tmp_path / "answers.csv", ANSWERS, scored=True)
    project = of_files(tmp_path, data={"test": {"path": "truth.csv", "predictions": "answers.csv"}})
    before = sf.run(project)
    write_csv(tmp_path / "answers.csv", [{"boxes": []}] * 3 + ANSWERS[3:], scored=True)
    after = sf.run(project)
    assert counts(before) != counts(after)
    assert before.digests["camera.test"] != after.digests["camera.test"]


# Detectors that run.


def bright(pictures):
    """Boxes of bright squares, as torchvision's detectors answer."""
    import torch

    found = []
    for picture in pictures:
        rows, columns = np.nonzero(np.asarray(picture)[..., 0] > 128)
        box = [[columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]] if rows.size else np.empty((0, 4))
        count = len(box)
        found.append(
            {
                "boxes": torch.as_tensor(np.asarray(box), dtype=torch.float32),
                "labels": torch.zeros(count, dtype=torch.int64),
                "scores": torch.full((count,), 0.9),
            }
        )
    return found


class MaiteDetector:
    """A detector of the protocol of MAITE: objects with boxes, labels and scores, and names of classes."""

    def __init__(self):
        self.metadata = {"id": "bright", "index2label": {0: "square", 1: "circle"}}

    def __call__(self, pictures):
        return [SimpleNamespace(**each) for each in bright(pictures)]


def pictures(count=12):
    rng = np.random.default_rng(3)
    shown = np.zeros((count, 40, 60, 3), np.uint8)
    truth = []
    for n in range(count):
        x, y = int(rng.integers(0, 40)), int(rng.integers(0, 25))
        if n % 4:
            shown[n, y : y + 12, x : x + 15] = 255
        truth.append({"boxes": [[x, y, x + 15, y + 12]], "labels": [0]})
    return shown, truth


@pytest.mark.parametrize("model", [bright, MaiteDetector()])
def test_detectors_of_torchvision_and_maite_are_asked(model):
    from maite.protocols.object_detection import Model

    assert model is bright or isinstance(model, Model)
    shown, truth = pictures()
    result = detected(model=model, data=(shown, truth), classes=["square", "circle"])
    assert counts(result)["missed"] == (3, 12)
    assert counts(result)["spurious"] == (0, 9)


def test_a_dataset_of_maite_brings_pictures_and_boxes():
    shown, truth = pictures()

    class Dataset:
        def __len__(self):
            return len(shown)

        def __getitem__(self, n):
            target = SimpleNamespace(boxes=truth[n]["boxes"], labels=truth[n]["labels"], scores=[1.0])
            return shown[n].transpose(2, 0, 1), target, {"id": n}

    model = lambda rows: bright(rows.transpose(0, 2, 3, 1))  # noqa: E731
    result = detected(model=model, data=Dataset(), classes=["square"])
    assert counts(result)["missed"] == (3, 12)


def test_a_detector_in_a_file_looks_at_a_folder_of_pictures(tmp_path):
    from PIL import Image

    shown, truth = pictures()
    (tmp_path / "pictures").mkdir()
    for n, picture in enumerate(shown):
        Image.fromarray(picture).save(tmp_path / "pictures" / f"{n}.png")
    (tmp_path / "truth.json").write_text(json.dumps(coco(truth, [], names=["square"])[0]))
    (tmp_path / "detector.py").write_text(
        "import numpy as np\n\n\ndef look(pictures):\n    found = []\n    for picture in pictures:\n"
        "        rows, columns = np.nonzero(picture[..., 0] > 128)\n"
        "        box = [[columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]] if rows.size else []\n"
        "        found.append({'boxes': box, 'scores': [0.9] * len(box), 'labels': [0] * len(box)})\n"
        "    return found\n"
    )
    data = {"test": {"path": "truth.json", "images": "pictures"}}
    result = sf.run(of_files(tmp_path, data=data, model="detector:look", classes=["square"]))
    assert counts(result)["missed"] == (3, 12)
    (tmp_path / "truth.json").write_text(json.dumps(coco([*truth, truth[0]], [], names=["square"])[0]))
    with pytest.raises(DiagnosticsError, match=r"12\.png"):
        sf.run(of_files(tmp_path, data=data, model="detector:look", classes=["square"]))


def test_an_onnx_detector_with_stated_outputs_gives_boxes_in_pixels(tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper
    from PIL import Image

    # Its boxes are shares of the picture, and always the same two, of which one doubles the other.
    boxes = np.array([[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.52]], np.float32)
    scores = np.array([[0.1, 0.8], [0.0, 0.9]], np.float32)
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
        helper.make_node("Add", ["b", "nothing"], ["boxes"]),
        helper.make_node("Add", ["s", "nothing"], ["scores"]),
    ]
    given = [numpy_helper.from_array(v, n) for n, v in (("b", boxes), ("s", scores), ("zero", np.float32(0)))]
    graph = helper.make_graph(
        nodes,
        "detector",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 32, 32])],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("boxes", [2, 4]), ("scores", [2, 2]))],
        given,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, tmp_path / "detector.onnx")
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (80, 40)).save(tmp_path / "pictures" / "0.png")
    # The surer of the two boxes, in pixels: width 40 of 80, height 20.8 of 40.
    truth = [{"boxes": [[20, 9.6, 60, 30.4]], "labels": [1]}]
    (tmp_path / "truth.json").write_text(json.dumps(coco(truth, [])[0]))
    said = {"boxes": "boxes", "scores": "scores", "form": "centre and size", "unit": "share", "overlap": 0.5}
    component = {
        "model": {"path": "detector.onnx", "detector": said},
        "data": {"test": {"path": "truth.json", "images": "pictures"}},
        "classes": ["car", "person"],
        "iou": 0.999,
    }
    found = counts(sf.run(of_files(tmp_path, **component)))
    assert found["object"] == (0, 1)
    assert found["spurious"] == (0, 1)
    component["model"]["detector"] = said | {"boxes": "box"}
    with pytest.raises(DiagnosticsError) as error:
        sf.run(of_files(tmp_path, **component))
    assert [code for code, _ in problems(error)] == ["model-unreadable"]


def test_pictures_of_numbered_frames_have_zeros_before_as_in_motchallenge(tmp_path):
    from PIL import Image

    (tmp_path / "img1").mkdir()
    for number in range(1, 4):
        Image.new("RGB", (8, 8)).save(tmp_path / "img1" / f"{number:06}.png")
    (tmp_path / "gt.txt").write_text("".join(f"{number},1,1,1,4,4,1,-1,-1,-1\n" for number in range(1, 4)))
    (tmp_path / "detector.py").write_text(
        "def look(all):\n    return [{'boxes': [[1, 1, 5, 5]], 'scores': [0.9], 'labels': [0]} for _ in all]\n"
    )
    said = {"data": {"test": {"path": "gt.txt", "images": "img1"}}, "model": "detector:look", "classes": ["person"]}
    assert counts(sf.run(of_files(tmp_path, **said)))["object"] == (0, 3)
    Image.new("RGB", (8, 8)).save(tmp_path / "img1" / "02.png")
    with pytest.raises(DiagnosticsError) as error:
        sf.run(of_files(tmp_path, **said))
    assert [code for code, _ in problems(error)] == ["file-missing"]


# Encounters.


def film(plan, found, ids=None):
    """One object a letter: in view where the plan has it, found where the other has."""
    truth, answers = [], []
    for frame in range(len(next(iter(plan.values())))):
        here = [name for name in plan if plan[name][frame] == "x"]
        place = {name: [100 * n, 0, 100 * n + 10, 10] for n, name in enumerate(plan)}
        truth.append({"boxes": [place[n] for n in here], "labels": [0] * len(here), "track": [ord(n) for n in here]})
        seen = [name for name in here if found[name][frame] == "x"]
        tracks = [ids[name][frame] if ids else -1 for name in seen]
        answers.append(
            {"boxes": [place[n] for n in seen], "labels": [0] * len(seen), "scores": [1.0] * len(seen), "track": tracks}
        )
    return {"labels": truth, "predictions": answers, "time": np.arange(len(truth), dtype=float)}


PLAN = {"a": "xxxxxxxx", "b": "..xxxxxx", "c": "....xx..", "d": ".xxxxxxx"}
SEEN = {"a": "xxxxxxxx", "b": "....xx.x", "c": "........", "d": ".x...xxx"}


def test_encounters_are_late_lost_or_never_found():
    result = detected(data=film(PLAN, SEEN), classes=["x"], late=1, lost=2)
    found = counts(result)
    assert found["encounter"] == (1, 4)
    assert found["late"] == (2, 4)
    assert found["lost"] == (1, 3)
    assert counts(detected(data=film(PLAN, SEEN), classes=["x"], late=2, lost=3))["late"] == (1, 4)
    assert counts(detected(data=film(PLAN, SEEN), classes=["x"], late=2, lost=3))["lost"] == (0, 3)


def test_an_object_out_of_view_is_not_lost():
    plan, seen = {"a": "xxx......xxx"}, {"a": "xxx......xxx"}
    assert counts(detected(data=film(plan, seen), classes=["x"], lost=0))["lost"] == (0, 1)


def test_a_change_of_identity_loses_the_track():
    ids = {"a": [1] * 8, "b": [2, 2, 2, 2, 2, 3, 3, 3], "c": [4] * 8, "d": [5] * 8}
    assert counts(detected(data=film(PLAN, SEEN, ids), classes=["x"], lost=3))["lost"] == (1, 3)


def test_the_four_functions_are_claims_of_the_case():
    evidence = {
        name: {"step": "encounter_bound", "function": name, "groups": "trial"}
        for name in ("classification", "localisation", "timing", "tracking")
    }
    quantities = ("misclassification", "misplacement", "late detection", "lost track")
    targets = {
        name: {"estimate": f"{name}.{quantity} probability", "at_most": 0.99, "per": "group"}
        for name, quantity in zip(evidence, quantities, strict=True)
    }
    data = film(PLAN, SEEN)
    (test,) = [detected(data=data, classes=["x"], late=1, lost=2, evidence=evidence, targets=targets)]
    case = sf.case.instantiate(
        sf.case.Ingredients(
            "watch",
            goals=tuple(
                sf.case.Goal(a.name, a.claim, a.verdict, a.estimate, a.reference, alone=a.alone) for a in test.answers
            ),
            evidence=test.evidence,
            components={"component": ""},
        ),
        frame="component",
    )
    claims = {node.id.partition("[")[0]: node for node in case if node.id.startswith("LLC")}
    assert not any(claims[name].undeveloped for name in ("LLC3", "LLC4", "LLC5", "LLC6"))
    said = next(node.text for node in case if node.id.startswith("LLA5"))
    assert "within 1 frames" in said


def steady(delays, frames=12, rate=4):
    """Objects one after the other, each found so many frames after it comes into view; None is never."""
    truth, answers = [], []
    for number, delay in enumerate(delays):
        box = [[0, 0, 9, 9]]
        for frame in range(frames):
            there = delay is not None and frame >= delay
            truth.append({"boxes": box, "labels": [0], "track": [number]})
            answers.append({"boxes": box, "labels": [0], "scores": [1.0]} if there else {"boxes": []})
    return {"labels": truth, "predictions": answers, "time": np.arange(len(truth)) / rate}


def delay_of(data, share, level=0.95, unit="seconds", **more):
    evidence = {"waits": {"step": "encounter_bound", "function": "delay", "share": share, "level": level, **more}}
    result = detected(data=data, classes=["x"], evidence=evidence)
    return result, result[f"waits.{100 * share:g}% quantile of the delay in {unit}"]


@pytest.mark.parametrize(("share", "level"), [(0.5, 0.95), (0.8, 0.95), (0.9, 0.9)])
def test_a_delay_is_bounded_by_the_rank_that_a_binomial_count_gives(share, level):
    delays = np.random.default_rng(4).integers(0, 10, 40).tolist()
    delays[7] = delays[21] = None
    result, found = delay_of(steady(delays), share, level)
    ordered = sorted(np.inf if d is None else d / 4 for d in delays)
    # The least rank below which the count of shorter delays stays with the stated probability, and the largest.
    upper = next(k for k in range(1, 41) if stats.binom.cdf(k - 1, 40, share) >= level)
    lower = next(k for k in range(40, 0, -1) if stats.binom.sf(k - 1, 40, share) >= level)
    assert found.value == ordered[int(np.ceil(share * 40)) - 1]
    assert found.lower(level) == ordered[lower - 1]
    if np.isinf(ordered[upper - 1]):
        with pytest.raises(SurefootError):
            found.upper(level)
    else:
        assert found.upper(level) == ordered[upper - 1]
    assert found.details["never_found"] == 2
    (row,) = result.evidence["waits"].tables["delays"].rows
    assert row[:3] == ("all rows", 40, 2)


def test_a_delay_misses_its_bound_no_more_often_than_stated():
    rng, missed = np.random.default_rng(0), []
    for _ in range(400):
        delays = np.where(rng.random(59) < 0.03, np.inf, rng.geometric(0.4, 59) - 1)
        if np.isinf(delays).sum() > 5:
            # The quantile of the sample is infinite, which is above.
            missed.append(False)
            continue
        found = sf.bounds.quantile(delays, 0.9, level=0.9)
        # P(delay <= 4) = 0.97 (1 - 0.6^5) = 0.895, P(delay <= 5) = 0.925: the 90% quantile is 5.
        try:
            missed.append(found.upper(0.9) < 5)
        except LevelUnavailable:
            missed.append(False)
    assert np.sum(missed) <= stats.binom.isf(1e-3, 400, 0.1)


def test_a_delay_meets_a_target_in_seconds_and_develops_the_claim():
    asked = {"estimate": "waits.80% quantile of the delay in seconds", "at_most": 0.5, "per": "encounter"}
    evidence = {"waits": {"step": "encounter_bound", "function": "delay", "share": 0.8}}
    for delays, met in (([0, 1, 2, 1] * 10, True), ([0, 1, 2, 3] * 10, False)):
        data = steady(delays)
        result = detected(data=data, classes=["x"], evidence=evidence, targets={"soon": asked})
        assert result.met is met
    assert not any(node.undeveloped for node in result.case if node.id.startswith("LLC5"))


def test_delays_without_times_are_frames_and_of_groups_the_longest():
    data = {name: value for name, value in steady([0, 1, 2, 3, None, 1] * 4).items() if name != "time"}
    _, found = delay_of(data, 0.5, unit="frames")
    assert found.value == 1
    data["sequence"] = np.repeat(np.arange(12), 24)
    _, found = delay_of(data, 0.4, unit="frames", groups="trial")
    # Of two encounters each the later one: 1, 3, never, 1, 3, never, ...
    assert (found.value, found.details["values"], found.details["never_found"]) == (3, 12, 4)
    with pytest.raises(SurefootError, match="groups: use"):
        delay_of(data, 0.5, groups="use")
    with pytest.raises(SurefootError, match=r"4 of 12 groups .* share: 0\.66 or less"):
        delay_of(data, 0.95, unit="frames", groups="trial")
    assert delay_of(data, 0.66, unit="frames", groups="trial")[1].value == 3


def test_numbered_frames_become_seconds_by_their_rate(tmp_path):
    rows = [f"{frame},1,10,10,20,40,1,-1,-1,-1" for frame in range(1, 22)]
    (tmp_path / "gt.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "found.txt").write_text("\n".join(rows[6:]) + "\n")
    evidence = {"waits": {"step": "encounter_bound", "function": "delay", "share": 0.5}}
    for rate, said in ((None, (6, "frames")), (3, (2, "seconds"))):
        data = {"test": {"path": "gt.txt", "predictions": "found.txt"} | ({"frame_rate": rate} if rate else {})}
        component = {"task": "detection", "data": data, "classes": ["person"]}
        given = {"version": 1, "system": {"name": "s"}, "components": {"camera": component}, "evidence": evidence}
        found = sf.run(sf.project.from_data(given, folder=tmp_path))
        assert found[f"waits.50% quantile of the delay in {said[1]}"].value == said[0]
    given["evidence"] = {"hours": {"step": "failure_rate"}}
    assert sf.run(sf.project.from_data(given, folder=tmp_path))["hours.failure rate"].details[
        "exposure"
    ] == pytest.approx(15 / 3 / 3600)
    del data["test"]["frame_rate"]
    with pytest.raises(DiagnosticsError, match="frame_rate"):
        sf.run(sf.project.from_data(given, folder=tmp_path))


def test_a_step_of_encounters_says_what_it_lacks():
    evidence = {"late": {"step": "encounter_bound", "function": "timing"}}
    with pytest.raises(SurefootError, match="late:"):
        detected(data=film(PLAN, SEEN), classes=["x"], evidence=evidence)
    with pytest.raises(SurefootError, match="track"):
        detected(data={"labels": TRUTH, "predictions": ANSWERS}, evidence=evidence, late=3)


def test_frames_of_a_film_are_no_independent_trials():
    truth, answers = random_images(1, images=300)
    alone = detected(data={"labels": truth, "predictions": answers}, evidence=COUNT)
    in_time = detected(data={"labels": truth, "predictions": answers, "time": np.arange(300.0)}, evidence=COUNT)
    one, other = (r["counted.failure probability"] for r in (alone, in_time))
    assert one.value == other.value
    assert other.upper(0.95) > one.upper(0.95)
    assert other.details["effective_trials"] < 300


def test_a_real_video_has_the_misses_of_trackeval():
    folder = Path(os.environ.get("SUREFOOT_DATA", "")) / "mot15" / "PETS09-S2L1"
    if not (folder / "gt.txt").exists():
        pytest.skip("SUREFOOT_DATA has no mot15/PETS09-S2L1")
    data = {"test": {"path": "gt.txt", "predictions": "det_frrcnn_sort.txt"}}
    found = counts(sf.run(of_files(folder, data=data, late=10)))
    rows, said = (np.loadtxt(folder / name, delimiter=",") for name in ("gt.txt", "det_frrcnn_sort.txt"))
    hits = 0
    for frame in range(1, 796):
        real, seen = rows[(rows[:, 0] == frame) & (rows[:, 6] == 1)], said[said[:, 0] == frame]
        corners = [np.column_stack([r[:, 2:4], r[:, 2:4] + r[:, 4:6]]) for r in (seen, real)]
        hits += len(sf.metrics.match(*corners).pairs)
    assert found["object"] == (4476 - hits, 4476)
    assert found["late"] == (0, 19)


# Bad input.


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("0,5,5,1,9,car,", "data-boxes"),
        ("0,5,5,5,9,car,", "data-boxes"),
        ("0,1,1,two,9,car,", "data-type"),
        ("0,1,,3,9,car,", "data-missing-values"),
        ("0,1,1,3,9,bus,", "data-boxes"),
    ],
)
def test_a_box_that_is_none_is_told_with_its_line(tmp_path, line, code):
    (tmp_path / "truth.csv").write_text(f"image,x1,y1,x2,y2,label,score\n0,0,0,4,4,car,\n{line}\n")
    (tmp_path / "answers.csv").write_text("image,x1,y1,x2,y2,label,score\n0,0,0,4,4,car,1\n")
    data = {"test": {"path": "truth.csv", "predictions": "answers.csv"}}
    with pytest.raises(DiagnosticsError) as error:
        sf.run(of_files(tmp_path, data=data, classes=["car"]))
    assert (code, "truth.csv:3") in problems(error)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"image_id": 99}, "answers.json[1].bbox"),
        ({"bbox": [1, 1, -3, 4]}, "answers.json[1].bbox"),
        ({"bbox": [200, 1, 3, 4]}, "answers.json[1].bbox"),
        ({"bbox": [1, 2]}, "answers.json[1].bbox"),
        ({"category_id": 3}, "answers.json[1].bbox"),
        ({"bbox": [1, 1, float("nan"), 4]}, "answers.json[1].bbox"),
        ({"score": float("inf")}, "answers.json[1].bbox"),
        ({"bbox": None}, "answers.json[1].bbox"),
    ],
)
def test_an_answer_that_fits_no_image_or_class_is_told_with_its_place(tmp_path, change, place):
    truth, answers = coco(TRUTH, ANSWERS)
    answers[1] |= change
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    with pytest.raises(DiagnosticsError) as error:
        sf.run(of_files(tmp_path, data={"test": {"path": "truth.json", "predictions": "answers.json"}}))
    assert problems(error) == [("data-boxes", place)]


def one_car():
    said = [{"image_id": n, "category_id": 1, "bbox": [5, 5, 20, 20]} for n in range(4)]
    images = [{"id": n, "width": 100, "height": 80, "t": n} for n in range(4)]
    return {"images": images, "annotations": said, "categories": [{"id": 1, "name": "car"}]}


@pytest.mark.parametrize(
    ("part", "change", "code", "place"),
    [
        ("annotations", {"bbox": [5, 5, float("nan"), 5]}, "data-boxes", "truth.json.annotations[1].bbox"),
        ("annotations", {"bbox": [200, 5, 5, 5]}, "data-boxes", "truth.json.annotations[1].bbox"),
        ("annotations", {"bbox": [5, 5, 0, 5]}, "data-boxes", "truth.json.annotations[1].bbox"),
        ("annotations", {"area": -1}, "data-boxes", "truth.json.annotations[1].bbox"),
        ("annotations", {"image_id": 77}, "data-boxes", "truth.json.annotations[1].bbox"),
        ("annotations", {"category_id": 9}, "data-boxes", "truth.json.annotations[1].category_id"),
        ("annotations", {"category_id": "one"}, "data-type", "truth.json.annotations[1].category_id"),
        ("annotations", {"track_id": "a"}, "data-type", "truth.json.annotations[1].track_id"),
        ("annotations", {"iscrowd": "yes"}, "data-type", "truth.json.annotations[1].iscrowd"),
        ("images", {"id": 0}, "data-boxes", "truth.json"),
        ("images", {"width": "wide"}, "data-type", "truth.json.images[1].width"),
        ("images", {"height": -4}, "data-boxes", "truth.json.images[1]"),
        ("images", {"t": 2}, "data-time", "camera.test"),
        ("images", {"t": float("nan")}, "data-time", "camera.test"),
        ("images", {"t": 0.9}, None, ""),
        ("images", {"t": -40}, "data-time", "camera.test"),
        ("images", {"t": "noon"}, "data-type", "truth.json.images[1].t"),
    ],
)
def test_a_truth_of_coco_that_is_wrong_is_told_with_its_place(tmp_path, part, change, code, place):
    truth = one_car()
    truth[part][1] |= change
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    answers = [each | {"score": 0.9} for each in one_car()["annotations"]]
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    project = of_files(tmp_path, data={"test": {"path": "truth.json", "predictions": "answers.json", "time": "t"}})
    if code is None:
        assert counts(sf.run(project))["object"] == (0, 4)
        return
    with pytest.raises(DiagnosticsError) as error:
        sf.run(project)
    assert problems(error)[0] == (code, place)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("truth.json", "5"),
        ("truth.json", "[1, 2]"),
        ("truth.json", '{"a": 1}'),
        ("truth.json", '{"images": [], "annotations": {}, "categories": []}'),
        ("truth.json", "{oops"),
        ("answers.json", "5"),
        ("answers.json", "[5]"),
        ("answers.json", '{"a": 1}'),
        ("truth.txt", "999999999,1,5,5,5,2,1"),
        ("truth.txt", "1,1,5,5,nan,2,1"),
        ("truth.txt", ""),
    ],
)
def test_what_is_no_file_of_boxes_is_told(tmp_path, name, content):
    (tmp_path / "truth.json").write_text(json.dumps(one_car()))
    (tmp_path / "answers.json").write_text("[]")
    (tmp_path / name).write_text(content)
    data = {"path": name if name.startswith("truth") else "truth.json", "predictions": "answers.json"}
    with pytest.raises(DiagnosticsError) as error:
        sf.run(of_files(tmp_path, data={"test": data}))
    assert all(code in {"data-unreadable", "data-boxes", "data-empty"} for code, _ in problems(error))
    assert all(where.startswith(name) for _, where in problems(error))


def test_a_gap_in_time_is_told(tmp_path):
    lines = "".join(f"{frame},0,0,4,4,car\n" for frame in (1, 2, 3, 4, 90))
    (tmp_path / "truth.csv").write_text("frame,x1,y1,x2,y2,label\n" + lines)
    (tmp_path / "answers.csv").write_text("frame,x1,y1,x2,y2,label,score\n1,0,0,4,4,car,1\n")
    data = {"path": "truth.csv", "predictions": "answers.csv"}
    with pytest.raises(DiagnosticsError) as error:
        sf.run(of_files(tmp_path, data={"test": data}))
    assert problems(error) == [("data-time", "camera.test")]
    told = sf.run(of_files(tmp_path, data={"test": data | {"time": "frame", "gap": 100}}))
    assert counts(told)["object"] == (4, 5)


def test_all_wrong_boxes_are_told_at_once(tmp_path):
    (tmp_path / "truth.csv").write_text("image,x,y,width,height\na,0,0,4,4\na,0,0,-1,2\n")
    (tmp_path / "answers.csv").write_text("image,x,y,width,height,score\nb,0,0,4,4,1\na,0,0,4,-4,1\n")
    with pytest.raises(DiagnosticsError) as error:
        sf.run(of_files(tmp_path, data={"test": {"path": "truth.csv", "predictions": "answers.csv"}}))
    assert [where for _, where in problems(error)] == ["truth.csv:3", "answers.csv:3", "answers.csv:2"]


def test_steps_about_classes_are_refused():
    with pytest.raises(DiagnosticsError) as error:
        detected(data={"labels": TRUTH, "predictions": ANSWERS}, evidence={"n": {"step": "normal_bound"}})
    assert [code for code, _ in problems(error)] == ["step-of-classes"]


def test_average_precision_is_a_step_whose_bounds_a_target_must_accept():
    truth, answers = random_images(2, images=80)
    evidence = {"ap": {"step": "average_precision", "overlap": "AP50"}}
    asked = {"estimate": "ap.average precision", "at_least": 0.05}
    targets = {"hard": asked, "soft": asked | {"kinds": ["heuristic"]}}
    result = detected(data={"labels": truth, "predictions": answers}, evidence=evidence, targets=targets)
    expected = sf.metrics.average_precision(truth, answers, iou=0.5)
    found = result["ap.average precision"]
    assert found.value == pytest.approx(expected.value)
    assert found.lower(0.95) == pytest.approx(expected.lower(0.95))
    assert {answer.name: bool(answer.verdict) for answer in result.answers} == {"hard": False, "soft": True}


def test_average_precision_says_what_it_is_about_and_that_groups_share_images():
    truth, answers = random_images(4, images=40)
    asked = {"ap": {"step": "average_precision", "overlap": "AP75", "objects": "small"}}
    alone = detected(data={"labels": truth, "predictions": answers}, evidence=asked)["ap.average precision"]
    assert alone.scope == "component, AP75, small objects"
    assert next(a for a in alone.assumptions if a.id == "images-resampled").status == "unchecked"
    data = {"labels": truth, "predictions": answers, "groups": np.repeat(np.arange(20), 2)}
    grouped = detected(data=data, evidence=asked)["ap.average precision"]
    assert next(a for a in grouped.assumptions if a.id == "images-resampled").status == "contradicted"
    assert grouped.value == alone.value


def test_bounds_of_groups_are_per_group():
    truth, answers = random_images(5, images=40)
    data = {"labels": truth, "predictions": answers, "groups": np.repeat(np.arange(10), 4)}
    for use, unit in (("check", "per demand"), ("trial", "per group")):
        evidence = {"n": {"step": "binomial_bound", "groups": use}}
        assert detected(data=data, evidence=evidence)["n.failure probability"].unit == unit
    evidence = {"n": {"step": "encounter_bound", "function": "localisation"}}
    units = [
        detected(data=film(PLAN, SEEN), classes=["x"], evidence={"n": evidence["n"] | {"groups": use}})[
            "n.misplacement probability"
        ].unit
        for use in ("check", "trial")
    ]
    assert units == ["per encounter", "per group"]


def test_steps_about_boxes_are_refused_for_other_tasks():
    evidence = {"ap": {"step": "average_precision"}, "e": {"step": "encounter_bound", "function": "localisation"}}
    with pytest.raises(DiagnosticsError) as error:
        sf.Project.of("s", data={"failed": [0, 1]}, evidence=evidence)
    assert [code for code, _ in problems(error)] == ["step-of-task", "step-of-task"]


def test_code_of_the_project_brings_pictures_and_boxes_in_a_process_of_its_own(tmp_path):
    (tmp_path / "squares.py").write_text(
        "import numpy as np\n\n\ndef rows():\n    shown = np.zeros((10, 20, 20, 3), np.uint8)\n"
        "    shown[3:, 5:15, 5:15] = 255\n"
        "    boxes = [{'boxes': [[5, 5, 15, 15]], 'labels': [0]}] * 10\n"
        "    return {'inputs': shown, 'labels': boxes}\n\n\n"
        "def look(pictures):\n"
        "    return [{'boxes': [[5, 5, 15, 15]] if p.any() else [], 'scores': [0.9] if p.any() else [],\n"
        "             'labels': [0] if p.any() else []} for p in pictures]\n"
    )
    data = {"test": {"callable": "squares:rows"}}
    found = counts(sf.run(of_files(tmp_path, data=data, model="squares:look", classes=["square"])))
    assert found["missed"] == (3, 10)


def test_boxes_of_a_model_that_lie_outside_their_pictures_are_told():
    shown, truth = pictures(4)
    model = lambda rows: [{"boxes": [[90, 90, 99, 99]], "scores": [1.0], "labels": [0]}] * len(rows)  # noqa: E731
    with pytest.raises(DiagnosticsError) as error:
        detected(model=model, data=(shown, truth), classes=["square"])
    assert [code for code, _ in problems(error)] == ["model-output"] * 4


@pytest.mark.parametrize(
    ("labels", "row"),
    [
        ([{"boxes": [[0, 0, 4]], "labels": [0]}], "image 0"),
        ([{"boxes": []}, {"boxes": [[0, 0, 4, 4]], "labels": ["car"]}], "image 1"),
        ([{"boxes": []}, {"boxes": [[0, 0, 4, 4]], "labels": [7]}], "image 1"),
    ],
)
def test_boxes_in_memory_that_are_none_are_told_with_their_image(labels, row):
    with pytest.raises(DiagnosticsError) as error:
        detected(data={"labels": labels, "predictions": [{"boxes": []}] * len(labels)})
    assert [d.code for d in error.value.diagnostics] == ["data-boxes"]
    assert row in str(error.value)


@pytest.mark.parametrize("change", [{"labels": "label"}, {"image_size": [32, 32]}, {"scores": "score"}])
def test_keys_that_detection_does_not_read_are_refused(tmp_path, change):
    with pytest.raises(DiagnosticsError, match="does not read"):
        of_files(tmp_path, data={"test": {"path": "truth.csv", "predictions": "answers.csv"} | change})


def test_a_real_detector_is_asked_about_a_real_film(tmp_path):
    data = Path(os.environ.get("SUREFOOT_DATA", ""))
    if not (data / "models" / "fastestdet" / "FastestDet.onnx").exists():
        pytest.skip("SUREFOOT_DATA has no models/fastestdet")
    pytest.importorskip("cv2")
    for file in ("models/fastestdet/FastestDet.onnx", "mot15/PETS09-S2L1/vtest.avi"):
        copyfile(data / file, tmp_path / Path(file).name)
    rows = (data / "mot15" / "PETS09-S2L1" / "gt.txt").read_text().splitlines()
    (tmp_path / "gt.txt").write_text("\n".join(row for row in rows if int(row.split(",")[0]) <= 80))
    (tmp_path / "fastest.py").write_text(FASTEST)
    said = {"decode": "fastest:decode", "form": "centre and size", "unit": "share", "colours": "BGR", "overlap": 0.45}
    component = {
        "model": {"path": "FastestDet.onnx", "detector": said},
        "data": {"test": {"path": "gt.txt", "images": "vtest.avi", "block": 20}},
        "classes": ["object"],
        "score": 0.6,
        "late": 14,
    }
    found = counts(sf.run(of_files(tmp_path, **component)))
    failures, objects = found["missed"]
    assert objects > 300
    assert failures < objects / 3
    assert found["late"][0] == 0


FASTEST = """
import numpy as np


def decode(outputs):
    (found,) = outputs["758"]
    rows, columns = np.mgrid[:22, :22]
    middle = (np.tanh(found[1]) + columns) / 22, (np.tanh(found[2]) + rows) / 22
    size = 1 / (1 + np.exp(-found[3])), 1 / (1 + np.exp(-found[4]))
    scores = found[0] ** 0.6 * found[5:].max(axis=0) ** 0.4
    people = (scores > 0.2) & (found[5:].argmax(axis=0) == 0)
    boxes = np.stack([*middle, *size], axis=-1)[people]
    return {"boxes": boxes, "scores": scores[people], "labels": np.zeros(people.sum(), dtype=int)}
"""
