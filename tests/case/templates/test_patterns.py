"""Templates as patterns: nothing filled in, all of the structure there."""

import pytest

from surefoot.case import PATTERNS, Case, pattern
from surefoot.core import InvalidInput

NAMES = {"system", "component", "classification", "normal-score", "metric", "monitor", "ai-system"}


def test_all_patterns_are_there_and_others_are_refused():
    assert set(PATTERNS) == NAMES
    with pytest.raises(InvalidInput, match="pattern"):
        pattern("submarine")


def test_placeholders_are_marked_and_nothing_is_measured():
    for name in sorted(NAMES):
        case = pattern(name)
        assert any(node.uninstantiated for node in case), name
        assert all(node.uninstantiated for node in case if "{" in node.text), name
        assert not any(node.rests_on or node.digest or node.number for node in case), name
        assert case == pattern(name), name


def test_nothing_is_wrong_with_a_pattern():
    for name in sorted(NAMES):
        assert [str(each) for each in pattern(name).check() if each.severity != "note"] == [], name


def test_a_pattern_can_be_written_and_read_again(tmp_path):
    for name in sorted(NAMES):
        case = pattern(name)
        again = Case.read(case.write(tmp_path / "pattern.yaml"))
        assert dict(again.nodes) == dict(case.nodes), name


def test_classification_has_the_seven_assumptions_of_ram_each_once():
    case = pattern("classification")
    stated = [each for node in case for each in node.in_context_of if each.startswith("assumption ")]
    assert sorted(stated) == [f"assumption {number}" for number in range(1, 8)]
    assert case["assembly.argument"].multiplicity["assumption 7"] == "0..1"


def test_a_component_may_be_shown_by_one_or_more_methods_and_need_not_do_all():
    case = pattern("component")
    (choice,) = case["LLA3"].choice
    assert (choice.least, choice.most) == (1, 5)
    assert case["LLA2"].multiplicity == {"LLC4": "0..1", "LLC5": "0..1", "LLC6": "0..1"}
    assert case["argument"].multiplicity == {"LLC1": "1..n"}


def test_a_system_may_have_several_components():
    case = pattern("system")
    assert case["TLA3"].multiplicity == {"SubC7": "1..n"}
    assert case.resolved("SubC7") == "LLC1"
