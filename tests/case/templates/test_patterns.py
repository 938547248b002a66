"""Templates as patterns: nothing filled in, all of the structure there."""

import re

import pytest

from surefoot.case import ARTEFACTS, PATTERNS, Case, coverage, pattern
from surefoot.core import InvalidInput

NAMES = {"amlas", "system", "component", "classification", "normal-score", "metric", "monitor", "ai-system"}


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


def test_amlas_has_every_artefact_and_an_argument_at_the_top_of_every_stage():
    case = pattern("amlas")
    rows = {row.reference: row for row in coverage(case, standard="AMLAS")}
    assert {f"artefact {letter}" for letter in ARTEFACTS} < set(rows)
    assert {row.state for row in rows.values()} == {"open"}
    tops = {case[f"G{stage}.1"].tags for stage in range(1, 7)}
    assert tops == {(f"AMLAS: artefact {letter}",) for letter in ("G", "K", "T", "Y", "CC", "HH")}
    assert {node.module for node in case.tops} == {"", *case.modules}
    assert len(case.modules) == 5
    documents = [node for node in case if node.kind == "evidence"]
    assert len({tag for node in documents for tag in node.tags}) == len(ARTEFACTS) - 12
    assert all(node.uninstantiated for node in documents)


def test_amlas_filled_in_is_a_case_without_errors(tmp_path):
    """As a person fills it: words in place of braces, marks and multiplicities gone, a document for each artefact."""
    dropped = ("    uninstantiated:", "    multiplicity:", "    choice:")
    text = pattern("amlas").write(tmp_path / "amlas.yaml").read_text()
    kept = [line for line in text.splitlines() if not line.startswith(dropped)]
    filled = [re.sub(r"[{]([^{}]+)[}]", r"the \1", line) for line in kept]
    evidence = [re.sub(r"^(    )(?=evidence:)", r"\1url: register.pdf\n\1", line) for line in filled]
    (tmp_path / "filled.yaml").write_text("\n".join(evidence))
    found = Case.read(tmp_path / "filled.yaml").check()
    assert [str(each) for each in found if each.severity == "error" or each.code == "case-pattern-left"] == []


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
