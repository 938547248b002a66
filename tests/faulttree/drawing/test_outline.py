"""The outline says everything once."""

import pytest
from tests.faulttree.drawing.pictures import chain, tree, vehicle

from surefoot.core import InvalidInput
from surefoot.faulttree import Formula, drawing

VEHICLE = """\
collision: Collision with a pedestrian [and]
  undetected [and]
    camera [or]
      missed [ML component detector]
      dirt
      power [or]
        battery
        fuse
    radar [or]
      clutter
      power [or], see above
  pedestrian
"""


def test_an_outline_is_indented_and_writes_shared_gates_once():
    assert drawing.outline(vehicle()) == VEHICLE


def test_depth_counts_levels_of_gates():
    lines = drawing.outline(vehicle(), depth=2).splitlines()
    assert lines[2] == "    camera [or], not written out"
    assert len(lines) == 5


def test_formulas_constants_houses_and_numbers_are_told():
    nested = Formula("atleast", ("a", "b", True), minimum=2)
    subject = tree(
        {"top": ("or", ("on", nested, "some", "u")), "some": ("cardinality", ("a", "b"), {"minimum": 0, "maximum": 1})},
        houses={"on": False},
        events={"u": None},
    )
    assert drawing.outline(subject).splitlines()[1:] == [
        "  on [house event, false]",
        "  [at least 2 of 3]",
        "    a",
        "    b",
        "    [constant, true]",
        "  some [0 to 1 of 2]",
        "    a",
        "    b",
        "  u [event without a known probability]",
    ]


def test_a_very_deep_tree_does_not_become_very_wide():
    lines = drawing.outline(chain(3000)).splitlines()
    assert len(lines) == 6001
    assert max(map(len, lines)) < 120
    assert lines[2999].strip().startswith("[level 2999] g2999")


def test_a_line_break_in_a_name_starts_no_line():
    assert drawing.outline(tree({"top\nfake": ("or", ("a", "b"))})).splitlines()[0] == "top fake [or]"


def test_a_depth_below_one_is_refused():
    with pytest.raises(InvalidInput):
        drawing.outline(vehicle(), depth=0)
