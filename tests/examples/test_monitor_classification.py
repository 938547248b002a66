import argparse
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import surefoot as sf
from surefoot import InvalidInput, MissingData, SurefootError, datasets, monitors
from surefoot.corruptions import shift_brightness
from surefoot.monitors import DETECTORS

torch = pytest.importorskip("torch")
FOLDER = Path(__file__).parents[2] / "examples" / "monitor_classification"
MODULES = (
    *("networks", "photographs", "train", "attacks", "tasks", "views", "table_one", "strengths"),
    *("line_up", "doubts", "ranking", "tables", "pictures", "run"),
)
TINY = 100
FIGURES = {"strength.png", "brightness.png", "threats.png", "ranking.png"}
PAGES = {"comparison_E1.html", "comparison_E2.html"}


@pytest.fixture(scope="module")
def photographs():
    try:
        return datasets.cifar10()
    except MissingData as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def made(example):
    """Images of two classes that no data folder is needed for: bright at the top, or at the bottom."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 120)
    pixels = rng.integers(60, 120, (120, 32, 32, 3))
    pixels[labels == 0, :16] += 80
    pixels[labels == 1, 16:] += 80
    some = pixels.astype(np.uint8), labels.astype(np.int64)
    return example.photographs.Images(some, some, ("top", "bottom"), some[0][:30])


@pytest.fixture(scope="module")
def pair(example, made):
    """Both networks after a short training on the made images."""
    return example.views.Pair(
        *(example.train.fit(short(example, kind), made) for kind in ("classifier", "autoencoder"))
    )


def short(example, kind):
    return example.train.Recipe(kind, epochs=4, peak_rate=4e-3, batch=20)


def test_the_encoder_is_built_like_the_convolutions_of_the_classifier(example):
    classifier, autoencoder = example.networks.Classifier().eval(), example.networks.Autoencoder().eval()
    shapes = [[p.shape for p in part.parameters()] for part in (classifier.block, autoencoder.encoder)]
    assert shapes[0] == shapes[1]
    images = torch.rand(2, 3, 32, 32)
    assert classifier(images).shape == (2, 10)
    assert autoencoder(images).shape == images.shape
    assert autoencoder.encoder(images).shape == (2, example.networks.FEATURES) == (2, 1024)
    kinds = [type(part).__name__ for part in classifier.modules()]
    assert (kinds.count("Conv2d"), kinds.count("Linear")) == (3, 2)


def test_a_short_training_learns_and_a_seed_gives_one_network(example, made, pair):
    recipe = short(example, "classifier")
    assert example.train.score(recipe, pair.classifier, made.test) < 0.05
    again = example.train.fit(recipe, made)
    assert all(torch.equal(a, b) for a, b in zip(pair.classifier.parameters(), again.parameters(), strict=True))
    rebuilt = example.train.score(short(example, "autoencoder"), pair.autoencoder, made.test)
    assert 0 < rebuilt < np.var(made.test[0] / 255)


def test_pixels_survive_the_way_to_the_network_and_back(example):
    pixels = np.random.default_rng(1).integers(0, 256, (5, 32, 32, 3), dtype=np.uint8)
    np.testing.assert_array_equal(example.photographs.as_bytes(example.photographs.as_input(pixels)), pixels)


def test_a_class_that_is_left_out_is_nowhere_but_among_the_unseen(example, photographs):
    images = example.photographs.load("cat")
    assert len(images.names) == 9
    assert "cat" not in images.names
    count = int((photographs.train_labels == 3).sum() + (photographs.test_labels == 3).sum())
    assert len(images.unseen) == count
    assert len(images.train[0]) + len(images.test[0]) + count == 30_000
    for some, labels in ((images.train, photographs.train_labels), (images.test, photographs.test_labels)):
        known = labels[labels != 3]
        assert [images.names[n] for n in some[1][:200]] == [photographs.classes[n] for n in known[:200]]
    with pytest.raises(InvalidInput, match="Did you mean 'truck'"):
        example.photographs.load("trucks")


@pytest.mark.parametrize("attack", ["fgsm", "pgd"])
def test_attacks_stay_within_reach_and_do_more_than_noise(example, made, pair, attack):
    pixels, labels = made.test[0][:40], made.test[1][:40]
    rng = np.random.default_rng(3)

    def loss(some):
        with torch.no_grad():
            answers = pair.classifier(torch.from_numpy(example.photographs.as_input(some)))
        return float(torch.nn.functional.cross_entropy(answers, torch.from_numpy(labels)))

    for reach in (2, 8):
        moved = getattr(example.attacks, attack)(pair.classifier, pixels, labels, reach / 255)
        assert 0 < np.abs(moved.astype(int) - pixels).max() <= reach
        noise = (pixels + rng.choice([-reach, reach], pixels.shape)).clip(0, 255).astype(np.uint8)
        assert loss(moved) > 1.04 * max(loss(pixels), loss(noise))


def test_tasks_have_equal_halves_and_know_which_images_belong_together(example, made, pair):
    some = made.test[0][:20], made.test[1][:20]
    shifted = example.tasks.brightness(some, 0.3)
    np.testing.assert_array_equal(shifted.threats[0], shift_brightness(some[0], 0.3))
    attacked = example.tasks.adversarial(some, pair.classifier, "FGSM", 4)
    novel = example.tasks.novelty(made, count=25)
    for task, rows in ((shifted, 40), (attacked, 40), (novel, 50)):
        assert len(task.pixels) == len(task.labels) == rows
        assert task.is_threat.sum() == rows / 2
        assert not task.is_threat[: rows // 2].any()
    np.testing.assert_array_equal(shifted.rows["units"], [*range(20), *range(20)])
    assert novel.rows == {}
    assert (novel.threats[1] == example.tasks.UNSEEN).all()
    assert len(np.unique(novel.threats[0].reshape(25, -1), axis=0)) == 25


def test_table_one_counts_what_alarms_catch_miss_and_cost(example, made):
    some = made.test[0][:50], made.test[1][:50]
    task = example.tasks.brightness(some, 0.2)
    rng = np.random.default_rng(2)
    answers = np.where(rng.random(100) < 0.3, 1 - task.labels, task.labels)
    alarm = rng.random(100) < 0.4
    found = example.table_one.worth(task, SimpleNamespace(predictions=answers), {"any": alarm})
    wrong, threat = answers != task.labels, task.is_threat
    assert found.error == wrong.mean()
    for scheme, bad in (("E1", wrong), ("E2", threat)):
        report = found.reports["any", scheme]
        figures = [e.value for e in example.tables.three(report)]
        assert figures == pytest.approx([(bad & alarm).mean(), (bad & ~alarm).mean(), (~bad & alarm).mean()], abs=1e-15)
        assert report.hazard_alone.value == pytest.approx(bad.mean(), abs=1e-15)
        assert report.safety_gain.details["units"] == 50


def test_invariants_that_do_not_hold_are_an_error(example, made):
    task = example.tasks.Task("odd", (made.test[0][:3], made.test[1][:3]), (made.test[0][:2], made.test[1][:2]), False)
    rows = SimpleNamespace(predictions=task.labels)
    with pytest.raises(SurefootError, match="halves must be equal"):
        example.table_one.worth(task, rows, {"any": np.zeros(5, bool)})
    with pytest.raises(SurefootError, match="must sum to the bad images"):
        example.table_one._require_sum(3.0, 4, "here")


def test_printed_rows_sum_as_the_errata_say(example):
    sums = {key: round(row.gain + row.residual, 3) for key, row in example.table_one.PRINTED.items()}
    assert sums == {
        ("auto-encoder", "E1"): 0.324,
        ("auto-encoder", "E2"): 0.5,
        ("classifier", "E1"): 0.325,
        ("classifier", "E2"): 0.5,
    }


def test_the_printed_error_rate_is_found_between_strengths(example):
    errors = {-0.4: 0.5, -0.2: 0.3, 0.0: 0.2, 0.2: 0.25, 0.4: 0.45}
    assert example.strengths.crossings(errors, 0.35) == (-0.25, 0.3)
    assert example.strengths.crossings(errors, 0.9) == ()
    found = {strength: SimpleNamespace(error=error) for strength, error in errors.items()}
    assert [example.strengths.nearest(found, sign=sign) for sign in (-1, 1)] == [-0.2, 0.2]


def test_every_detector_of_the_catalogue_is_in_the_line_up(example, pair):
    entries = list(example.line_up.entries(pair))
    assert {entry.detector.name for entry in entries} == set(DETECTORS.own)
    assert len({entry.name for entry in entries}) == len(entries)


def test_without_weights_the_script_that_makes_them_is_named(example, tmp_path):
    with pytest.raises(InvalidInput, match=r"python train\.py classifier_novelty"):
        example.views.load("_novelty", 9, tmp_path)


def test_without_weights_the_study_says_so(example, photographs, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", "--weights", str(tmp_path), "--out", str(tmp_path / "out")])
    assert example.run.main() == 2
    assert "python train.py classifier" in capsys.readouterr().err


@pytest.fixture(scope="module")
def weights(example, photographs, tmp_path_factory):
    """Both pairs, hardly trained."""
    folder = tmp_path_factory.mktemp("weights")
    loaded = {without: example.photographs.load(without) for without in (None, example.train.NOVEL)}
    for name, recipe in example.train.RECIPES.items():
        images = loaded[recipe.without]
        few = example.photographs.Images(
            tuple(p[:TINY] for p in images.train), images.test, images.names, images.unseen
        )
        network = example.train.fit(example.train.replace(recipe, epochs=1), few)
        example.train.save_model(network, str(folder / f"{name}.safetensors"))
    return folder


def test_a_small_study_writes_every_table_figure_and_page(example, weights, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(example.line_up, "LOOKED_AT", (example.views.HIDDEN,))
    monkeypatch.setattr(example.table_one, "TREES", 5)
    monkeypatch.setattr(example.run, "ATTACKS", (("FGSM", 8), ("PGD", 2)))
    options = argparse.Namespace(
        images=40, fit=40, strengths=(-0.4, 0.0, 0.4), draws=400, device="cpu", seed=0, weights=weights, out=tmp_path
    )
    said = []
    example.run.Study(options, said.append).run()
    text = (tmp_path / "tables.md").read_text()
    assert text.strip() == capsys.readouterr().out.strip().replace("|\n\n\n##", "|\n\n##")
    for words in (
        "| printed | E1 | 0.324 / 0.325 |",
        "FGSM 8/255 | E1",
        "PGD 2/255 | E2",
        "novelty (truck) | E2 | 0.500",
    ):
        assert words in text
    assert text.count("\n| ") > 3 + 10 + len(example.line_up.ON_FEATURES)
    assert {path.name for path in tmp_path.iterdir()} == {"tables.md", *FIGURES, *PAGES}
    assert all((tmp_path / name).stat().st_size > 5_000 for name in FIGURES | PAGES)
    assert "novelty" in said


MEASURED = {
    "mahalanobis": (lambda: monitors.Mahalanobis(), 0.5, 0.81),
    "mahalanobis tied": (lambda: monitors.Mahalanobis(kind="tied"), 0.5, 0.79),
    "mahalanobis relative": (lambda: monitors.Mahalanobis(kind="relative"), -0.5, 0.72),
    "kernel density": (lambda: monitors.KernelDensity(), 0.5, 0.77),
    "lsa": (lambda: monitors.LSA(), 0.5, 0.79),
    "dsa": (lambda: monitors.DSA(), 0.5, 0.76),
    "knn": (lambda: monitors.KNN(), 0.5, 0.92),
    "isolation forest": (lambda: monitors.IsolationForest(trees=50), -0.5, 0.95),
    "one-class svm": (lambda: monitors.OneClassSVM(), -0.5, 0.93),
    "feature box": (lambda: monitors.FeatureBox(), -0.5, 0.95),
    "autoencoder": (lambda: monitors.Autoencoder(epochs=5), -0.5, 0.95),
    "ensemble": (lambda: monitors.Ensemble([monitors.KNN(), monitors.OneClassSVM()]), -0.5, 0.88),
}
"""How well each detector tells shifted images, of which it sees a mosaic of 4 x 4, from others."""
MARGIN = 0.03


def mosaic(pixels):
    return pixels.reshape(-1, 4, 8, 4, 8, 3).mean(axis=(2, 4)).reshape(len(pixels), -1) / 255


def area(detector, usual, shifted, predictions=None):
    scores = [detector.decision_function(rows, predictions) for rows in (usual, shifted)]
    return roc_auc_score(np.repeat([0, 1], [len(usual), len(shifted)]), np.concatenate(scores))


def test_detectors_on_features_see_a_change_of_brightness(photographs):
    for name in MEASURED:
        make, strength, measured = MEASURED[name]
        detector = make().fit(mosaic(photographs.train_images[:2000]), photographs.train_labels[:2000])
        pixels, labels = photographs.test_images[:500], photographs.test_labels[:500]
        found = area(detector, mosaic(pixels), mosaic(shift_brightness(pixels, strength)), labels)
        assert found > measured - MARGIN, name


def test_checks_of_images_see_a_change_of_brightness(photographs):
    for make, strength, measured in (
        (monitors.Brightness, 0.5, 0.95),
        (monitors.Brightness, -0.5, 0.97),
        (monitors.Contrast, 0.5, 0.81),
        (monitors.Contrast, -0.5, 0.85),
    ):
        detector = make().fit(photographs.train_images[:2000])
        pixels = photographs.test_images[:500]
        assert area(detector, pixels, shift_brightness(pixels, strength)) > measured - MARGIN, make


def test_confidence_falls_where_a_network_errs_on_brighter_images(example, photographs):
    """Floors for detectors on what a network answers, one that is trained here for a few seconds."""
    few = photographs.train_images[:1500], photographs.train_labels[:1500]
    test = photographs.test_images[:400], photographs.test_labels[:400]
    images = example.photographs.Images(few, test, photographs.classes, few[0][:0])
    classifier = example.train.fit(example.train.Recipe("classifier", epochs=3, peak_rate=4e-3, batch=50), images)
    pair = example.views.Pair(classifier, example.networks.Autoencoder().eval())
    task = example.tasks.brightness(test, 0.3)
    rows = example.views.seen(pair, task.pixels, example.views.HIDDEN, example.views.LOGITS)
    wrong = rows.predictions != task.labels
    assert 0.3 < wrong.mean() < 0.75
    floors = {"max softmax": 0.59, "max logit": 0.58, "energy": 0.56, "Doctor": 0.58, "ODIN": 0.57, "ReAct": 0.53}
    for entry in example.line_up.entries(pair):
        if entry.name in floors:
            entry.fit(rows, task.labels)
            assert roc_auc_score(wrong, entry.scores(rows)) > floors[entry.name], entry.name


def test_the_project_file_judges_the_monitor_and_feeds_the_tree(example, photographs, tmp_path):
    for name in ("networks.py", "photographs.py", "operation.py", "surefoot.yaml", "tree.yaml"):
        (tmp_path / name).write_text((FOLDER / name).read_text())
    with (tmp_path / "operation.py").open("a") as few:
        few.write("TRAIN, TEST = 300, 400\n")
    (tmp_path / "weights").mkdir()
    torch.manual_seed(0)
    example.train.save_model(example.networks.Classifier(), str(tmp_path / "weights" / "classifier.safetensors"))
    definition = (
        (tmp_path / "surefoot.yaml")
        .read_text()
        .replace("hazard: 0.1, mode: probability, delta: 0.05", "availability: 0.02")
    )
    (tmp_path / "surefoot.yaml").write_text(definition)
    result = sf.run(sf.load(tmp_path / "surefoot.yaml"))
    undetected = result["doubt.undetected failure"].value
    assert result["tree.top event probability"].value == pytest.approx(0.1 * undetected)
    assert undetected == pytest.approx(result["doubt.residual hazard"].value)
    threats = result["forest-threats.hazard without the monitor"].value
    assert threats == pytest.approx((np.random.default_rng(0).random(400) < 0.5).mean())
