import os
import re

import pytest
import yaml


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
