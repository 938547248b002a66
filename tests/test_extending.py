"""Each file of the page on extending, and no other edit, adds a thing: in the tree, or in an installed package."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pydantic import ValidationError

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "surefoot"
PAGE = (ROOT / "docs" / "extending.md").read_text()
FILES = {
    text.partition("\n")[0].removeprefix("# "): text for text in re.findall(r"^```py\n(.*?)^```", PAGE, re.M | re.S)
}
(EVIDENCE,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
(PACKAGE,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.M | re.S)
PROJECT = """
version: 1
system: {name: Grades}
components:
  grader:
    model: {callable: "grader:grade", output: score}
    data:
      test: {path: test.npz, inputs: X, labels: y}
      train: {path: train.npz, inputs: X, labels: y}
    classes: ["0", "1", "2"]
"""
MODEL = """
import numpy as np

def grade(inputs):
    level = 3 * inputs[:, 0] + 0.3 * np.sin(9 * inputs[:, 1])
    return -np.abs(level[:, None] - [0.5, 1.5, 2.5])
"""
USE = """
import json, sys
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import surefoot as sf
from surefoot import testing
from surefoot.case import Node
from surefoot.cli import app
from surefoot.project import json_schema
from surefoot.report import html

folder = Path(sys.argv[1])
for name, rows, seed in (("test", 300, 1), ("train", 200, 2)):
    X = np.random.default_rng(seed).random((rows, 2))
    np.savez(folder / f"{name}.npz", X=X, y=np.minimum((3 * X[:, 0]).astype(int), 2))

found = {}
def steps(name): return json_schema()["$defs"][f"step.{name}"]["properties"]
def command(*words): return CliRunner().invoke(app, words, env={"COLUMNS": "200"}).output

detector = steps("monitor")
found["schema"] = [
    "centroid" in detector["detector"]["enum"],
    "far_off" in detector["detects"]["enum"] and "only an error" in detector["detects"]["description"],
    "okamoto" in steps("binomial_bound")["method"]["enum"],
    "closed form (Okamoto" in steps("binomial_bound")["method"]["description"],
    "lattice" in steps("reliability_cells")["estimator"]["enum"],
    "level" in steps("half_count"),
]
things = (
    sf.monitors.Centroid,
    sf.bounds.okamoto,
    sf.reliability.Lattice,
    sf.monitors.returns.far_off,
    sf.metrics.tasks.hits,
)
found["doors"] = [thing.__module__.rpartition(".")[2] for thing in things]
found["shown"] = [name in dir(door) for door, name in ((sf.monitors, "Centroid"), (sf.bounds, "okamoto"))]
listings = {"vignette": ["corruptions"], "half_count": ["steps"], "okamoto": ["steps", "binomial_bound"]}
found["listed"] = [name in command(*words) for name, words in listings.items()]

testing.check_detector(sf.monitors.Centroid)
testing.check_corruption("vignette")
testing.check_bound(sf.bounds.okamoto, level=0.95)
testing.check_cell_estimator(sf.reliability.Lattice())
testing.check_metric("hits", np.array([0.1, 0.5]), np.array([0.0, 0.0]))
found["metric"] = sf.metrics.of([0.05, 0.5], [0.0, 0.0], "hits")

claim = Node("G1", "claim", "safe " * 70, undeveloped=True)
case = sf.Case.of([claim], notation="gsn")
found["codes"] = [finding.code for finding in case.check() if finding.code == "case-text-long"]

result = sf.run(sf.load(folder))
found["estimates"] = {name: len(evidence.estimates) for name, evidence in result.evidence.items()}
found["caution"] = result["counted.failure probability"].upper(0.95) > result["halved.failure probability"].value
keyed = result.evidence["guarded"].provenance.versions
found["keys"] = {name: keyed[name].rpartition(" ")[0] for name in keyed if name.startswith(("detector", "return"))}
found["versions"] = {name: number for name, number in result.versions.items() if "acme" in name}
found["report"] = [name in html(result) for name in ("okamoto", "centroid", "far off")]
print(json.dumps(found))
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "surefoot.yaml").write_text(PROJECT + EVIDENCE)
    (folder / "grader.py").write_text(MODEL)
    return folder


def used(project, *places):
    path = os.pathsep.join(map(str, places))
    done = subprocess.run(
        [sys.executable, "-c", USE, str(project)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def check(found):
    assert all(found["schema"])
    assert found["doors"] == ["centroid", "okamoto", "lattice", "far_off", "hits"]
    assert all(found["shown"])
    assert all(found["listed"])
    assert found["metric"] == 0.5
    assert found["codes"] == ["case-text-long"]
    assert found["estimates"] == {"counted": 1, "halved": 1, "celled": 3, "guarded": 6}
    assert found["caution"]
    assert all(found["report"])


def test_a_file_in_the_tree_is_all_that_it_takes(project, tmp_path):
    tree = tmp_path / "tree"
    shutil.copytree(SOURCE, tree / "surefoot")
    for path, text in FILES.items():
        assert not (tree / "surefoot" / path).exists()
        (tree / "surefoot" / path).write_text(text)
    check(used(project, tree))


def test_an_installed_package_is_as_good(project, tmp_path):
    pytest.importorskip("setuptools", reason="builds the package")
    package, site = tmp_path / "package", tmp_path / "site"
    (package / "acme").mkdir(parents=True)
    (package / "pyproject.toml").write_text(PACKAGE)
    (package / "acme" / "__init__.py").touch()
    for path, text in FILES.items():
        (package / "acme" / Path(path).name).write_text(text)
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *options, "--target", str(site), str(package)]
    done = subprocess.run(pip, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = used(project, ROOT / "src", site)
    check(found)
    assert found["versions"] == {"surefoot-acme": "1.5"}
    assert found["keys"] == {"detector centroid": "surefoot-acme 1.5", "return function far_off": "surefoot-acme 1.5"}


def test_what_a_process_defines_is_known_by_name_and_in_no_listing(monkeypatch):
    from surefoot.bounds import bound, clopper_pearson
    from surefoot.project import find_step

    monkeypatch.setattr(bound, "_here", {})

    @bound("of_this_test", step="binomial_bound")
    def exact(failures, trials, *, level, scope=""):
        return clopper_pearson(failures, trials, level=level, scope=scope)

    parameters = find_step("binomial_bound").parameters
    assert parameters.model_validate({"method": "of_this_test"}).method == "of_this_test"
    assert "of_this_test" not in parameters.model_json_schema()["properties"]["method"]["enum"]
    with pytest.raises(ValidationError, match="'clopper_pearson', 'jeffreys' or 'wilson'"):
        parameters.model_validate({"method": "of_that_test"})


def test_the_page_shows_every_kind_with_its_group():
    from surefoot.cli import generated

    groups = {kind.group for kind in generated.registries()}
    assert groups - {"surefoot.ball_estimators"} == set(re.findall(r'entry-points."([a-z_.]+)"', PACKAGE))
    packages = {Path(*package.split(".")[1:]) for kind in generated.registries() for package in kind.packages}
    assert {Path(path).parent for path in FILES} <= packages


def test_examples_are_written_as_files_are():
    assert all(text == textwrap.dedent(text) and len(max(text.splitlines(), key=len)) <= 120 for text in FILES.values())
