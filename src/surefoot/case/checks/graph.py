"""Circles and reach in a directed graph, in linear time and without recursion."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

Graph = Mapping[str, Sequence[str]]
"""For each name the names it leads to, all of them keys."""


def circles(graph: Graph) -> list[tuple[str, ...]]:
    """One circle of each group of names that all lead to each other; a name that leads to itself is no circle.

    >>> circles({"a": ["b"], "b": ["c", "a"], "c": ["c"]})
    [('a', 'b')]
    """
    left = _on_or_before_circles(graph)
    return [_shortest_from(group[0], graph, frozenset(group)) for group in _groups(graph, left)] if left else []


def reached(graph: Graph, starts: Iterable[str]) -> set[str]:
    """All names that the starts lead to, with the starts."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for name in graph[waiting.pop()]:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _on_or_before_circles(graph: Graph) -> list[str]:
    """Names that remain when those that lead nowhere are taken away again and again."""
    left = {name: sum(each != name for each in after) for name, after in graph.items()}
    before: dict[str, list[str]] = {name: [] for name in graph}
    for name, after in graph.items():
        for each in after:
            if each != name:
                before[each].append(name)
    ready = [name for name, count in left.items() if not count]
    while ready:
        for name in before[ready.pop()]:
            left[name] -= 1
            if not left[name]:
                ready.append(name)
    return [name for name, count in left.items() if count]


def _groups(graph: Graph, names: Sequence[str]) -> list[list[str]]:
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    index = {name: position for position, name in enumerate(names)}
    pairs = [(index[name], index[each]) for name in names for each in graph[name] if each in index]
    rows, columns = zip(*pairs, strict=True)
    matrix = csr_matrix(([1] * len(pairs), (rows, columns)), shape=(len(names), len(names)))
    _, labels = connected_components(matrix, directed=True, connection="strong")
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels.tolist(), strict=True):
        groups.setdefault(label, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _shortest_from(start: str, graph: Graph, group: frozenset[str]) -> tuple[str, ...]:
    came_from: dict[str, str] = {}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        for each in graph[name]:
            if each == start and name != start:
                return _back(name, start, came_from)
            if each in group and each not in came_from and each != start:
                came_from[each] = name
                waiting.append(each)
    raise AssertionError("names of one group lead to each other")


def _back(name: str, start: str, came_from: Mapping[str, str]) -> tuple[str, ...]:
    path = [name]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))
