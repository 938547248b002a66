"""Stores behind URLs: what is particular to them."""

import os
import sys

import fsspec
import numpy as np
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from surefoot.core import DiagnosticsError, MissingExtra
from surefoot.project import Store
from tests.project.store.making import array_of, evidence_of, filled, key_of, unused_memory_url


class Unreliable(MemoryFileSystem):
    """A file system that loses its connection, with an exception of its own."""

    protocol = "unreliable"
    store, pseudo_dirs = {}, [""]
    broken = False

    def pipe_file(self, path, value, **kwargs):
        if Unreliable.broken:
            raise RuntimeError("connection lost")
        return super().pipe_file(path, value, **kwargs)

    def cat_file(self, path, **kwargs):
        if Unreliable.broken == "reading":
            raise RuntimeError("connection lost")
        return super().cat_file(path, **kwargs)


@pytest.fixture
def unreliable(monkeypatch):
    fsspec.register_implementation("unreliable", Unreliable, clobber=True)
    monkeypatch.setattr(Unreliable, "store", {})
    monkeypatch.setattr(Unreliable, "broken", False)
    return filled("unreliable://store")


def test_exceptions_of_a_file_system_become_coded_errors(unreliable, monkeypatch):
    monkeypatch.setattr(Unreliable, "broken", True)
    with pytest.raises(DiagnosticsError, match=r"unreliable://store.*store-unwritable.*connection lost"):
        unreliable.put(key_of("new"), evidence_of("new"), step="s")
    monkeypatch.setattr(Unreliable, "broken", "reading")
    assert unreliable.get(key_of("a")) is None
    assert "connection lost" in unreliable.warnings[0].text
    monkeypatch.setattr(Unreliable, "broken", False)
    assert unreliable.get(key_of("a")) == evidence_of("a")
    assert unreliable.verify() == []


def test_a_move_that_fails_leaves_nothing_unfinished(tmp_path, monkeypatch):
    store = filled(f"file://{tmp_path}")

    def failing(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LocalFileSystem, "mv", failing)
    with pytest.raises(DiagnosticsError, match="the disk is full"):
        store.put_array(key_of("new"), array_of("new"))
    assert list((tmp_path / "tmp").iterdir()) == []
    assert store.verify() == []


def test_files_are_sent_under_another_name_and_then_moved(tmp_path, monkeypatch):
    sent = []
    pipe_file = LocalFileSystem.pipe_file
    monkeypatch.setattr(
        LocalFileSystem, "pipe_file", lambda fs, path, value: (sent.append(path), pipe_file(fs, path, value))
    )
    filled(f"file://{tmp_path}")
    assert sent
    assert all(path.startswith(f"{tmp_path}/tmp/.surefoot-") for path in sent)


def test_what_was_left_unfinished_goes_after_a_day(tmp_path):
    url = f"file://{tmp_path}"
    filled(url)
    for name, age in [
        (".surefoot-old", 2 * 24 * 3600),
        (".surefoot-new", 0),
        ("mine", 2 * 24 * 3600),
    ]:
        path = tmp_path / "tmp" / name
        path.write_text("half")
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    Store.open(url)
    assert sorted(path.name for path in (tmp_path / "tmp").iterdir()) == [".surefoot-new", "mine"]


def test_a_folder_inside_a_memory_file_system_is_a_store_of_its_own():
    url = unused_memory_url()
    filled(f"{url}/one")
    other = Store.open(f"{url}/two/deep/")
    assert other.entries() == []
    other.put_array(key_of("x"), array_of("x"))
    np.testing.assert_array_equal(Store.open(f"{url}/two/deep").get_array(key_of("x")), array_of("x"))
    with pytest.raises(DiagnosticsError, match="is no evidence store"):
        Store.open(url)


def test_unknown_urls_are_told():
    with pytest.raises(DiagnosticsError, match=r"wrong-value.*nonsense"):
        Store.open("nonsense://x")


def test_a_missing_package_of_a_file_system_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "paramiko", None)
    monkeypatch.delitem(sys.modules, "fsspec.implementations.sftp", raising=False)
    with pytest.raises(DiagnosticsError, match=r"missing-extra.*paramiko"):
        Store.open("sftp://host/x")


def test_a_missing_fsspec_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtra, match=r"surefoot\[remote\]"):
        Store.open("memory://x")
