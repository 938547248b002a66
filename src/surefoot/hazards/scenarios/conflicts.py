"""Where chains contradict each other or what is stated beside them, and where they lead back to themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.faulttree.gate_problems import listed
from surefoot.hazards.scenarios.links import Link

if TYPE_CHECKING:
    from surefoot.hazards.scenarios.model import Scenarios

MOST_LOOPS = 10
Links = Mapping[str, list[Link]]


def problems(scenarios: Scenarios) -> Iterator[Diagnostic]:
    """Everything that is wrong with the chains together, whichever top event they lead to."""
    links = scenarios.links
    yield from _barriers(links)
    yield from _stated_gates(scenarios, links)
    yield from _stated_probabilities(scenarios, links)
    yield from _spellings(scenarios)
    yield from _loops(scenarios, links)


def _barriers(links: Links) -> Iterator[Diagnostic]:
    """One cause of one event, with different barriers: the weaker chain would make the barrier worthless."""
    for effect, found in links.items():
        by_cause: dict[str, list[Link]] = {}
        for link in found:
            by_cause.setdefault(link.cause, []).append(link)
        for cause, several in by_cause.items():
            if len(several) > 1:
                said = "; ".join(f"{_ids(link)} {_needs(link)}" for link in several)
                text = f"chains differ in what must fail for {cause!r} to bring about {effect!r}: {said}."
                hint = "Give these chains the same barriers, or an event of their own in between."
                yield _problem(text, several[1], hint)


def _stated_gates(scenarios: Scenarios, links: Links) -> Iterator[Diagnostic]:
    for effect, formula in scenarios.gates.items():
        known = set(formula.names())
        for link in links.get(effect, ()):
            missing = [name for name in link.inputs if name not in known]
            if missing:
                text = (
                    f"{_ids(link)} lead{'s' if len(link.scenarios) == 1 else ''} to {effect!r} from {listed(missing)}, "
                )
                text += f"which the gate stated for {effect!r} does not take."
                yield _problem(text, link, "Add it to the gate, or leave the gate out.")


def _stated_probabilities(scenarios: Scenarios, links: Links) -> Iterator[Diagnostic]:
    for name, quantity in scenarios.events.items():
        if quantity is not None and (name in links or name in scenarios.gates):
            how = _ids(links[name][0]) if name in links else "a gate"
            text = f"{name!r} has a probability, and {how} brings it about from other events."
            where = links[name][0].scenarios[0].place if name in links else ""
            yield Diagnostic("scenario-conflict", text, "error", where, "Remove the probability, or the causes.")


def _spellings(scenarios: Scenarios) -> Iterator[Diagnostic]:
    """Names that a reader would take for one event."""
    seen: dict[str, str] = {}
    for scenario in scenarios.chains:
        for name in scenario.events:
            other = seen.setdefault(plain(name), name)
            if other != name:
                seen[plain(name)] = name
                text = f"{name!r} and {other!r} count as two events."
                hint = "Write one and the same name where one event is meant."
                yield Diagnostic("scenario-conflict", text, "warning", scenario.place, hint)


def plain(name: str) -> str:
    """A name without differences that people do not see.

    >>> plain("Unsafe  distance to assets.")
    'unsafe distance to assets'
    """
    return " ".join(name.casefold().split()).rstrip(".")


def _loops(scenarios: Scenarios, links: Links) -> Iterator[Diagnostic]:
    inputs = {name: dict.fromkeys(names) for name, names in scenarios.inputs.items()}
    for _ in range(MOST_LOOPS):
        try:
            TopologicalSorter(inputs).prepare()
        except CycleError as error:
            loop = error.args[1]
            yield _loop(loop, links)
            for cause, effect in pairwise(loop):
                inputs[effect].pop(cause, None)
        else:
            return


def _loop(loop: list[str], links: Links) -> Diagnostic:
    """The events in the order of cause and effect, with the chains that link them."""
    steps = list(pairwise(loop))
    meant = [link for cause, effect in steps for link in links.get(effect, ()) if cause in link.inputs]
    saying = [scenario for link in meant for scenario in link.scenarios]
    ids = ", ".join(dict.fromkeys(scenario.id for scenario in saying))
    text = f"events bring each other about: {' -> '.join(map(repr, loop))}{f' (chains {ids})' if ids else ''}."
    where = saying[0].place if saying else ""
    return Diagnostic("scenario-loop", text, "error", where, "Cut the chain where the first cause is.")


def _ids(link: Link) -> str:
    return ", ".join(scenario.id for scenario in link.scenarios)


def _needs(link: Link) -> str:
    return f"asks for {listed(list(link.barriers))}" if link.barriers else "asks for none"


def _problem(text: str, link: Link, hint: str) -> Diagnostic:
    return Diagnostic("scenario-conflict", text, "error", link.scenarios[0].place, hint)
