"""One element of an assurance case, in a vocabulary that CAE and GSN share.

A claim is a GSN goal, an argument a strategy, evidence a solution. A side-claim (why an argument is valid) is a GSN
assumption where nothing holds it up, and a goal where something does. A sub-case stands for what another module argues:
an away goal, or a whole module (GSN Community Standard, version 3, parts 1:2 to 1:5; Bloomfield and Netkachova 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from surefoot.case.number import Number, Stated
from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import FrozenMap

Kind = Literal[
    "claim", "argument", "evidence", "side-claim", "justification", "context", "sub-case", "contract", "defeater"
]
Block = Literal["decomposition", "substitution", "evidence incorporation", "concretion", "calculation"]
Combining = Literal["all", "legs", "deduction"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BLOCKS: tuple[Block, ...] = get_args(Block)
COMBININGS: tuple[Combining, ...] = get_args(Combining)
BESIDE: tuple[Kind, ...] = ("side-claim", "justification", "context")
"""Kinds that stand beside what they belong to (``in_context_of``), not below it."""
GIVEN: tuple[Kind, ...] = ("context", "justification")
"""Kinds that explain and are taken as given: neither shown nor open."""
STANDING_IN: tuple[Kind, ...] = ("sub-case", "contract")
"""Kinds that stand for what is argued elsewhere (``of``)."""


@dataclass(frozen=True)
class Choice:
    """Of these nodes below, so many are to be developed when a pattern is instantiated."""

    among: tuple[str, ...]
    least: int = 1
    most: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most <= len(self.among) or len(set(self.among)) < 2:
            found = f"{self.least} to {self.most} of {len(self.among)}"
            raise InvalidInput("a choice is among two or more nodes, so many of them", where="Choice", found=found)


@dataclass(frozen=True)
class Node:
    """One element: what it says, what it stands on, and what is known of it."""

    id: str
    kind: Kind
    text: str
    supported_by: tuple[str, ...] = ()
    """Ids of what holds it up."""
    in_context_of: tuple[str, ...] = ()
    """Ids of side-claims, justifications and contexts."""
    challenges: tuple[str, ...] = ()
    """Ids of what it speaks against: a defeater, or evidence that counts against a claim."""
    block: Block | None = None
    """Of an argument: which of the five CAE blocks it is."""
    combining: Combining = "all"
    """How what holds it up combines: all are needed, independent legs each suffice, or deduction by ``stated``."""
    undeveloped: bool = False
    module: str = ""
    """The module it is written in; the main one has no name."""
    of: str = ""
    """Of a sub-case or contract: the module it stands for, or ``module/id`` of one claim there."""
    public: bool = False
    """Whether other modules may refer to it."""
    number: Number | None = None
    """Of a claim: the number it states."""
    rests_on: str = ""
    """Of evidence and side-claims: the result that was measured, as ``step.quantity``."""
    assumption: str = ""
    """Of a side-claim: the id of the assumption of that result whose check decides."""
    digest: str = ""
    """Content hash of what was measured when the case was written; when it differs, the evidence is stale."""
    stated: Stated | None = None
    """What a person answers for where nothing was measured, or the conditionals of a deduction."""
    defeated: bool = False
    """Of what is challenged: the challenge won. Of a defeater: it was eliminated."""
    multiplicity: Mapping[str, str] = field(default_factory=FrozenMap)
    """Of a pattern: for a node below how many of it there will be: ``n``, ``1..n``, ``0..1`` (optional)."""
    choice: tuple[Choice, ...] = ()
    uninstantiated: bool = False
    """Of a pattern: placeholders in braces are still to be filled."""
    tags: tuple[str, ...] = ()
    """Activities of standards, such as ``AMLAS: model verification``."""
    note: str = ""
    url: str = ""

    def __post_init__(self) -> None:
        where = f"case node {self.id!r}"
        if not isinstance(self.id, str) or not isinstance(self.text, str) or not self.id.strip():
            raise InvalidInput("a node of a case needs an id and a text", where="case", found=repr(self.id))
        validate.choice(self.kind, KINDS, where=where, name="kind")
        validate.choice(self.combining, COMBININGS, where=where, name="combining")
        if self.block is not None:
            validate.choice(self.block, BLOCKS, where=where, name="block")
        for name in ("supported_by", "in_context_of", "challenges", "choice", "tags"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "multiplicity", FrozenMap(self.multiplicity))

    @property
    def below(self) -> tuple[str, ...]:
        """Ids of what holds it up and of what stands beside it, each once."""
        return tuple(dict.fromkeys((*self.supported_by, *self.in_context_of)))

    @property
    def related(self) -> tuple[str, ...]:
        """Ids of all nodes it refers to."""
        return tuple(dict.fromkeys((*self.below, *self.challenges)))
