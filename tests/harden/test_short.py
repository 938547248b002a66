"""The short form of the campaign, and that its tools can find something."""

import os

import pytest

from surefoot.documents import files as whole_file
from tests.harden import crashes, fuzzing
from tests.harden.mutants import SOURCE, compiled, mutants_of
from tests.harden.readers import READERS, Reader

INPUTS = 60


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_give_a_result_or_a_coded_error(name):
    found = fuzzing.campaign(name, INPUTS, seed=2026)
    assert found.texts == {}
    assert found.accepted + found.refused == found.inputs == INPUTS


@pytest.mark.parametrize(("name", "number"), [("tree", 2358), ("tree", 2208), ("scenarios", 1297), ("table", 3944)])
def test_what_was_found_once_stays_mended(name, number, tmp_path):
    seeds = [(path, path.read_bytes()) for path in READERS[name].seeds(tmp_path)]
    kind, text = fuzzing.outcome(READERS[name], *fuzzing.input_of(seeds, 7, READERS[name], number))
    assert kind in ("accepted", "refused"), text


def seeds_of_one_letter(folder):
    (folder / "a.txt").write_bytes(b"ok")
    return [folder / "a.txt"]


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (lambda path: path.read_bytes() == b"ok" or {}["x"], "raw error KeyError"),
        (lambda path: path.read_bytes() == b"ok" or os._exit(3), "died with 3"),
    ],
)
def test_what_is_no_coded_error_is_found_and_kept(read, kind, monkeypatch, tmp_path):
    monkeypatch.setitem(READERS, "broken", Reader("broken", seeds_of_one_letter, read))
    found = fuzzing.campaign("broken", 3, keep=tmp_path)
    assert found.inputs == 3
    assert [each.startswith(kind) for each in found.findings] == [True]
    assert len([*tmp_path.iterdir()]) >= 1


def test_a_power_loss_leaves_what_was_told():
    seen = crashes.lose_power(1)
    assert seen["problems"] == []
    assert seen["operations"] > 50


def test_a_folder_that_is_not_flushed_loses_what_was_told(monkeypatch):
    monkeypatch.setattr(whole_file, "sync_folder", lambda path: None)
    assert crashes.lose_power(1)["problems"]


def test_mutants_change_what_a_function_does():
    path = SOURCE / "bounds" / "binomial.py"
    found = mutants_of(path)
    assert len(found) > 20
    before = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    assert compiled(path, 0).co_consts != before.co_consts
