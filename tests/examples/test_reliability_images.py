import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from surefoot import InvalidInput, MissingData, datasets, report

torch = pytest.importorskip("torch")
FOLDER = Path(__file__).parents[2] / "examples" / "reliability_images"
MODULES = ("images", "networks", "train", "encode", "study", "said", "pictures", "tables")


@pytest.fixture(scope="module")
def example():
    """The modules of the example, under their own names only while this file is tested."""
    before = {name: sys.modules.pop(name, None) for name in MODULES}
    sys.path.insert(0, str(FOLDER))
    yield SimpleNamespace(**{name: import_module(name) for name in MODULES})
    sys.path.remove(str(FOLDER))
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


@pytest.fixture(scope="module")
def digits():
    """5,000 digits to learn from and 500 to look at."""
    try:
        data = datasets.mnist()
    except MissingData as missing:
        pytest.skip(str(missing))
    train, test = (data.train_images[:5000], data.train_labels[:5000]), (data.test_images[:500], data.test_labels[:500])
    return tuple((pixels.astype(np.float32) / 255, labels) for pixels, labels in (train, test))


@pytest.fixture(scope="module")
def subject(example, digits):
    train, test = digits
    torch.set_num_threads(1)
    recipe = example.train.RECIPES["mlp"]
    network = example.train.fit(recipe, *train)
    vae = example.encode.trained(recipe.images, train[0][:500], epochs=2)
    return example.study.Subject("mlp", recipe, network, vae, *test)


def test_networks_answer_ten_classes(example):
    for name, shape, weights in (
        ("mlp", (28, 28), 203_530),
        ("cnn", (28, 28), 215_370),
        ("resnet", (3, 32, 32), 78_042),
        ("wide_resnet", (3, 32, 32), 2_777_674),
    ):
        network = getattr(example.networks, name)().eval()
        assert network(torch.rand(2, *shape)).shape == (2, 10), name
        assert sum(part.numel() for part in network.parameters()) == weights, name


def test_a_seed_gives_one_network(example, digits):
    recipe = example.train.Recipe(example.networks.mlp, example.images.MNIST, epochs=1, peak_rate=3e-3, noise=0.1)
    first, second = (example.train.fit(recipe, *(part[:500] for part in digits[0])) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


def test_images_are_moved_by_at_most_as_many_pixels(example):
    batch = torch.zeros(200, 3, 32, 32)
    batch[:, :, 16, 16] = 1
    torch.manual_seed(0)
    moved = example.train._moved(batch, 2)
    places = moved[:, 0].flatten(1).argmax(1)
    rows, columns = places // 32, places % 32
    assert set(rows.tolist()) == set(range(14, 19))
    assert set(columns.tolist()) == set(range(13, 19))
    assert moved.sum() == batch.sum()


def test_a_short_training_learns_digits(subject):
    assert subject.test_error < 0.12
    assert subject.failures == round(subject.test_error * 500)


def test_photographs_are_learnt_too(example):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 256)
    inputs = (0.2 * rng.random((256, 3, 32, 32)) + 0.4 * labels[:, None, None, None]).astype(np.float32)
    recipe = example.train.Recipe(example.networks.resnet, example.images.CIFAR10, epochs=2, peak_rate=1e-2, shift=2)
    assert example.train.error(example.train.fit(recipe, inputs, labels), inputs, labels) == 0


def test_without_weights_the_script_that_makes_them_is_named(example, tmp_path):
    with pytest.raises(InvalidInput, match=r"python train\.py cnn"):
        example.study.load("cnn", tmp_path)


def test_the_study_answers_everything_the_paper_asks(example, subject, tmp_path):
    effort = example.study.Effort(balls=40, fewer=10, samples=50)
    found = example.study.study(subject, effort)
    assert found.subject.test_error < found.balls.acu.upper(0.975)
    assert 0 < found.flatness < 1
    assert [row[0] for row in found.radii.rows] == pytest.approx([0.075, 0.15, 0.225, 0.3, 0.36])
    example.pictures.draw_all(found, tmp_path)
    expected = {"figure_7_mlp", "balls_mlp", "radius_mlp", "weights_mnist", "decoded_mnist", "training_mnist"}
    assert {path.stem for path in tmp_path.glob("*.png") if path.stat().st_size > 5_000} == expected
    assert len(list(example.said.statements([found], []))) == 2
    assert len(list(example.said.statements([found], [found]))) == 7
    assert example.tables.network(found).row_count == 10


def test_statements_are_judged_by_their_limits(example):
    def found(acu, lower, upper, error):
        limits = SimpleNamespace(value=acu, lower=lambda _: lower, upper=lambda _: upper)
        subject = SimpleNamespace(name="net", test_error=error)
        return SimpleNamespace(balls=SimpleNamespace(acu=limits), subject=subject)

    judge = example.said._unrobust
    assert judge(found(0.4, 0.3, 0.5, 0.02)).verdict == "holds"
    assert judge(found(0.01, 0.005, 0.015, 0.02)).verdict == "does not hold"
    assert judge(found(0.025, 0.015, 0.03, 0.02)).verdict == "open"


@pytest.fixture
def project(example, subject, tmp_path):
    """The project with what was trained here, few balls, and a small part of the test images."""
    left_out = shutil.ignore_patterns("__pycache__", ".surefoot", "weights", "*.lock")
    folder = shutil.copytree(FOLDER, tmp_path / "project", ignore=left_out)
    (folder / "weights").mkdir()
    for name, network in {"mlp": subject.network, "cnn": example.networks.cnn()}.items():
        example.train.save_model(network, str(folder / "weights" / f"{name}.safetensors"))
    subject.vae.save(folder / "weights" / "vae_mnist.safetensors")
    np.savez(folder / "test.npz", x=subject.inputs[:200], y=subject.labels[:200])
    told = yaml.safe_load((folder / "surefoot.yaml").read_text().replace("    on:", '    "on":'))
    for component in told["components"].values():
        component["data"] = dict.fromkeys(component["data"], "test.npz")
    for step in told["evidence"].values():
        if step["step"] == "reliability_balls":
            step.update(budget=10, estimator="monte_carlo", samples=20)
    (folder / "surefoot.yaml").write_text(json.dumps(told))
    return folder


def surefoot(*arguments, folder):
    command = [sys.executable, "-m", "surefoot", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, env=os.environ)


def test_the_project_runs_on_what_was_trained(project):
    done = surefoot("assess", "surefoot.yaml", "--json", "result.json", folder=project)
    assert (project / "result.json").is_file(), done.stdout + done.stderr
    answers = report.read(project / "result.json")["answers"]
    assert {each["name"]: each["verdict"]["status"] for each in answers} == dict.fromkeys(
        ("perceptron", "convolutional", "second-half"), "not shown"
    )
    assert {each["estimate"]["scope"].partition(", ")[2] for each in answers} == {"r = 0.3"}


def test_both_project_files_are_fine(project, example):
    example.train.save_model(example.networks.resnet(), str(project / "weights" / "resnet.safetensors"))
    for name in ("surefoot.yaml", "photographs.yaml"):
        assert f"{name} is fine" in surefoot("check", name, folder=project).stdout
