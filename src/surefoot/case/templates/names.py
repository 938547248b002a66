"""Ids of nodes: stable from one assessment to the next, and never those of something else, whatever people call it."""

from __future__ import annotations

import re

OF_FRAMES = re.compile(r"(claim|argument|component\[.*|(LLC|LLA|LLSC|TLC|TLA|TLSC|SubC)\d.*)", re.DOTALL)
"""What frames call their own nodes; ids with a full stop are never those of a target."""
TARGET = "target:"


def goal_id(name: str) -> str:
    """The id of a target's claim: its name, or where that could be taken for something else a marked form of it.

    >>> goal_id("misses"), goal_id("claim"), goal_id("a.argument")
    ('misses', 'target:claim', 'target:a%2Eargument')
    """
    plain = bool(name.strip()) and not OF_FRAMES.fullmatch(name) and not name.startswith(TARGET)
    if plain and not set(name) & {".", "%", "/", "@"}:
        return name
    return TARGET + escaped(name)


def escaped(name: str) -> str:
    """A name without the characters that join parts of ids."""
    for character in "%./@":
        name = name.replace(character, f"%{ord(character):02X}")
    return name


def component_id(component: str, name: str) -> str:
    """The id of a node about one component."""
    return f"{name}[{escaped(component)}]"
