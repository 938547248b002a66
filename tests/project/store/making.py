"""Evidence, arrays and stores for the tests of the store; imported by processes that are killed, too."""

import hashlib
from uuid import uuid4

import numpy as np

from surefoot.core import Artefact, Estimate, Evidence, Table
from surefoot.project import Store


def key_of(name):
    return hashlib.sha256(str(name).encode()).hexdigest()


def evidence_of(name):
    """Evidence that differs from name to name, in every kind of content."""
    number = int(key_of(name)[:8], 16)
    return Evidence(
        (Estimate("failure probability", number / 2**32, scope=str(name)),),
        tables={"counts": Table(("n", "share"), ((number, 1 / (number + 3)), (0, float("inf"))))},
        artefacts={"curve": Artefact("image/svg+xml", f"<svg>{name}</svg>".encode())},
    )


def array_of(name, rows=1000):
    return np.random.default_rng(int(key_of(name)[:8], 16)).random((rows, 2))


def filled(location):
    """A store with some of everything."""
    store = Store.open(location)
    for name in ("a", "b"):
        store.put(key_of(name), evidence_of(name), step=f"step {name}")
        store.put_array(key_of(name), array_of(name, rows=4))
        store.record_look(key_of("data"), {"step": name, "level": 0.95})
    record_iterations(store)
    return store


def record_iterations(store):
    """Two iterations of a project, once."""
    if not store.iterations(key_of("project"), lambda number, data: number, most=1):
        for name in ("a", "b"):
            store.record_iteration(key_of("project"), {"name": name, "bound": 1 / 3})


def unused_memory_url():
    return f"memory://{uuid4().hex}"


def errors(store):
    return [finding for finding in store.verify() if finding.severity == "error"]
