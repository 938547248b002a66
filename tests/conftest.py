"""How the whole suite runs: the longest files come first, since ``make test`` gives each file to one worker."""

import gc
import os
import sys

import pytest
from hypothesis import settings

# Each core has its worker, so that pools of threads would wait for each other; NumPy reads this when it is loaded.
for pool in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{pool}_NUM_THREADS", "1")

# Without its cache every process of a run, and the tests start hundreds, would compile the sources again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("suite", max_examples=30, deadline=None)
settings.load_profile("suite")

LONGEST_FIRST = ("test_documents.py", "examples", "cli", "test_frozen.py", "project", "reliability", "monitors")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without looking for garbage: what is collected stays, and is never looked at again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_teardown():
    """Close what a test drew, or the figures of a whole worker would be open at once."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def pytest_collection_modifyitems(items):
    items.sort(key=place)


def place(item):
    """Where a test stands in the queue; a long file at the end would leave the other worker idle."""
    first = item.nodeid.removeprefix("tests/").partition("::")[0].partition("/")[0]
    return LONGEST_FIRST.index(first) if first in LONGEST_FIRST else len(LONGEST_FIRST)
