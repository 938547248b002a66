"""Counts are exact, whatever their size."""

from collections import Counter

import pytest
from tests.faulttree.cutsets.families import choices, compiled_sets, expanded, random_families

from surefoot.faulttree.cutsets import count, count_by_order


@pytest.mark.parametrize("seed", range(20))
def test_counts_agree_with_a_list_of_all_sets(seed):
    events, families = random_families(seed)
    compiled, listed = compiled_sets(events, families), expanded(events, families)
    assert count(compiled) == len(listed)
    assert count_by_order(compiled) == dict(sorted(Counter(map(len, listed)).items()))


@pytest.mark.parametrize(
    ("family", "counts"), [([], {}), ([()], {0: 1}), ([(0,)], {1: 1}), ([(0,), (1, 2)], {1: 1, 2: 1})]
)
def test_the_smallest_families_are_counted(family, counts):
    compiled = compiled_sets("abc", [family])
    assert count(compiled) == sum(counts.values())
    assert count_by_order(compiled) == counts


@pytest.mark.parametrize(("groups", "size"), [(10, 10), (20, 8), (21, 8), (40, 10), (120, 10)])
def test_counts_beyond_machine_integers_are_exact(groups, size):
    assert count(choices(groups, size)) == size**groups
    assert count_by_order(choices(groups, size)) == {groups: size**groups}


def test_nested_modules_multiply_beyond_machine_integers():
    events = [f"e{i}" for i in range(3 * 61)]
    families = [[(0,), (1,), (2,)]]
    families += [[(3 * i + j, len(events) + i - 1) for j in range(3)] for i in range(1, 61)]
    assert count(compiled_sets(events, families)) == 3**61
    assert count_by_order(compiled_sets(events, families)) == {61: 3**61}
