"""The step for fault trees, against products and sums written out by hand."""

import numpy as np
import pytest
from scipy import stats

from surefoot.bounds import clopper_pearson, jeffreys, needed
from surefoot.core import Answer, Estimate, InvalidInput, Target
from surefoot.project import Asked, find_step

fault_tree = find_step("fault_tree")

TREE = {
    "name": "Braking",
    "top": "no braking",
    "gates": {"no braking": {"or": ["missed in both", "brake"]}, "missed in both": {"and": ["camera", "radar"]}},
    "events": {"camera": None, "radar": 0.01, "brake": 1e-4},
}
NOTHING = Asked({})


def asked(at_most, level=0.95):
    return Asked({"low": ("top event probability", Target(at_most=at_most, level=level))})


def by_hand(camera, radar=0.01, brake=1e-4):
    return 1 - (1 - camera * radar) * (1 - brake)


def test_the_bound_of_a_count_becomes_that_of_the_top_event():
    camera = clopper_pearson(3, 1000, level=0.95, scope="camera")
    found = fault_tree(asked=NOTHING, inline=TREE, events={"camera": camera})["top event probability"]
    assert found.value == pytest.approx(by_hand(0.003), rel=1e-12)
    assert found.upper(0.95) == pytest.approx(by_hand(stats.beta.ppf(0.95, 4, 997)), rel=1e-9)
    assert found.bound("upper", 0.95).kind == "confidence"


def test_a_posterior_of_counts_gives_the_bounds_of_the_counts():
    camera = jeffreys(3, 1000, level=0.95, scope="camera")
    found = fault_tree(asked=NOTHING, inline=TREE, events={"camera": camera})["top event probability"]
    assert found.upper(0.95) == pytest.approx(by_hand(stats.beta.ppf(0.95, 4, 997)), rel=1e-9)
    assert found.value == pytest.approx(by_hand(0.003))


def test_a_belief_is_drawn():
    believed = {**TREE, "events": {**TREE["events"], "camera": {"mean": 0.003, "error factor": 3}}}
    found = fault_tree(asked=NOTHING, inline=believed, draws=50_000)["top event probability"]
    assert found.bound("upper", 0.95).kind == "credible"
    assert np.isclose(found.value, by_hand(0.003), rtol=0.01)


def test_assumptions_and_caveats_of_what_feeds_the_tree_stay():
    camera = jeffreys(3, 1000, level=0.95, scope="camera")
    found = fault_tree(asked=NOTHING, inline=TREE, events={"camera": camera})["top event probability"]
    assert set(camera.assumptions) <= set(found.assumptions)
    assert {c for c in camera.caveats if c.code != "approximate-coverage"} <= set(found.caveats)
    (linking,) = [a for a in found.assumptions if a.id == "event-is-what-was-measured"]
    assert linking.text == "The probability of 'camera' is the failure probability of camera."


def test_the_event_that_is_fed_is_marked_in_the_drawing():
    camera = clopper_pearson(3, 1000, level=0.95, scope="the detector")
    fed = fault_tree(asked=NOTHING, inline=TREE, events={"camera": camera})
    without = fault_tree(asked=NOTHING, inline={**TREE, "events": {**TREE["events"], "camera": 0.003}})
    word = b"the detector"
    assert word in fed.artefacts["fault tree"].content
    assert word not in without.artefacts["fault tree"].content


def test_a_target_that_is_not_met_comes_back_as_what_the_event_would_need():
    camera = clopper_pearson(30, 1000, level=0.95, scope="camera")
    found = fault_tree(asked=asked(2e-4), inline=TREE, events={"camera": camera})
    (row,) = found.tables["requirements"].rows
    allowed = dict(zip(found.tables["requirements"].columns, row, strict=True))["needed at most"]
    assert by_hand(allowed) == pytest.approx(2e-4, rel=1e-3)


def test_a_target_that_no_value_of_the_event_meets_is_said():
    camera = clopper_pearson(30, 1000, level=0.95, scope="camera")
    found = fault_tree(asked=asked(5e-5), inline=TREE, events={"camera": camera})
    (row,) = found.tables["requirements"].rows
    assert row[-2] is None
    assert row[-1] == pytest.approx(1e-4)


def test_sentences_and_table_agree_on_what_an_event_must_be_known_to_be():
    either = {"top": "top", "gates": {"top": {"or": ["camera", "radar"]}}, "events": {"camera": None, "radar": None}}
    events = {name: clopper_pearson(3, 300, level=0.95, scope=name) for name in ("camera", "radar")}
    alone, sharing = (stats.beta.ppf(level, 4, 297) for level in (0.95, 0.975))
    limit = (alone + sharing) / 2
    found = fault_tree(asked=asked(limit), inline=either, events=events)
    wanted = 1 - (1 - limit) / (1 - alone)
    assert [row[-2] for row in found.tables["requirements"].rows] == pytest.approx([wanted] * 2, rel=1e-3)
    sentences = [said for said in needed(found["top event probability"], Target(at_most=limit)) if "camera" in said]
    assert "as they were counted and this one known" in sentences[0]
    assert "camera at most 0.00169" in sentences[0]


def test_an_event_of_unclear_direction_has_no_requirement():
    tree = {"top": "top", "gates": {"top": {"xor": ["camera", "radar"]}}, "events": {"camera": None, "radar": None}}
    events = {"camera": jeffreys(3, 100, level=0.95, scope="a"), "radar": jeffreys(1, 100, level=0.95, scope="b")}
    found = fault_tree(asked=asked(0.05), inline=tree, events=events)
    improved = {row[0]: row for row in found.tables["improvements"].rows}
    assert improved["camera"][found.tables["improvements"].columns.index("top event if perfect")] < 0.05
    assert not any("Not even camera" in said for said in needed(found["top event probability"], Target(at_most=0.05)))


def test_of_several_targets_the_strictest_is_worked_on_and_no_other_gets_its_numbers():
    camera = clopper_pearson(30, 1000, level=0.95, scope="camera")
    targets = {at_most: Target(at_most=at_most) for at_most in (3e-4, 2e-4, 4e-4)}
    several = Asked({str(at_most): ("top event probability", target) for at_most, target in targets.items()})
    found = fault_tree(asked=several, inline=TREE, events={"camera": camera})
    assert by_hand(found.tables["requirements"].rows[0][-2]) == pytest.approx(2e-4, rel=1e-3)
    top = found["top event probability"]
    assert "events have to become less probable" in needed(top, targets[2e-4])[0]
    assert any("camera at most" in said for said in needed(top, targets[2e-4]))
    assert not any("camera at most" in said for said in needed(top, targets[3e-4]))


def test_no_requirements_where_the_target_is_met():
    camera = clopper_pearson(0, 1000, level=0.95, scope="camera")
    found = fault_tree(asked=asked(2e-3), inline=TREE, events={"camera": camera})
    assert "requirements" not in found.tables


def test_a_bound_that_could_be_looser_than_the_observed_share_is_told():
    camera = clopper_pearson(0, 100, level=0.95, scope="camera")
    found = fault_tree(asked=asked(2e-4), inline=TREE, events={"camera": camera})
    (row,) = found.tables["requirements"].rows
    assert (row[1], by_hand(row[3])) == (0, pytest.approx(2e-4, rel=1e-3))


def test_an_event_that_prevents_the_top_event_has_no_largest_value():
    gates = {"no braking": {"and": [{"not": "camera"}, "radar"]}}
    camera = clopper_pearson(3, 1000, level=0.95, scope="camera")
    tree = {"top": "no braking", "gates": gates, "events": {"camera": None, "radar": 0.01}}
    assert "requirements" not in fault_tree(asked=asked(1e-4), inline=tree, events={"camera": camera}).tables


def test_the_target_is_drawn():
    camera = jeffreys(3, 1000, level=0.95, scope="camera")
    figure = fault_tree(asked=asked(2e-3), inline=TREE, events={"camera": camera}).artefacts["top event"]
    assert b"target" in figure.content


def test_a_tree_beyond_the_budget_gives_a_certain_interval():
    gates = {"top": {"or": [f"pair {i}" for i in range(30)]}}
    gates |= {f"pair {i}": {"at least": 2, "of": [f"e{(i * k) % 31}" for k in (1, 2, 3, 5)]} for i in range(30)}
    tree = {"top": "top", "gates": gates, "events": {f"e{i}": 0.01 for i in range(31)}}
    exact = fault_tree(asked=NOTHING, inline=tree)["top event probability"]
    found = fault_tree(asked=NOTHING, inline=tree, nodes=40)["top event probability"]
    assert found.lower(0.95) <= exact.value <= found.upper(0.95)
    assert found.bound("upper", 0.95).kind == "certain"
    assert [caveat.code for caveat in found.caveats] == ["tree-beyond-budget"]


def test_what_is_left_out_of_the_tree_stays_with_the_number(tmp_path):
    file = tmp_path / "x.dft"
    file.write_text('toplevel "g";\n"g" pand "camera" "b";\n"camera" prob=0.1; "b" prob=0.2;')
    camera = clopper_pearson(3, 1000, level=0.95, scope="camera")
    found = fault_tree(asked=asked(0.5), file=file, events={"camera": camera})
    top = found["top event probability"]
    assert top.value == pytest.approx(0.003 * 0.2)
    assert {bound.kind for bound in top.bounds} == {"heuristic"}
    assert "tree-left-out" in [caveat.code for caveat in top.caveats]
    assert top.meets(Target(at_most=0.5)).status == "not shown"
    assert "requirements" not in found.tables


@pytest.mark.parametrize("given", [{}, {"file": "a.yaml", "inline": TREE}], ids=["neither", "both"])
def test_a_tree_comes_from_one_place(given):
    with pytest.raises(InvalidInput, match="exactly one of file and inline"):
        fault_tree(asked=NOTHING, **given)


ANSWER = Answer("A. Berg", "2026-05-01", "Supposed.")


def test_an_event_known_to_be_as_low_as_needed_shows_the_target():
    either = {"top": "top", "gates": {"top": {"or": ["camera", "radar"]}}, "events": {"camera": None, "radar": None}}
    radar = clopper_pearson(0, 5000, level=0.95, scope="radar")
    events = {"camera": clopper_pearson(3, 1000, level=0.95, scope="camera"), "radar": radar}
    row = fault_tree(asked=asked(2e-3), inline=either, events=events).tables["requirements"].rows[0]
    assert row[2] == pytest.approx(stats.beta.ppf(0.95, 4, 997))
    for factor, status in ((1.0, "met"), (1.01, "not shown")):
        better = {
            **events,
            "camera": Estimate.known("failure probability", factor * row[3], source="supposed", answer=ANSWER),
        }
        found = fault_tree(asked=asked(2e-3), inline=either, events=better)["top event probability"]
        assert found.meets(Target(at_most=2e-3)).status == status
