"""What a tree step says to do next, against products and sums written out by hand."""

import math

import pytest
from scipy import stats

from surefoot.bounds import clopper_pearson
from surefoot.core import DiagnosticsError, Target
from surefoot.project import Asked, find_step

fault_tree = find_step("fault_tree")

TREE = {
    "top": "no braking",
    "gates": {"no braking": {"or": ["missed in both", "brake"]}, "missed in both": {"and": ["camera", "radar"]}},
    "events": {"camera": None, "radar": 0.01, "brake": 1e-4},
}
CAMERA = clopper_pearson(30, 1000, level=0.95, scope="camera")
LIMIT = 2e-4
UPPER = stats.beta.ppf(0.95, 31, 970)


def by_hand(camera=UPPER, radar=0.01, brake=1e-4):
    return 1 - (1 - camera * radar) * (1 - brake)


def analysed(at_most=LIMIT, **said):
    question = {} if at_most is None else {"low": ("top event probability", Target(at_most=at_most))}
    return fault_tree(asked=Asked(question), inline=TREE, events={"camera": CAMERA}, **said)


def column(table, name):
    return {row[0]: row[table.columns.index(name)] for row in table.rows}


def test_each_event_is_told_what_it_could_do_for_the_bound():
    table = analysed().tables["improvements"]
    assert column(table, "top event if perfect")["camera"] == pytest.approx(1e-4)
    assert column(table, "top event if ten times better")["radar"] == pytest.approx(by_hand(radar=0.001), rel=1e-9)


def test_costs_are_those_of_ten_times_better():
    table = analysed(costs={"radar": 40.0}).tables["improvements"]
    gain = by_hand() - by_hand(radar=0.001)
    assert column(table, "cost") == {"radar": pytest.approx(40), "camera": None, "brake": None}
    assert column(table, "cost per gain")["radar"] == pytest.approx(40 / gain, rel=1e-9)


def test_candidates_are_compared_alone_and_together():
    radar = {"events": {"radar": "x0.5"}, "cost": 10}
    camera = {"events": {"camera": 0.001}, "cost": 30}
    found = analysed(candidates={"radar": radar, "camera": camera})
    bounds = {row[0]: row for row in found.tables["candidates"].rows}
    assert set(bounds) == {"as it is", "radar", "camera", "radar + camera"}
    place = next(n for n, name in enumerate(found.tables["candidates"].columns) if "bound" in name)
    assert bounds["radar"][place] == pytest.approx(by_hand(radar=0.005), rel=1e-9)
    assert bounds["camera"][place] == pytest.approx(by_hand(camera=0.001), rel=1e-9)
    assert "candidates" in found.artefacts


def test_candidates_without_a_cost_have_no_picture():
    found = analysed(candidates={"radar": {"events": {"radar": "x0.5"}}})
    assert "candidates" in found.tables
    assert "candidates" not in found.artefacts


def test_the_tests_to_plan_would_show_the_target():
    table = analysed().tables["test plan"]
    head = {name: place for place, name in enumerate(table.columns)}
    (row,) = [row for row in table.rows if row[0] == "camera"]
    trials = next(row[place] for name, place in head.items() if "tests" in name and isinstance(row[place], int))
    assert by_hand(camera=1 - 0.05 ** (1 / trials)) <= LIMIT
    assert math.isfinite(trials)


def test_a_target_that_is_met_leaves_only_the_tests():
    found = analysed(at_most=1e-2, candidates={"radar": {"events": {"radar": "x0.5"}}})
    assert "test plan" in found.tables
    assert not {"improvements", "candidates"} & {*found.tables, *found.artefacts}


def test_without_a_target_there_is_nothing_to_do():
    found = analysed(at_most=None)
    assert not {"improvements", "candidates", "test plan"} & set(found.tables)


@pytest.mark.parametrize("at_most", [LIMIT, 1e-2], ids=["not met", "met"])
def test_a_candidate_that_cannot_be_read_is_an_error_whatever_the_verdict(at_most):
    with pytest.raises(DiagnosticsError, match="A factor is written x and a number"):
        analysed(at_most, candidates={"radar": {"events": {"radar": "half"}}})
