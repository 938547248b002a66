"""Scenarios: chains from cause to consequence, the gates they merge into, where they contradict; and as files.

Beside ``scenarios`` it has the sections of a fault tree's YAML file, written in the same words.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.core.errors import InvalidInput
from surefoot.documents import Document, Findings, Keys, by_line, did_you_mean, shown
from surefoot.faulttree import FaultTree, Formula
from surefoot.faulttree.formats.assembly import TREE, Parts, wrong_numbers
from surefoot.faulttree.formats.native import SECTIONS
from surefoot.faulttree.formula import listed, structure_problems

if TYPE_CHECKING:
    from surefoot.faulttree.common_cause import CommonCause
    from surefoot.faulttree.quantities import Quantity
    from surefoot.hazards.trees import Trace


Barriers = tuple[str, ...]
MOST_LOOPS = 10
MAPPINGS = ("gates", "events", "houses", "parameters", "labels", "attributes")


@dataclass(frozen=True)
class Scenario:
    """A chain from a cause over intermediate events to a consequence.

    Parameters
    ----------
    id
        How findings and events call the chain.
    chain
        Its events, the cause first.
    barriers
        For an event of the chain, which barriers must fail as well for the event before it to bring it about.
    rows
        Ids of the worksheet rows that it comes from.
    place
        Where it stands in a file.

    References
    ----------
    Dong et al. (2023), RAM, Figures 17 and 18.

    Examples
    --------
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
        validate.fields(self)
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

    Parameters
    ----------
    chains
        The scenarios, each with an id of its own.
    gates
        Formulas that develop an event further, or say how its causes combine where it takes more than one of them.
    events
        Probabilities of basic events.
    houses, groups, parameters, labels, attributes
        As in ``FaultTree``.
    name
        Name of the whole.

    Examples
    --------
    >>> found = Scenarios((Scenario("S1", ("misclassified", "too close", "collision")),
    ...                    Scenario("S2", ("current is strong", "too close"))))
    >>> found.tops
    ('collision',)
    >>> found.fault_tree().top
    'collision'

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
        validate.fields(self)
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
        return read(path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write YAML; the file is complete or stays as it was."""
        write(self, path)

    @cached_property
    def links(self) -> Mapping[str, list[Link]]:
        """What brings each event about."""
        return gathered(self)

    @cached_property
    def merged(self) -> Mapping[str, Formula]:
        """The gate of every event that has causes."""
        return gates(self)

    @cached_property
    def inputs(self) -> Mapping[str, list[str]]:
        """The names that each of these gates takes."""
        return inputs_of(self.merged)

    @cached_property
    def trace(self) -> Trace:
        """The way from rows over events to top events, and back."""
        from surefoot.hazards.trees import trace

        return trace(self)

    @cached_property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Conflicts and loops; errors stop the merging of the top events they bear on."""
        return tuple(problems(self))

    @property
    def tops(self) -> tuple[str, ...]:
        """Consequences that lead to nothing further, in the order of the chains."""
        causes = {cause for scenario in self.chains for cause in scenario.events if cause != scenario.consequence}
        causes |= {name for formula in self.gates.values() for name in formula.names()}
        return tuple(dict.fromkeys(s.consequence for s in self.chains if s.consequence not in causes))

    def fault_tree(self, top: str | None = None) -> FaultTree:
        """The chains that lead to a top event as a fault tree; ``top`` may be left out where there is only one."""
        from surefoot.hazards.trees import fault_tree

        return fault_tree(self, top)

    def __repr__(self) -> str:
        return f"Scenarios({self.name!r}, {len(self.chains)} chains, top events {list(self.tops)})"


def gates(scenarios: Scenarios) -> dict[str, Formula]:
    """The gate of every event that has causes: as stated, or any of its links with all barriers of that link."""
    drawn = {effect: _gate(links) for effect, links in scenarios.links.items()}
    return {**drawn, **scenarios.gates}


def _gate(links: list[Link]) -> Formula:
    if len(links) == 1:
        names = links[0].inputs
        return Formula("and", names) if len(names) > 1 else Formula("pass", names)
    terms = (Formula("and", link.inputs) if link.barriers else link.cause for link in links)
    return Formula("or", tuple(terms))


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


Links = Mapping[str, list[Link]]


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


def inputs_of(formulas: Mapping[str, Formula]) -> dict[str, list[str]]:
    """The names that each gate takes, each once."""
    return {name: list(dict.fromkeys(formula.names())) for name, formula in formulas.items()}


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


def _ids(link: Link) -> str:
    return ", ".join(scenario.id for scenario in link.scenarios)


def _needs(link: Link) -> str:
    return f"asks for {listed(list(link.barriers))}" if link.barriers else "asks for none"


def _problem(text: str, link: Link, hint: str) -> Diagnostic:
    return Diagnostic("scenario-conflict", text, "error", link.scenarios[0].place, hint)


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


def below(top: str, inputs: Mapping[str, Iterable[str]]) -> dict[str, None]:
    """All names that an event rests on, and itself."""
    reached, waiting = {top: None}, [top]
    while waiting:
        new = [name for name in inputs.get(waiting.pop(), ()) if name not in reached]
        reached |= dict.fromkeys(new)
        waiting += new
    return reached


KIND = replace(TREE, syntax="hazop-syntax")
MARK, VERSION, CHAINS = "surefoot-scenarios", 1, "scenarios"
KEYS = (MARK, "name", CHAINS, *SECTIONS)
CHAIN_KEYS = ("id", "chain", "barriers", "rows")
ENDINGS = (".yaml", ".yml")


def read(path: str | os.PathLike[str]) -> Scenarios:
    """Read a file of scenarios, or raise one error with everything that is wrong with it."""
    from surefoot.documents import read_text, yaml

    place = _with_ending(path)
    findings = Findings(place.name, KIND)
    return read_document(yaml.parse(read_text(place, findings), findings), findings)


def _with_ending(path: str | os.PathLike[str]) -> Path:
    place = Path(path)
    if place.suffix.lower() not in ENDINGS:
        text = f"scenarios are kept as YAML, found {place.suffix!r}."
        raise DiagnosticsError.of("hazop-syntax", text, where=str(place), hint="Use the ending .yaml.")
    return place


def read_document(document: Document, findings: Findings) -> Scenarios:
    """The scenarios of a document."""
    return _Reader(document, findings).read()


class _Reader:
    """Reads chains; the sections of trees are read as in trees."""

    def __init__(self, document: Document, findings: Findings) -> None:
        self.document, self.findings = document, findings

    def read(self) -> Scenarios:
        from surefoot.faulttree.formats.native import read_parts

        data = self._whole()
        chains = self._chains(data.get(CHAINS))
        rest = {key: data[key] for key in SECTIONS if key in data}
        parts = read_parts(self.document.part(rest), self.findings)
        name = self._text(data.get("name", "scenarios"), ("name",))
        self.findings.raise_if_any()
        fields = {section: getattr(parts, section) for section in SECTIONS}
        found = Scenarios(tuple(chains), **fields, name=name)
        problems = (*found.problems, *section_problems(found, parts))
        DiagnosticsError.raise_if_any(
            by_line(replace(each, where=each.where or self.findings.file) for each in problems)
        )
        return found

    def _whole(self) -> dict[str, Any]:
        data = self.document.data
        if not isinstance(data, dict):
            self.findings.stop("hazop-syntax", f"a file of scenarios is a mapping, found {shown(data)}.", line=1)
        for key in data:
            if key not in KEYS:
                self._add((key,), "unknown-key", f"{shown(key)} is no section of scenarios.", did_you_mean(key, KEYS))
        version = data.get(MARK)
        if version is True or version != VERSION:
            text = f"the file should begin with {MARK}: {VERSION}, found {shown(version)}."
            self._add((MARK,), "unsupported-version" if MARK in data else "missing-key", text)
        return data

    def _chains(self, said: Any) -> list[Scenario]:
        if not isinstance(said, list) or not said:
            hint = "Write for example: - {id: S1, rows: [R1], chain: [cause, event, consequence]}"
            self._add((CHAINS,), "wrong-value", f"{CHAINS} is a list of chains, found {shown(said)}.", hint)
            return []
        found = {}
        for number, item in enumerate(said):
            scenario = self._scenario(item, (CHAINS, number))
            if scenario is not None and scenario.id in found:
                text = f"the scenario {scenario.id!r} is there twice."
                self._add((CHAINS, number), "hazop-duplicate", text, "Rename one of them.")
            elif scenario is not None:
                found[scenario.id] = scenario
        return list(found.values())

    def _scenario(self, said: Any, path: Keys) -> Scenario | None:
        if not isinstance(said, dict):
            self._add(path, "wrong-value", f"a scenario is a mapping, found {shown(said)}.")
            return None
        for key in said:
            if key not in CHAIN_KEYS:
                text = f"{shown(key)} is no key of a scenario."
                self._add((*path, key), "unknown-key", text, did_you_mean(key, CHAIN_KEYS))
        before = len(self.findings.errors)
        id = self._text(said.get("id", f"S{int(path[1]) + 1}"), (*path, "id"))
        chain, rows = (self._texts(said.get(key, []), (*path, key)) for key in ("chain", "rows"))
        barriers = self._barriers(said.get("barriers", {}), (*path, "barriers"))
        if len(self.findings.errors) > before:
            return None
        try:
            return Scenario(id, chain, barriers, rows, place=self.findings.place(self.document.line(path)))
        except InvalidInput as error:
            self._add(path, "scenario-conflict", f"{error.where}: {error.problem}: {error.found}.", error.remedy)
            return None

    def _barriers(self, said: Any, path: Keys) -> dict[str, tuple[str, ...]]:
        if not isinstance(said, dict):
            hint = "Write event: [failure of the barrier]."
            self._add(path, "wrong-value", f"barriers are a mapping, found {shown(said)}.", hint)
            return {}
        return {event: self._texts(names, (*path, event)) for event, names in said.items()}

    def _texts(self, said: Any, path: Keys) -> tuple[str, ...]:
        items = [said] if isinstance(said, str) else said
        if not isinstance(items, list):
            self._add(path, "wrong-value", f"{shown(path[-1])} is a list of texts, found {shown(said)}.")
            return ()
        return tuple(self._text(item, (*path, number)) for number, item in enumerate(items))

    def _text(self, said: Any, path: Keys) -> str:
        if not isinstance(said, str) or not said.strip():
            hint = "Put text that looks like a number, true or false in quotes."
            self._add(path, "wrong-value", f"text is needed, found {shown(said)}.", hint)
        return str(said)

    def _add(self, path: Keys, code: str, text: str, hint: str = "") -> None:
        self.findings.add(code, text, line=self.document.line(path), hint=hint)


def section_problems(scenarios: Scenarios, parts: Parts) -> Iterator[Diagnostic]:
    """Errors with the lines that ``parts`` know; loops are left to the chains, which know more of them."""
    formulas = scenarios.merged
    members = [member for group in scenarios.groups for member in group.members]
    told = (name for scenario in scenarios.chains for name in scenario.events)
    events = {name for name in (*scenarios.events, *told) if name not in formulas and name not in scenarios.houses}
    places = {name: _place(mark, parts) for name, mark in parts.marks.items()}
    found = structure_problems(
        next(iter(formulas)), formulas, dict.fromkeys(events), scenarios.houses, members=members, places=places
    )
    for problem in found:
        if problem.severity == "error" and problem.code != "tree-cycle":
            yield replace(problem, where=problem.where or parts.findings.file)
    quantities = {f"event {name!r}": place for name, place in places.items() if name in scenarios.events}
    others = {what: _place(mark, parts) for what, mark in parts.other_marks.items()}
    yield from wrong_numbers(parts, quantities | others, ())


def _place(mark: object, parts: Parts) -> str:
    return parts.findings.file if parts.place_of is None else parts.place_of(mark)


def write(scenarios: Scenarios, path: str | os.PathLike[str]) -> None:
    """Write a file of scenarios."""
    from surefoot.documents import as_yaml, write_whole

    write_whole(_with_ending(path), as_yaml(plain_data(scenarios)))


def plain_data(scenarios: Scenarios) -> dict[str, Any]:
    """What the file says, as plain data."""
    from surefoot.faulttree.formats.native import sections

    chains = [_chain_data(scenario) for scenario in scenarios.chains]
    return {MARK: VERSION, "name": scenarios.name, CHAINS: chains, **sections(scenarios)}


def _chain_data(scenario: Scenario) -> dict[str, Any]:
    said = {
        "id": scenario.id,
        "rows": list(scenario.rows),
        "chain": list(scenario.chain),
        "barriers": {event: list(names) for event, names in scenario.barriers.items()},
    }
    return {key: value for key, value in said.items() if value}
