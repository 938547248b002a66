"""``Scenario``: one chain of events; ``Scenarios``: all of them, with what is known of their events."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.errors import InvalidInput
from surefoot.faulttree import FaultTree, Formula

if TYPE_CHECKING:
    from surefoot.faulttree.groups import CommonCause
    from surefoot.faulttree.quantities import Quantity
    from surefoot.hazards.scenarios.links import Link
    from surefoot.hazards.scenarios.trace import Trace

MAPPINGS = ("gates", "events", "houses", "parameters", "labels", "attributes")


@dataclass(frozen=True)
class Scenario:
    """A chain from a cause over intermediate events to a consequence.

    ``barriers`` says, for an event of the chain, which barriers must fail as well for the event before it to bring it
    about. ``rows`` names the rows of the worksheet that the chain comes from.

    >>> chain = Scenario("S1", ("asset is misclassified", "path comes close", "distance is lost"),
    ...                  barriers={"distance is lost": ("sonar guidance fails",)}, rows=("R2",))
    >>> chain.cause, chain.consequence
    ('asset is misclassified', 'distance is lost')
    """

    id: str
    chain: tuple[str, ...]
    barriers: Mapping[str, tuple[str, ...]] = field(default_factory=FrozenMap)
    rows: tuple[str, ...] = ()
    place: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        self._texts(self.id)
        chain = self._texts(self.chain)
        if len(chain) < 2:
            self._refuse("a chain needs a cause and a consequence", repr(chain))
        if len(set(chain)) < len(chain):
            again = next(name for name in chain if chain.count(name) > 1)
            self._refuse("a chain leads back to an event of its own", repr(again), "Remove the loop.")
        barriers = {event: self._texts(names) for event, names in self.barriers.items()}
        for event, names in barriers.items():
            if event not in chain[1:]:
                self._refuse("a barrier stands before an event that the chain leads to", repr(event))
            if set(names) & set(chain):
                self._refuse("a barrier is an event of the chain itself", repr(names), "Name the barrier's failure.")
        object.__setattr__(self, "chain", chain)
        object.__setattr__(self, "barriers", FrozenMap({event: names for event, names in barriers.items() if names}))
        object.__setattr__(self, "rows", self._texts(self.rows))

    def _texts(self, names: Iterable[str]) -> tuple[str, ...]:
        found = tuple(names) if not isinstance(names, str) else (names,)
        for name in found:
            if not isinstance(name, str) or not name.strip():
                self._refuse("scenarios, events, barriers and rows are named by text", repr(name))
        return found

    def _refuse(self, problem: str, found: str, remedy: str = "") -> None:
        raise InvalidInput(problem, where=f"scenario {self.id!r}", found=found, remedy=remedy)

    @property
    def cause(self) -> str:
        """The first event."""
        return self.chain[0]

    @property
    def consequence(self) -> str:
        """The last event."""
        return self.chain[-1]

    @property
    def links(self) -> Iterable[tuple[str, str]]:
        """Each event with the one it leads to."""
        return pairwise(self.chain)

    @property
    def events(self) -> tuple[str, ...]:
        """The events of the chain, and the barriers that must fail."""
        return tuple(dict.fromkeys((*self.chain, *(name for names in self.barriers.values() for name in names))))


@dataclass(frozen=True, repr=False)
class Scenarios:
    """Chains, and what is known of their events beside them.

    ``events`` hold probabilities; ``gates`` develop an event further, or say how its causes combine where it takes more
    than one of them; the other fields are those of ``FaultTree``.
    """

    chains: tuple[Scenario, ...]
    gates: Mapping[str, Formula] = field(default_factory=FrozenMap)
    events: Mapping[str, Quantity | None] = field(default_factory=FrozenMap)
    houses: Mapping[str, bool] = field(default_factory=FrozenMap)
    groups: tuple[CommonCause, ...] = ()
    parameters: Mapping[str, Quantity] = field(default_factory=FrozenMap)
    labels: Mapping[str, str] = field(default_factory=FrozenMap)
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=FrozenMap)
    name: str = "scenarios"

    def __post_init__(self) -> None:
        for name in MAPPINGS:
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))
        for name in ("chains", "groups"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        seen: set[str] = set()
        for scenario in self.chains:
            if scenario.id in seen:
                raise InvalidInput("two scenarios have one id", where="Scenarios", found=repr(scenario.id))
            seen.add(scenario.id)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Scenarios:
        """Read a file of scenarios (YAML); every problem of the file is in the error."""
        from surefoot.hazards.scenarios.file import read

        return read(path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write YAML; the file is complete or stays as it was."""
        from surefoot.hazards.scenarios.file import write

        write(self, path)

    @cached_property
    def links(self) -> Mapping[str, list[Link]]:
        """What brings each event about."""
        from surefoot.hazards.scenarios.links import gathered

        return gathered(self)

    @cached_property
    def merged(self) -> Mapping[str, Formula]:
        """The gate of every event that has causes."""
        from surefoot.hazards.scenarios.links import gates

        return gates(self)

    @cached_property
    def inputs(self) -> Mapping[str, list[str]]:
        """The names that each of these gates takes."""
        from surefoot.hazards.scenarios.links import inputs_of

        return inputs_of(self.merged)

    @cached_property
    def trace(self) -> Trace:
        """The way from rows over events to top events, and back."""
        from surefoot.hazards.scenarios.trace import trace

        return trace(self)

    @cached_property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Conflicts and loops; errors stop the merging of the top events they bear on."""
        from surefoot.hazards.scenarios.conflicts import problems

        return tuple(problems(self))

    @property
    def tops(self) -> tuple[str, ...]:
        """Consequences that lead to nothing further, in the order of the chains."""
        causes = {cause for scenario in self.chains for cause in scenario.events if cause != scenario.consequence}
        causes |= {name for formula in self.gates.values() for name in formula.names()}
        return tuple(dict.fromkeys(s.consequence for s in self.chains if s.consequence not in causes))

    def fault_tree(self, top: str | None = None) -> FaultTree:
        """The chains that lead to a top event as a fault tree; ``top`` may be left out where there is only one."""
        from surefoot.hazards.scenarios.merging import fault_tree

        return fault_tree(self, top)

    def __repr__(self) -> str:
        return f"Scenarios({self.name!r}, {len(self.chains)} chains, top events {list(self.tops)})"
