"""Where the Aralia fault trees lie."""

from pathlib import Path

import pytest

from surefoot.core import MissingData
from surefoot.datasets import locate


@pytest.fixture(scope="session")
def aralia() -> Path:
    try:
        return locate("aralia")
    except MissingData as error:
        pytest.skip(str(error))
