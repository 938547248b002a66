"""Columns of parquet files."""

import numpy as np
import pytest

from surefoot.adapters import load_data
from tests.adapters.problems import problem

pa = pytest.importorskip("pyarrow", reason="the parquet extra is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="the parquet extra is not installed")

SCORE = np.asarray([0.25, 0.75, 0.5, 0.125])


@pytest.fixture
def save(tmp_path):
    def save(columns, **options):
        pq.write_table(pa.table(columns), tmp_path / "d.parquet", **options)
        return {"path": "d.parquet", "folder": tmp_path}

    return save


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scores_keep_their_precision(save, dtype):
    data = load_data(**save({"score": SCORE.astype(dtype), "label": [0, 1, 1, 0]}), scores="score")
    assert data.scores.tolist() == np.column_stack([1 - SCORE, SCORE]).tolist()
    assert data.scores.dtype == (np.float64 if dtype == np.float64 else np.float32)
    assert (data.output, data.inputs) == ("probability", None)


def test_labels_of_every_type_are_numbered(save):
    for labels, classes in (
        (pa.array([3, 1, 3, 1], pa.int8()), ("1", "3")),
        (pa.array([True, False, True, False]), ("0", "1")),
        (pa.array([1.0, 0.0, 1.0, 0.0]), ("0", "1")),
        (pa.array(["b", "a", "b", "a"]), ("a", "b")),
        (pa.array(["b", "a", "b", "a"], pa.large_string()), ("a", "b")),
        (pa.array(["b", "a", "b", "a"]).dictionary_encode(), ("a", "b")),
    ):
        data = load_data(**save({"y": labels}))
        assert (data.classes, data.labels.tolist()) == (classes, [1, 0, 1, 0]), labels


def test_many_row_groups_with_different_texts_are_joined(save):
    words = [f"class {i // 3}" for i in range(30)]
    data = load_data(**save({"y": words}, row_group_size=4))
    assert [data.classes[i] for i in data.labels] == words


def test_lists_of_one_length_become_a_matrix(save):
    lists = pa.array([[0.2, 0.8]] * 3, pa.list_(pa.float32()))
    fixed = pa.FixedSizeListArray.from_arrays(np.arange(6.0), 2)
    data = load_data(**save({"p": lists, "x": fixed, "y": [0, 1, 1]}), scores="p", inputs="x")
    assert data.scores.shape == (3, 2)
    assert data.inputs.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_names_with_dots_and_other_columns_of_any_type_do_no_harm(save):
    source = save({"a.b": SCORE, "label": [0, 1, 1, 0], "other": [{"x": 1}] * 4})
    assert load_data(**source, scores="a.b").scores[:, 1].tolist() == SCORE.tolist()


def test_bad_columns_are_refused(save):
    for columns, code, match in (
        ({"x": [1.0, None], "y": [0, 1]}, "data-missing-values", "'x' has no value in row 1"),
        ({"x": [1.0, 2.0], "y": ["a", None]}, "data-missing-values", "'y' has no value in row 1"),
        ({"x": [1.0, np.inf], "y": [0, 1]}, "data-missing-values", "'x' has infinity"),
        ({"x": ["a", "b"], "y": [0, 1]}, "data-type", "'x' must hold numbers; found string"),
        ({"x": [{"a": 1}, {"a": 2}], "y": [0, 1]}, "data-type", "struct"),
        ({"x": [[1.0], [1.0, 2.0]], "y": [0, 1]}, "data-type", "different lengths"),
        ({"x": [[1.0, 2.0, 3.0], [4.0]], "y": [0, 1]}, "data-type", "different lengths"),
        ({"x": [[1.0, None], [1.0, 2.0]], "y": [0, 1]}, "data-type", "missing entries"),
        ({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int64())}, "data-empty", "no rows"),
        ({"x": [1.0], "y": [np.datetime64("2020-01-01", "s")]}, "data-type", "timestamp"),
    ):
        with problem(code, match):
            load_data(**save(columns))


def test_nulls_are_found_in_later_slices(save):
    values = pa.array([*range(300_000), None])
    with problem("data-missing-values", "row 300000"):
        load_data(**save({"x": values, "y": pa.array(np.zeros(300_001, int))}))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1"])
def test_damaged_files_are_unreadable(tmp_path, content):
    (tmp_path / "d.parquet").write_bytes(content)
    with problem("data-unreadable", r"d\.parquet"):
        load_data(path="d.parquet", folder=tmp_path)


def test_a_truncated_file_and_a_damaged_page_are_unreadable(tmp_path, save):
    source = save({"x": np.random.default_rng(0).random(5000), "y": np.zeros(5000, int)}, use_dictionary=False)
    content = (tmp_path / "d.parquet").read_bytes()
    (tmp_path / "d.parquet").write_bytes(content[:-100])
    with problem("data-unreadable"):
        load_data(**source)
    (tmp_path / "d.parquet").write_bytes(content[:4] + b"\xff" * 40 + content[44:])
    with problem("data-unreadable"):
        load_data(**source)


def test_a_path_that_is_not_utf8_is_read(tmp_path, save):
    save({"score": SCORE, "y": [0, 1, 1, 0]})
    (tmp_path / "d.parquet").rename(tmp_path / "caf\udce9.parquet")
    assert len(load_data(path="caf\udce9.parquet", scores="score", folder=tmp_path)) == 4
