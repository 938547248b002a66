"""surefoot improve: what to do about targets that are not met."""

import csv
import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from surefoot.cli import app

MODEL = """import numpy as np

def answer(x):
    right = 1 / (1 + np.exp(-8 * x[:, 0]))
    return np.column_stack([1 - right, right])
"""
FILE = """version: 1
system: {name: Rover}
components:
  net:
    model: model:answer
    classes: [left, right]
    data: {test: test.npz, operation: operation.npz}
evidence:
  counted: {step: binomial_bound, level: 0.9}
tree:
  inline:
    top: crash
    gates: {crash: {and: [misses, brakes]}}
    events: {misses: 0.5, brakes: 0.1}
  events: {misses: counted.failure probability}
  answered_by: {name: A. Berg, date: 2026-05-01, reason: Brakes failed in less of all tests.}
  target: {at_most: 0.001}
"""
STEP = "{step: stratified_bound, component: net, on: test, operation: operation, labels: labels.csv, bins: 3}"


def rows(count, seed):
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(count, 2))
    return inputs, np.where(rng.random(count) < 1 / (1 + np.exp(-8 * inputs[:, 0])), "right", "left")


@pytest.fixture(scope="session")
def assessed(tmp_path_factory):
    """A project whose target is not met, assessed once; not to be changed."""
    folder = tmp_path_factory.mktemp("rover")
    inputs, labels = rows(300, 0)
    np.savez(folder / "test.npz", inputs=inputs, labels=labels)
    np.savez(folder / "operation.npz", inputs=rows(3000, 1)[0])
    (folder / "model.py").write_text(MODEL)
    (folder / "surefoot.yaml").write_text(FILE)
    assert CliRunner().invoke(app, ["assess", str(folder), "-q"]).exit_code == 1
    return folder


@pytest.fixture
def rover(assessed, tmp_path, monkeypatch):
    """A copy of it, as the current folder."""
    folder = tmp_path / "rover"
    shutil.copytree(assessed, folder)
    monkeypatch.chdir(folder)
    return folder


def change(folder, before, after):
    text = (folder / "surefoot.yaml").read_text()
    assert before in text
    (folder / "surefoot.yaml").write_text(text.replace(before, after))


@pytest.mark.usefixtures("rover")
def test_it_says_what_events_would_need(surefoot):
    found = surefoot("improve")
    assert found.exit_code == 0
    assert "requirements" in found.output
    assert "misses" in found.output


def test_nothing_to_improve_is_told(surefoot, rover):
    change(rover, "0.001", "0.5")
    assert surefoot("assess", "-q").exit_code == 0
    found = surefoot("improve")
    assert found.exit_code == 0
    assert found.output.startswith("Every target is met: nothing needs to be improved.\n")


def test_the_loop_closes_on_the_command_line(surefoot, rover):
    found = surefoot("improve", "--label", 100, "--csv", "labels.csv")
    assert found.exit_code == 0
    assert f"write for counted: {STEP}" in " ".join(found.output.split())
    truth = rows(3000, 1)[1]
    with open("labels.csv", encoding="utf-8-sig", newline="") as stream:
        sheet = list(csv.DictReader(stream))
    with open("labels.csv", "w", newline="") as stream:
        writer = csv.DictWriter(stream, sheet[0])
        writer.writeheader()
        writer.writerows({**row, "label": truth[int(row["row"])]} for row in sheet)
    change(rover, "{step: binomial_bound, level: 0.9}", STEP)
    assert surefoot("assess", "-q").exit_code == 1
    shown = json.loads(surefoot("evidence", "show", "counted", "--json").output)
    assert shown["tables"]["strata"]["rows"][0][2] == 400
    assert "iterations" in surefoot("improve").output


def test_the_advice_names_the_sheet_as_the_project_file_would(surefoot, tmp_path_factory, rover):
    (rover / "my sheets").mkdir()
    inside = surefoot("improve", "--label", 20, "--csv", "my sheets/next one.csv").stdout
    assert "labels: my sheets/next one.csv" in " ".join(inside.split())
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "a.csv"
    said = surefoot("improve", "--label", 20, "--csv", elsewhere, "--json").stdout
    assert any(f'labels: "{elsewhere}"' in note for note in json.loads(said)["labels"]["notes"])


@pytest.mark.usefixtures("rover")
def test_json_holds_the_same(surefoot):
    found = json.loads(surefoot("improve", "--label", 20, "--json").stdout)
    assert found["met"] is False
    assert "requirements" in found["targets"]["tree"]["tables"]
    assert len(found["labels"]["rows"]) == 20


@pytest.mark.usefixtures("rover")
def test_what_is_wrong_exits_with_2(surefoot):
    for words, told in (
        (["--csv", "labels.csv"], "need --label"),
        (["--label", 5, "--csv", "-"], "--csv needs a file"),
        (["--label", 0], "greater than or equal to 1"),
        (["--label", 5, "--on", "nowhere"], "no data set 'nowhere'"),
        (["--label", 5, "--csv", "nowhere/labels.csv"], "there is no folder"),
        (["--label", 5, "--strata", "weather"], "no attribute"),
    ):
        found = surefoot("improve", *words)
        assert found.exit_code == 2, words
        assert told in " ".join(found.output.split()), words


def test_a_project_that_was_not_assessed_is_told(surefoot, rover):
    change(rover, "level: 0.9", "level: 0.8")
    found = surefoot("improve")
    assert found.exit_code == 2
    assert "not-assessed" in found.output
