import importlib.util
import json
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from typer.testing import CliRunner

from surefoot import InvalidInput, MissingData, datasets, report
from surefoot.bounds import clopper_pearson
from surefoot.cli import app
from surefoot.project import Result

FOLDER = Path(__file__).parents[2] / "examples" / "reliability_cells"
PAPER = {"figure_5", "maps_running_example", "limits_running_example", "growth_by_k", "separation"}
SPARSE = {"maps_sparse", "limits_sparse"}
OWN = {"data", "maps_data", "limits_data"}


def load(name):
    """A module of the example, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"reliability_cells_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


published, own_sets, own_data = (load(name) for name in ("published", "own_sets", "own_data"))


@pytest.fixture(scope="module")
def running_example():
    try:
        return published.load()
    except MissingData as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def sparse():
    return own_sets.assess(own_sets.SETS["sparse"]())


def run(*options, check=True, **environment):
    command = [sys.executable, "-W", "error", str(FOLDER / "run.py"), *map(str, options)]
    common = {"MPLCONFIGDIR": mpl.get_cachedir(), "OMP_NUM_THREADS": "1", "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=common | environment)
    assert not check or done.returncode == 0, done.stderr
    return done


def figures(folder):
    return {path.stem for path in folder.glob("*.png") if path.stat().st_size > 5_000}


def test_table_1_is_reproduced_within_the_errata(running_example):
    lines = {
        line.name: line
        for line in published.table_1(running_example, published.assess(running_example, as_published=True))
    }
    assert set(lines) == set(published.PRINTED)
    for name in ("train error", "test error", "cells", "Ub97.5%"):
        assert lines[name].reproduced == lines[name].printed
    for name in ("ACU", "mean E"):
        assert float(lines[name].reproduced) == pytest.approx(float(lines[name].printed), abs=1e-5)
    assert float(lines["sd of pmi"].reproduced) == pytest.approx(4.58e-6, rel=0.1)
    assert float(lines["separation"].reproduced) < published.SIDE < float(lines["separation"].printed)


def test_votes_hide_failures_of_the_sparse_set_and_held_out_labels_show_them(sparse):
    assert sparse.known.pmi == pytest.approx(0.0777, abs=1e-4)
    assert not sparse.cells_hold
    assert sparse.corrected_holds
    assert "contradicted-by-tests" in {caveat.code for caveat in sparse.found.by_cells.caveats}


def test_run_without_the_papers_data_says_what_is_left_out(tmp_path):
    printed = run("--quick", "--out", tmp_path / "out", XDG_CACHE_HOME=str(tmp_path), HOME=str(tmp_path)).stdout
    assert "The running example is left out" in printed
    assert "SUREFOOT_DATA" in printed
    assert "sparse: 18 of 200 held-out tests failed" in printed
    assert figures(tmp_path / "out") == SPARSE


def test_run_on_the_papers_data(running_example, tmp_path):
    folder = str(datasets.locate("siemens_2d").parent)
    printed = run("--quick", "--out", tmp_path, SUREFOOT_DATA=folder, HOME=str(tmp_path)).stdout
    assert "0.004891  │ 0.004890" in printed
    assert "0.01070 to 0.02830" in printed
    assert "1.41e-05" in printed
    assert figures(tmp_path) == PAPER | SPARSE


def save_points(path, features, n=600):
    points = np.random.default_rng(features).random((n, features))
    labels = np.where(points.sum(axis=1) > features / 2, "above", "below")
    np.savez(path, x=points[:, 0] if features == 1 else points, y=labels)


@pytest.mark.parametrize(("features", "side"), [(1, 0.01), (3, 0.1)])
def test_points_of_any_dimension_are_assessed(tmp_path, features, side):
    save_points(tmp_path / "points.npz", features)
    found = own_data.assess(own_data.read(tmp_path / "points.npz"), side)
    assert found.cells.grid.shape == (round(1 / side),) * features
    assert found.cells.classes == ("above", "below")
    assert found.correction.failed.size == 120
    assert found.pmi.details["failures"] == found.correction.failed.sum()


def test_run_on_other_points(tmp_path):
    save_points(tmp_path / "points.npz", 2)
    out = tmp_path / "out"
    printed = run("--data", tmp_path / "points.npz", "--side", 0.02, "--out", out, HOME=str(tmp_path)).stdout
    assert "2,500 (50 x 50)" in printed
    assert "of 120)" in printed
    assert figures(out) == OWN


def test_without_a_side_the_separation_is_told(tmp_path):
    points = np.linspace(0, 1, 40)
    np.savez(tmp_path / "points.npz", x=points, y=points > 0.5)
    done = run("--data", tmp_path / "points.npz", "--out", tmp_path, check=False, HOME=str(tmp_path))
    assert done.returncode == 2
    assert "needs --side" in done.stdout
    assert "0.025641" in done.stdout
    assert not done.stderr


def test_a_file_that_will_not_do_says_why(tmp_path, subtests):
    for arrays, match in (
        ({"a": np.zeros(3)}, "arrays x and y are needed; found a"),
        ({"x": np.zeros((30, 2)), "y": np.zeros(29)}, "one label for each row"),
        ({"x": np.full((30, 2), np.nan), "y": np.arange(30) % 2}, "must be finite; found row 0"),
        ({"x": np.zeros((30, 2)), "y": np.array([None] * 30)}, "no npz file of numbers"),
        ({"x": np.array([["a", "b"]] * 30), "y": np.arange(30) % 2}, "no npz file of numbers"),
        ({"x": np.zeros((30, 2)), "y": np.zeros(30)}, "2 classes"),
        ({"x": np.zeros((3, 2)), "y": np.arange(3)}, "20 rows"),
        ({"x": np.zeros((30, 2)), "y": np.linspace(0, 1, 30)}, "whole numbers or text"),
    ):
        with subtests.test(arrays=arrays):
            path = tmp_path / "points.npz"
            np.savez(path, **arrays)
            with pytest.raises(InvalidInput, match=match):
                own_data.read(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04"], ids=["empty", "text", "broken"])
def test_a_file_that_is_no_npz_says_so(tmp_path, content):
    path = tmp_path / "points.npz"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"no npz file.*numpy\.savez"):
        own_data.read(path)


def test_the_domain_is_stated_or_told(tmp_path):
    for points, stated, expected in (
        ([[0.1, 0.9]], None, [[0, 1], [0, 1]]),
        ([[0.1, 9.0], [0.2, 5.0]], None, [[0.1, 0.2], [5, 9]]),
        ([[0.1, 9.0]], [0, 10], [[0, 10], [0, 10]]),
        ([[0.1, 9.0]], [0, 1, 5, 10], [[0, 1], [5, 10]]),
    ):
        rows = np.tile(points, (40 // len(points), 1))
        np.savez(tmp_path / "points.npz", x=rows, y=np.arange(len(rows)) % 2)
        assert own_data.read(tmp_path / "points.npz", stated).domain.tolist() == expected, points


def test_smaller_cells_shrink_the_sum_below_the_truth_and_not_the_corrected_limit(monkeypatch):
    monkeypatch.setitem(sys.modules, "few_labels", load("few_labels"))
    choices = load("choices")
    truth, large, small = choices.truth(), choices.assess(0.05, 0.02), choices.assess(0.0125, 0.02)
    assert truth == pytest.approx(0.0113, abs=5e-5)
    assert small.by_cells.upper(0.975) < truth < large.by_cells.value
    assert all(truth < found.pmi.upper(0.975) < 0.03 for found in (large, small))
    assert small.cells.voted_mass > 0.5 > large.cells.voted_mass


def surefoot(*arguments, folder):
    with chdir(folder):
        done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("name", ["surefoot.yaml", "few_labels.yaml"])
def test_project_files_are_fine(name):
    assert f"{name} is fine" in surefoot("check", name, folder=FOLDER)


def test_the_project_with_few_labels_shows_what_counting_does_not(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__", ".surefoot"))
    printed = surefoot("assess", "few_labels.yaml", "--json", "result.json", folder=folder)
    assert "its number is met" in printed
    shown = report.read(folder / "result.json")["answers"][0]["estimate"]["details"]
    assert shown["prediction_used"]
    assert clopper_pearson(shown["failures"], shown["trials"], level=0.95).upper(0.95) > 0.02


def test_the_case_is_complete_and_the_printed_bound_falls_to_the_tests(running_example, tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__", ".surefoot"))
    surefoot("assess", "surefoot.yaml", "--json", "result.json", "--quiet", folder=folder)
    result = Result.from_dict(json.loads((folder / "result.json").read_text()))
    assert not [node.id for node in result.case if node.undeveloped]
    errors = {finding.code for finding in result.case.check(result.evidence) if finding.severity == "error"}
    assert errors == {"case-assumption-contradicted"}
    found = result.evaluation
    assert found["pmi"].standing == "supported"
    assert found["printed"].standing == "contradicted"
    assert "tests-against-it" in found["printed"].why
    assert {f"pmi.cells.{step}" for step in ("partition", "profile", "robustness", "assembly")} <= set(
        result.case.nodes
    )
