import json
import zipfile

import pytest

from surefoot.core import Evidence

pytestmark = pytest.mark.usefixtures("project")


def keys(surefoot):
    return {entry["step"]: entry["key"] for entry in json.loads(surefoot("evidence", "list", "--json").stdout)}


def test_list_shows_each_step_once(surefoot):
    found = surefoot("evidence", "list")
    assert found.exit_code == 0
    for step, key in keys(surefoot).items():
        assert key[:12] in found.stdout
        assert step in found.stdout
    assert {"misses", "errors", "recall"} <= set(keys(surefoot))


def test_show_takes_a_step_or_the_start_of_a_key(surefoot):
    by_step = surefoot("evidence", "show", "misses")
    assert by_step.exit_code == 0
    assert "failure probability" in by_step.stdout
    assert surefoot("evidence", "show", keys(surefoot)["misses"][:10]).stdout == by_step.stdout


def test_show_json_is_the_evidence_itself(surefoot):
    shown = json.loads(surefoot("evidence", "show", "misses", "--json").stdout)
    assert Evidence.from_dict(shown)["failure probability"].details["trials"] == 300


def test_looks_lists_models_and_targets_by_number(surefoot):
    (ledger,) = json.loads(surefoot("evidence", "looks", "--json").stdout).values()
    asked = [look["content"]["asked"]["limit"] for look in ledger if "asked" in look["content"]]
    assert [look["number"] for look in ledger] == list(range(1, len(ledger) + 1))
    shown = surefoot("evidence", "looks").stdout
    assert all(f"at most {limit:g}" in shown for limit in asked)
    assert ledger[0]["content"]["model"][:12] in shown


def test_an_unknown_key_is_refused(surefoot):
    found = surefoot("evidence", "show", "zz")
    assert found.exit_code == 2
    assert "[unknown-reference]" in found.stderr


def test_verify_finds_a_flipped_bit(surefoot, project):
    assert surefoot("evidence", "verify").exit_code == 0
    largest = max(
        (path for path in (project / ".surefoot").rglob("*") if path.is_file()), key=lambda p: p.stat().st_size
    )
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.chmod(0o644)
    largest.write_bytes(content)
    found = surefoot("evidence", "verify")
    assert found.exit_code == 2
    assert "[store-damaged]" in found.stderr
    assert len(json.loads(surefoot("evidence", "verify", "--json").stdout)) == 1


def test_what_is_only_left_over_or_foreign_is_no_damage(surefoot, project):
    (project / ".surefoot" / "notes.txt").write_text("mine")
    found = surefoot("evidence", "verify")
    assert found.exit_code == 0
    assert "notes.txt: warning" in found.stderr
    assert " 0 damaged, 1 left over or foreign." in found.stdout


def two_of_each(surefoot, project):
    """The store after a second model: its keys of misses, the older one first."""
    before = keys(surefoot)["misses"]
    model = project / "model.py"
    model.write_text(model.read_text().replace("0.15", "0.05"))
    surefoot("assess")
    listed = json.loads(surefoot("evidence", "list", "--json").stdout)
    (after,) = {entry["key"] for entry in listed if entry["step"] == "misses"} - {before}
    return before, after


def test_of_several_results_of_a_step_the_current_one_is_shown(surefoot, project):
    _, after = two_of_each(surefoot, project)
    assert surefoot("evidence", "show", "misses").stdout == surefoot("evidence", "show", after).stdout
    lines = surefoot("evidence", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines if "misses" in line and "current" in line] == [after[:12]]


def test_without_a_lock_file_all_results_of_a_step_are_listed(surefoot, project):
    both = two_of_each(surefoot, project)
    (project / "surefoot.lock").unlink()
    found = surefoot("evidence", "show", "misses")
    assert found.exit_code == 2
    assert all(key[:12] in found.stderr for key in both)
    assert found.stdout == ""


def test_export_writes_what_was_chosen(surefoot):
    assert surefoot("evidence", "export", "all.zip").exit_code == 0
    assert surefoot("evidence", "export", "one.zip", "--key", "misses").exit_code == 0
    with zipfile.ZipFile("all.zip") as everything, zipfile.ZipFile("one.zip") as one:
        assert set(one.namelist()) < set(everything.namelist())


def test_a_store_that_is_not_there_is_not_made(surefoot, project):
    for words in (("list",), ("show", "x"), ("verify",), ("export", "x.zip")):
        found = surefoot("evidence", *words, "--store", "nowhere")
        assert found.exit_code == 2, words
        assert "[file-missing]" in found.stderr, words
        assert not (project / "nowhere").exists(), words
