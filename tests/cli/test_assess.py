import json
import os
import shutil
from xml.etree import ElementTree

import pytest

from surefoot.project import Result


def edit(folder, old, new, *, file="surefoot.yaml"):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


def lenient(folder):
    edit(folder, "at_most: 0.02", "at_most: 0.2")
    edit(folder, "at_most: 0.05", "at_most: 0.2")


def strict(folder):
    edit(folder, "at_most: 0.05", "at_most: 0.0001")


def test_exit_code_0_when_every_target_is_met(surefoot, project):
    lenient(project)
    found = surefoot("assess")
    assert found.exit_code == 0
    assert "2 of 2 targets met." in found.stdout


def test_exit_code_1_and_advice_when_a_target_is_not_met(surefoot, project):
    strict(project)
    found = surefoot("assess")
    assert found.exit_code == 1
    assert "errors:\n  - " in found.stdout


def test_exit_code_2_when_the_project_cannot_be_assessed(surefoot, project):
    (project / "test.csv").unlink()
    found = surefoot("assess")
    assert found.exit_code == 2
    assert found.stdout == ""
    assert "[file-missing]" in found.stderr


@pytest.mark.parametrize(("limit", "fail_on", "code"), [(1e-6, "violated", 1), (1e-6, "never", 0), (1e-6, "unmet", 1)])
def test_fail_on_chooses_what_fails(surefoot, project, limit, fail_on, code):
    lenient(project)
    edit(project, "at_most: 0.2", f"at_most: {limit}")
    assert surefoot("assess", "--fail-on", fail_on).exit_code == code


def test_a_project_without_targets_shows_nothing(surefoot, project):
    text = (project / "surefoot.yaml").read_text()
    head, _, tail = text.partition("targets:\n")
    (project / "surefoot.yaml").write_text(head + tail[tail.index("case:") :])
    found = surefoot("assess")
    assert found.exit_code == 1
    assert "No targets are stated" in found.stdout


@pytest.mark.usefixtures("project")
def test_json_to_stdout_is_nothing_but_json(shell, project):
    found = shell("assess", "--json", "-", cwd=project)
    result = Result.from_dict(json.loads(found.stdout))
    assert set(result.verdicts) == {"misses", "errors"}
    assert b"targets met." in found.stderr


def test_quiet_says_nothing(surefoot, project):
    found = surefoot("assess", "--quiet")
    assert (found.stdout, found.stderr) == ("", "")


def test_all_formats_are_written(surefoot, project):
    surefoot("assess", "--html", "r.html", "--json", "r.json", "--junit", "r.xml", "--markdown", "deep/r.md")
    assert (project / "r.html").read_text().lstrip().lower().startswith("<!doctype html")
    assert json.loads((project / "r.json").read_text())["version"] == 1
    assert ElementTree.parse(project / "r.xml").getroot().tag in ("testsuites", "testsuite")
    assert "misses" in (project / "deep" / "r.md").read_text()


def test_a_place_that_cannot_be_written_is_an_error(surefoot, project):
    (project / "file").write_text("")
    found = surefoot("assess", "--html", "file/report.html")
    assert found.exit_code == 2
    assert "[store-unwritable]" in found.stderr


def test_the_store_may_be_elsewhere(surefoot, project, tmp_path):
    surefoot("assess", "--store", tmp_path / "elsewhere")
    listed = surefoot("evidence", "list", "--store", tmp_path / "elsewhere")
    assert "misses" in listed.stdout


def test_workers_give_the_same_result(surefoot, project, tmp_path):
    alone = json.loads(surefoot("assess", "-q", "--json", "-", "--store", tmp_path / "a").stdout)
    shared = json.loads(surefoot("assess", "-q", "--json", "-", "--store", tmp_path / "b", "--workers", "2").stdout)
    assert alone["evidence"] == shared["evidence"]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "words",
    [
        ("--workers", "0"),
        ("--workers", "2", "--dask", "tcp://127.0.0.1:1"),
        ("--verify", "report.html", "--html", "other.html"),
        ("--fail-on", "sometimes"),
    ],
    ids=" ".join,
)
def test_options_that_make_no_sense_are_refused(surefoot, words):
    assert surefoot("assess", *words).exit_code == 2


def test_the_lock_file_says_what_moved(surefoot, project):
    assert surefoot("assess", "--locked").exit_code in (0, 1)
    edit(project, "0.15", "0.05", file="model.py")
    before = (project / "surefoot.lock").read_bytes()
    found = surefoot("assess", "--locked")
    assert found.exit_code == 2
    assert "[moved] guard.model" in found.stderr
    assert (project / "surefoot.lock").read_bytes() == before
    assert "[moved]" in surefoot("assess").stderr
    assert surefoot("assess", "--locked").exit_code in (0, 1)


def test_locked_needs_a_lock_file(surefoot, project):
    (project / "surefoot.lock").unlink()
    found = surefoot("assess", "--locked")
    assert found.exit_code == 2
    assert "[file-missing]" in found.stderr


@pytest.mark.usefixtures("project")
def test_a_report_is_reproduced_from_its_files(surefoot):
    found = surefoot("assess", "--verify", "report.html")
    assert found.exit_code == 0
    assert "reproduced" in found.stdout


def test_a_changed_row_is_named_by_verify(surefoot, project):
    lines = (project / "test.csv").read_text().splitlines()
    (project / "test.csv").write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    found = surefoot("assess", "--verify", "report.html")
    assert found.exit_code == 2
    assert "file guard.test" in found.stdout
    assert "not reproduced" in found.stdout


def test_folders_and_files_may_have_names_that_are_no_text(shell, finished, tmp_path):
    odd = tmp_path / os.fsdecode(b"\xff\x1b[31m")
    shutil.copytree(finished, odd)
    found = shell("assess", odd, "--html", odd / "r.html", cwd=tmp_path)
    assert found.returncode in (0, 1), found.stderr
    assert (odd / "r.html").exists()
    assert b"\x1b" not in found.stdout + found.stderr


@pytest.mark.parametrize("content", ["", "<html>", "{}", "\x00"])
def test_what_is_no_report_cannot_be_verified(surefoot, project, content):
    (project / "other.html").write_text(content)
    found = surefoot("assess", "--verify", "other.html")
    assert found.exit_code == 2
    assert "other.html" in found.stderr
