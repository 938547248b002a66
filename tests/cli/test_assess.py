import json
import os
import re
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
    assert "Yes, by its targets: 2 of 2 numbers met, and the case leaves no claim open." in found.stdout


def test_an_uncertain_target_shows_which_end_of_its_limit_decides(surefoot, project):
    principle = "principle: gale\n    reference: {events: 30, exposure: 1000, per: demand, source: register}"
    edit(project, "at_most: 0.02", principle)
    shown = " ".join(surefoot("assess").stdout.split())
    assert "at most 0.03 (compared with 0.0203, its cautious end) at 95%" in shown


def test_exit_code_1_and_advice_when_a_target_is_not_met(surefoot, project):
    strict(project)
    found = surefoot("assess")
    assert found.exit_code == 1
    assert "errors:\n  - " in found.stdout


@pytest.mark.parametrize("fail_on", ["not-shown", "violated"])
def test_exit_code_1_and_the_reason_when_operation_contradicts_a_target(fail_on, surefoot, project):
    lenient(project)
    feedback = "  feedback:\n    - {claim: errors, exposure: 1000, incidents: 900}\n"
    edit(project, "\ncase:\n", f"\ncase:\n{feedback}")
    found = surefoot("assess", "--fail-on", fail_on)
    assert found.exit_code == 1
    assert "met by tests alone" in found.stdout
    assert "No: operation contradicts 1 claim (errors); by tests 2 of 2 numbers met" in found.stdout
    assert "cannot restore it" in found.stdout
    assert "new tests show it" not in found.stdout.partition("errors:")[2]
    assert "errors: error [case-operation-contradicts]" in found.stderr
    quiet = surefoot("assess", "--fail-on", fail_on, "--quiet")
    assert "900 incidents in 1,000 demands" in " ".join(quiet.stderr.split())


def test_each_target_is_compared_with_the_iteration_before(surefoot, project):
    assert "since iteration" not in surefoot("assess").stdout
    lenient(project)
    found = surefoot("assess").stdout
    assert "errors: bound " in found
    assert "-> met, since iteration 1." in " ".join(found.split())


def test_exit_code_2_when_the_project_cannot_be_assessed(surefoot, project):
    (project / "test.csv").unlink()
    found = surefoot("assess")
    assert found.exit_code == 2
    assert found.stdout == ""
    assert "[file-missing]" in found.stderr


@pytest.mark.parametrize(
    ("limit", "fail_on", "code"), [(1e-6, "violated", 1), (1e-6, "never", 0), (1e-6, "not-shown", 1)]
)
def test_fail_on_chooses_what_fails(surefoot, project, limit, fail_on, code):
    lenient(project)
    edit(project, "at_most: 0.2", f"at_most: {limit}")
    assert surefoot("assess", "--fail-on", fail_on).exit_code == code


def test_what_the_case_leaves_open_is_no_yes_and_fails_where_that_is_asked(surefoot, project):
    lenient(project)
    assert surefoot("assess", "--fail-on", "open").exit_code == 0
    edit(project, "\ncase:\n", "\ncase:\n  frame: system\n")
    found = surefoot("assess", "--junit", "r.xml", "--markdown", "r.md", "--json", "r.json", "--html", "r.html")
    assert found.exit_code == 0
    answer = re.search(r"Not shown: 2 of 2 numbers met, the case leaves (\d+) claims open\.", found.stdout)
    assert int(answer[1]) > 2
    assert all(answer[0].rstrip(".") in (project / f"r.{kind}").read_text() for kind in ("xml", "md", "json", "html"))
    root = ElementTree.parse(project / "r.xml").getroot()
    assert (root.get("failures"), root.get("skipped")) == ("0", "1")
    assert surefoot("assess", "--fail-on", "open").exit_code == 1
    assert surefoot("assess", "--fail-on", "violated").exit_code == 0


def test_a_project_without_targets_shows_nothing(surefoot, project):
    text = (project / "surefoot.yaml").read_text()
    head, _, tail = text.partition("targets:\n")
    (project / "surefoot.yaml").write_text(head + tail[tail.index("case:") :])
    found = surefoot("assess")
    assert found.exit_code == 1
    assert "Nothing is concluded: the project states no target" in found.stdout


@pytest.mark.usefixtures("project")
def test_json_to_stdout_is_nothing_but_json(shell, project):
    found = shell("assess", "--json", "-", cwd=project)
    result = Result.from_dict(json.loads(found.stdout))
    assert set(result.verdicts) == {"misses", "errors"}
    assert b"1 of 2 numbers met" in found.stderr


def test_quiet_says_nothing(surefoot, project):
    found = surefoot("assess", "--quiet")
    assert (found.stdout, found.stderr) == ("", "")


def test_all_formats_are_written(surefoot, project):
    surefoot("assess", "--html", "r.html", "--json", "r.json", "--junit", "r.xml", "--markdown", "r.md")
    assert (project / "r.html").read_text().lstrip().lower().startswith("<!doctype html")
    assert json.loads((project / "r.json").read_text())["version"] == 4
    assert ElementTree.parse(project / "r.xml").getroot().tag in ("testsuites", "testsuite")
    assert "misses" in (project / "r.md").read_text()


def test_a_place_that_cannot_be_written_is_an_error(surefoot, project):
    (project / "file").write_text("")
    for place in ("file/report.html", "nowhere/report.html"):
        found = surefoot("assess", "--html", place)
        assert found.exit_code == 2
        assert "[store-unwritable]" in found.stderr
    assert not (project / "nowhere").exists()


def test_the_store_may_be_elsewhere(surefoot, project, tmp_path):
    surefoot("assess", "--store", tmp_path / "elsewhere")
    listed = surefoot("evidence", "list", "--store", tmp_path / "elsewhere")
    assert "misses" in listed.stdout


def test_workers_give_the_same_result(surefoot, project, tmp_path):
    alone = json.loads(surefoot("assess", "-q", "--json", "-", "--store", tmp_path / "a").stdout)
    shared = json.loads(surefoot("assess", "-q", "--json", "-", "--store", tmp_path / "b", "--workers", "2").stdout)
    assert alone["evidence"] == shared["evidence"]


@pytest.mark.usefixtures("project")
def test_options_that_make_no_sense_are_refused(surefoot):
    for words in (
        ("--workers", "0"),
        ("--workers", "2", "--dask", "tcp://127.0.0.1:1"),
        ("--verify", "report.html", "--html", "other.html"),
        ("--fail-on", "sometimes"),
        ("--json", "-", "--markdown", "-"),
    ):
        assert surefoot("assess", *words).exit_code == 2, words


def test_the_lock_file_says_what_moved(surefoot, project):
    assert surefoot("assess", "--locked").exit_code in (0, 1)
    edit(project, "0.15", "0.05", file="model.py")
    before = (project / "surefoot.lock").read_bytes()
    found = surefoot("assess", "--locked", "--junit", "moved.xml", "--html", "moved.html")
    assert found.exit_code == 2
    assert "error [moved] guard.model" in found.stderr
    assert "differ from surefoot.lock; run without --locked to accept them" in found.stderr
    assert (project / "moved.xml").exists()
    assert (project / "moved.html").exists()
    assert (project / "surefoot.lock").read_bytes() == before
    assert "[moved]" in surefoot("assess").stderr
    assert surefoot("assess", "--locked").exit_code in (0, 1)


def test_a_lock_file_that_cannot_be_written_costs_no_result(surefoot, project):
    (project / "other.yaml").write_text((project / "surefoot.yaml").read_text())
    (project / "other.lock").symlink_to("/proc/other.lock")
    found = surefoot("assess", "other.yaml", "--markdown", "other.md")
    assert found.exit_code == 1
    assert "warning [store-unwritable]" in found.stderr
    assert "Not shown: 1 of 2 numbers met." in found.stdout
    assert (project / "other.md").exists()


def test_project_files_of_one_folder_have_their_own_lock_files(surefoot, project):
    before = (project / "surefoot.lock").read_bytes()
    (project / "other.yaml").write_text((project / "surefoot.yaml").read_text())
    strict(project)
    (project / "surefoot.yaml").rename(project / "third.yaml")
    surefoot("assess", "third.yaml")
    assert (project / "third.lock").exists()
    assert (project / "surefoot.lock").read_bytes() == before


def test_a_target_met_at_this_look_alone_is_said_to_be_and_counts_as_not_met(surefoot, project):
    lenient(project)
    edit(project, "at_most: 0.2", "at_most: 0.0349")
    assert surefoot("assess").exit_code == 1
    found = surefoot("assess").stdout
    assert "met (this look alone)" in found
    words = " ".join(found.split())
    assert re.search(r"This is look \d+ at the test data. At the level that covers all looks \(99", words)
    assert "valid for models and targets fixed beforehand" in words
    assert ": not shown." in words
    assert "Earlier assessments asked for at most 0.02" in words
    assert "Not shown: 1 of 2 numbers met, 1 more at this look alone." in words


def test_bounds_that_are_no_confidence_say_so_and_have_no_level(surefoot, project):
    edit(project, "misses: {step: binomial_bound, of: obstacle}", "misses: {step: normal_score}")
    edit(project, "at_most: 0.02", "at_most: 0.02\n    kinds: [expectation, heuristic]")
    row = next(line for line in surefoot("assess").stdout.splitlines() if line.startswith("misses "))
    assert "asked" not in row
    assert re.search(r"at most 0\.02   .*\((expectation|contradicted)\)", row), row


def test_warnings_of_the_project_file_are_shown(surefoot, project):
    edit(project, "at_most: 0.05", "at_least: 0.05")
    assert "warning [wrong-value] targets.errors.at_least" in surefoot("assess").stderr
    assert surefoot("assess", "--quiet").stderr == ""


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


def test_numbers_that_differ_are_shown_as_numbers(surefoot, project):
    before = json.loads(surefoot("assess", "-q", "--json", "-").stdout)["evidence"]["errors"]["estimates"][0]["value"]
    edit(project, "0.15", "0.05", file="model.py")
    after = json.loads(surefoot("assess", "-q", "--json", "-").stdout)["evidence"]["errors"]["estimates"][0]["value"]
    output = surefoot("assess", "--verify", "report.html").stdout
    assert f"{before:.12g}"[:8] in output
    assert f"{after:.12g}"[:8] in output


def test_an_edited_page_is_noticed(surefoot, project):
    assert "report.html: reproduced" in surefoot("assess", "--verify", "report.html").stdout
    edit(project, "<h1", "<h1 hidden", file="report.html")
    found = surefoot("assess", "--verify", "report.html")
    assert found.exit_code == 2
    assert "not genuine" in found.stdout
    assert "reproduced" not in found.stdout


def test_files_that_are_elsewhere_are_hinted_at(surefoot, project, monkeypatch):
    monkeypatch.chdir(project.parent)
    found = surefoot("assess", "--verify", project / "report.html")
    assert found.exit_code == 2
    assert "Name the project's folder: surefoot assess FOLDER --verify" in found.stderr
    assert surefoot("assess", project, "--verify", project / "report.html").exit_code == 0


def test_damaged_data_of_a_report_are_unreadable(surefoot, project):
    for part in ("answers", "evidence", "definition", "digests"):
        surefoot("assess", "--json", "r.json")
        data = json.loads((project / "r.json").read_text())
        for wrong in (3, [3], {"x": 3}, None):
            (project / "r.json").write_text(json.dumps({**data, part: wrong}))
            found = surefoot("assess", "--verify", "r.json")
            assert found.exit_code == 2, part
            assert "bug" not in found.stderr, wrong


def test_folders_and_files_may_have_names_that_are_no_text(shell, finished, tmp_path):
    odd = tmp_path / os.fsdecode(b"\xff\x1b[31m")
    shutil.copytree(finished, odd)
    found = shell("assess", odd, "--html", odd / "r.html", cwd=tmp_path)
    assert found.returncode in (0, 1), found.stderr
    assert (odd / "r.html").exists()
    assert b"\x1b" not in found.stdout + found.stderr


def test_what_is_no_report_cannot_be_verified(surefoot, project):
    for content in ("", "<html>", "{}", "\x00"):
        (project / "other.html").write_text(content)
        found = surefoot("assess", "--verify", "other.html")
        assert found.exit_code == 2, content
        assert "other.html" in found.stderr, content


OWN = """
surefoot-case: 1
name: Guarding doors
nodes:
  G1: {claim: Doors are guarded., supported by: [S1]}
  S1: {argument: By its tests and a review., block: decomposition, supported by: ["@target errors", G2]}
  G2: {claim: Somebody reviewed it., undeveloped: true}
"""


def test_an_own_frame_is_assessed_shown_checked_and_drawn(surefoot, project):
    lenient(project)
    (project / "own.yaml").write_text(OWN)
    edit(project, "\ncase:\n", "\ncase:\n  frame: own\n  file: own.yaml\n")
    text = (project / "surefoot.yaml").read_text()
    (project / "surefoot.yaml").write_text(
        re.sub(r"(?m)^  (claim|context|functions|speaks_of):.*\n(    .*\n)*", "", text)
    )
    found = surefoot("assess")
    assert found.exit_code == 0, found.output
    words = " ".join(found.stdout.split())
    assert "leaves 1 claim open and the case does not use 1 of the 2 numbers." in words
    assert "Open: G2; not used: misses." in words
    assert surefoot("assess", "--fail-on", "open").exit_code == 1
    shown = surefoot("case", "show")
    assert shown.stdout.splitlines()[0].startswith("○ G1 (claim) Doors are guarded.")
    assert "errors.argument" in shown.stdout
    assert "misses" not in shown.stdout
    checked = surefoot("case", "check", ".", "--json")
    told = [each for each in json.loads(checked.stdout)["findings"] if each["code"] == "case-fragment-unattached"]
    assert [(each["severity"], each["where"]) for each in told][:1] == [("note", "target misses")]
    assert "case-target-unclaimed" not in checked.stdout
    assert surefoot("case", "draw", ".", "own.svg").exit_code == 0
    assert "Doors are" in (project / "own.svg").read_text()
    (project / "own.yaml").write_text(OWN.replace("@target errors", "@target erors"))
    wrong = surefoot("check")
    assert wrong.exit_code == 2
    assert "own.yaml:6: error [case-fragment-unknown]" in wrong.output
    assert "Did you mean '@target errors'?" in wrong.output
