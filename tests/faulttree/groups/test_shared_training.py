"""Channels that share training data: the joint distribution is exact, whatever the data say."""

from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import InvalidInput
from surefoot.faulttree import CommonCause, Counts, FaultTree, Fixed, Formula, SharedTraining, inputs

NAMES = ("camera", "lidar", "radar", "sonar")


def tree_of(group):
    return FaultTree("top", {"top": Formula("and", group.members)}, {}, groups=(group,))


def number_probabilities(counts, prior=0.5):
    """Posterior mean of a Dirichlet over the number of failing channels."""
    weights = np.asarray(counts) + prior
    return weights / weights.sum()


def joint(numbers, pattern, unseen=0.0):
    """The probability that exactly the channels of the pattern fail."""
    size, failing = len(pattern), sum(pattern)
    seen = numbers[failing] / comb(size, failing)
    return (1 - unseen) * seen + unseen * all(pattern)


def split(names, pattern):
    failing = tuple(n for n, fails in zip(names, pattern, strict=True) if fails)
    return failing, tuple(n for n in names if n not in failing)


@pytest.mark.parametrize("unseen", [None, 0.01], ids=["tested", "unseen"])
@pytest.mark.parametrize("counts", [(90, 7, 3), (950, 30, 15, 5), (900, 10, 0, 9, 2)], ids=["2", "3", "4"])
def test_every_pattern_of_failures_has_its_exact_probability(counts, unseen, exact):
    names = NAMES[: len(counts) - 1]
    tree = tree_of(SharedTraining("S", names, counts, unseen=unseen))
    for pattern in product((False, True), repeat=len(names)):
        found = exact(tree, *split(names, pattern))
        assert found == pytest.approx(joint(number_probabilities(counts), pattern, unseen or 0.0), rel=1e-12)


@settings(max_examples=15, deadline=None)
@given(sticks=st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_the_joint_distribution_is_exact_for_every_draw(sticks, exact):
    names = NAMES[:3]
    tree = tree_of(SharedTraining("S", names, (1, 1, 1, 1)))
    drawn = dict(zip(inputs(tree.expanded), sticks, strict=True))
    reached = [prod(sticks[:k]) for k in range(4)]
    numbers = [reached[k] * (1 - (sticks[k] if k < 3 else 0)) for k in range(4)]
    for pattern in product((False, True), repeat=3):
        assert exact(tree, *split(names, pattern), drawn=drawn) == pytest.approx(joint(numbers, pattern), abs=1e-12)


def test_even_channels_that_never_fail_together_are_exact(exact):
    """Failures that exclude each other are out of reach of common causes that are joined by or."""
    tree = tree_of(SharedTraining("S", NAMES[:2], (1000, 1000, 0), prior=1e-9))
    assert exact(tree, ("camera",)) == pytest.approx(0.25)
    assert exact(tree, ("top",)) == pytest.approx(0.0, abs=1e-9)


def test_the_sticks_are_the_dirichlet_posterior():
    counts, prior = (950, 30, 15, 5), 0.5
    beliefs = [e.dist for e in inputs(tree_of(SharedTraining("S", NAMES[:3], counts)).expanded).values()]
    alpha = np.asarray(counts) + prior
    total = alpha.sum()
    all_fail = prod(b.mean for b in beliefs)
    second = prod(b.variance + b.mean**2 for b in beliefs)
    assert all_fail == pytest.approx(alpha[3] / total)
    assert second - all_fail**2 == pytest.approx(alpha[3] * (total - alpha[3]) / (total**2 * (total + 1)))


def test_joint_draws_follow_the_dirichlet_posterior():
    """Correlation of two numbers of failing channels, which independent draws would not have."""
    counts = (8, 6, 4)
    sticks = inputs(tree_of(SharedTraining("S", NAMES[:2], counts)).expanded)
    rng = np.random.default_rng(5)
    first, second = (e.dist.sample(rng, 40_000) for e in sticks.values())
    alpha = np.asarray(counts) + 0.5
    found = np.corrcoef(1 - first, first * second)[0, 1]
    share = alpha / alpha.sum()
    assert found == pytest.approx(-np.sqrt(share[0] * share[2] / ((1 - share[0]) * (1 - share[2]))), abs=0.02)


def test_counts_come_from_a_table_of_paired_results():
    failed = np.array([[1, 1], [0, 0], [1, 0], [0, 0], [0, 1], [1, 0]], dtype=bool)
    group = SharedTraining.from_results("S", NAMES[:2], failed, unseen=1e-4)
    assert (group.counts, group.failures) == ((2, 3, 1), (3, 2))
    assert group.unseen == Fixed(1e-4)


def test_the_believed_rates_come_back_from_simulated_channels(exact):
    """Inputs of varying difficulty, as in Eckhardt and Lee: given the input, channels fail independently."""
    rng = np.random.default_rng(11)
    difficulty = rng.beta(0.2, 3.8, 200_000)
    failed = rng.random((200_000, 3)) < difficulty[:, None]
    tree = tree_of(SharedTraining.from_results("S", NAMES[:3], failed))
    one, all_three = 0.05, prod((0.2 + i) / (4 + i) for i in range(3))
    assert exact(tree, ("camera",)) == pytest.approx(one, rel=0.02)
    assert exact(tree, ("top",)) == pytest.approx(all_three, rel=0.05)
    assert all_three > 30 * one**3


@pytest.mark.parametrize("size", [5, 12])
def test_many_channels_stay_small(size):
    tree = tree_of(SharedTraining("S", tuple(f"c{i}" for i in range(size)), (100, *[1] * size))).expanded
    assert len(tree.events) == size * (size + 1) // 2
    assert len(tree.gates) < size**3


def test_one_channel_fails_as_often_as_its_share_of_all_failures(exact):
    counts = (100, 9, 6, 3, 2)
    tree = tree_of(SharedTraining("S", NAMES, counts))
    numbers = number_probabilities(counts)
    for name in NAMES:
        assert exact(tree, (name,)) == pytest.approx(sum(k * p for k, p in enumerate(numbers)) / 4)


def test_more_failing_channels_never_repair_one(exact):
    """The number enters without negation: raising a stick raises the probability of every channel."""
    tree = tree_of(SharedTraining("S", NAMES[:3], (10, 5, 3, 2)))
    for name in inputs(tree.expanded):
        low, high = (exact(tree, ("radar",), drawn={name: value}) for value in (0.2, 0.3))
        assert low < high


def test_what_tests_cannot_show_is_said_and_the_check_of_symmetry_reported():
    even = SharedTraining("S", NAMES[:2], (800, 190, 10), failures=(105, 105))
    odd = SharedTraining("S", NAMES[:2], (800, 190, 10), failures=(150, 60), unseen=1e-3)
    same, alike, blind = even.assumptions()
    assert (same.status, alike.status) == ("unchecked", "supported")
    assert "Nothing is added" in blind.text
    assert odd.assumptions()[1].status == "contradicted"
    assert "0.001" in odd.assumptions()[2].text
    assert SharedTraining("S", NAMES[:2], (8, 1, 1)).assumptions()[1].check is None


def test_a_group_is_read_back_as_it_was_written():
    group = SharedTraining("S", NAMES[:2], (90, 8, 2), (6, 6), Counts(0, 1000), 1.0)
    assert CommonCause.from_dict(group.to_dict()) == group


@pytest.mark.parametrize("failed", [[True, False], [[True, False, True]], [[0.5, 1.0]]], ids=["flat", "wide", "share"])
def test_a_table_of_another_kind_is_refused(failed):
    with pytest.raises(InvalidInput, match="whether it failed"):
        SharedTraining.from_results("S", NAMES[:2], failed)
