import re

import numpy as np
import pytest
from tests.refusals import refusal

from surefoot import datasets
from surefoot.core import MissingData

FOLDER, FILE = "siemens_2d", "running_example.npz"


@pytest.fixture
def file(folder):
    """Where the file is looked for; not there yet."""
    return folder / FILE


def test_points_are_read_as_they_were_saved(file):
    x, y = np.array([[0.0, 1.0], [0.25, 0.5]]), np.array([1, 0], np.int8)
    np.savez(file, x=x, y=y)
    loaded = datasets.siemens_2d()
    assert (loaded.inputs == x).all()
    assert loaded.labels.tolist() == [1, 0]
    assert (loaded.inputs.dtype, loaded.labels.dtype) == (float, np.int64)


def test_missing_example_says_what_to_do(file):
    with pytest.raises(MissingData, match=r"lacks running_example\.npz.*arrays x \(n, 2\).*https://"):
        datasets.siemens_2d()
    file.parent.rmdir()
    with pytest.raises(MissingData, match=r"Set SUREFOOT_DATA.*arrays x \(n, 2\)"):
        datasets.siemens_2d()


def test_another_file_is_refused(file):
    for arrays, found in (
        ({"x": np.zeros((2, 2))}, "y is not a file"),
        ({"x": np.zeros((2, 3)), "y": np.zeros(2)}, "shape"),
        ({"x": np.zeros((2, 2)), "y": np.zeros(3)}, "shape"),
        ({"x": np.zeros((0, 2)), "y": np.zeros(0)}, "shape"),
        ({"x": np.full((2, 2), 1.5), "y": np.zeros(2)}, "outside the unit square"),
        ({"x": np.full((2, 2), np.nan), "y": np.zeros(2)}, "outside the unit square"),
        ({"x": np.zeros((2, 2)), "y": np.array([0, 2])}, r"labels \[0\.0, 2\.0\]"),
        ({"x": np.array([["a", "b"]]), "y": np.zeros(1)}, "could not convert"),
    ):
        np.savez(file, **arrays)
        assert re.search(found, refusal(MissingData, datasets.siemens_2d)), found


def test_a_broken_file_is_refused(file):
    file.write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(MissingData, match="cannot be read"):
        datasets.siemens_2d()


def test_the_set_is_in_the_catalogue(file):
    known = datasets.known("siemens_2d")
    assert known.folder == file.parent
    assert not known.files


def test_running_example_has_the_published_counts():
    try:
        datasets.locate(FOLDER)
    except MissingData as missing:
        pytest.skip(str(missing))
    loaded = datasets.siemens_2d()
    assert loaded.inputs.shape == (5000, 2)
    assert np.bincount(loaded.labels).tolist() == [2374, 2626]
    assert (loaded.inputs.min(), loaded.inputs.max()) == (0, 1)
