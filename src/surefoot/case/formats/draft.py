"""What one file says, before files are put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from surefoot.case.case import Module
from surefoot.case.node import Node
from surefoot.case.notation import Notation
from surefoot.case.policy import Policy
from surefoot.documents import Keys

Place = Callable[[Keys], str]
"""Where a key stands, as a message says it."""


@dataclass(frozen=True)
class NamedFile:
    """A module that is written in another file."""

    module: str
    file: str
    place: str
    about: Module | None
    """What is said of the module here; None where its own file shall say it."""


@dataclass
class Draft:
    """Nodes with their places, and what is said of the whole."""

    name: str = ""
    description: str = ""
    notation: Notation = "cae"
    policy: Policy = field(default_factory=Policy)
    modules: dict[str, Module] = field(default_factory=dict)
    files: list[NamedFile] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    paths: dict[str, Keys] = field(default_factory=dict)
    """The keys under which each node is written."""
