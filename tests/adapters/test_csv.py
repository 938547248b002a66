"""Columns of csv files."""

import pytest

from surefoot.adapters import load_data
from tests.adapters.problems import problem

TEXT = "age,size,patient,label\n40,1.5,a,benign\n50,2.5,b,malignant\n60,-1e2,a,benign\n"


@pytest.fixture
def save(tmp_path):
    def save(text):
        (tmp_path / "d.csv").write_bytes(text.encode() if isinstance(text, str) else text)
        return {"path": "d.csv", "folder": tmp_path}

    return save


def test_columns_get_the_part_they_are_given(save):
    data = load_data(**save(TEXT), inputs=["age", "size"], labels="label", groups="patient", attributes=["age"])
    assert data.inputs.tolist() == [[40, 1.5], [50, 2.5], [60, -100]]
    assert (data.labels.tolist(), data.classes) == ([0, 1, 0], ("benign", "malignant"))
    assert data.groups[0] == data.groups[2] != data.groups[1]
    assert data.attributes["age"].tolist() == [40, 50, 60]


def test_inputs_are_all_other_columns_by_default(save):
    assert load_data(**save(TEXT), groups="patient").inputs.shape == (3, 2)
    with problem("data-type", r"d\.csv:2.*'patient' has 'a', which is no number.*under inputs.*groups"):
        load_data(**save(TEXT))


def test_columns_that_are_not_asked_for_may_hold_anything(save):
    source = save("score,junk,y\n0.1,,0\n0.9,x,1\n")
    data = load_data(**source, scores="score", with_inputs=False)
    assert data.scores[:, 1].tolist() == [0.1, 0.9]


def test_one_text_column_goes_to_the_model_as_text(save):
    data = load_data(**save("text,y\ngood,1\nnot good,0\n"), inputs="text")
    assert data.inputs.tolist() == ["good", "not good"]


def test_a_byte_order_mark_quotes_and_line_breaks_in_fields_are_read(save):
    data = load_data(**save('﻿"y",note\r\n"a, b","two\r\nlines"\r\n\r\n"say ""no""",x\r\n'), attributes=["note"])
    assert data.classes == ("a, b", 'say "no"')
    assert data.attributes["note"].tolist() == ["two\r\nlines", "x"]


def test_labels_are_numbers_only_where_that_loses_nothing(save):
    for cells, classes in (
        ("007 008", ("007", "008")),
        ("1_0 2_0", ("1_0", "2_0")),
        ("1.0 2.0", ("1", "2")),
        ("-1 +1", ("-1", "1")),
        ("10 9", ("9", "10")),
        ("10 b", ("10", "b")),
        ("99999999999999999999 1", None),
        ("١ ٢", ("١", "٢")),
    ):
        source = save("y\n" + "\n".join(cells.split()) + "\n")
        if classes is None:
            with problem("data-type", "whole numbers"):
                load_data(**source)
        else:
            assert load_data(**source).classes == classes, cells


def test_bad_files_are_refused_with_the_line(save):
    for text, code, match in (
        ("", "data-empty", "header"),
        ("\n\n", "data-empty", "header"),
        ("x,y\n", "data-empty", "no rows"),
        ("x,y\n1,0\n2\n", "data-unreadable", r"d\.csv:3.*2 columns.*has 1"),
        ("x,y\n1,0,5\n", "data-unreadable", r"d\.csv:2.*has 3"),
        ("x,y\n1,0\n\n,1\n", "data-missing-values", r"d\.csv:4.*'x' is empty"),
        ("x,y\n1, \n", "data-missing-values", r"d\.csv:2.*'y' is empty"),
        ("x,y\n1,0\nnan,1\n", "data-missing-values", r"d\.csv:3.*'nan'"),
        ("x,y\n1e400,1\n", "data-missing-values", r"d\.csv:2.*'1e400'"),
        ("x,y\n1,0\nNA,1\n", "data-type", r"d\.csv:3.*'x' has 'NA'"),
        ("x,y\n1_0,1\n", "data-type", r"d\.csv:2.*1_0"),
        ("x,y,x\n1,0,1\n", "data-column", r"d\.csv:1.*same name: x"),
        ("x;y\n1;0\n", "data-unreadable", "commas"),
        ('x,y\n"1,0\n2,1\n', "data-unreadable", r"d\.csv:\d.*end of data"),
        ('x,y\n"1"2,0\n', "data-unreadable", r"d\.csv:2"),
        (b"x,y\n1,0\n\xff\xfe,1\n", "data-unreadable", r"d\.csv:3.*UTF-8"),
        ("x,y\n" + "1" * 200_000 + ",0\n", "data-missing-values", r"d\.csv:2"),
        ("x,y\n1,<b>\0</b>\n", "data-classes", r"\\x00"),
        ("x,y\n1," + "a" * 2000 + "\n", "data-classes", "name of a class"),
    ):
        with problem(code, match):
            load_data(**save(text))


def test_long_text_in_an_attribute_is_refused(save):
    with problem("data-type", "1000 characters"):
        load_data(**save(f"y,note\n0,{'a' * 2000}\n1,b\n"), attributes=["note"])
