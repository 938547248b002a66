"""Groups that cannot be: every problem at once, each with its code."""

import pytest

from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.faulttree import (
    AlphaFactor,
    BetaFactor,
    FaultTree,
    Fixed,
    Formula,
    MultipleGreekLetter,
    Parameter,
    PhiFactor,
    SharedTraining,
)

PAIR = ("A", "B")
MANY = tuple(f"m{i}" for i in range(13))


def errors(*groups, gates=None, events=None, **options):
    members = dict.fromkeys(member for group in groups for member in group.members)
    all_gates = {"top": Formula("or", tuple(members) or (True,))} | (gates or {})
    with pytest.raises(DiagnosticsError) as error:
        FaultTree("top", all_gates, events or {}, groups=groups, **options)
    return [(d.code, str(d)) for d in error.value.diagnostics]


def test_a_group_that_cannot_be_is_refused():
    cases = [
        (BetaFactor("G", ("A",), 0.1, 0.2), "tree-gate", "at least two"),
        (BetaFactor("G", ("A", "A"), 0.1, 0.2), "tree-duplicate", "more than once"),
        (BetaFactor("G", PAIR, 0.1, 1.2), "tree-probability", "G, factor 2"),
        (BetaFactor("G", PAIR, -0.1, 0.2), "tree-probability", "G, distribution"),
        (BetaFactor("G", PAIR, Parameter("q"), 0.2), "tree-undefined", "'q'"),
        (MultipleGreekLetter("G", PAIR, 0.1, (0.2, 0.3)), "tree-gate", "2 factors"),
        (MultipleGreekLetter("G", PAIR, 0.1, ()), "tree-gate", "0 factors"),
        (AlphaFactor("G", PAIR, 0.1, (0.8, 0.1, 0.1)), "tree-gate", "3 factors"),
        (AlphaFactor("G", PAIR, 0.1, (0.0, 0.0)), "tree-probability", "no alpha factor above 0"),
        (PhiFactor("G", PAIR, 0.1, (0.8, 0.1)), "tree-probability", "sum to 0.9"),
        (AlphaFactor("G", MANY, 0.1, (0.4, *[0.05] * 12)), "tree-beyond-budget", "8,191 events"),
        (SharedTraining("G", MANY, (9, *[1] * 13)), "tree-beyond-budget", "13 channels"),
        (SharedTraining("G", PAIR, (9, 1)), "tree-probability", "needs 3 counts"),
        (SharedTraining("G", PAIR, (9, -1, 1)), "tree-probability", "whole numbers"),
        (SharedTraining("G", PAIR, (9, 0.5, 1)), "tree-probability", "whole numbers"),
        (SharedTraining("G", PAIR, (9, 1, 1), failures=(1, 1)), "tree-probability", "2 failures of 2 channels"),
        (SharedTraining("G", PAIR, (9, 1, 1), unseen=2.0), "tree-probability", "G, unseen"),
    ]
    for group, code, words in cases:
        ((found, text),) = errors(group)
        assert (found, words in text) == (code, True), (words, text)


def test_a_large_group_with_few_levels_is_accepted():
    letters = MultipleGreekLetter("G", MANY, 0.1, (0.1, 0.2))
    assert letters.event_count == 13 + 78 + 286
    assert BetaFactor("G", MANY, 0.1, 0.2).event_count == 14
    FaultTree("m1", {"g": Formula("or", MANY)}, {}, groups=(letters,))


def test_a_member_is_defined_by_its_group_alone():
    group = BetaFactor("G", ("A", "B", "C", "D"), 0.1, 0.2)
    found = errors(
        group, gates={"A": Formula("pass", ("x",))}, events={"B": Fixed(0.1), "D": None, "x": None}, houses={"C": True}
    )
    assert [code for code, _ in found].count("tree-duplicate") == len(found) == 3
    assert [name for name in "ABCD" if any(f"{name!r}" in text for _, text in found)] == ["A", "B", "C"]


def test_groups_share_neither_members_nor_names():
    first, second = BetaFactor("G", PAIR, 0.1, 0.2), BetaFactor("G", ("C", "D"), 0.1, 0.2)
    assert "2 common-cause groups" in errors(first, second)[0][1]
    assert "shares its member 'B' with 'G'" in errors(first, BetaFactor("H", ("B", "C"), 0.1, 0.2))[0][1]


def test_names_that_the_expansion_needs_must_be_free():
    group = BetaFactor("G", PAIR, 0.1, 0.2)
    ((code, text),) = errors(group, gates={"[A B]": Formula("pass", ("x",))}, events={"x": None})
    assert code == "tree-duplicate"
    assert "'[A B]'" in text


def test_all_problems_of_all_groups_come_together():
    groups = (
        BetaFactor("G", PAIR, 0.1, 1.2),
        PhiFactor("H", ("C",), 2.0, (0.5,)),
        BetaFactor("I", ("D", "D"), 0.1, 0.2),
    )
    assert [code for code, _ in errors(*groups)].count("tree-probability") >= 2
    assert {code for code, _ in errors(*groups)} >= {"tree-probability", "tree-gate", "tree-duplicate"}


def test_a_broken_parameter_is_told_once():
    found = errors(BetaFactor("G", PAIR, Parameter("p"), 0.2), parameters={"p": Parameter("p")})
    assert [code for code, _ in found] == ["tree-cycle"]


def test_alpha_factors_that_do_not_sum_to_one_are_used_in_proportion():
    tree = FaultTree("A", {}, {"A": None}, groups=(AlphaFactor("G", PAIR, 0.1, (0.5, 0.25)),))
    warnings = [d for d in tree.problems if d.code == "tree-probability"]
    assert [d.severity for d in warnings] == ["warning"]
    assert "sum to 0.75" in warnings[0].text


def test_a_prior_is_positive():
    for prior in (0.0, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="prior"):
            SharedTraining("G", PAIR, (9, 1, 1), prior=prior)
