"""Large cases: a chain of 10,000 nodes is evaluated without recursion, with assumptions in common."""

import random

import pytest
from benchmarks import case_size

from surefoot.case.confidence.subjective_logic import meeting_places


@pytest.mark.parametrize("make", [case_size.shared_deep, case_size.wide])
def test_ten_thousand_nodes(make):
    case, measured = make(), case_size.results()
    found = case.evaluate(measured)
    assert len(found.nodes) == len(case) > 9_990
    assert found.top.standing == "supported"
    # 100 bounds, each of which may miss with probability 5%, and every assumption is there once.
    assert (found.top.targets, found.confidence) == (case_size.RESULTS, 0)
    assert len(found.top.given) == len({node.id for node in case if node.kind == "side-claim"}) + 2
    assert 0 < float(found.opinions()[case.top.id].probability) < 1


def test_meeting_places_by_hand():
    # 0 is used by 1 and 2, which 3 joins; 4 uses 3 and 0 again, so that the uses of 0 meet at 4 only.
    assert meeting_places([(1, 2, 4), (3,), (3,), (4,), ()]) == [4, 3, 3, 4, 5]
    assert meeting_places([(), ()]) == [2, 2]


def test_meeting_places_are_where_every_way_passes():
    rng = random.Random(3)
    for _ in range(200):
        size = rng.randint(1, 9)
        users = [tuple(rng.sample(range(n + 1, size), rng.randint(0, min(3, size - n - 1)))) for n in range(size)]
        assert meeting_places(users) == [_lowest_on_every_way(users, n) for n in range(size)]


def _lowest_on_every_way(users, unit):
    finished = []
    ways = [(unit, ())]
    while ways:
        at, way = ways.pop()
        if not users[at]:
            finished.append({*way, len(users)})
        ways += [(above, (*way, above)) for above in users[at]]
    return min(set.intersection(*finished))
