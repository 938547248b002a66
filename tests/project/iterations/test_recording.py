"""What is recorded of a worksheet and of requirements, and how a difference of two records reads."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from surefoot.core import Evidence, Table
from surefoot.project import Iteration, history, iterations
from tests.report import results

SHEET = Table(("id", "cause", "severity"), [("R1", "drift", 3), ("R2", "glare", 2), ("R3", "dust", None)])


def record_of(*sheets, **tables):
    made = {f"sheet {place}": Evidence((), {"worksheet": sheet}) for place, sheet in enumerate(sheets)}
    return history.recorded(results.result([], {**made, "other": Evidence((), tables)}))


def edited(*rows):
    return Table(SHEET.columns, rows)


def test_rows_of_a_worksheet_are_named_when_they_change():
    after = edited(("R1", "drift", 4), ("R3", "dust", None), ("R4", "fog", 1))
    assert history.changes(record_of(SHEET), record_of(after)) == (
        "worksheet rows edited: R1",
        "worksheet rows removed: R2",
        "worksheet rows added: R4",
    )


def test_the_order_of_rows_makes_no_difference_and_a_row_does():
    assert record_of(SHEET).rows == record_of(edited(*reversed(SHEET.rows))).rows
    assert record_of(SHEET).content != record_of(edited(*SHEET.rows[:2])).content


def test_rows_that_share_an_id_are_all_looked_at():
    twice = edited(*SHEET.rows, ("R1", "drift", 3))
    assert history.changes(record_of(SHEET), record_of(twice)) == ("worksheet rows edited: R1",)


def test_many_rows_are_counted():
    many = edited(*((f"R{number}", "x", 1) for number in range(50)))
    (told,) = history.changes(record_of(edited()), record_of(many))
    assert told == f"worksheet rows added: {', '.join(f'R{n}' for n in range(8))} and 42 more"


@pytest.mark.parametrize(("name", "column"), [("requirements", "needed at most"), ("events", "requirement")])
def test_requirements_are_read_from_tables_of_events(name, column):
    table = Table(("event", "today", column), [("a", 0.1, 0.05), ("b", 0.2, None), ("c", 0.2, "none")])
    assert record_of(**{name: table}).iteration.required == {"a": 0.05, "b": None, "c": None}


def test_of_several_requirements_the_strictest_counts():
    sheets = [Table(("event", "requirement"), rows) for rows in ([("a", 0.2), ("b", 0.1)], [("a", 0.1), ("b", None)])]
    evidence = {f"tree {place}": Evidence((), {"requirements": sheet}) for place, sheet in enumerate(sheets)}
    assert history.recorded(results.result([], evidence)).iteration.required == {"a": 0.1, "b": None}


def test_other_tables_are_no_requirements():
    assert record_of(events=Table(("hour", "requirement"), [(1, 0.5)])).iteration.required == {}


def test_versions_are_told_and_make_no_iteration():
    before = iterations.Record(Iteration(1, "", ""), versions={"numpy": "1"})
    after = iterations.Record(Iteration(2, "", ""), versions={"numpy": "2", "torch": "2"})
    assert history.changes(before, after) == ("versions: numpy 1 → 2",)
    assert before.content == after.content


def test_a_file_that_two_steps_read_is_one_change():
    old, new = (
        iterations.Record(Iteration(1, "", "", inputs={"evidence.hazards.file": d, "evidence.s.worksheet": d}))
        for d in "ab"
    )
    assert history.changes(old, new) == ("the file of hazards and the worksheet of s changed",)


def test_another_limit_of_a_top_event_is_no_other_project_file():
    def settings_of(**scenarios):
        return history.recorded(
            results.result([], {}, definition={**results.DEFINITION, "scenarios": scenarios})
        ).settings

    limits = [{"tops": {"lost": {"event": "it is lost", "target": {"at_most": limit}}}} for limit in (0.1, 0.2)]
    assert settings_of(**limits[0]) == settings_of(**limits[1])
    assert settings_of(**limits[0]) != settings_of(**limits[0], file="other.yaml")


def test_nothing_recorded_that_differs_is_said():
    assert history.changes(record_of(SHEET), record_of(SHEET)) == ("no input changed",)


names = st.text(max_size=8)
marks = st.dictionaries(names, st.sampled_from("abc"), max_size=5)


@given(marks, marks)
@settings(max_examples=25, deadline=None)
def test_changes_are_told_exactly_where_something_changed(before, after):
    old, new = (iterations.Record(Iteration(1, "", "", inputs=marks)) for marks in (before, after))
    told = history.changes(old, new)
    pairs = ((before.get(name), after.get(name)) for name in {*before, *after})
    different = {pair for pair in pairs if pair[0] != pair[1]}
    assert len(told) == max(1, len(different))
    assert (old.content == new.content) == (not different)


@given(marks, marks, marks, st.dictionaries(names, st.none() | st.floats(allow_nan=False), max_size=3))
@settings(max_examples=25, deadline=None)
def test_a_record_comes_back(settings_, results_, rows, required):
    record = iterations.Record(Iteration(3, "then", "r", required=required), settings_, results_, rows, {"a": "1"})
    back = iterations.Record.from_dict(3, record.to_dict())
    assert back == record
    assert back.content == record.content
