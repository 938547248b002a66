"""Chains that contradict each other, or lead back, are found, each with the chains that say so."""

import subprocess
import sys

import pytest

from surefoot.core import DiagnosticsError
from surefoot.faulttree import Fixed, Formula
from surefoot.hazards import Scenario, Scenarios, fault_tree

TWO = (Scenario("S1", ("a", "top"), place="f.yaml:3"), Scenario("S2", ("b", "top"), place="f.yaml:4"))


def found(*chains, **known):
    return [(each.code, each.severity, each.text, each.where) for each in Scenarios(chains, **known).problems]


def test_sound_chains_have_no_problems():
    assert found(*TWO, events={"a": Fixed(0.1)}, gates={"b": Formula("or", ("x", "y"))}) == []


def test_different_barriers_of_one_link():
    weak = Scenario("S3", ("a", "top"), {"top": ("alarm fails",)}, place="f.yaml:9")
    ((code, severity, text, where),) = found(TWO[0], weak)
    assert (code, severity, where) == ("scenario-conflict", "error", "f.yaml:9")
    assert "S1 asks for none; S3 asks for" in text
    assert "alarm fails" in text


def test_barriers_in_another_order_are_the_same():
    chains = [Scenario(f"S{n}", ("a", "b"), {"b": order}) for n, order in enumerate((("x", "y"), ("y", "x")))]
    assert found(*chains) == []


def test_a_stated_gate_that_leaves_out_a_cause():
    ((code, severity, text, where),) = found(*TWO, gates={"top": Formula("and", ("a", "c"))}, events={"c": None})
    assert (code, severity, where) == ("scenario-conflict", "error", "f.yaml:4")
    assert "S2 leads to 'top' from" in text


@pytest.mark.parametrize(("gates", "how"), [({}, "S1"), ({"other": Formula("or", ("a", "b"))}, "a gate")])
def test_a_probability_of_an_event_that_has_causes(gates, how):
    name = "other" if gates else "top"
    ((code, severity, text, _),) = found(*TWO, gates=gates, events={name: Fixed(0.1)})
    assert (code, severity) == ("scenario-conflict", "error")
    assert f"{name!r} has a probability, and {how} brings it about" in text


def test_an_event_without_a_probability_may_be_listed():
    assert found(*TWO, events={"top": None}) == []


def test_spellings_that_people_do_not_tell_apart_are_only_a_warning():
    ((code, severity, text, where),) = found(TWO[0], Scenario("S2", ("b", "Top. "), place="f.yaml:4"))
    assert (code, severity, where) == ("scenario-conflict", "warning", "f.yaml:4")
    assert "count as two events" in text


def test_all_conflicts_stop_the_merging_together():
    weak = Scenario("S3", ("a", "top"), {"top": ("alarm fails",)})
    with pytest.raises(DiagnosticsError) as caught:
        Scenarios((*TWO, weak), events={"top": Fixed(0.1)}).fault_tree()
    assert len(caught.value.diagnostics) == 2


def loop(*names, place=""):
    """Chains of two events that lead round in a circle."""
    pairs = zip(names, (*names[1:], names[0]), strict=True)
    return [Scenario(f"{cause}{effect}", (cause, effect), place=place) for cause, effect in pairs]


def test_a_loop_is_shown_from_cause_to_effect_with_its_chains():
    ((code, severity, text, where),) = found(*loop("a", "b", "c", place="f.yaml:2"), *TWO)
    assert (code, severity, where) == ("scenario-loop", "error", "f.yaml:2")
    turns = ("'a' -> 'b' -> 'c' -> 'a'", "'b' -> 'c' -> 'a' -> 'b'", "'c' -> 'a' -> 'b' -> 'c'")
    assert any(turn in text for turn in turns)
    assert all(id in text for id in ("ab", "bc", "ca"))


def test_loops_that_share_no_link_are_all_found():
    chains = [*loop("a", "b"), *loop("c", "d", "e"), *loop("f", "g")]
    assert [code for code, *_ in found(*chains)] == ["scenario-loop"] * 3


def test_a_loop_over_barriers_and_stated_gates_is_found():
    chain = Scenario("S1", ("a", "b"), {"b": ("alarm fails",)})
    assert found(chain, Scenario("S2", ("b", "alarm fails")))[0][0] == "scenario-loop"
    assert found(chain, gates={"a": Formula("or", ("b", "c"))}, events={"c": None})[0][0] == "scenario-loop"


def test_a_loop_stops_the_merging():
    with pytest.raises(DiagnosticsError) as caught:
        fault_tree([*loop("a", "b"), Scenario("S1", ("b", "top"))])
    assert [each.code for each in caught.value.diagnostics] == ["scenario-loop"]


def test_a_hundred_loops_are_not_all_listed():
    chains = [scenario for n in range(100) for scenario in loop(f"a{n}", f"b{n}")]
    assert 1 < len(found(*chains)) <= 10


def test_the_same_loops_are_found_in_every_process():
    program = (
        "from surefoot.hazards import Scenario, Scenarios\n"
        "edges = ['ab', 'bc', 'ca', 'bd', 'da', 'ce', 'eb']\n"
        "print(*(d.text for d in Scenarios([Scenario(e, tuple(e)) for e in edges]).problems))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "123"
    }
    assert len(said) == 1
