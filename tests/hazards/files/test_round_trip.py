"""Every worksheet reads back as it was, from every format."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from tests.hazards.files.worksheets import ENDINGS, NASTY, hazops, small

from surefoot.core import DiagnosticsError
from surefoot.hazards import Hazop, Item, Mitigation, Property, Row, start

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def returned(hazop: Hazop, ending: str) -> Hazop:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sheet.{ending}"
        hazop.write(path)
        return Hazop.read(path)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=15, deadline=None, suppress_health_check=SLOW)
@given(hazop=hazops())
@example(hazop=small())
@example(hazop=start("new"))
@example(hazop=Hazop(""))
@example(hazop=Hazop("sheet", [Item("a", parameters={"": ("",), "p": ("data value",), "q": ()})]))
def test_a_worksheet_reads_back_as_it_was(ending, hazop):
    assert returned(hazop, ending) == hazop


@pytest.mark.parametrize("ending", ENDINGS)
def test_hostile_texts_survive_in_every_field(ending):
    rows = [
        Row(
            f"R{n}{text}",
            f"i{text}",
            f"p{text}",
            f"g{text}",
            causes=(text, text),
            consequences=(text,),
            mitigations=(Mitigation(text.strip(), ()),),
            endangers=(text,),
            remark=text,
        )
        for n, text in enumerate(NASTY)
    ]
    properties = [Property(f"P{n}", "o", "p", "is", text, text) for n, text in enumerate(NASTY)]
    hazop = Hazop("x", rows=rows, properties=properties)
    assert returned(hazop, ending) == hazop


@pytest.mark.parametrize("ending", ENDINGS)
def test_writing_what_was_read_changes_nothing(ending, tmp_path):
    first, second = tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"
    replace(small(), name="one").write(first)
    Hazop.read(first).write(second)
    assert first.read_bytes() == second.read_bytes()


def test_what_would_not_read_back_is_not_written(tmp_path):
    for hazop, code in [
        (Hazop("x", rows=[Row("R1", "a", "b", "c", severity="awful")]), "hazop-unknown"),
        (Hazop("x", [Item("a")], [Row("R1", "b", "b", "c")]), "hazop-unknown"),
        (Hazop("x", [Item("a"), Item("f", "a", "nobody")]), "hazop-unknown"),
        (Hazop("x", rows=[Row("R1", "a", "b", "c", causes=("\ud800",))]), "hazop-cell"),
        (Hazop("x", rows=[Row("R1", "a", "b", "c", mitigations=(Mitigation("m", ("P1, P2",)),))]), "hazop-cell"),
        (Hazop("x", rows=[Row("R1", "a", "b", "c", mitigations=(Mitigation(" m"),))]), "hazop-cell"),
        (Hazop("x", properties=[Property("P", "o", "p", "is", float("inf"))]), "hazop-cell"),
    ]:
        for ending in ENDINGS:
            with pytest.raises(DiagnosticsError) as error:
                hazop.write(tmp_path / f"sheet.{ending}")
            assert [found.code for found in error.value.diagnostics] == [code], (hazop.rows, ending)
    assert not list(tmp_path.iterdir())


def test_control_characters_are_refused(tmp_path):
    hazop = Hazop("x", rows=[Row("R1", "a", "b", "c", remark="bell \x07 and null \x00")])
    for ending in ENDINGS:
        with pytest.raises(DiagnosticsError) as error:
            hazop.write(tmp_path / f"sheet.{ending}")
        (found,) = error.value.diagnostics
        assert (found.code, found.where) == ("hazop-cell", f"sheet.{ending}, row 'R1', remark")


def test_cells_that_spreadsheets_would_cut_are_refused(tmp_path):
    hazop = Hazop("x", rows=[Row("R1", "a", "b", "c", remark="x" * 32_768)])
    assert returned(hazop, "yaml") == hazop
    for ending in ("csv", "xlsx"):
        with pytest.raises(DiagnosticsError, match=r"line 2, remark.*32,768 characters"):
            hazop.write(tmp_path / f"sheet.{ending}")


def test_yaml_refuses_names_that_are_too_long_for_keys(tmp_path):
    with pytest.raises(DiagnosticsError, match=r"items.*1,001 characters"):
        Hazop("x", [Item("x" * 1001)]).write(tmp_path / "sheet.yaml")
