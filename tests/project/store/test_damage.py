"""Whatever is not as it was written is found, counts as absent, and is mended by putting it again."""

import hashlib
import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surefoot.core import DiagnosticsError, digest
from surefoot.documents import json
from surefoot.project import Store
from tests.project.store.making import array_of, errors, evidence_of, filled, key_of
from tests.refusals import told

KINDS = ["objects", "keys", "arrays", "array-keys", "looks", "iterations", "surefoot-store.json"]
MOST_POSITIONS = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    filled(folder)
    return folder


@pytest.fixture
def store(tmp_path):
    return filled(tmp_path)


def files_of(folder, kind):
    return sorted(path for path in folder.rglob("*") if path.is_file() and kind in path.relative_to(folder).parts)


def one_of(store, kind):
    return files_of(store.place.root, kind)[0]


def findings_with(path, content):
    """What ``verify``, or already opening the store, finds when a file has another content."""
    before = path.read_bytes()
    path.write_bytes(content)
    try:
        store = Store.open(next(p for p in path.parents if (p / "surefoot-store.json").exists()))
        return errors(store)
    except DiagnosticsError as error:
        return list(error.diagnostics)
    finally:
        path.write_bytes(before)


def test_a_flipped_bit_is_found_wherever_it_is(folder):
    for kind in KINDS:
        with told(kind):
            path = files_of(folder, kind)[0]
            content = path.read_bytes()
            step = max(1, len(content) // MOST_POSITIONS)
            for position in range(0, len(content), step):
                flipped = bytearray(content)
                flipped[position] ^= 1 << (position % 8)
                found = findings_with(path, bytes(flipped))
                assert found, f"byte {position} of {path.name}"
                assert any(path.name in finding.where for finding in found) or found[0].code == "store-newer"


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_other_content_is_found(folder, data):
    path = data.draw(st.sampled_from([path for kind in KINDS for path in files_of(folder, kind)]))
    content = path.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    changed = content[:start] + data.draw(st.binary(max_size=8)) + content[end:]
    assert bool(findings_with(path, changed)) == (changed != content)


def test_an_intact_store_has_no_findings(folder):
    assert Store.open(folder).verify() == []


@pytest.mark.parametrize("kind", ["objects", "keys"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 100_000, b'{"key": 1}', b"null"])
def test_damaged_evidence_is_absent_with_a_warning_and_mended_by_putting_it(store, kind, content):
    for path in files_of(store.place.root, kind):
        path.write_bytes(content)
    assert store.get(key_of("a")) is None
    assert store.get(key_of("a")) is None
    [warning] = store.warnings
    assert (warning.code, warning.severity) == ("store-damaged", "warning")
    store.put(key_of("a"), evidence_of("a"), step="step a")
    assert store.get(key_of("a")) == evidence_of("a")


@pytest.mark.parametrize("kind", ["arrays", "array-keys"])
def test_a_damaged_array_is_absent_with_a_warning_and_mended_by_putting_it(store, kind):
    for path in files_of(store.place.root, kind):
        path.write_bytes(path.read_bytes()[:-1])
    assert store.get_array(key_of("a")) is None
    assert [warning.code for warning in store.warnings] == ["store-damaged"]
    store.put_array(key_of("a"), array_of("a", rows=4))
    np.testing.assert_array_equal(store.get_array(key_of("a")), array_of("a", rows=4))


def test_mending_replaces_a_file_and_leaves_what_is_mapped_alone(store):
    mapped = store.get_array(key_of("a"))
    record = json.loads((store.place.root / "array-keys" / key_of("a")[:2] / key_of("a")).read_bytes())
    path = store.place.root / "arrays" / record["sha256"][:2] / f"{record['sha256']}.npy"
    path.unlink()
    path.write_bytes(b"damaged")
    damaged = path.open("rb")
    store.put_array(key_of("a"), array_of("a", rows=4))
    with damaged:
        assert damaged.read() == b"damaged"
    np.testing.assert_array_equal(mapped, array_of("a", rows=4))
    np.testing.assert_array_equal(store.get_array(key_of("a")), mapped)


def test_a_missing_object_is_found_and_counts_as_absent(store):
    shutil.rmtree(store.place.root / "objects")
    assert store.get(key_of("a")) is None
    assert "missing" in store.warnings[0].text
    assert [finding.code for finding in errors(store)] == ["store-damaged"] * 2


def test_missing_records_leave_notes_only(store):
    shutil.rmtree(store.place.root / "keys")
    shutil.rmtree(store.place.root / "array-keys")
    assert [(f.severity, "No record" in f.text) for f in store.verify()] == [("note", True)] * 4


def test_leftovers_are_checked_too(store):
    shutil.rmtree(store.place.root / "keys")
    one_of(store, "objects").write_bytes(b"{}")
    assert len(errors(store)) == 1


def test_a_record_under_another_key_is_found(store):
    path = one_of(store, "keys")
    other = store.place.root / "keys" / key_of("other")[:2] / key_of("other")
    other.parent.mkdir(exist_ok=True)
    shutil.copy(path, other)
    assert store.get(key_of("other")) is None
    assert [other.name in finding.where for finding in errors(store)] == [True]


def test_a_look_under_other_data_is_found(store):
    path = one_of(store, "looks")
    other = path.parents[1] / key_of("other") / path.name
    other.parent.mkdir()
    shutil.copy(path, other)
    assert len(errors(store)) == 1


def test_a_damaged_look_still_counts(store):
    one_of(store, "looks").write_bytes(b"")
    assert store.looks(key_of("data")) == 2


def test_a_look_that_was_claimed_and_not_entered_gets_its_number_later(store):
    data = key_of("data")
    assert store.claim_look(data, {"step": "c"}) == (3, None)
    assert store.record_look(data, {"step": "d"}) == 4
    assert store.record_look(data, {"step": "c"}) == 4
    assert store.verify() == []


def test_an_entry_that_is_damaged_or_under_another_name_is_found(store):
    entry = next(path for path in files_of(store.place.root, "looks") if "-" in path.name)
    shutil.copy(entry, entry.with_name(f"00000009-{entry.name.partition('-')[2]}"))
    assert len(errors(store)) == 1


def test_a_damaged_look_is_mended_by_recording_it(store):
    for path in files_of(store.place.root, "looks"):
        path.write_bytes(b"")
    for name in "ab":
        store.record_look(key_of("data"), {"step": name, "level": 0.95})
    assert store.verify() == []


def rewritten(store, name, key, **changes):
    """Replace a record by an intact one that says something else."""
    path = store.place.root / name / key[:2] / key
    record = {**json.loads(path.read_bytes()), **changes}
    del record["checksum"]
    path.write_text(json.dumps({**record, "checksum": digest(record)}) + "\n")
    return key


def added(store, name, content, suffix=""):
    """Put a content into the store under its own hash."""
    sha256 = hashlib.sha256(content).hexdigest()
    path = store.place.root / name / sha256[:2] / f"{sha256}{suffix}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return sha256


def test_a_digest_that_is_not_the_evidences_is_found(store):
    rewritten(store, "keys", key_of("a"), digest=key_of("wrong"))
    assert ["digest its record states" in finding.text for finding in errors(store)] == [True]


def test_intact_files_that_hold_no_evidence_are_found(store):
    sha256 = added(store, "objects", b'{"estimates": []}\n')
    key = rewritten(store, "keys", key_of("a"), sha256=sha256)
    assert store.get(key) is None
    assert ["no evidence" in finding.text for finding in errors(store)] == [True]


def test_intact_files_that_hold_no_array_are_found(store):
    sha256 = added(store, "arrays", b"no array", ".npy")
    key = rewritten(store, "array-keys", key_of("a"), sha256=sha256, size=len(b"no array"))
    assert store.get_array(key) is None
    assert ["no array" in finding.text for finding in errors(store)] == [True]


def test_a_record_that_leads_out_of_the_store_is_not_followed(store):
    key = rewritten(store, "keys", key_of("a"), sha256="../../../etc/hostname")
    assert store.get(key) is None
    assert len(errors(store)) == 1


def test_foreign_files_are_told_and_do_no_harm(store):
    for name in [
        "notes.txt",
        "objects/aa/notes.txt",
        "objects/ab/" + "aa" * 32,
        "keys/" + "aa" * 32,
        "looks/x",
        "arrays/aa/" + "aa" * 32,
        "looks/" + "aa" * 32 + "/.DS_Store",
        b"keys/\xff\xfe",
    ]:
        with told(name):
            path = store.place.root / (name.decode(errors="surrogateescape") if isinstance(name, bytes) else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"mine")
            [finding] = store.verify()
            assert (finding.severity, finding.text) == ("warning", "This file is not of the store.")
            finding.where.encode()
            assert len(store.entries()) == 2
            assert store.looks(key_of("data")) == 2
            path.unlink()


def test_a_linked_folder_is_told(store, tmp_path_factory):
    (store.place.root / "linked").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    assert [finding.severity for finding in store.verify()] == ["warning"]


def test_a_damaged_marker_is_told_and_written_anew(store):
    for content in [b"", b"{}", b'{"version": "1"}', b'{"version": 0}', b"[" * 100_000]:
        with told(content):
            marker = store.place.root / "surefoot-store.json"
            before = marker.read_bytes()
            marker.write_bytes(content)
            again = Store.open(store.place.root)
            assert [warning.code for warning in again.warnings] == ["store-damaged"]
            assert again.get(key_of("a")) == evidence_of("a")
            again.prepare()
            assert marker.read_bytes() == before
            assert again.verify() == []


def test_a_marker_that_disappeared_is_told(store):
    (store.place.root / "surefoot-store.json").unlink()
    assert ["missing" in finding.text for finding in errors(store)] == [True]


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("version", [2, 10])
def test_a_store_of_a_newer_version_is_refused_and_not_touched(store, version):
    folder = store.place.root
    (folder / "surefoot-store.json").write_text(f'{{"version": {version}, "new": true}}')
    before = contents(folder)
    for location in (folder, f"file://{folder}"):
        with pytest.raises(DiagnosticsError, match=rf"store-newer.*version {version}.*Upgrade"):
            Store.open(location)
    with pytest.raises(DiagnosticsError, match="store-newer"):
        store.put(key_of("new"), evidence_of("new"), step="s")
    assert contents(folder) == before


def test_a_folder_of_other_things_is_refused_and_not_touched(tmp_path):
    (tmp_path / "photo.png").write_bytes(b"mine")
    for location in (tmp_path, f"file://{tmp_path}"):
        with pytest.raises(DiagnosticsError, match="is no evidence store"):
            Store.open(location)
    assert [path.name for path in tmp_path.iterdir()] == ["photo.png"]


def test_a_file_that_cannot_be_read_back_is_damaged(store, monkeypatch):
    def broken(name):
        raise OSError(5, "Input/output error")

    key = key_of("a")
    monkeypatch.setattr(type(store.place), "read", lambda place, name: broken(name))
    assert store.get(key) is None
    assert "Input/output error" in store.warnings[0].text
