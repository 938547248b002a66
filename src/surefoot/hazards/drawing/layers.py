"""Which layer a node stands in: flows lead from left to right, except those that close a circle."""

from __future__ import annotations

from collections.abc import Collection, Sequence

MOST_IN_LAYER = 16

Pair = tuple[int, int]


def backward(nodes: int, pairs: Sequence[Pair]) -> frozenset[int]:
    """Places of pairs without which there is no circle: few of them.

    Of those that close circles, either the ones against the order in which nodes are listed, or the ones with it, or
    the ones that lead back to where a walk from the sources came from; the first of the smallest.
    """
    part = _parts(nodes, pairs)
    inside = [place for place, (source, target) in enumerate(pairs) if part[source] == part[target]]
    against = frozenset(place for place in inside if pairs[place][0] > pairs[place][1])
    return min(against, frozenset(inside) - against, _walked(nodes, pairs), key=len)


def _parts(nodes: int, pairs: Sequence[Pair]) -> list[int]:
    """The strongly connected part of each node: two walks (Kosaraju; Sharir 1981)."""
    after: list[list[int]] = [[] for _ in range(nodes)]
    before: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in pairs:
        after[source].append(target)
        before[target].append(source)
    seen, finished = [False] * nodes, list[int]()
    for start in range(nodes):
        finished += _reached(start, after, seen)
    part, seen = [0] * nodes, [False] * nodes
    for start in reversed(finished):
        for node in _reached(start, before, seen):
            part[node] = start
    return part


def _reached(start: int, after: list[list[int]], seen: list[bool]) -> list[int]:
    """What was not seen before, in the order in which it is left."""
    if seen[start]:
        return []
    seen[start] = True
    left: list[int] = []
    way = [(start, iter(after[start]))]
    while way:
        node, rest = way[-1]
        target = next((each for each in rest if not seen[each]), None)
        if target is None:
            left.append(node)
            way.pop()
        else:
            seen[target] = True
            way.append((target, iter(after[target])))
    return left


def _walked(nodes: int, pairs: Sequence[Pair]) -> frozenset[int]:
    leaving: list[list[int]] = [[] for _ in range(nodes)]
    for place, (source, _) in enumerate(pairs):
        leaving[source].append(place)
    entered = {target for _, target in pairs}
    found: set[int] = set()
    state = [0] * nodes
    for start in sorted(range(nodes), key=lambda node: node in entered):
        if not state[start]:
            _walk(start, leaving, pairs, state, found)
    return frozenset(found)


def _walk(start: int, leaving: list[list[int]], pairs: Sequence[Pair], state: list[int], found: set[int]) -> None:
    """Mark nodes as on the way (1) and done (2)."""
    state[start] = 1
    way = [(start, iter(leaving[start]))]
    while way:
        node, rest = way[-1]
        place = next(rest, None)
        if place is None:
            state[node] = 2
            way.pop()
            continue
        target = pairs[place][1]
        if state[target] == 1:
            found.add(place)
        elif not state[target]:
            state[target] = 1
            way.append((target, iter(leaving[target])))


def layers(nodes: int, pairs: Collection[Pair], most: int = MOST_IN_LAYER) -> list[int]:
    """The layer of each node of a graph without circles: every pair leads to a later layer, no layer is crowded.

    Nodes stand as near to what they lead to as they can, and ends as near to what leads to them.
    """
    after: list[list[int]] = [[] for _ in range(nodes)]
    before: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in dict.fromkeys(pairs):
        after[source].append(target)
        before[target].append(source)
    from_end, crowd = [0] * nodes, dict[int, int]()
    for node in reversed(_in_order(after, before)):
        level = max((from_end[each] + 1 for each in after[node]), default=0)
        from_end[node] = _with_room(level, crowd, most)
    deepest = max(from_end, default=0)
    found = [deepest - level for level in from_end]
    crowd = {level: found.count(level) for level in set(found)}
    for node in (node for node in range(nodes) if before[node] and not after[node]):
        crowd[found[node]] -= 1
        found[node] = _with_room(max(found[each] for each in before[node]) + 1, crowd, most)
    return _without_gaps(found)


def _without_gaps(found: list[int]) -> list[int]:
    rank = {level: place for place, level in enumerate(sorted(set(found)))}
    return [rank[level] for level in found]


def _with_room(level: int, crowd: dict[int, int], most: int) -> int:
    while crowd.get(level, 0) >= most:
        level += 1
    crowd[level] = crowd.get(level, 0) + 1
    return level


def _in_order(after: list[list[int]], before: list[list[int]]) -> list[int]:
    waiting = [len(each) for each in before]
    ready = [node for node, count in enumerate(waiting) if not count]
    for node in ready:
        for target in after[node]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return ready
