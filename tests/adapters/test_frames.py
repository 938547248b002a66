"""Frames of pandas, polars and pyarrow: what stays as it is, what belongs to the digest, and what is refused where."""

import datetime
from decimal import Decimal

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from surefoot.adapters import Arrays, Frame, arrays_digest, as_data, as_model, load_data, make_isolated, scored
from surefoot.core import DiagnosticsError
from tests.adapters.problems import problem

KINDS = ["pandas", "polars", "pyarrow"]
MIXED = pd.DataFrame(
    {
        "mass": [3.5, np.nan, 4.0, 3.5],
        "count": [1, 2, 3, 1],
        "sex": ["f", None, "m", "f"],
        "size": pd.Categorical(["small", "large", None, "small"], categories=["small", "medium", "large"]),
        "tagged": [True, False, True, True],
        "day": pd.to_datetime(["2026-01-01", None, "2026-01-03", "2026-01-01"]),
    }
)
LABELS = ["a", "b", "a", "b"]


def of_kind(kind, frame=MIXED):
    """The same rows as a frame of a library."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if kind != "polars":
        return frame if kind == "pandas" else table
    wide = pl.from_pandas(frame)
    if "size" in frame and frame["size"].dtype == "category":
        return wide.with_columns(pl.col("size").cast(pl.Enum(list(frame["size"].cat.categories))))
    return wide


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_stays_what_it_is_on_its_way_to_a_function(kind):
    seen = []

    def model(rows):
        seen.append(rows)
        return np.zeros(len(rows), dtype=int)

    data = as_data((of_kind(kind), [0, 1, 0, 1]))
    scored(as_model(model), data, batch_size=3)
    assert [len(rows) for rows in seen] == [3, 1]
    given = Frame(seen[0])
    assert (given.kind, given.names) == (kind, tuple(MIXED.columns))
    assert type(seen[0]) is type(of_kind(kind))
    if kind == "pandas":
        pd.testing.assert_frame_equal(seen[0], MIXED[:3])
    elif kind == "polars":
        assert seen[0].equals(of_kind(kind)[:3])
    else:
        assert seen[0].equals(of_kind(kind)[:3])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_chosen_and_compared_alike_in_all_libraries(kind):
    frame = Frame(of_kind(kind))
    assert frame.missing("mass").tolist() == [False, True, False, False]
    assert frame.missing("size").tolist() == [False, False, True, False]
    assert frame.categories("size") == ("small", "medium", "large")
    assert frame.numeric == ("mass", "count", "tagged")
    marks = frame.marks()
    assert (marks[0] == marks[3]).all()
    assert not (marks[0] == marks[1]).any()
    values = frame.values()
    assert np.isfinite(values).all()
    assert (values[0] == values[3]).all()
    chosen = frame[np.array([True, False, False, True])]
    assert (chosen.marks() == marks[[0, 3]]).all()
    assert (frame[np.array([3, 0])].select(["day", "mass"]).marks() == marks[[3, 0]][:, [5, 0]]).all()
    assert frame.matrix(["count", "tagged", "mass"]).tolist()[0] == [1.0, 1.0, 3.5]


def test_numbers_of_a_frame_are_marked_as_those_of_an_array():
    numbers = np.array([[1.5, -0.0], [2.0, 3.0]])
    assert Frame(pd.DataFrame(numbers, columns=["a", "b"])).marks().view(float).tolist() == [[1.5, 0.0], [2.0, 3.0]]


@pytest.mark.parametrize("kind", KINDS)
def test_order_names_types_categories_and_values_belong_to_the_digest(kind):
    frame = of_kind(kind)
    digest = Frame(frame).digest()
    assert Frame(of_kind(kind, MIXED.copy())).digest() == digest
    changed = [
        MIXED[list(reversed(MIXED.columns))],
        MIXED.rename(columns={"mass": "weight"}),
        MIXED.assign(count=MIXED["count"].astype(float)),
        MIXED.assign(size=MIXED["size"].cat.reorder_categories(["large", "medium", "small"])),
        MIXED.assign(size=MIXED["size"].astype(str).where(MIXED["size"].notna(), None)),
        MIXED.assign(sex=["f", "m", "m", "f"]),
        MIXED.assign(mass=[3.5, 0.0, 4.0, 3.5]),
        MIXED[::-1].reset_index(drop=True),
    ]
    others = [Frame(of_kind(kind, other)).digest() for other in changed]
    assert len({digest, *others}) == len(changed) + 1


def test_a_digest_of_arrays_covers_frames_among_them():
    one, other = (
        Arrays({"inputs": frame, "labels": LABELS}, "m") for frame in (MIXED, MIXED.rename(columns={"sex": "x"}))
    )
    assert arrays_digest(one) != arrays_digest(other)


@pytest.mark.parametrize("kind", KINDS)
def test_frames_pass_between_processes_with_types_and_categories(kind, tmp_path):
    joblib.dump(of_kind(kind), tmp_path / "rows.joblib")
    (tmp_path / "rows.py").write_text(
        "from pathlib import Path\n\nimport joblib\n\n\ndef rows():\n"
        "    frame = joblib.load(Path(__file__).with_name('rows.joblib'))\n"
        f"    return {{'inputs': frame, 'labels': {LABELS}}}\n"
    )
    found = make_isolated("rows:rows", folder=tmp_path, time_limit=60)
    assert found.frame("inputs").kind == kind
    assert found.frame("inputs").digest() == Frame(of_kind(kind)).digest()
    assert found.array("labels").tolist() == LABELS


@pytest.mark.parametrize(
    ("frame", "code", "match"),
    [
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "data-column", "columns 1 and 3 have the same name: a"),
        (pd.DataFrame({"a": []}), "data-empty", "no rows"),
        (pd.DataFrame(), "data-empty", "no columns"),
        (
            pd.DataFrame({"a": ["x", 1, None]}),
            "data-type",
            r"'a' mixes types: text \('x'\) in row 0, a number \('1'\) in row 1",
        ),
        (pd.DataFrame({"a": [None, object()]}), "data-type", r"'a' holds Python objects: .* in row 1"),
        (pd.DataFrame({"a": [Decimal("1.5")]}), "data-type", r"a Decimal \('1.5'\) in row 0.*astype\(float\)"),
        (pd.DataFrame({"a": [1j]}), "data-type", "holds complex numbers, which no model takes"),
        (pd.DataFrame({"a": [0.0, np.inf]}), "data-missing-values", r"'a' has infinity in row 1 \(1 such rows\)"),
        (pl.DataFrame({"a": [[1], [2]]}), "data-type", "'a' holds lists, and one value a row"),
        (pl.DataFrame({"a": [{"b": 1}]}), "data-type", "'a' holds .*Struct.*, and one value a row"),
        (pl.DataFrame({"a": [Decimal("1.5")]}), "data-type", "'a' holds decimals, which no model takes"),
        (pl.DataFrame({"a": [b"x"]}), "data-type", "'a' holds bytes, which no model takes"),
        (pa.table({"a": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))}), "data-type", "one value a row"),
    ],
)
def test_frames_that_cannot_be_used_say_where(frame, code, match):
    with problem(code, match):
        as_data((frame, list(range(len(frame))) or [0]))


def test_labels_of_a_frame_are_named_and_never_guessed():
    frame = MIXED.assign(y=[0, 1, 0, 1])
    assert as_data(frame).labels is None
    data = as_data(frame, labels="y", attributes=["count"])
    assert data.labels.tolist() == [0, 1, 0, 1]
    assert data.inputs.names == ("mass", "sex", "size", "tagged", "day")
    with problem("data-missing-values", "column 'sex' has no value in row 1"):
        as_data(frame, labels="y", groups="sex")


def test_an_index_in_another_order_is_no_order_to_guess_from():
    rows = MIXED[["count"]].set_index(np.array([7, 5, 3, 1]))
    labels = pd.Series(LABELS, index=rows.index)
    with problem("data-order", "row 0 is 7 and 1"):
        as_data((rows, labels[::-1]))
    for index in (rows.index, [0, 1, 2, 3], [7, 7, 7, 7]):
        assert len(as_data((rows, labels.set_axis(index)))) == 4
    assert len(as_data((rows.set_axis([7, 7, 7, 7]), labels))) == 4


def test_columns_whose_names_are_no_text_go_by_their_text():
    frame = pd.DataFrame({0: [1.0, 2.0], ("a", 1): ["u", "v"], "kind": ["x", "y"]})
    data = as_data(frame, labels="kind")
    assert data.inputs.names == ("0", "('a', 1)")
    with problem("data-column", "have the same name: 0"):
        as_data(frame.assign(**{"0": 1}), labels="kind")


def test_what_columns_hold_is_said_in_words():
    said = {name: rest for name, *rest in Frame(MIXED.assign(mass=[3.5, np.nan, 4.0, 2.0])).summary}
    assert said["mass"] == ["numbers", "2 to 4", 1]
    assert said["size"] == ["categories", "small, large", 1]
    assert said["tagged"] == ["truth values", "true in 3 rows", 0]
    assert said["day"] == ["dates or times", "2026-01-01 to 2026-01-03", 1]


def test_columns_of_libraries_of_frames_are_labels_too():
    for labels in (
        pd.Series(LABELS),
        pl.Series(LABELS),
        pa.chunked_array([LABELS]),
        pd.Series(LABELS, dtype="category"),
    ):
        data = as_data((np.zeros((4, 1)), labels))
        assert [data.classes[number] for number in data.labels] == LABELS
    with problem("data-missing-values", "no value in row 2"):
        as_data((np.zeros((4, 1)), pd.Series(["a", "b", None, "a"])))


# Files as frames.

CSV = "mass,sex,day,tagged,code,kind\n3.5,f,2026-01-01,True,007,a\n,m,2026-01-02,False,008,b\n4,NA,,True,007,a\n"


@pytest.fixture
def rows_csv(tmp_path):
    (tmp_path / "rows.csv").write_text(CSV)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_a_csv_file_becomes_a_frame_with_its_types_and_gaps(rows_csv, kind):
    types = {"day": "date", "code": "text", "sex": ["f", "m", "x"]}
    data = load_data(path="rows.csv", labels="kind", folder=rows_csv, form=kind, types=types)
    frame = data.inputs
    assert frame.kind == kind
    assert frame.names == ("mass", "sex", "day", "tagged", "code")
    assert frame.missing("mass").tolist() == [False, True, False]
    assert frame.missing("sex").tolist() == [False, False, True]
    assert frame.column("code").texts().tolist() == ["007", "008", "007"]
    assert frame.column("tagged").tolist() == [True, False, True]
    assert str(frame.series("day").dtype).startswith("Date")
    assert frame.categories("sex") == (("f", "m", "x") if kind != "pyarrow" else ("f", "m"))
    assert [data.classes[number] for number in data.labels] == ["a", "b", "a"]


def test_labels_of_a_csv_file_are_read_the_same_beside_a_frame(rows_csv):
    for column in ("code", "tagged", "kind"):
        plain = load_data(path="rows.csv", inputs=["mass"], labels=column, folder=rows_csv, with_inputs=False)
        framed = load_data(path="rows.csv", inputs=["mass"], labels=column, folder=rows_csv, form="pandas")
        assert framed.classes == plain.classes
        assert framed.labels.tolist() == plain.labels.tolist()


def test_a_frame_is_made_only_where_columns_are_more_than_numbers(rows_csv):
    whole = load_data(path="rows.csv", labels="kind", folder=rows_csv, form="either")
    assert isinstance(whole.inputs, Frame)
    (rows_csv / "numbers.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n")
    numbers = load_data(path="numbers.csv", labels="kind", folder=rows_csv, form="either")
    assert numbers.inputs.tolist() == [[1, 2], [3, 4]]
    assert numbers.columns == ("a", "b")
    # What lies beyond the sample counts too.
    late = "".join(f"{row},1,x\n" for row in range(2000))
    (rows_csv / "late.csv").write_text(f"a,b,kind\n{late}?,1,y\n")
    assert isinstance(load_data(path="late.csv", labels="kind", folder=rows_csv, form="either").inputs, Frame)
    with problem("data-type", "no number"):
        load_data(path="late.csv", labels="kind", folder=rows_csv)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("text", "code", "match"),
    [
        ("a,b,kind\n1,x,u\n2,y\n", "data-unreadable", "3 columns, and this line has 2"),
        ("a,b,kind\n1,x,u\n2,y,u,4\n", "data-unreadable", "3 columns, and this line has 4"),
        ("a,a,kind\n1,x,u\n", "data-column", "same name: a"),
        ("a,b,kind\n", "data-empty", "no rows"),
    ],
)
def test_a_broken_csv_file_is_refused_as_a_frame_too(tmp_path, kind, text, code, match):
    (tmp_path / "rows.csv").write_text(text)
    with problem(code, match):
        load_data(path="rows.csv", labels="kind", folder=tmp_path, form=kind)


@pytest.mark.parametrize(
    ("types", "code", "match"),
    [
        ({"sex": ["f"]}, "data-categories", r"'sex' has 'm' in row 1 \(1 such rows\), which is no category \(f\)"),
        ({"sex": "number"}, "data-type", "'sex' has 'f' in row 0"),
        ({"sex": "date"}, "data-type", "'sex' holds what is no date"),
    ],
)
def test_values_that_are_not_of_the_stated_type_are_told_with_their_row(rows_csv, types, code, match):
    with problem(code, match):
        load_data(path="rows.csv", labels="kind", folder=rows_csv, form="pandas", types=types)


@pytest.mark.parametrize("kind", KINDS)
def test_a_parquet_file_keeps_categories_dates_and_gaps(tmp_path, kind):
    pq.write_table(pa.Table.from_pandas(MIXED.assign(kind=LABELS), preserve_index=False), tmp_path / "rows.parquet")
    data = load_data(path="rows.parquet", labels="kind", folder=tmp_path, form=kind)
    assert (data.inputs.marks() == Frame(of_kind(kind)).marks()).all()
    assert [str(data.inputs.series(name).dtype)[:4] for name in ("count", "day")] == ["Int6", "Date"]
    assert data.inputs.categories("size")[:1] == (("small",) if kind != "polars" else ("large",))
    assert [data.classes[number] for number in data.labels] == LABELS


@pytest.mark.parametrize("kind", KINDS)
def test_decimals_of_a_file_are_numbers_where_that_is_said(tmp_path, kind):
    pq.write_table(pa.table({"price": [Decimal("1.25"), Decimal("2.50")], "kind": ["u", "v"]}), tmp_path / "r.parquet")
    with problem("data-type", "'price' holds .*types: number"):
        load_data(path="r.parquet", labels="kind", folder=tmp_path, form=kind)
    found = load_data(path="r.parquet", labels="kind", folder=tmp_path, form=kind, types={"price": "number"})
    assert found.inputs.matrix().tolist() == [[1.25], [2.5]]


def test_json_lines_become_frames(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"a": 1, "s": "x", "kind": "u"}\n{"a": null, "s": "y", "kind": "v"}\n')
    data = load_data(path="rows.jsonl", labels="kind", folder=tmp_path, form="either")
    assert data.inputs.native["s"].tolist() == ["x", "y"]
    assert np.isnan(data.inputs.matrix(["a"])[1, 0])


# What of a table is taken for what.


def test_a_column_called_y_is_not_taken_for_the_labels_without_a_word(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y,kind\n1,0,a\n2,1,b\n")
    guessed = load_data(path="rows.csv", inputs=["x"], folder=tmp_path)
    assert [(caveat.code, caveat.severity) for caveat in guessed.caveats] == [("labels-taken", "warning")]
    assert load_data(path="rows.csv", inputs=["x"], labels="y", folder=tmp_path).caveats == ()
    nothing = load_data(path="rows.csv", inputs=["x", "y"], labels=[], folder=tmp_path)
    assert nothing.labels is None
    assert nothing.inputs.tolist() == [[1, 0], [2, 1]]


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([0.5, 1.0, 2.0, 0.25], r"such as \[0.5\] in row 0.*task: regression and tolerance:"),
        (np.zeros((4, 3, 4)), "task: detection"),
        (np.zeros((4, 16, 16)), "task: segmentation"),
        (np.eye(4), "task: multilabel"),
        ([[[0, 0, 1, 1]], [], [], []], "task: detection"),
    ],
)
def test_truth_that_is_no_class_names_its_task(labels, match):
    with problem("data-type", match):
        as_data((np.zeros((4, 2)), labels))


# Models of frames.


def pipeline(handle_unknown="ignore"):
    """A pipeline fitted on two columns by name."""
    frame = pd.DataFrame({"sex": ["f", "m"] * 20, "mass": np.arange(40.0)})
    parts = make_column_transformer(
        (OneHotEncoder(handle_unknown=handle_unknown), ["sex"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    )
    return make_pipeline(parts, LogisticRegression()).fit(frame, frame["sex"])


def test_columns_are_matched_by_name_whatever_their_order():
    model = pipeline()
    rows = pd.DataFrame({"note": ["u", "v"], "mass": [1.0, 2.0], "sex": ["m", "f"]})
    found = scored(as_model(model), as_data((rows, ["m", "f"])), batch_size=8)
    assert found.scores.argmax(axis=1).tolist() == [1, 0]
    assert [(caveat.code, "note" in caveat.text) for caveat in found.caveats] == [("columns-aside", True)]
    with problem("data-column", "fitted on the column 'mass', which the inputs lack"):
        scored(as_model(model), as_data((rows.drop(columns="mass"), ["m", "f"])), batch_size=8)


def test_arrays_of_named_columns_reach_a_model_of_frames_by_name(tmp_path, recwarn):
    model = LogisticRegression().fit(pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]}), [0, 1])
    (tmp_path / "rows.csv").write_text("b,a,label\n1,0,0\n0,1,1\n")
    data = load_data(path="rows.csv", folder=tmp_path)
    assert scored(as_model(model), data, batch_size=8).scores.argmax(axis=1).tolist() == [0, 1]
    with problem("data-column", "fitted on a, b"):
        as_model(model).on_columns(("b", "a"))
    assert as_model(model).on_columns(("a", "b"))(np.array([[1.0, 0.0]])).argmax() == 1
    assert [str(warning.message) for warning in recwarn] == []


def test_names_that_do_not_agree_at_all_are_matched_by_place_and_told():
    model = LogisticRegression().fit(pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]}), [0, 1])
    with pytest.warns(UserWarning, match="valid feature names"):
        found = scored(
            as_model(model), as_data((pd.DataFrame({"u": [0.0, 1.0], "v": [1.0, 0.0]}), [0, 1])), batch_size=8
        )
    assert [caveat.code for caveat in found.caveats] == ["columns-by-place"]


def test_unknown_categories_are_told_with_row_and_column():
    rows = pd.DataFrame({"sex": ["m", "f", "x", "x"], "mass": [1.0, 2.0, 3.0, 4.0]})
    data = as_data((rows, ["m", "f", "f", "m"]))
    told = scored(as_model(pipeline()), data, batch_size=8).caveats
    assert [(c.code, c.severity) for c in told] == [("data-categories", "warning")]
    assert "Column 'sex' has 'x' in row 2 (2 such rows)" in told[0].text
    with problem("data-categories", r"'sex' has 'x' in row 2 \(2 such rows\).*it knows f, m"):
        scored(as_model(pipeline("error")), data, batch_size=8)


def test_a_model_that_raises_on_a_frame_says_what_it_was_given():
    data = as_data((pd.DataFrame({"sex": ["f"], "mass": [np.nan]}), [0]))
    with problem("model-raised", "a frame of pandas with no numbers in sex and no value in some rows of mass"):
        scored(as_model(lambda rows: rows[:, 0]), data, batch_size=8)


def test_cells_that_made_a_column_text_are_named_where_a_model_raises():
    rows = pd.DataFrame({"mass": [*map(str, range(40)), "?"], "sex": "f"})
    data = as_data((rows, np.arange(41) % 2))
    with pytest.raises(DiagnosticsError, match=r"'mass' is text, because row 40 has '\?'") as error:
        scored(as_model(lambda frame: frame["mass"].astype(float) > 1), data, batch_size=64)
    assert [each.code for each in error.value.diagnostics] == ["model-raised", "data-mixed"]


def test_cells_may_be_long(tmp_path):
    (tmp_path / "rows.csv").write_text("note,kind\n" + "x" * 200_000 + ",a\nshort,b\n")
    assert len(load_data(path="rows.csv", labels="kind", folder=tmp_path, form="either").inputs.native["note"][0]) > 1e5


def test_a_model_cannot_change_the_rows_of_others():
    def model(rows):
        rows["mass"] = 0.0
        return rows["count"].to_numpy()

    data = as_data((MIXED, [1, 2, 3, 1]))
    scored(as_model(model), data, batch_size=2)
    assert data.inputs.native["mass"].tolist()[0] == 3.5
    assert MIXED["mass"].tolist()[0] == 3.5


def test_a_bound_method_is_the_estimator_it_belongs_to():
    rows = pd.DataFrame({"sex": ["m", "f"], "mass": [1.0, 2.0]})
    found = scored(as_model(pipeline().predict_proba), as_data((rows, ["m", "f"])), batch_size=8)
    assert found.classes == ("f", "m")


def test_dates_without_values_are_text_without_hours():
    frame = Frame(pd.DataFrame({"day": [datetime.date(2026, 1, 2), datetime.date(2026, 1, 3)]}))
    assert frame.column("day").texts().tolist() == ["2026-01-02", "2026-01-03"]
