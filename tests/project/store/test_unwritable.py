"""A full disk, a limit, a read-only folder, something in the way: a coded error, and the store stays sound."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from surefoot.core import DiagnosticsError
from surefoot.documents import write_atomically
from surefoot.project import Store
from tests.project.store.making import array_of, errors, filled, key_of

ROOT = Path(__file__).parents[3]
BEGIN = """
import mmap, os, resource, sys
from pathlib import Path
from surefoot.core import DiagnosticsError
from surefoot.project.store import Store
from tests.project.store.making import array_of, errors, evidence_of, filled, key_of

folder = Path(sys.argv[1])
def code_of(act):
    try:
        act()
    except DiagnosticsError as error:
        return f"{error.diagnostics[0].code}: {error}"
    return "no error"
"""
ATTEMPTS = """
store = Store.open(folder)
print(code_of(lambda: store.put_array(key_of("large"), array_of("large", rows=50_000))))
print(code_of(lambda: [store.put(key_of(n), evidence_of("x" * 20_000 + str(n)), step="s") for n in range(50)]))
print(code_of(lambda: store.export(folder / "all.zip")))
"""
CHECKS = """
assert errors(Store.open(folder)) == []
assert Store.open(folder).get(key_of("a")) == evidence_of("a")
assert Store.open(folder).get_array(key_of("large")) is None
assert list((folder / "tmp").iterdir()) == []
assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []
"""
MOUNT = 'mount -t tmpfs -o size=400k tmpfs "$1" && exec "$2" -c "$3" "$1"'
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")


def run(*command):
    done = subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def can_mount():
    unshare = shutil.which("unshare")
    with tempfile.TemporaryDirectory() as folder:
        command = [unshare, "--mount", "sh", "-c", f'mount -t tmpfs tmpfs "{folder}"']
        return unshare is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="this user may not mount a small file system")
def test_a_full_disk_is_told_and_leaves_the_store_sound(tmp_path):
    script = f"{BEGIN}filled(folder)\n{ATTEMPTS}{CHECKS}"
    told = run("unshare", "--mount", "sh", "-c", MOUNT, "sh", tmp_path, sys.executable, script)
    assert len(told) == 3
    assert all(line.startswith("store-unwritable: ") and "the disk is full" in line for line in told)


def test_a_limit_on_file_sizes_is_told_and_leaves_the_store_sound(tmp_path):
    limit = "filled(folder)\nresource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
    told = run(sys.executable, "-c", f"{BEGIN}{limit}{ATTEMPTS}{CHECKS}", tmp_path)
    assert [line.partition(":")[0] for line in told[:2]] == ["store-unwritable"] * 2
    assert all("larger than the system allows" in line for line in told[:2])


@pytest.fixture
def folder_of_root():
    """A store that everybody can read and only root can write; pytest's own folders are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        filled(folder / "store")
        yield folder


@needs_root
def test_a_folder_of_somebody_else_can_be_read_and_not_written(folder_of_root):
    script = """
os.setuid(65534)
store = Store.open(folder / "store")
print(store.get(key_of("a")) == evidence_of("a"), len(store.entries()), store.verify())
print(store.get_array(key_of("a")).shape)
print(code_of(lambda: store.put(key_of("new"), evidence_of("new"), step="s")))
print(code_of(store.scratch))
print(code_of(lambda: store.record_look(key_of("data"), {"new": 1})))
print(code_of(Store.open(folder / "new").prepare))
print(code_of(lambda: store.export(folder / "all.zip")))
"""
    read, shape, *told = run(sys.executable, "-c", BEGIN + script, folder_of_root)
    assert (read, shape) == ("True 2 []", "(4, 2)")
    assert len(told) == 5
    assert all(line.startswith("store-unwritable: ") and "permission is denied" in line for line in told)
    assert Store.open(folder_of_root / "store").verify() == []


@needs_root
def test_a_folder_that_may_not_be_read_is_an_error_and_not_an_empty_store(folder_of_root):
    script = """
os.setuid(65534)
print(code_of(lambda: Store.open(folder / "store")))
"""
    (folder_of_root / "store").chmod(0o700)
    [told] = run(sys.executable, "-c", BEGIN + script, folder_of_root)
    assert told.startswith("file-unreadable: ")
    (folder_of_root / "store").chmod(0o755)
    (folder_of_root / "store" / "keys").chmod(0o700)
    script += 'store = Store.open(folder / "store")\n'
    script += 'for act in (lambda: store.get(key_of("a")), store.entries, store.verify): print(code_of(act))'
    told = run(sys.executable, "-c", BEGIN + script, folder_of_root)
    assert told[0] == "no error"
    assert all(line.startswith("file-unreadable: ") for line in told[1:])


def test_a_file_in_place_of_the_store_is_told(tmp_path):
    (tmp_path / "store").write_text("mine")
    for location in (tmp_path / "store", tmp_path / "store" / "inside"):
        with pytest.raises(DiagnosticsError, match=r"store-unwritable.*a file stands where a folder should be"):
            Store.open(location).prepare()
    assert (tmp_path / "store").read_text() == "mine"


@pytest.mark.parametrize("name", ["objects", "keys", "looks", "tmp"])
def test_a_file_in_place_of_a_folder_of_the_store_is_told(tmp_path, name):
    Store.open(tmp_path).prepare()
    if name == "tmp":
        (tmp_path / name).rmdir()
    (tmp_path / name).write_text("mine")
    assert Store.open(tmp_path).get(key_of("new")) is None
    with pytest.raises(DiagnosticsError, match=r"store-unwritable.*a file stands where a folder should be"):
        filled(tmp_path)
    assert (tmp_path / name).read_text() == "mine"


def test_a_folder_in_place_of_a_file_is_told(tmp_path):
    store = filled(tmp_path)
    target = tmp_path / "report.html"
    (target / "inside").mkdir(parents=True)
    with pytest.raises(
        DiagnosticsError, match=r"report\.html.*store-unwritable.*a folder stands where a file should be"
    ):
        write_atomically(target, b"text")
    with pytest.raises(DiagnosticsError, match="a folder stands"):
        store.export(target)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_a_content_that_cannot_be_made_leaves_nothing_behind(tmp_path):
    store = filled(tmp_path)

    def fails(stream):
        stream.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.place.write("objects/half", fails)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert errors(store) == store.verify() == []
    assert store.get_array(key_of("a")).shape == array_of("a", rows=4).shape
