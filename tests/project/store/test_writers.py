"""Two runs at once, in processes of their own."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from surefoot.project import Store
from tests.project.store.making import array_of, evidence_of, key_of

ROOT = Path(__file__).parents[3]
SHARED = [f"shared {number}" for number in range(15)]
WRITER = """
import sys
from surefoot.project.store import Store
from tests.project.store.making import array_of, evidence_of, key_of

folder, own, names = sys.argv[1], sys.argv[2], sys.argv[3:]
print("ready", flush=True)
sys.stdin.readline()
store = Store.open(folder)
for name in [*names, *(f"{own} {name}" for name in names)]:
    store.put(key_of(name), evidence_of(name), step=name)
    store.put_array(key_of(name), array_of(name))
    store.record_look(key_of("data"), {"name": name})
    store.record_iteration(key_of("project"), {"name": name, "by": own})
    store.put(key_of("contested"), evidence_of(name), step="contested")
    got = store.get(key_of("contested"))
    assert got is not None, store.warnings
assert store.warnings == []
"""


@pytest.fixture
def both_wrote(tmp_path):
    """The folder of a store that two processes made and filled at the same time."""
    folder = tmp_path / "store"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, folder, own, *SHARED],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for own in ("first", "second")
    ]
    assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * 2
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate()[1] for writer in writers] == ["", ""]
    return folder


def test_two_runs_fill_one_store_without_harm(both_wrote):
    store = Store.open(both_wrote)
    names = [*SHARED, *(f"{own} {name}" for own in ("first", "second") for name in SHARED)]
    assert [finding for finding in store.verify() if finding.severity != "note"] == []
    for name in names:
        assert store.get(key_of(name)) == evidence_of(name)
        np.testing.assert_array_equal(store.get_array(key_of(name)), array_of(name))
    assert store.looks(key_of("data")) == len(names)
    numbers = sorted(look.number for look in store.ledger(key_of("data")))
    assert all(number >= place for place, number in enumerate(numbers, 1)), "no place is spent twice"
    kept = store.iterations(key_of("project"), lambda number, data: (data["by"], data["name"]), most=1000)
    assert sorted(kept) == sorted(
        (own, name) for own in ("first", "second") for name in [*SHARED, *(f"{own} {name}" for name in SHARED)]
    )
    assert [name for own, name in kept if own == "first"][: len(SHARED)] == SHARED
    assert store.get(key_of("contested")) in [evidence_of(f"{own} {SHARED[-1]}") for own in ("first", "second")]
    assert list((both_wrote / "tmp").iterdir()) == []
