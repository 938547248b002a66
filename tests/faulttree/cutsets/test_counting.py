"""Counts are exact, whatever their size."""

from collections import Counter

from tests.faulttree.cutsets.families import choices, compiled_sets, expanded, random_families

from surefoot.faulttree import cutsets


def test_counts_agree_with_a_list_of_all_sets():
    for seed in range(20):
        events, families = random_families(seed)
        compiled, listed = compiled_sets(events, families), expanded(events, families)
        assert cutsets.count(compiled) == len(listed), seed
        assert cutsets.count_by_order(compiled) == dict(sorted(Counter(map(len, listed)).items())), seed


def test_the_smallest_families_are_counted():
    for family, counts in (([], {}), ([()], {0: 1}), ([(0,)], {1: 1}), ([(0,), (1, 2)], {1: 1, 2: 1})):
        compiled = compiled_sets("abc", [family])
        assert cutsets.count(compiled) == sum(counts.values()), family
        assert cutsets.count_by_order(compiled) == counts, family


def test_counts_beyond_machine_integers_are_exact():
    for groups, size in ((10, 10), (20, 8), (21, 8), (120, 10)):
        assert cutsets.count(choices(groups, size)) == size**groups, groups
        assert cutsets.count_by_order(choices(groups, size)) == {groups: size**groups}, groups


def test_nested_modules_multiply_beyond_machine_integers():
    events = [f"e{i}" for i in range(3 * 61)]
    families = [[(0,), (1,), (2,)]]
    families += [[(3 * i + j, len(events) + i - 1) for j in range(3)] for i in range(1, 61)]
    assert cutsets.count(compiled_sets(events, families)) == 3**61
    assert cutsets.count_by_order(compiled_sets(events, families)) == {61: 3**61}
