"""Masks: images fail by class, pixel, object and edge, from arrays, from files and from models."""

import numpy as np
import pytest

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
