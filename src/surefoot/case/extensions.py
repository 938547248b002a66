"""Extensions of the GSN Community Standard: choices of patterns, modules, assurance claim points, challenged relations.

Core elements are nodes (``model``). Part 1:3 of version 3 adds patterns, 1:4 modules, 1:5 confidence arguments and 1:6
dialectic arguments; what these say besides elements stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import FrozenMap, freeze

if TYPE_CHECKING:
    from surefoot.case.model import Node


@dataclass(frozen=True)
class Choice:
    """Of these nodes below, so many are to be developed when a pattern is instantiated.

    Parameters
    ----------
    among
        Ids of two or more nodes below.
    least, most
        How many of them.

    Examples
    --------
    >>> from surefoot.case import Choice
    >>> Choice(("by tests", "by proof"), least=1, most=2).most
    2

    """

    among: tuple[str, ...]
    least: int = 1
    most: int = 1

    def __post_init__(self) -> None:
        validate.fields(self)
        if not 0 <= self.least <= self.most <= len(self.among) or len(set(self.among)) < 2:
            found = f"{self.least} to {self.most} of {len(self.among)}"
            raise InvalidInput("a choice is among two or more nodes, so many of them", where="Choice", found=found)


@dataclass(frozen=True)
class Module:
    """A part of a case that is argued by itself.

    Parameters
    ----------
    name, brief
        What it is called, and what it is about.
    extends
        The module it is an instance or a version of.
    develops
        For ids of undeveloped nodes of that module (or ``module/id`` of another one), the ids of its own nodes that
        hold them up.
    attributes
        What its file says of it besides, kept as it was.

    Examples
    --------
    >>> from surefoot.case import Module
    >>> Module("planner", "How the planner avoids what was seen.").name
    'planner'

    """

    name: str = ""
    brief: str = ""
    extends: str = ""
    develops: Mapping[str, tuple[str, ...]] = field(default_factory=FrozenMap)
    attributes: Mapping[str, Any] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        validate.fields(self)
        object.__setattr__(self, "develops", FrozenMap({key: tuple(ids) for key, ids in self.develops.items() if ids}))
        object.__setattr__(self, "attributes", frozen(self.attributes))

    def instances(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """What it develops: the name of the module, the id of the node there, and by which of its own nodes.

        >>> list(Module("mine", extends="theirs", develops={"G1": ("G2",), "others/G5": ("G6",)}).instances())
        [('theirs', 'G1', ('G2',)), ('others', 'G5', ('G6',))]
        """
        for key, ids in self.develops.items():
            module, slash, identity = key.partition("/")
            yield (module, identity, ids) if slash else (self.extends, key, ids)


def developed(nodes: Mapping[str, Node], modules: Mapping[str, Module]) -> dict[str, Node]:
    """Nodes with what instances of their module put below them (``develops``), unless it is there already."""
    found = dict(nodes)
    for module in modules.values():
        for _, identity, ids in module.instances():
            node = found.get(identity)
            known = [each for each in ids if each in found]
            if node is not None and known:
                stood_for = [found[each].of for each in node.supported_by if each in found]
                there = {each for each in known if any(of.endswith(f"/{each}") for of in stood_for)}
                held = dict.fromkeys((*node.supported_by, *(each for each in known if each not in there)))
                found[identity] = replace(node, supported_by=tuple(held), undeveloped=False)
    return found


@dataclass(frozen=True)
class ClaimPoint:
    """An assurance claim point: where confidence in an assertion is argued by itself.

    Parameters
    ----------
    on
        Ids of nodes below or beside, whose relations it is about; the node's own id, or nothing, means the node itself.
    argued_by
        The id of the claim of confidence, or of the sub-case that stands for it.

    References
    ----------
    GSN Community Standard, version 3, part 1:5 (confidence argument extension).

    Examples
    --------
    >>> from surefoot.case import ClaimPoint
    >>> ClaimPoint(("Sn1",), argued_by="G9").on
    ('Sn1',)

    """

    on: tuple[str, ...] = ()
    argued_by: str = ""

    def __post_init__(self) -> None:
        validate.fields(self)
        object.__setattr__(self, "on", tuple(self.on))


class Relation(NamedTuple):
    """From a node to one that holds it up or stands beside it, as ``challenges`` names it: ``G1 -> S1``."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} {ARROW} {self.target}"


ARROW = "->"


def relation_in(text: str) -> Relation | None:
    """The relation that a text names, if it names one.

    >>> relation_in("G1 -> S1"), relation_in("G1")
    (Relation(source='G1', target='S1'), None)
    """
    source, arrow, target = (part.strip() for part in text.partition(ARROW))
    return Relation(source, target) if arrow and source and target else None


def frozen(attributes: Mapping[str, Any]) -> FrozenMap[Any]:
    """Attributes of other tools as they are kept."""
    return FrozenMap({key: freeze(value) for key, value in attributes.items()})
