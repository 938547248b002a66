"""An export is a zip file that people can read, the same each time, and that cannot write outside its folder."""

import hashlib
import json
import zipfile
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import Artefact, DiagnosticsError, Evidence, InvalidInput
from surefoot.project import Store
from tests.core.strategies import names
from tests.project.store.making import evidence_of, filled, key_of, record_iterations

HOSTILE = ["../../etc/passwd", "/etc/passwd", "C:\\x", "..", ".", "", "a/b", "con", "a\x00b", "\u202egnp", "x" * 500]


@pytest.fixture
def store():
    return filled(None)


def members(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == len(set(archive.namelist()))
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_export_can_be_read_without_surefoot(store, tmp_path):
    found = members(store.export(tmp_path / "all.zip"))
    manifest = json.loads(found["manifest.json"])
    assert [entry["step"] for entry in manifest["evidence"]] == ["step a", "step b"]
    entry = manifest["evidence"][0]
    assert (entry["key"], entry["digest"]) == (key_of("a"), evidence_of("a").digest)
    text = found[f"{entry['folder']}/evidence.json"].decode()
    assert text.count("\n") > 20
    evidence = json.loads(text)
    assert evidence["estimates"] == evidence_of("a").to_dict()["estimates"]
    figure = evidence["artefacts"]["curve"]
    assert figure == {"media_type": "image/svg+xml", "file": "01-curve.svg"}
    assert found[f"{entry['folder']}/{figure['file']}"] == b"<svg>a</svg>"


def test_the_manifest_has_the_hash_of_every_other_file(store, tmp_path):
    found = members(store.export(tmp_path / "all.zip"))
    hashes = json.loads(found.pop("manifest.json"))["sha256"]
    assert hashes == {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}


def test_the_same_evidence_gives_the_same_bytes(store, tmp_path):
    first = store.export(tmp_path / "1.zip").read_bytes()
    other = Store.open(tmp_path / "store")
    for name in "ba":
        other.put(key_of(name), evidence_of(name), step=f"step {name}")
    record_iterations(other)
    assert other.export(tmp_path / "2.zip").read_bytes() == first


def test_chosen_keys_are_exported(store, tmp_path):
    found = members(store.export(tmp_path / "b.zip", [key_of("b"), key_of("b")]))
    assert [entry["step"] for entry in json.loads(found["manifest.json"])["evidence"]] == ["step b"]


def test_all_iterations_are_exported_with_all_evidence_and_none_with_some(store, tmp_path):
    found = members(store.export(tmp_path / "all.zip"))
    iterations = {name: json.loads(found[name]) for name in found if name.startswith("iterations/")}
    assert [(name.split("/")[2][:8], content) for name, content in iterations.items()] == [
        ("00000001", {"name": "a", "bound": 1 / 3}),
        ("00000002", {"name": "b", "bound": 1 / 3}),
    ]
    some = members(store.export(tmp_path / "b.zip", [key_of("b")]))
    assert not [name for name in some if name.startswith("iterations/")]


def test_an_empty_store_exports_an_empty_manifest(tmp_path):
    found = members(Store.open(None).export(tmp_path / "none.zip"))
    assert json.loads(found["manifest.json"])["evidence"] == []


def test_evidence_that_is_not_there_or_damaged_is_not_left_out_silently(store, tmp_path):
    with pytest.raises(DiagnosticsError, match=r"unknown-reference.*no such evidence"):
        store.export(tmp_path / "x.zip", [key_of("nothing")])
    with pytest.raises(InvalidInput):
        store.export(tmp_path / "x.zip", ["../x"])
    name = next(store.place.names("objects"))
    store.place.files[name] = b""
    with pytest.raises(DiagnosticsError, match="store-damaged"):
        store.export(tmp_path / "x.zip")
    assert list(tmp_path.iterdir()) == []


def exported_names(folder, steps, artefact_names, media_type):
    store = Store.open(None)
    artefacts = {name: Artefact(media_type, name.encode()) for name in artefact_names}
    for step in steps:
        store.put(key_of(step), Evidence((), artefacts=artefacts), step=step)
    return members(store.export(folder / "x.zip"))


def check_harmless(found, files):
    assert len(found) == files
    for name in found:
        parts = PurePosixPath(name).parts
        assert len(parts) <= 2
        assert all(part.isascii() and part.strip(".") and not set(part) & set(':\\/*?"<>|\x00') for part in parts)


@pytest.mark.parametrize("media_type", ["image/png", "../../x", "", "IMAGE/PNG; charset=x"])
def test_hostile_names_lead_nowhere(tmp_path, media_type):
    found = exported_names(tmp_path, HOSTILE, HOSTILE, media_type)
    check_harmless(found, 1 + len(HOSTILE) * (1 + len(HOSTILE)))
    assert {PurePosixPath(name).suffix for name in found} == {
        ".json",
        ".png" if "png" in media_type.lower() else ".bin",
    }


@given(st.sets(names, max_size=5))
@settings(max_examples=20, deadline=None)
def test_any_names_lead_nowhere(tmp_path_factory, artefact_names):
    folder = tmp_path_factory.mktemp("export")
    check_harmless(exported_names(folder, ["s"], artefact_names, "text/plain"), 2 + len(artefact_names))


def test_damaged_records_are_warned_about_and_not_listed(store):
    name = next(store.place.names("keys"))
    store.place.files[name] = b""
    assert len(store.entries()) == 1
    assert [warning.code for warning in store.warnings] == ["store-damaged"]
