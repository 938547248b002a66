"""Files of recordings: whole or not at all, known by their key, and noticed where they are not what was made."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from surefoot import SurefootError
from surefoot.systems import records


@pytest.fixture
def part(tmp_path):
    made = records.Part(tmp_path / "recorded" / "0.parquet", "key", 0, 3)
    records.write(made, {"x": pa.array(list(range(3000)))}, {"system": "\u00fcber"})
    return made


def test_what_was_written_is_there_and_is_read(part):
    assert part.there
    assert records.read(part)["x"].to_pylist() == list(range(3000))
    assert records.names_in(part) == ["x"]
    assert json.loads(parquet.read_metadata(part.path).metadata[b"surefoot"]) == {"key": "key", "system": "\u00fcber"}


def test_nothing_but_the_file_is_left(part):
    assert [path.name for path in part.path.parent.iterdir()] == ["0.parquet"]


def test_a_file_of_another_key_is_not_there_and_not_read(part):
    other = records.Part(part.path, "other", 0, 3)
    assert not other.there
    with pytest.raises(SurefootError, match="not what the study made; found the recording of another study"):
        records.read(other)


@pytest.mark.parametrize("content", [None, b"", b"PAR1 and no more", "cut", "foreign"])
def test_a_missing_damaged_or_foreign_file_is_not_there(part, content):
    whole = part.path.read_bytes()
    if content is None:
        part.path.unlink()
    elif content == "foreign":
        parquet.write_table(pa.table({"x": [1]}), part.path)
    else:
        part.path.write_bytes(whole[:-5] if content == "cut" else content)
    assert not part.there
    with pytest.raises(SurefootError, match="Delete the file and run the study again"):
        records.read(part)


@pytest.mark.parametrize("about", [b"no json", b"[]", b'{"name": 1}'])
def test_a_file_whose_key_cannot_be_read_is_not_there(part, about):
    parquet.write_table(pa.table({"x": [1]}).replace_schema_metadata({b"surefoot": about}), part.path)
    assert not part.there


def test_a_flipped_bit_is_noticed(part):
    content = bytearray(part.path.read_bytes())
    content[200] ^= 1
    part.path.write_bytes(content)
    with pytest.raises(SurefootError, match="Delete the file"):
        records.read(part)


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(part, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(SurefootError, match=r"cannot be kept.*No space left"):
        records.write(part, {"x": pa.array([1])}, {})
    assert records.read(part)["x"].to_pylist() == list(range(3000))
    assert [path.name for path in part.path.parent.iterdir()] == ["0.parquet"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SurefootError, match="Make room there, or name another folder"):
        records.write(records.Part(tmp_path / "file" / "0.parquet", "key", 0, 1), {"x": pa.array([1])}, {})


def test_names_that_look_alike_have_folders_of_their_own():
    names = ["fog 3", "fog_3", "fog/3", "Fog_3", "fog", "..", "", "\u96fe 3", "\ud800", "x" * 300, "x" * 301, "-"]
    slugs = [records.slug(name) for name in names]
    assert len({slug.lower() for slug in slugs}) == len(names)
    assert all(slug and "/" not in slug and not slug.startswith(".") and len(slug) < 80 for slug in slugs)
