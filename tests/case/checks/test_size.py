"""Ten thousand nodes are checked in under a second, wide, deep or tangled."""

import pytest
from tests.case.checks.cases import REFERENCE, TESTED, case_of, number

from surefoot.case import Node

SIZE = 10_000
MEASURED = {f"t{i}.failure probability": TESTED for i in range(SIZE // 3)}


def wide():
    third = SIZE // 3
    goals = [
        Node(f"G{i}", "claim", f"Part {i} fails on at most 0.1% of demands", (f"Sn{i}",), (f"A{i}",), number=number())
        for i in range(third)
    ]
    evidence = [Node(f"Sn{i}", "evidence", f"Test {i}", rests_on=f"t{i}.failure probability") for i in range(third)]
    beside = [
        Node(f"A{i}", "side-claim", f"Test {i} is alike", rests_on=REFERENCE, assumption="iid") for i in range(third)
    ]
    return [Node("top", "claim", "All is well", tuple(node.id for node in goals)), *goals, *evidence, *beside]


def deep(**fields):
    kinds = ("claim", "argument")
    chain = [Node(f"n{i}", kinds[i % 2], f"Level {i}", (f"n{i + 1}",), **fields) for i in range(SIZE - 1)]
    return [*chain, Node(f"n{SIZE - 1}", "evidence", "The end", url="end.pdf")]


def legs():
    """Each level has two legs that share all that is below."""
    return [
        Node(f"n{i}", "claim", f"Level {i}", (f"n{i + 1}", f"n{i + 2}"), combining="legs", number=number())
        for i in range(SIZE - 2)
    ] + [Node(f"n{SIZE - i}", "evidence", f"End {i}", url="end.pdf") for i in (2, 1)]


def lost():
    """Every reference leads nowhere."""
    return [Node("top", "claim", "Top", ("x",))] + [Node(f"n{i}", "claim", f"{i}", (f"x{i}",)) for i in range(SIZE)]


def bundle():
    """A shared argument between many claims above and many below."""
    half = SIZE // 2
    above = [Node(f"a{i}", "claim", f"Above {i}", ("s",), number=number(quantity=f"q{i}")) for i in range(half)]
    below = [
        Node(f"b{i}", "claim", f"Below {i}", undeveloped=True, number=number(quantity=f"r{i}")) for i in range(half)
    ]
    return [*above, Node("s", "argument", "Over all", tuple(node.id for node in below)), *below]


def spiral():
    return [Node(f"n{i}", "claim", f"{i}", (f"n{(i + 1) % SIZE}", f"n{i // 2}")) for i in range(SIZE)]


SHAPES = {"wide": wide, "deep": deep, "legs": legs, "lost": lost, "bundle": bundle, "spiral": spiral}


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_thousand_nodes_are_checked(shape):
    case = case_of(SHAPES[shape](), notation="gsn")
    assert len(case) >= SIZE - 2
    found = [("error", "warning", "note").index(finding.severity) for finding in case.check(MEASURED)]
    assert found == sorted(found)
