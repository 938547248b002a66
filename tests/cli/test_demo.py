import json
import os
import subprocess
import sys

import numpy as np
import pytest
from pypdfium2 import PdfDocument
from sklearn.datasets import load_breast_cancer
from tests.report.test_paged_document import CAN_WRITE

from surefoot.project import Result
from surefoot.report import pdf, read


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The demo, run once as a user runs it; nothing outside can be reached."""
    folder = tmp_path_factory.mktemp("demo")
    offline = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    found = subprocess.run(
        [sys.executable, "-m", "surefoot", "demo"],
        cwd=folder,
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    return folder, found.stdout


@pytest.fixture
def result(shown):
    return Result.from_dict(json.loads(json.dumps(read(shown[0] / "report.html"))))


def test_it_writes_a_report_and_says_where(shown):
    folder, output = shown
    assert output.count(str((folder / "report.html").resolve())) == 1
    assert (folder / "surefoot-demo" / "surefoot.lock").exists()
    assert "surefoot assess surefoot-demo" in output
    assert (folder / "report.html").stat().st_size < 520_000


def test_it_prints_every_verdict(shown, result):
    assert set(result.verdicts) == {"misses", "alarms", "errors", "trust", "glance", "hazard"}
    assert all(f"\n{name} " in shown[1] for name in result.verdicts)


def test_misses_are_those_of_the_model_on_patients_it_never_saw(shown, result):
    skops = pytest.importorskip("skops.io")
    folder = shown[0] / "surefoot-demo"
    trusted = skops.get_untrusted_types(file=folder / "model.skops")
    model = skops.load(folder / "model.skops", trusted=trusted)
    with np.load(folder / "test.npz") as test:
        wrong = model.predict(test["X"]) != test["y"]
        missed = int((wrong & (test["y"] == 1)).sum())
        patients = {row.tobytes() for row in test["X"]}
    assert result["misses.failure probability"].details["failures"] == missed
    assert result["errors.failure probability"].details["failures"] == int(wrong.sum())
    seen = model[0].mean_ * model[0].n_samples_seen_
    everyone = load_breast_cancer().data
    unseen = np.array([row.tobytes() in patients for row in everyone])
    assert np.allclose(seen, everyone[~unseen].sum(axis=0))


def test_cells_are_corrected_by_patients_that_the_forest_never_saw(shown, result):
    skops = pytest.importorskip("skops.io")
    folder = shown[0] / "surefoot-demo"
    forest = skops.load(folder / "forest.skops", trusted=["sklearn.tree._tree.Tree"])
    with np.load(folder / "test.npz") as test, np.load(folder / "train.npz") as train:
        wrong = int((forest.predict(test["glance"]) != test["y"]).sum())
        both = np.concatenate([test["glance"], train["glance"]])
        assert forest.score(train["glance"], train["y"]) == 1
    columns = load_breast_cancer().data[:, :2]
    assert sorted(map(tuple, both)) == sorted(map(tuple, columns))
    assert result["cells.failure probability"].details["failures"] == wrong


def test_what_speaks_against_the_cells_alone_is_said(result):
    alone = result["cells.failure probability by cells alone"]
    contradicted = {assumption.id for assumption in alone.assumptions if assumption.status == "contradicted"}
    assert "separated-classes" in contradicted
    assert {caveat.code for caveat in alone.caveats} >= {"assumption-contradicted"}


def test_stated_numbers_are_those_of_their_sources(result):
    assert result["prevalence.prevalence"].value == 86 / 1098
    limits = {answer.name: answer.target.limit for answer in result.answers}
    assert limits["misses"] == pytest.approx(1 - 0.927)
    assert limits["alarms"] == pytest.approx(1 - 0.948)


def test_it_is_honest_about_what_is_not_met(shown, result):
    failed = [answer for answer in result.answers if not answer.met]
    assert failed
    assert all(answer.needed for answer in failed)
    assert {answer.name for answer in failed if answer.new_tests} == {"misses", "glance"}
    assert shown[1].count("until it works breaks the level") == 1
    assert f"{len(result.answers) - len(failed)} of {len(result.answers)} numbers met" in shown[1]
    assert [answer.name for answer in result.answers if answer.met] == ["alarms"], "the first look has most of alpha"


def test_a_second_run_uses_what_is_there(shown, surefoot, monkeypatch):
    monkeypatch.chdir(shown[0])
    before = (shown[0] / "surefoot-demo" / "model.skops").read_bytes()
    found = surefoot("demo")
    assert found.exit_code == 0
    assert "Training" not in found.stderr
    assert (shown[0] / "surefoot-demo" / "model.skops").read_bytes() == before


def test_another_report_is_not_overwritten(surefoot, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    found = surefoot("demo", "--folder", tmp_path)
    assert found.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.skipif(not CAN_WRITE, reason="no PDF can be written here")
def test_it_prints_on_at_most_fifteen_pages(result):
    assert len(PdfDocument(pdf(result))) <= 15
