"""Files are on the disk before they are seen, and what was left unfinished goes."""

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from surefoot.core import DiagnosticsError
from surefoot.documents import write_atomically
from surefoot.project import Store
from tests.project.store.making import array_of, evidence_of, filled, key_of

TWO_DAYS = 2 * 24 * 3600
SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def operations(monkeypatch):
    """Flushes and moves in the order in which they happen."""
    seen = []
    fsync, replace, mkdir = os.fsync, os.replace, os.mkdir

    def recording_fsync(descriptor):
        seen.append(("flush", os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    def recording_replace(source, target):
        seen.append(("move", str(source), str(target)))
        replace(source, target)

    def recording_mkdir(path, *args, **kwargs):
        seen.append(("make", str(path)))
        mkdir(path, *args, **kwargs)

    monkeypatch.setattr(os, "fsync", recording_fsync)
    monkeypatch.setattr(os, "replace", recording_replace)
    monkeypatch.setattr(os, "mkdir", recording_mkdir)
    return seen


def check_order(operations):
    """Each file is flushed before it is moved, its new folder after; each new folder is entered for good."""
    for at, operation in enumerate(operations):
        if operation[0] == "move":
            assert ("flush", operation[1]) in operations[:at]
            assert operations[at + 1] == ("flush", str(Path(operation[2]).parent))
        if operation[0] == "make":
            assert operations[at + 1] == ("flush", str(Path(operation[1]).parent))


def test_each_file_is_flushed_before_it_is_moved_and_its_folder_after(tmp_path, operations):
    store = filled(tmp_path / "deep" / "store")
    path = store.scratch() / "scores.npy"
    np.save(path, array_of("x"))
    store.adopt_array(key_of("x"), path)
    store.export(tmp_path / "all.zip")
    moves = [Path(operation[2]).name for operation in operations if operation[0] == "move"]
    assert moves[0] == "surefoot-store.json"
    assert len(moves) == 18
    records = [at for at, operation in enumerate(operations) if operation[0] == "move" and "keys/" in operation[2]]
    contents = [at for at, operation in enumerate(operations) if operation[0] == "move" and "objects/" in operation[2]]
    assert contents[0] < records[0]
    check_order(operations)


def test_an_error_of_a_flush_of_a_folder_is_told_unless_folders_cannot_be_flushed(tmp_path, monkeypatch):
    def failing(number):
        def fsync(descriptor):
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError(number, os.strerror(number))

        return fsync

    monkeypatch.setattr(os, "fsync", failing(errno.EINVAL))
    write_atomically(tmp_path / "a", b"content")
    assert (tmp_path / "a").read_bytes() == b"content"
    monkeypatch.setattr(os, "fsync", failing(errno.EIO))
    with pytest.raises(DiagnosticsError) as caught:
        write_atomically(tmp_path / "a", b"content")
    assert "Input/output" in str(caught.value)


def aged(path, seconds):
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))
    return path


def test_what_was_left_unfinished_goes_after_a_day(tmp_path):
    filled(tmp_path)
    unfinished = tmp_path / "tmp"
    for name in (".surefoot-old", ".surefoot-new", "mine"):
        (unfinished / name).write_text("half")
    for name in (".surefoot-old-folder", ".surefoot-busy-folder"):
        (unfinished / name).mkdir()
        (unfinished / name / "scores.npy").write_text("half")
    for name in (
        ".surefoot-old",
        "mine",
        ".surefoot-old-folder/scores.npy",
        ".surefoot-old-folder",
        ".surefoot-busy-folder",
    ):
        aged(unfinished / name, TWO_DAYS)
    Store.open(tmp_path)
    assert sorted(path.name for path in unfinished.iterdir()) == [".surefoot-busy-folder", ".surefoot-new", "mine"]


def test_writing_a_file_sweeps_beside_it(tmp_path):
    aged(write(tmp_path / ".surefoot-old"), TWO_DAYS)
    write(tmp_path / ".surefoot-new")
    write_atomically(tmp_path / "lock", b"content")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".surefoot-new", "lock"]


def write(path):
    path.write_text("half")
    return path


def test_a_file_is_replaced_whole(tmp_path):
    target = tmp_path / "new folder" / "lock"
    write_atomically(target, b"a long first content")
    with target.open("rb") as before:
        write_atomically(target, b"second")
        assert before.read() == b"a long first content"
    assert target.read_bytes() == b"second"
    assert [path.name for path in target.parent.iterdir()] == ["lock"]


def test_a_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "link").symlink_to(write(tmp_path / "mine"))
    write_atomically(tmp_path / "link", b"content")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "mine").read_bytes() == b"content"


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as reader:
        write_atomically(tmp_path / "pipe", b"content")
        assert reader.stdout.read() == b"content"
    assert (tmp_path / "pipe").is_fifo()


def test_files_get_the_usual_permissions(tmp_path):
    filled(tmp_path)
    ordinary = write(tmp_path / "ordinary").stat().st_mode
    files = [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]
    assert {path.stat().st_mode for path in files} == {ordinary}


@pytest.mark.skipif(
    not SHARED_MEMORY.is_dir() or SHARED_MEMORY.stat().st_dev == Path(__file__).stat().st_dev,
    reason="there is no second file system",
)
def test_a_file_on_another_disk_is_adopted(tmp_path):
    source = SHARED_MEMORY / f"surefoot-{tmp_path.name}-{os.getpid()}.npy"
    np.save(source, array_of("x"))
    store = Store.open(tmp_path)
    try:
        store.adopt_array(key_of("x"), source)
        assert not source.exists()
    finally:
        source.unlink(missing_ok=True)
    np.testing.assert_array_equal(store.get_array(key_of("x")), array_of("x"))
    assert store.verify() == []


def test_a_link_is_adopted_as_the_file_it_leads_to(tmp_path):
    np.save(tmp_path / "mine.npy", array_of("x"))
    (tmp_path / "link.npy").symlink_to(tmp_path / "mine.npy")
    store = Store.open(tmp_path / "store")
    store.adopt_array(key_of("x"), tmp_path / "link.npy")
    (tmp_path / "mine.npy").unlink()
    np.testing.assert_array_equal(store.get_array(key_of("x")), array_of("x"))


def test_a_scratch_folder_goes_with_the_file_that_is_adopted(tmp_path):
    store = Store.open(tmp_path)
    path = store.scratch() / "scores.npy"
    assert path.parent.stat().st_dev == tmp_path.stat().st_dev
    np.save(path, array_of("x"))
    store.adopt_array(key_of("x"), path)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_temporary_scratch_folder_goes_with_the_store():
    store = Store.open(None)
    folder = store.scratch()
    (folder / "half").write_text("half")
    del store
    assert not folder.exists()


def test_paths_need_not_be_text(tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9 \xff")
    store = filled(folder)
    again = Store.open(store.shared_location)
    assert again.get(key_of("a")) == evidence_of("a")
    np.testing.assert_array_equal(again.get_array(key_of("a")), array_of("a", rows=4))
    path = again.scratch() / "scores.npy"
    np.save(path, array_of("x"))
    again.adopt_array(key_of("x"), path)
    assert again.export(folder / os.fsdecode(b"all\xff.zip")).exists()
    assert again.location.endswith(r"caf\xe9 \xff")
    next((folder / "keys").rglob("*/*")).write_bytes(b"")
    messages = [*again.verify(), *Store.open(folder).warnings]
    "".join(map(str, messages)).encode()


def test_folders_that_others_make_meanwhile_are_fine(tmp_path, monkeypatch):
    mkdir = Path.mkdir

    def slower(path, *args, **kwargs):
        mkdir(path)
        mkdir(path, *args, **kwargs)

    monkeypatch.setattr(Path, "mkdir", slower)
    write_atomically(tmp_path / "a" / "b" / "file", b"content")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"content"


def test_a_store_moves_with_its_folder(tmp_path):
    filled(tmp_path / "here")
    shutil.move(tmp_path / "here", tmp_path / "there")
    store = Store.open(tmp_path / "there")
    assert store.get(key_of("a")) == evidence_of("a")
    assert store.verify() == []


def test_a_store_is_read_by_another_process(tmp_path):
    filled(tmp_path)
    script = "import sys; from surefoot.project import Store; print(len(Store.open(sys.argv[1]).entries()))"
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
