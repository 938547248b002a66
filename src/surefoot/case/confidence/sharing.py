"""Shared units that are always used together, which a network may treat as one."""

from __future__ import annotations

from collections import defaultdict

from surefoot.case.confidence.units import Graph


def alike(graph: Graph) -> dict[int, tuple[int, ...]]:
    """Groups of shared units that the same users need in the same role, for each of their members.

    Only roles count in which all of a group must hold: needed parts, and warrants.
    """
    roles: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    apart: set[int] = set()
    for index, unit in enumerate(graph.units):
        for each in unit.parts:
            roles[each].append((index, True))
        for each in unit.warrants:
            roles[each].append((index, False))
        apart.update(unit.challengers)
        if unit.node.combining == "legs":
            apart.update(unit.parts)
    groups: dict[tuple[tuple[int, bool], ...], list[int]] = defaultdict(list)
    for each, uses in sorted(roles.items()):
        if len(uses) > 1 and each not in apart:
            groups[tuple(sorted(uses))].append(each)
    return {each: tuple(group) for group in groups.values() for each in group}
