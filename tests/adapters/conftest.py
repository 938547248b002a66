"""A small binary problem and models of it."""

import signal

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression


@pytest.fixture(scope="session")
def inputs():
    return np.random.default_rng(0).normal(size=(60, 4))


@pytest.fixture(scope="session")
def labels(inputs):
    return np.where(inputs[:, 0] + inputs[:, 1] > 0, "malignant", "benign")


@pytest.fixture(scope="session")
def classifier(inputs, labels):
    return LogisticRegression().fit(inputs, labels)


@pytest.fixture
def write(tmp_path):
    """Write a Python file into the project folder."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.fixture
def ctrl_c():
    """Processes started here heed Ctrl-C, also where this one was started in the background and does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
