"""``Module``: one part of a system, and ``Loop``: where one is fed from a part that comes after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import FrozenMap
from surefoot.metrics.distances import Distance
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.ports import as_kind

OUTPUT = ""
"""The port of a module that gives one thing."""


def module_of(place: str) -> str:
    """The module that a place (``module`` or ``module.port``) belongs to."""
    return place.partition(".")[0]


class Answer(NamedTuple):
    """What a module gives for a batch, with one row of features an item where it lets us look inside."""

    outputs: Any
    features: Any = None


@dataclass(frozen=True, eq=False)
class Module:
    """A part of a system: learned or not.

    ``run`` takes its inputs by name, each a batch (an array where all items have one shape, otherwise a list), and
    gives a batch of outputs, or a mapping of port to batch where ``gives`` is one; wrapped in ``Answer`` it brings
    features too. ``noisy`` is the same with random numbers in it, such as dropout: its first argument is a seed.
    ``inputs`` says where each input comes from: an input of the system, ``module`` or ``module.port``. ``distance``
    tells two outputs of the module apart in repeated passes, by its name in ``surefoot.metrics`` or itself; a module
    with several ports is judged by the first. ``version`` stands for everything that decides what the module answers:
    when it changes, recordings of it are stale. Where it is not stated it is read from the code of ``run`` and
    ``noisy`` and from what they carry.
    """

    name: str
    run: Callable[..., Any]
    inputs: Mapping[str, str]
    takes: Mapping[str, str] = field(default_factory=FrozenMap)
    gives: str | Mapping[str, str] = "any"
    noisy: Callable[..., Any] | None = None
    distance: str | Distance | None = None
    version: str = ""

    def __post_init__(self) -> None:
        where = f"module {self.name!r}"
        if not self.name or "." in self.name:
            raise InvalidInput("a module needs a name without a dot", where="Module", found=repr(self.name))
        if not callable(self.run):
            raise InvalidInput("run must be callable", where=where, found=type(self.run).__name__)
        if not self.inputs:
            raise InvalidInput("a module needs an input", where=where, remedy="Say inputs={'x': 'frames'}.")
        object.__setattr__(self, "inputs", FrozenMap(self.inputs))
        object.__setattr__(self, "takes", FrozenMap({p: as_kind(k, where=where) for p, k in self.takes.items()}))
        if not self.version:
            object.__setattr__(self, "version", version_of((self.run, self.noisy)))
        for port in self.takes:
            validate.choice(port, self.inputs, where=where, name="input port")

    @property
    def ports(self) -> dict[str, str]:
        """Kinds of what it gives, by port; one that gives one thing has the port ""."""
        given = {OUTPUT: self.gives} if isinstance(self.gives, str) else dict(self.gives)
        return {port: as_kind(kind, where=f"module {self.name!r}") for port, kind in given.items()}

    @property
    def places(self) -> tuple[str, ...]:
        """How the system calls its ports."""
        return tuple(self.place(port) for port in self.ports)

    def place(self, port: str) -> str:
        """How the system calls a port of this module: ``module`` or ``module.port``."""
        return f"{self.name}.{port}" if port else self.name


@dataclass(frozen=True)
class Loop:
    """A part that is fed from one after it: how many rounds, and what it is fed in the first.

    ``initial`` is what every item starts with; a callable gives it for each item from the system's inputs of that item.
    """

    rounds: int
    initial: Any = None

    def __post_init__(self) -> None:
        validate.count(self.rounds, where="Loop", name="rounds", at_least=1)
