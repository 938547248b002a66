"""Tables out of Surefoot: frames of pandas and polars, Markdown and CSV, held to what these libraries read back."""

import io
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.bounds import clopper_pearson
from surefoot.core import Bound, Estimate, Evidence, InvalidInput, MissingExtra, Provenance, Table

pd = pytest.importorskip("pandas", reason="the frames extra is not installed")
pl = pytest.importorskip("polars", reason="the frames extra is not installed")

TABLE = Table(
    ("name", "count", "share", "share", "mixed", "parts", "lacking"),
    (
        ("a|b", 3, 0.1, 1e-300, 1, (1, 2), None),
        ("=SUM(A1)", 0, 1.0, math.inf, "one", (), None),
        ("", -7, -0.25, 2.0, None, (3,), None),
    ),
)


def test_pandas_keeps_numbers_text_and_what_is_missing():
    frame = TABLE.to_pandas()
    assert list(frame.columns) == ["name", "count", "share", "share 2", "mixed", "parts", "lacking"]
    assert frame["name"].tolist() == ["a|b", "=SUM(A1)", ""]
    assert frame["count"].dtype.kind == "i"
    assert frame["share 2"].tolist() == [1e-300, math.inf, 2.0]
    assert frame["parts"].tolist() == [[1, 2], [], [3]]
    assert frame["lacking"].isna().all()


def test_polars_has_one_kind_a_column():
    frame = TABLE.to_polars()
    assert frame.columns == ["name", "count", "share", "share 2", "mixed", "parts", "lacking"]
    assert frame["count"].to_list() == [3, 0, -7]
    assert frame["mixed"].to_list() == ["1", "one", None]
    assert frame["parts"].to_list() == ["[1,2]", "[]", "[3]"]
    assert frame["lacking"].null_count() == 3
    assert Table(("a", "b"), ()).to_polars().columns == ["a", "b"]
    assert Table(("a",), ((1,), (2.5,))).to_polars()["a"].to_list() == [1.0, 2.5]


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_missing_library_is_named_with_the_extra_that_brings_it(backend, monkeypatch):
    monkeypatch.setitem(sys.modules, backend, None)
    with pytest.raises(MissingExtra, match=rf"'{backend}'.*surefoot\[frames\]"):
        TABLE.frame(backend=backend)


def test_an_unknown_library_is_refused():
    with pytest.raises(InvalidInput, match="polars"):
        TABLE.frame(backend="polar")


cells = st.one_of(
    st.none(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8),
)


@given(st.lists(st.lists(cells, min_size=3, max_size=3), max_size=5))
def test_csv_keeps_every_cell(rows):
    table = Table(("a", "b", "c"), tuple(map(tuple, rows)))
    read = pd.read_csv(io.StringIO(table.to_csv()), dtype=str, keep_default_na=False, skip_blank_lines=False)
    assert list(read.columns) == ["a", "b", "c"]
    for found, said in zip(read.to_numpy().tolist(), rows, strict=True):
        for cell, value in zip(found, said, strict=True):
            if isinstance(value, float | int):
                assert float(cell) == value
            else:
                assert cell.removeprefix("'" if cell != value else "") == (value or "")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "'=1"])
def test_no_cell_of_a_csv_is_a_formula(text):
    cell = Table(("a",), ((text,),)).to_csv().splitlines()[1]
    assert cell.strip('"').startswith("'")


def test_markdown_is_one_line_a_row_and_text_stays_text():
    lines = Table(("a|b", "<c>"), (("x\ny", 1 / 3), (None, True))).to_markdown().splitlines()
    assert lines == ["| a\\|b | \\<c\\> |", "| --- | --- |", "| x y | 0.333333 |", "|  | True |"]


def test_a_table_is_written_by_its_suffix(tmp_path):
    assert TABLE.write(tmp_path / "t.csv").read_text(encoding="utf-8") == TABLE.to_csv()
    assert TABLE.write(tmp_path / "t.md").read_text(encoding="utf-8") == TABLE.to_markdown()
    for place in (tmp_path / "t.doc", tmp_path / "nowhere" / "t.csv"):
        with pytest.raises(InvalidInput, match=r"t\.(doc|csv)"):
            TABLE.write(place)


def estimate(scope, *bounds):
    return Estimate("risk", 0.2, "per demand", scope, bounds, provenance=Provenance("stated"))


def test_evidence_is_a_row_for_each_estimate():
    counted = clopper_pearson(3, 100, level=0.9)
    average = estimate("camera", Bound(0.3, "upper", 0.5, "expectation"))
    first, second = Evidence((counted, average)).frame().to_dict("records")
    assert first["quantity"] == "failure probability"
    assert (first["failures"], first["trials"], first["level"]) == (3, 100, 0.9)
    assert (first["lower"], first["upper"]) == (counted.lower(0.9), counted.upper(0.9))
    assert (second["scope"], second["upper"], second["upper kind"]) == ("camera", 0.3, "expectation")
    assert math.isnan(second["lower"])
    strict = Evidence((counted,)).table(level=0.99)
    assert dict(zip(strict.columns, strict.rows[0], strict=True))["upper"] == counted.upper(0.99)
    assert Evidence((counted,)).frame(backend="polars")["upper"].to_list() == [counted.upper(0.9)]


def test_a_bound_at_another_level_is_not_passed_off_as_one_at_the_level_asked():
    fixed = Evidence((estimate("", Bound(0.3, "upper", 0.1, "confidence")),))
    assert fixed.frame(level=0.9)["upper"].tolist() == [0.3]
    assert fixed.frame(level=0.99)["upper"].isna().all()
