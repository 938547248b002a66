"""Choosing a subset of channels by coins."""

from itertools import combinations, pairwise, product
from math import comb, prod

import pytest

from surefoot.faulttree import Formula
from surefoot.faulttree.groups.selection import Selection


def holds(truth, gates, coins):
    if isinstance(truth, bool):
        return truth
    if isinstance(truth, str):
        return coins[truth] if truth in coins else holds(gates[truth], gates, coins)
    values = [holds(item, gates, coins) for item in truth.inputs]
    return {"and": all, "or": any, "pass": any, "not": lambda v: not v[0]}[truth.kind](values)


def outcomes(size):
    """Each outcome of the coins: its probability and the subset for every number chosen."""
    selection = Selection("S", size)
    probabilities, gates = selection.coins(), selection.gates()
    for faces in product((False, True), repeat=len(probabilities)):
        coins = dict(zip(probabilities, faces, strict=True))
        weight = prod(p if coins[name] else 1 - p for name, p in probabilities.items())
        yield (
            weight,
            [
                tuple(i for i in range(size) if holds(selection.takes(chosen, i), gates, coins))
                for chosen in range(1, size)
            ],
        )


@pytest.mark.parametrize("size", [2, 3, 4])
def test_every_subset_of_a_size_is_equally_likely(size):
    total = {}
    for weight, subsets in outcomes(size):
        for subset in subsets:
            total[subset] = total.get(subset, 0) + weight
    expected = {s: 1 / comb(size, k) for k in range(1, size) for s in combinations(range(size), k)}
    assert total == pytest.approx(expected)


@pytest.mark.parametrize("size", [3, 4])
def test_a_smaller_subset_lies_in_every_larger_one(size):
    for _, subsets in outcomes(size):
        assert all(set(small) < set(large) for small, large in pairwise(subsets))


def test_two_channels_need_one_coin():
    selection = Selection("S", 2)
    assert selection.coins() == {"[S choice 1.1]": 0.5}
    assert selection.takes(1, 0) == "[S choice 1.1]"
    assert selection.gates()["[S 1 chosen, 1 left before 2]"] == Formula("not", ("[S choice 1.1]",))
