"""Arrays of npz files."""

import zipfile

import numpy as np
import pytest

from surefoot.adapters import load_data
from tests.adapters.problems import problem

X = np.arange(12.0).reshape(6, 2)
Y = np.asarray([0, 1, 1, 0, 2, 1])


@pytest.fixture
def save(tmp_path):
    def save(**arrays):
        np.savez(tmp_path / "d.npz", **arrays)
        return {"path": "d.npz", "folder": tmp_path}

    return save


def test_arrays_are_found_by_their_usual_names(save):
    data = load_data(**save(X=X, y=Y))
    assert np.array_equal(data.inputs, X)
    assert data.labels.tolist() == Y.tolist()
    assert (data.classes, data.labels.dtype, len(data)) == (("0", "1", "2"), np.int64, 6)


def test_arrays_are_found_by_the_names_given(save):
    source = save(pixels=X, truth=Y, patient=Y * 10, age=Y + 20.5, y=Y * 0)
    data = load_data(**source, inputs="pixels", labels="truth", groups="patient", attributes=["age"])
    assert data.labels.tolist() == Y.tolist()
    assert data.groups.tolist() == (Y * 10).tolist()
    assert data.attributes["age"].tolist() == (Y + 20.5).tolist()


def test_arrays_of_one_dimension_become_columns(save):
    data = load_data(**save(a=Y, b=Y * 2.0, y=Y), inputs=["a", "b"])
    assert data.inputs.tolist() == np.column_stack([Y, Y * 2]).tolist()


def test_inputs_stay_in_the_file_when_not_asked_for(save, tmp_path):
    source = save(X=X, y=Y)
    content = (tmp_path / "d.npz").read_bytes()
    position = content.index(X.tobytes())
    (tmp_path / "d.npz").write_bytes(content[:position] + bytes(8) + b"\xff" * 8 + content[position + 16 :])
    assert load_data(**source, with_inputs=False).inputs is None
    with problem("data-unreadable", "'X'.*CRC"):
        load_data(**source)


def test_text_inputs_pass(save):
    assert load_data(**save(X=np.asarray(["good", "bad"]), y=[0, 1])).inputs.tolist() == ["good", "bad"]


def test_bad_arrays_are_refused(save):
    for arrays, code, match in (
        ({"X": X, "y": Y[:5]}, "data-type", "X has 6, y has 5"),
        ({"X": X[:0], "y": Y[:0]}, "data-empty", "no rows"),
        ({"X": X, "y": np.asarray(1)}, "data-type", "'y' is one value"),
        ({"X": X - np.inf, "y": Y}, "data-missing-values", "'X' has infinity in row"),
        ({"X": np.where(X == 7, np.inf, X), "y": Y}, "data-missing-values", "row 3"),
        ({"X": X, "y": Y / 2}, "data-type", "whole numbers or text"),
        ({"X": X, "y": np.where(Y == 2, np.nan, Y)}, "data-missing-values", "row 4"),
        ({"X": X, "y": np.column_stack([Y, Y])}, "data-type", r"shape \(6, 2\)"),
        ({"X": X * 1j, "y": Y}, "data-type", "complex"),
        ({"X": X, "y": Y.astype("datetime64[s]")}, "data-type", "datetime"),
        ({"X": X, "y": np.asarray(["a", "", "b", "a", "a", "a"])}, "data-missing-values", "row 1"),
        ({"X": X, "y": Y.astype(np.uint64) + np.uint64(2**63)}, "data-type", "uint64"),
        ({"X": np.asarray([{}, 1, 2, 3, 4, 5], dtype=object), "y": Y}, "data-type", "Python objects"),
        ({"features": X, "target": Y}, "data-empty", "usual names"),
    ):
        with problem(code, match):
            load_data(**save(**arrays))


def test_every_missing_name_is_shown_with_a_suggestion(save):
    source = save(features=X, target=Y)
    with problem("data-column", r"(?s)2 problems.*'feature'.*'features'.*'targte'.*'target'"):
        load_data(**source, inputs="feature", labels="targte")


def test_objects_are_not_unpickled(tmp_path, save):
    class Bomb:
        def __reduce__(self):
            return open, (str(tmp_path / "exploded"), "w")

    with problem("data-type", "Python objects"):
        load_data(**save(X=X, y=np.asarray([Bomb()] * 6, dtype=object)))
    assert not (tmp_path / "exploded").exists()


def test_what_is_no_archive_is_unreadable(tmp_path):
    for content in (b"", b"text", b"PK\x05\x06" + bytes(10), b"\x93NUMPY\x01\x00"):
        (tmp_path / "d.npz").write_bytes(content)
        with problem("data-unreadable", r"d\.npz"):
            load_data(path="d.npz", folder=tmp_path)


def test_an_array_instead_of_an_archive_is_unreadable(tmp_path):
    np.save(tmp_path / "d.npy", X)
    (tmp_path / "d.npy").rename(tmp_path / "d.npz")
    with problem("data-unreadable", "one array"):
        load_data(path="d.npz", folder=tmp_path)


def test_a_header_that_was_cut_off_or_changed_is_unreadable(tmp_path, save):
    source = save(y=Y)
    with zipfile.ZipFile(tmp_path / "d.npz") as archive:
        whole = archive.read("y.npy")
    for content in (
        *(whole[:end] for end in range(0, 128, 7)),
        whole.replace(b"6", b"(("),
        whole.replace(b"6,", b"9**9,"),
    ):
        with zipfile.ZipFile(tmp_path / "d.npz", "w") as archive:
            archive.writestr("y.npy", content)
        with problem("data-unreadable", "y"):
            load_data(**source)


def test_an_archive_of_other_files_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as archive:
        archive.writestr("y", "no array")
    with problem("data-unreadable", "'y' is no array"):
        load_data(path="d.npz", folder=tmp_path)


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path, save):
    source = save(y=Y)
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as archive, archive.open("y.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<i8", "fortran_order": False, "shape": (2**50,)})
    with problem("data-unreadable", "memory|y"):
        load_data(**source)


@pytest.mark.parametrize("name", ["d.txt", "d.npy", "d"])
def test_other_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"1")
    with problem("data-unreadable", r"\.npz, \.csv, \.parquet"):
        load_data(path=name, folder=tmp_path)


def test_a_path_that_is_not_utf8_is_read_and_shown(tmp_path, save):
    save(X=X, y=Y[:5])
    (tmp_path / "d.npz").rename(tmp_path / "caf\udce9.npz")
    with problem("data-type", r"caf\\udce9\.npz") as caught:
        load_data(path="caf\udce9.npz", folder=tmp_path)
    str(caught.value).encode()
    with problem("file-missing", r"caf\\udce8") as caught:
        load_data(path="caf\udce8.npz", folder=tmp_path)
    str(caught.value).encode()
