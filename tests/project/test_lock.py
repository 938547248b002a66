"""The lock file says what moved."""

from copy import deepcopy

import pytest

import surefoot as sf
from surefoot.project import lock_path, moved, read_lock, write_lock
from tests.project.conftest import DEFINITION
from tests.refusals import told

LOCK_FILE = "surefoot.lock"


def test_nothing_moves_between_two_equal_runs(small):
    path = write_lock(sf.run(sf.load(small.file)), small.folder / LOCK_FILE)
    first = path.read_bytes()
    again = sf.run(sf.load(small.file), store=small.folder / "other")
    assert moved(read_lock(path), again) == []
    assert write_lock(again, path).read_bytes() == first


def test_a_changed_model_is_seen_with_what_it_changed(small):
    path = write_lock(sf.run(sf.load(small.file)), small.folder / LOCK_FILE)
    small.set_model(bias=1.5)
    found = moved(read_lock(path), sf.run(sf.load(small.file)))
    assert {"values", "digests", "keys"} <= {d.where for d in found}
    assert any("linear.model" in d.text for d in found)
    assert {d.code for d in found} == {"moved"}


def test_there_may_be_no_lock_file(tmp_path):
    assert read_lock(tmp_path / LOCK_FILE) is None


def test_a_foreign_file_is_refused(tmp_path):
    for content, code in [
        (b"{", "file-unreadable"),
        (b"[]", "file-unreadable"),
        (b"\xff", "file-unreadable"),
        (b'{"lock": 9}', "unsupported-version"),
    ]:
        with told(content):
            (tmp_path / LOCK_FILE).write_bytes(content)
            with pytest.raises(sf.DiagnosticsError, match=code):
                read_lock(tmp_path / LOCK_FILE)


def test_a_loosened_target_is_seen(small):
    path = write_lock(sf.run(sf.load(small.file)), small.folder / LOCK_FILE)
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["at_most"] = 0.3
    small.set_definition(targets=targets)
    found = moved(read_lock(path), sf.run(sf.load(small.file)))
    assert [d.text for d in found if d.where == "targets"] == [
        "risk was at most 0.2 per demand at level 0.95 and is at most 0.3 per demand at level 0.95."
    ]


def test_each_project_file_has_its_own_lock_file(small):
    other = small.folder / "other.yaml"
    other.write_bytes(small.file.read_bytes())
    assert [lock_path(sf.load(path)).name for path in (small.file, other)] == ["surefoot.lock", "other.lock"]
