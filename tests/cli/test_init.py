import os
import re

import numpy as np
import pytest
import skops.io
import yaml
from sklearn.linear_model import LogisticRegression


def uncommented(text):
    """Top-level keys with no comment above them and none inside."""
    sections = dict(zip(yaml.safe_load(text), re.split(r"\n\n(?=\S)", text), strict=True))
    return [name for name, section in sections.items() if "#" not in section]


def test_a_started_project_is_commented_and_says_what_next(surefoot, tmp_path):
    found = surefoot("init", tmp_path / "new")
    assert found.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        ".gitignore",
        "model.py",
        "surefoot.yaml",
        "test.csv",
    ]
    assert "surefoot check" in found.stdout


def test_every_section_of_the_project_file_is_explained(surefoot, tmp_path):
    surefoot("init", tmp_path)
    text = (tmp_path / "surefoot.yaml").read_text()
    assert uncommented(text) == []
    assert uncommented("# a\nversion: 1\n\nseed: 0\n") == ["seed"]


def test_results_stay_out_of_version_control_and_editors_find_the_schema(surefoot, tmp_path):
    surefoot("init", tmp_path)
    assert (tmp_path / ".gitignore").read_text() == ".surefoot/\n"
    assert (tmp_path / "surefoot.yaml").read_text().startswith("# yaml-language-server: $schema=")


def test_a_gitignore_that_is_there_stays(surefoot, tmp_path):
    (tmp_path / ".gitignore").write_text("mine\n")
    assert surefoot("init", tmp_path).exit_code == 0
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_the_claim_promises_no_safety(surefoot, tmp_path):
    surefoot("init", tmp_path)
    assert "safe" not in yaml.safe_load((tmp_path / "surefoot.yaml").read_text())["case"]["claim"]


@pytest.mark.parametrize("words", [("init", "/proc/new"), ("demo", "--folder", "/proc/new")], ids=" ".join)
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="a place that not even the superuser can write to")
def test_a_place_that_cannot_be_written_is_a_coded_error(surefoot, words):
    found = surefoot(*words)
    assert found.exit_code == 2
    assert "[store-unwritable]" in found.stderr


def test_nothing_is_overwritten(surefoot, tmp_path):
    (tmp_path / "model.py").write_text("mine")
    found = surefoot("init", tmp_path)
    assert found.exit_code == 2
    assert "model.py" in found.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["model.py"]
    assert (tmp_path / "model.py").read_text() == "mine"


def test_the_current_folder_needs_no_change_of_folder(surefoot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "cd " not in surefoot("init", ".").stdout
    assert "cd further" in surefoot("init", "further").stdout


def test_a_file_in_place_of_the_folder_is_an_error(surefoot, tmp_path):
    (tmp_path / "file").write_text("")
    found = surefoot("init", tmp_path / "file")
    assert found.exit_code == 2
    assert "file" in found.stderr


@pytest.mark.usefixtures("project")
def test_it_runs_as_it_is(surefoot):
    assert surefoot("check").exit_code == 0
    found = surefoot("assess")
    assert found.exit_code in (0, 1)
    assert "misses" in found.stdout


# From a model and its data.


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A graph of two columns, rows to test it, and files that cannot be used."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(500, 2))
    truth = np.where(inputs.sum(axis=1) > 0, "shut", "clear")
    skops.io.dump(LogisticRegression().fit(inputs, truth), "guard.skops")
    rows = zip(*inputs.T, truth, strict=True)
    (tmp_path / "test.csv").write_text("a,b,state\n" + "".join(f"{a},{b},{label}\n" for a, b, label in rows))
    (tmp_path / "only.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in inputs))
    (tmp_path / "broken.skops").write_text("no model")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "guard.py").write_text("def judge(rows):\n    return (rows[:, 0] > 0).astype(int)\n")
    return tmp_path


def test_a_project_from_model_and_data_runs_as_it_is(surefoot, files, monkeypatch):
    found = surefoot("init", "new", "--model", "guard.skops", "--data", "test.csv", "--target", "0.1")
    assert found.exit_code == 0, found.output
    assert re.search(r"labels +state +column 'state' alone holds the classes", found.stdout)
    assert "guessed" in found.stdout
    assert sorted(path.name for path in (files / "new").iterdir()) == [".gitignore", "surefoot.yaml"]
    text = (files / "new" / "surefoot.yaml").read_text()
    assert uncommented(text) == []
    assert "# guessed: column 'state' alone holds the classes of the model" in text
    monkeypatch.chdir("new")
    assert surefoot("check").exit_code == 0
    found = surefoot("assess")
    assert found.exit_code == 0, found.output
    assert re.search(r"Met: \d+ of 500 failed; the bound is 0\.\d+ at 97\.5%, the level of look 1", found.stdout)


def test_what_nobody_asked_for_is_called_so(surefoot, files):
    assert surefoot("init", "new", "--model", "guard.skops", "--data", "test.csv").exit_code == 0
    said = yaml.safe_load((files / "new" / "surefoot.yaml").read_text())
    assert "nobody asked for" in said["targets"]["errors"]["source"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--model", "missing.skops", "--data", "test.csv"), "file-missing"),
        (("--model", "guard.skops", "--data", "missing.csv"), "file-missing"),
        (("--model", "broken.skops", "--data", "test.csv"), "model-unreadable"),
        (("--model", "guard.skops", "--data", "empty.csv"), "data-empty"),
        (("--model", "guard.skops", "--data", "only.csv"), "not-guessed"),
        (("--data", "test.csv"), "not-guessed"),
        (("--model", "guard:judge", "--data", "test.csv"), "file-missing"),
        (("--model", "guard.skops", "--data", "test.csv", "--labels", "sate"), "data-column"),
        (("--model", "guard.skops", "--data", "test.csv", "--operation", "missing.csv"), "file-missing"),
    ],
    ids=" ".join,
)
def test_bad_input_has_a_code_and_leaves_no_half_folder(surefoot, files, words, code):
    before = sorted(files.rglob("*"))
    found = surefoot("init", "some/where/new", *words)
    assert found.exit_code == 2
    assert f"[{code}]" in found.stderr
    assert sorted(files.rglob("*")) == before


@pytest.mark.parametrize(
    "words", [("--model", "guard.skops"), ("--data", "test.csv", "--target", "5"), ("--data", "a", "--operation", "b")]
)
@pytest.mark.usefixtures("files")
def test_words_that_do_not_fit_together_are_refused(surefoot, words):
    assert surefoot("init", "new", *words).exit_code == 2


def test_a_project_that_is_there_is_not_written_over(surefoot, files):
    (files / "surefoot.yaml").write_text("mine")
    found = surefoot("init", ".", "--model", "guard.skops", "--data", "test.csv")
    assert found.exit_code == 2
    assert (files / "surefoot.yaml").read_text() == "mine"
