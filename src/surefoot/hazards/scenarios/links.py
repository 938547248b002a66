"""What brings each event about: the links of all chains, gathered by the event they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.faulttree import Formula

if TYPE_CHECKING:
    from surefoot.hazards.scenarios.model import Scenario, Scenarios

Barriers = tuple[str, ...]


@dataclass(frozen=True)
class Link:
    """A cause of an event, the barriers that must fail as well, and the chains that say so."""

    cause: str
    barriers: Barriers
    scenarios: tuple[Scenario, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The cause and the barriers."""
        return (self.cause, *self.barriers)


def gathered(scenarios: Scenarios) -> dict[str, list[Link]]:
    """For each event that a chain leads to: its links, those that say the same as one."""
    found: dict[str, dict[tuple[str, frozenset[str]], list[tuple[Barriers, Scenario]]]] = {}
    for scenario in scenarios.chains:
        for cause, effect in scenario.links:
            barriers = scenario.barriers.get(effect, ())
            links = found.setdefault(effect, {})
            links.setdefault((cause, frozenset(barriers)), []).append((barriers, scenario))
    return {
        effect: [Link(cause, said[0][0], tuple(s for _, s in said)) for (cause, _), said in links.items()]
        for effect, links in found.items()
    }


def gates(scenarios: Scenarios) -> dict[str, Formula]:
    """The gate of every event that has causes: as stated, or any of its links with all barriers of that link."""
    drawn = {effect: _gate(links) for effect, links in scenarios.links.items()}
    return {**drawn, **scenarios.gates}


def inputs_of(formulas: Mapping[str, Formula]) -> dict[str, list[str]]:
    """The names that each gate takes, each once."""
    return {name: list(dict.fromkeys(formula.names())) for name, formula in formulas.items()}


def below(top: str, inputs: Mapping[str, Iterable[str]]) -> dict[str, None]:
    """All names that an event rests on, and itself."""
    reached, waiting = {top: None}, [top]
    while waiting:
        new = [name for name in inputs.get(waiting.pop(), ()) if name not in reached]
        reached |= dict.fromkeys(new)
        waiting += new
    return reached


def _gate(links: list[Link]) -> Formula:
    if len(links) == 1:
        names = links[0].inputs
        return Formula("and", names) if len(names) > 1 else Formula("pass", names)
    terms = (Formula("and", link.inputs) if link.barriers else link.cause for link in links)
    return Formula("or", tuple(terms))
