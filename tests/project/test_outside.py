"""Paths of a project file lead into its folder, or into a folder that it allows."""

import os
from pathlib import Path

import numpy as np
import pytest

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.project import check, load, run

TREE = "surefoot-tree: 1\ngates: {top: {or: [a]}}\nevents: {a: 0.1}\n"
CASE = "surefoot-case: 1\nnodes: {}\n"
PROJECT = """\
version: 1
system: {name: gate}
components:
  gate:
    model: model:predict
    data: {test: {path: test.npz}}
evidence:
  counted: {step: binomial_bound}
targets:
  errors: {estimate: counted.failure probability, at_most: 0.5}
"""


@pytest.fixture
def home(tmp_path):
    """A project, and beside it a folder with the same files."""
    for name in ("home", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "model.py").write_text("def predict(rows):\n    return rows\n")
        labels = np.arange(60) % 2
        np.savez(folder / "test.npz", X=np.eye(2)[labels], y=labels)
        (folder / "tree.yaml").write_text(TREE)
        (folder / "case.yaml").write_text(CASE)
        (folder / "surefoot.yaml").write_text(PROJECT)
    return tmp_path / "home"


def outside(home, **changed):
    """Keys, by line, of what lies outside."""
    text = PROJECT
    for old, new in changed.values():
        assert old in text
        text = text.replace(old, new)
    (home / "surefoot.yaml").write_text(text)
    found = []
    try:
        load(home)
    except DiagnosticsError as error:
        found = error.diagnostics
    lines = [int(each.where.rpartition(":")[2]) for each in found if each.code == "path-outside" and each.hint]
    assert all(each.code in ("path-outside", "wrong-value") for each in found)
    return lines


MODEL, DATA, END = "model: model:predict", "path: test.npz", "targets:"
NAMED = {
    "data": (DATA, "path: {}test.npz", 6),
    "model": (MODEL, "model: {}model.onnx", 5),
    "weights": (MODEL, "model: {{factory: model:predict, weights: {}w.safetensors}}", 5),
    "files of the model": (MODEL, "model: {{callable: model:predict, files: [{}tree.yaml]}}", 5),
    "tree": (END, "tree: {{file: {}tree.yaml}}\ntargets:", 9),
    "worksheet": (END, "hazards: {}sheet.yaml\ntargets:", 9),
    "chains": (END, "scenarios: {{file: {}chains.yaml}}\ntargets:", 9),
    "case": (END, "case: {{frame: own, file: {}case.yaml}}\ntargets:", 9),
    "document": (
        END,
        "  stock: {{step: counted, quantity: q, failures: 1, trials: 9, document: {{path: {}case.yaml, title: t, "
        "owner: o}}}}\ntargets:",
        9,
    ),
    "tree of a step": (END, "  top: {{step: fault_tree, file: {}tree.yaml}}\ntargets:", 9),
    "predictions": (DATA, "path: test.npz, predictions: {}test.npz", 6),
    "pictures": (DATA, "path: test.npz, images: {}", 6),
}


@pytest.mark.parametrize("where", ["../other/", "{absolute}/", "link/", "./../home/../other/"])
def test_every_path_that_leads_out_is_refused_with_its_line(home, where):
    (home / "link").symlink_to("../other")
    lead = where.replace("{absolute}", str(home.parent / "other"))
    for name, (old, new, line) in NAMED.items():
        assert outside(home, change=(old, new.format(lead))) == [line], name


def test_what_lies_inside_is_not(home):
    assert outside(home) == []
    assert outside(home, change=(DATA, f"path: {home}/test.npz")) == []
    assert outside(home, change=(DATA, "path: ../home/test.npz")) == []
    (home / "also.npz").symlink_to("test.npz")
    assert outside(home, change=(DATA, "path: also.npz")) == []
    (home.parent / "way").symlink_to("home")
    assert load(home.parent / "way").definition


def test_links_are_followed_to_their_end(home):
    (home / "test.npz").unlink()
    (home / "between.npz").symlink_to("../other/test.npz")
    (home / "test.npz").symlink_to("between.npz")
    assert outside(home) == [6]
    (home / "model.py").unlink()
    (home / "model.py").symlink_to("../other/model.py")
    assert outside(home) == [5, 6]


def test_a_link_inside_a_folder_of_pictures_counts(home):
    (home / "pictures").mkdir()
    (home / "pictures" / "a.png").symlink_to("../../other/test.npz")
    assert outside(home, change=(DATA, "path: pictures")) == [6]


@pytest.mark.parametrize("said", ["../other", "[../other]", "[elsewhere, ../other]", "{absolute}", ".."])
def test_a_folder_that_is_named_is_allowed(home, said):
    (home / "elsewhere").mkdir()
    allowed = f"seed: 1\nallow_outside: {said.replace('{absolute}', str(home.parent / 'other'))}\ntargets:"
    assert outside(home, data=(DATA, "path: ../other/test.npz"), end=(END, allowed)) == []
    assert run(load(home)).met


def test_a_neighbour_with_a_longer_name_is_not_allowed(home):
    os.rename(home.parent / "other", home.parent / "home2")
    assert outside(home, change=(DATA, "path: ../home2/test.npz")) == [6]


def test_a_folder_that_is_not_there_cannot_be_allowed(home):
    (home / "surefoot.yaml").write_text(PROJECT + "allow_outside: [../gone]\n")
    with pytest.raises(DiagnosticsError, match=r"surefoot\.yaml:11: .*file-missing.*gone"):
        load(home)


def test_nothing_outside_is_opened(home):
    """The content of a tree outside is not told, not even in an error about it."""
    (home.parent / "other" / "tree.yaml").write_text("root:secret:0\n")
    (home / "surefoot.yaml").write_text(PROJECT + "tree: {file: ../other/tree.yaml}\n")
    with pytest.raises(DiagnosticsError) as caught:
        load(home)
    assert [each.code for each in caught.value.diagnostics] == ["path-outside"]


def test_a_link_that_is_changed_after_loading_is_found_by_check_and_run(home):
    project = load(home)
    (home / "test.npz").unlink()
    (home / "test.npz").symlink_to("../other/test.npz")
    assert [each.code for each in check(project)] == ["path-outside"]
    with pytest.raises(DiagnosticsError, match="path-outside"):
        run(project)


def test_a_project_made_in_python_may_name_any_file(home, monkeypatch):
    monkeypatch.chdir(home)
    evidence = {"counted": {"step": "binomial_bound"}}
    project = sf.Project.of("gate", model="model:predict", data="../other/test.npz", evidence=evidence)
    assert run(project)["counted.failure probability"].value == 0
    with pytest.raises(DiagnosticsError, match="path-outside"):
        sf.project.from_data(
            {
                "version": 1,
                "system": {"name": "gate"},
                "components": {"gate": {"model": "model:predict", "data": {"test": "../other/test.npz"}}},
                "evidence": evidence,
            },
            folder=Path(home),
        )
