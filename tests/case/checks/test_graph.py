"""Circles and reach, against networkx and by brute force, on random graphs."""

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.case import Case, Node

FEWER = settings(max_examples=25, deadline=None)
NAMES = [f"n{i}" for i in range(8)]
GRAPHS = st.fixed_dictionaries({name: st.lists(st.sampled_from(NAMES), max_size=3, unique=True) for name in NAMES})


def as_networkx(graph):
    made = nx.DiGraph()
    made.add_nodes_from(graph)
    made.add_edges_from((name, each) for name, after in graph.items() for each in after)
    return made


@FEWER
@given(GRAPHS)
def test_there_is_one_circle_for_each_strong_component(graph):
    drawn = as_networkx(graph)
    groups = [frozenset(each) for each in nx.strongly_connected_components(drawn) if len(each) > 1]
    case = Case.of([Node(name, "claim", name, tuple(graph[name])) for name in NAMES])
    texts = [each.text for each in case.check() if each.code == "case-circle"]
    found = [text.removeprefix("Reasoning in a circle: ").removesuffix(".").split(" -> ")[:-1] for text in texts]
    assert len(found) == len(groups)
    for circle in found:
        assert sum(set(circle) <= group for group in groups) == 1
        assert len(set(circle)) == len(circle) > 1
        assert all(b in graph[a] for a, b in zip(circle, (*circle[1:], circle[0]), strict=True))
        back = nx.single_target_shortest_path_length(drawn, circle[0])
        lengths = {name: length for name, length in dict(back).items() if name != circle[0]}
        assert len(circle) == 1 + min(lengths[each] for each in graph[circle[0]] if each in lengths)


@FEWER
@given(GRAPHS, st.lists(st.sampled_from(["claim", "evidence", "argument"]), min_size=8, max_size=8))
def test_unreachable_nodes_are_those_that_no_path_leads_to(graph, kinds):
    case = Case.of([Node(name, kind, name, tuple(graph[name])) for name, kind in zip(NAMES, kinds, strict=True)])
    tops = [top.id for top in case.tops]
    lost = {name for name in NAMES if not _path_from(graph, tops, name)}
    found = [each for each in case.check() if each.code == "case-unreachable"]
    assert bool(found) == bool(lost and tops)
    if tops:
        assert {each.where for each in found} <= lost
        counted = sum(int(each.text.split(", nor to ")[1].split()[0]) for each in found if ", nor to " in each.text)
        assert counted + len(found) == len(lost)


def _path_from(graph, starts, goal):
    """By widening the circle as often as there are names: slow, and nothing to get wrong."""
    near = set(starts)
    for _ in NAMES:
        near |= {each for name in near for each in graph[name]}
    return goal in near


def test_the_circle_is_named():
    nodes = [Node("a", "claim", "A", ("b",)), Node("b", "claim", "B", ("c",)), Node("c", "claim", "C", ("a",))]
    (found,) = (each for each in Case.of(nodes).check() if each.code == "case-circle")
    assert "a -> b -> c -> a" in found.text


def test_a_long_circle_is_cut_short():
    names = [f"n{i}" for i in range(10_000)]
    nodes = [Node(a, "claim", a, (b,)) for a, b in zip(names, [*names[1:], names[0]], strict=True)]
    (found,) = (each for each in Case.of(nodes).check() if each.code == "case-circle")
    assert len(found.text) < 200


def test_a_circle_through_a_sub_case_is_found():
    nodes = [
        Node("top", "claim", "Top", ("a",)),
        Node("a", "claim", "A", ("sub",)),
        Node("sub", "sub-case", "A", of="/a"),
    ]
    assert "case-circle" in {each.code for each in Case.of(nodes).check()}
