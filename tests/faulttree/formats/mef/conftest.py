"""SCRAM, where it is installed."""

import shutil

import pytest
from tests.faulttree.formats.mef.scram import EXAMPLES


@pytest.fixture(scope="session")
def scram():
    if shutil.which("scram") is None:
        pytest.skip("SCRAM is not installed")


@pytest.fixture(scope="session")
def examples(scram):
    if not EXAMPLES.is_dir():
        pytest.skip("the examples of SCRAM are not installed")
    return EXAMPLES
