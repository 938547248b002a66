"""What is written to npz, csv and parquet comes back."""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from surefoot.adapters import data_digest, load_data

pa = pytest.importorskip("pyarrow", reason="the parquet extra is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="the parquet extra is not installed")

numbers = st.floats(allow_nan=False, allow_infinity=False)
letters = st.characters(categories=["L", "P", "Sm"], exclude_characters="\0")
names = st.text(letters, min_size=1, max_size=12)


@st.composite
def rows(draw):
    count = draw(st.integers(1, 12))
    matrix = draw(arrays(np.float64, (count, draw(st.integers(1, 4))), elements=numbers))
    labels = draw(st.lists(names, min_size=count, max_size=count))
    return matrix, labels


def save_npz(path, matrix, labels):
    np.savez(path, **{f"c{i}": column for i, column in enumerate(matrix.T)}, y=labels)


def save_csv(path, matrix, labels):
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerow([*(f"c{i}" for i in range(matrix.shape[1])), "y"])
        writer.writerows([*map(repr, row.tolist()), label] for row, label in zip(matrix, labels, strict=True))


def save_parquet(path, matrix, labels):
    pq.write_table(pa.table({f"c{i}": c for i, c in enumerate(matrix.T)} | {"y": labels}), path)


@pytest.mark.parametrize("save", [save_npz, save_csv, save_parquet], ids=lambda save: save.__name__)
@given(rows())
@settings(max_examples=20, deadline=None)
def test_inputs_and_labels_come_back(save, content):
    matrix, labels = content
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"d.{save.__name__.removeprefix('save_')}"
        save(path, matrix, labels)
        columns = [f"c{i}" for i in range(matrix.shape[1])]
        data = load_data(path=path.name, inputs=columns, folder=Path(folder))
        digest = data_digest(path=path.name, folder=Path(folder))
    assert np.array_equal(data.inputs, matrix)
    assert [data.classes[number] for number in data.labels] == labels
    assert data.digest == digest
