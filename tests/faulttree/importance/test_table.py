"""The table that people read."""

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.faulttree import MEASURES, Counts, FaultTree, Fixed, Formula

GATES = {"top": Formula("or", ("g", "c")), "g": Formula("and", ("a", "b"))}
TREE = FaultTree("top", GATES, {"a": Fixed(0.1), "b": Counts(5, 100), "c": Fixed(0.01)})


@pytest.fixture(scope="module")
def found():
    return TREE.importance()


def test_rows_are_sorted_by_any_measure_the_largest_first(found):
    for measure in MEASURES:
        values = [v for v in found.sorted(measure).values[measure] if v is not None]
        assert values == sorted(values, reverse=True)
    assert found.sorted("raw").names[-1] == found.names[int(np.argmin(found.values["raw"]))]


def test_the_table_holds_every_number(found):
    table = found.to_table()
    assert len(table.columns) == 2 + 3 * len(MEASURES)
    row = table.rows[found.names.index("b")]
    assert row[table.columns.index("raw")] == found.of("b", "raw")
    assert (row[table.columns.index("raw low")], row[table.columns.index("raw high")]) == found.interval("b", "raw")


def test_it_reads_well_in_a_terminal_and_a_notebook(found):
    assert "fussell_vesely" in str(found)
    assert "credible intervals at 95%" in str(found)
    assert found._repr_html_().count("<tr>") == 1 + len(found)
    assert "P(top | x)" in found._repr_html_()


def test_events_and_gates_can_be_told_apart(found):
    assert found.only("gate").names == ("g",)
    assert set(found.only("event").names) == {"a", "b", "c"}


def test_names_and_measures_that_do_not_exist_are_refused(found):
    with pytest.raises(InvalidInput, match="no such event or gate"):
        found.of("nobody", "raw")
    with pytest.raises(InvalidInput, match="Did you mean 'birnbaum'"):
        found.of("a", "birnbam")
    with pytest.raises(InvalidInput, match="no such gate"):
        TREE.importance(gates=["nobody"])
    with pytest.raises(InvalidInput, match="no event"):
        TREE.joint_importance([("a", "g")])


def test_gates_of_a_large_tree_must_be_named():
    gates = {f"g{i}": Formula("or", (f"g{i + 1}", f"e{i}")) for i in range(52)} | {"g52": Formula("pass", ("e52",))}
    tree = FaultTree("g0", gates, {f"e{i}": Fixed(1e-3) for i in range(53)})
    found = tree.importance()
    assert not found.only("gate").names
    assert "52" in found.notes[-1]
    assert tree.importance(gates=["g1"]).only("gate").names == ("g1",)


def test_what_is_equal_but_for_rounding_is_sorted_by_name():
    names = tuple(f"e{number}" for number in range(5))
    tree = FaultTree("top", {"top": Formula("atleast", names, minimum=3)}, dict.fromkeys(reversed(names), Fixed(0.1)))
    assert tree.importance(gates=False).sorted().names == names
