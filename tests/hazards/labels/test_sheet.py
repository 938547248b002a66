"""The sheet of rows to label, out and back."""

import csv
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import hazards
from surefoot.core import DiagnosticsError

ROW = hazards.labels.PlannedRow("net", "operation", "0123456789abcdef", 7, "cat", 0.75, "1 (most doubtful)", 0.0625)
HEAD = "component,digest,row,same as,label\n"


def problems(path):
    with pytest.raises(DiagnosticsError) as caught:
        hazards.labels.read_labels(path)
    return [(each.where, each.text) for each in caught.value.diagnostics]


def filled(path, labels):
    with open(path, encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with open(path, "w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": label} for row, label in zip(rows, labels, strict=True))


def test_no_cell_is_a_formula(tmp_path):
    hostile = hazards.labels.PlannedRow("=1+1", "@x", "0" * 12, 7, "-cmd", -0.5, "+s", 0.1, "\tid")
    hazards.labels.write_sheet([hostile], tmp_path / "labels.csv")
    with open(tmp_path / "labels.csv", encoding="utf-8-sig", newline="") as stream:
        cells = list(csv.reader(stream))[1]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: text == text.strip()))
@settings(max_examples=25, deadline=None)
def test_labels_come_back_as_they_were_given(tmp_path_factory, label):
    path = tmp_path_factory.mktemp("sheet") / "labels.csv"
    hazards.labels.write_sheet([ROW], path)
    filled(path, [f"'{label}" if label.lstrip("'").startswith(("=", "+", "-", "@")) else label])
    (found,) = hazards.labels.read_labels(path)
    assert (found.component, found.digest, found.row) == ("net", "0123456789ab", 7)
    assert found.label == (None if label == "?" else label)


def test_rows_without_a_label_are_named(tmp_path):
    hazards.labels.write_sheet([ROW], tmp_path / "labels.csv")
    ((where, text),) = problems(tmp_path / "labels.csv")
    assert where == "labels.csv:2"
    assert "row 7 has no label" in text


def test_a_copy_takes_the_label_of_the_first(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(f"{HEAD}net,d,1,,cat\nnet,d,2,1,\n")
    assert [row.label for row in hazards.labels.read_labels(path)] == ["cat", "cat"]


def test_all_problems_are_told_at_once(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(f"{HEAD}net,d,x,,cat\nnet,d,1,,cat\nnet,d,1,,cat\nnet,d,2,,\n")
    assert [where for where, _ in problems(path)] == ["labels.csv:2", "labels.csv:4", "labels.csv:5"]


def test_many_problems_are_counted(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(HEAD + "".join(f"net,d,{row},,\n" for row in range(100)))
    assert problems(path)[-1][1] == "and 80 more such rows."


def test_what_is_no_sheet_is_refused(tmp_path):
    path = tmp_path / "labels.csv"
    for text, code in [
        ("", "file-unreadable"),
        ("a,b\n1,2\n", "data-column"),
        ("component,digest,row,row,label\n", "data-column"),
        ("component,digest,row,label\nnet,d,1,a\x07\n", "data-column"),
        ('"\n', "data-unreadable"),
        ("\x00", "file-unreadable"),
    ]:
        path.write_text(text)
        with pytest.raises(DiagnosticsError) as caught:
            hazards.labels.read_labels(path)
        assert [each.code for each in caught.value.diagnostics] == [code], text


def test_columns_that_people_add_are_passed_over(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("note,component,digest,row,label,note\nx,net,d,1,cat,y\n,,,,\nshort,net,d,2,dog\n")
    assert [(row.row, row.label, row.line) for row in hazards.labels.read_labels(path)] == [
        (1, "cat", 2),
        (2, "dog", 4),
    ]


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes_are_read_or_refused_with_a_code(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("sheet") / "labels.csv"
    path.write_bytes(HEAD.encode() + content)
    with suppress(DiagnosticsError):
        hazards.labels.read_labels(path)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_sheets_of_spreadsheets_with_decimal_commas_are_read(tmp_path, separator):
    hazards.labels.write_sheet([ROW], tmp_path / "labels.csv")
    filled(tmp_path / "labels.csv", ["cat"])
    with open(tmp_path / "labels.csv", newline="") as stream:
        rows = [[cell.replace(".", ",") for cell in row] for row in csv.reader(stream)]
    with open(tmp_path / "labels.csv", "w", newline="") as stream:
        csv.writer(stream, delimiter=separator).writerows(rows)
    (found,) = hazards.labels.read_labels(tmp_path / "labels.csv")
    assert (found.row, found.label) == (7, "cat")
    assert found.drawn_from("1 (most doubtful)", 0.0625)
    assert not found.drawn_from("1 (most doubtful)", 0.0626)
