"""Fault trees from scenarios, the trace from rows to top events, and what an edit of a worksheet changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import count

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.core.errors import InvalidInput, SurefootError
from surefoot.core.evidence import Table
from surefoot.core.target import Target
from surefoot.documents import did_you_mean
from surefoot.faulttree import FaultTree
from surefoot.faulttree.formats.native import COMPONENT
from surefoot.faulttree.formula import listed
from surefoot.hazards.chains import Scenario, Scenarios, below, plain
from surefoot.hazards.worksheet import Deviation, Hazop, Row

LEVEL, CHAINS = "level", "scenarios"
ROWS = "rows"
NOT_CREDIBLE = "not credible"
MOST_SUGGESTIONS = 50
Names = Mapping[str, tuple[str, ...]]
ASIDE = ("id", "place")


@validate.arguments
def fault_tree(scenarios: Scenarios | Iterable[Scenario] | Hazop, top: str | None = None) -> FaultTree:
    """The fault tree of a top event: every chain that leads to it becomes a path.

    An event that several events bring about is their disjunction, each together with the barriers that must fail;
    ``gates`` of the scenarios say otherwise where they say anything. In the tree each event carries the rows and chains
    that it comes from, and its level: 0 for basic events, the largest of its causes' plus one otherwise.

    Parameters
    ----------
    scenarios
        Scenarios, chains alone, or a worksheet.
    top
        The top event; it may be left out where there is only one.

    Returns
    -------
    FaultTree
        A gate for every event that has causes.

    Raises
    ------
    DiagnosticsError
        Where chains contradict each other or lead back to themselves.
    InvalidInput
        Where nothing leads to the top event, or it has to be named.

    References
    ----------
    Dong et al. (2023), RAM, section 3.2 and Figure 18.

    Examples
    --------
    >>> tree = fault_tree([Scenario("S1", ("misclassified", "too close", "collision")),
    ...                    Scenario("S2", ("current is strong", "too close"))], "collision")
    >>> sorted(tree.events), tree.attributes["collision"]["level"]
    (['current is strong', 'misclassified'], '2')

    """
    known = _known(scenarios)
    DiagnosticsError.raise_if_any(known.problems)
    formulas, inputs = known.merged, known.inputs
    chosen = _top(known, top, formulas)
    reached = below(chosen, inputs)
    kept = [group for group in known.groups if not reached.keys().isdisjoint(group.members)]
    members = {member for group in kept for member in group.members}
    linked = {name for effect in reached for link in known.links.get(effect, ()) for name in link.inputs}
    told = [name for name in reached if name in linked or name in known.events]
    basic = [name for name in told if not (name in formulas or name in known.houses)]
    return FaultTree(
        top=chosen,
        gates={name: formulas[name] for name in reached if name in formulas},
        events={name: known.events.get(name) for name in basic if name not in members},
        houses={name: state for name, state in known.houses.items() if name in reached},
        groups=tuple(kept),
        parameters=known.parameters,
        labels={name: text for name, text in known.labels.items() if name in reached},
        attributes=_attributes(known, reached, inputs),
        name=f"{known.name}: {chosen}",
    )


def _known(scenarios: Scenarios | Iterable[Scenario] | Hazop) -> Scenarios:
    if isinstance(scenarios, Scenarios):
        return scenarios
    draft = getattr(scenarios, "scenarios", None)
    return draft() if callable(draft) else Scenarios(tuple(scenarios))  # type: ignore[arg-type]


def _top(scenarios: Scenarios, top: str | None, formulas: Mapping[str, object]) -> str:
    if top is not None and top in formulas:
        return top
    tops = scenarios.tops
    if top is None and len(tops) == 1:
        return tops[0]
    if top is None:
        raise InvalidInput("name the top event", where="fault_tree", found=f"{len(tops)} of them: {list(tops)}")
    if any(top in scenario.events for scenario in scenarios.chains):
        raise InvalidInput("nothing leads to this event", where="fault_tree", found=repr(top))
    raise InvalidInput("no such event", where="fault_tree", found=repr(top), remedy=did_you_mean(top, formulas))


def _attributes(
    scenarios: Scenarios, reached: Mapping[str, None], inputs: Mapping[str, list[str]]
) -> dict[str, dict[str, str]]:
    traced, level = scenarios.trace, levels({name: inputs[name] for name in reached if name in inputs})
    found: dict[str, dict[str, str]] = {}
    for name in reached:
        own = {ROWS: joined(traced.rows.get(name, ())), CHAINS: joined(traced.chains.get(name, ()))}
        said = {key: text for key, text in own.items() if text} | {LEVEL: str(level[name])}
        found[name] = {**said, **scenarios.attributes.get(name, {})}
    return found


def levels(inputs: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Level of every event that has causes and of those below, which are 0; there are no loops."""
    from graphlib import TopologicalSorter

    found: dict[str, int] = {}
    for name in TopologicalSorter(inputs).static_order():
        found[name] = 1 + max((found[each] for each in inputs.get(name, ())), default=-1)
    return found


def joined(names: Iterable[str]) -> str:
    """Names in one cell."""
    return "; ".join(names)


@validate.arguments
def chains_from_worksheet(hazop: Hazop) -> Scenarios:
    """Scenarios from a worksheet: one chain for each cause and consequence of each row that is not called not credible.

    Texts that differ in case, spaces or a final full stop are one event, so that a consequence of one row which is a
    cause of another links them; texts of nothing but dots say nothing. Intermediate events and barriers are for people
    to add.

    Parameters
    ----------
    hazop
        The worksheet.

    Returns
    -------
    Scenarios
        Chains cause, deviation, consequence, to be refined.

    Examples
    --------
    >>> row = Row("R1", "camera", "image", "no", causes=("dirt",), consequences=("asset is missed",))
    >>> chains_from_worksheet(Hazop("vehicle", rows=[row])).chains[0].chain
    ('dirt', 'no: image of camera', 'asset is missed')

    """
    names, taken = _Names(), set(hazop.row)
    chains = [chain for row in hazop.rows if row.status != NOT_CREDIBLE for chain in _chains(row, names, taken)]
    return Scenarios(tuple(chains), name=hazop.name)


class _Names:
    """The first spelling of each event."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        return self.known.setdefault(plain(text), text.strip().rstrip("."))


def _chains(row: Row, names: _Names, taken: set[str]) -> Iterator[Scenario]:
    deviation = names(str(Deviation(*row.deviation)))
    causes, effects = ([names(text) for text in said if plain(text)] for said in (row.causes, row.consequences))
    chains = [
        chain for cause in causes or [deviation] for effect in effects for chain in _links(cause, deviation, effect)
    ]
    ids = iter([row.id]) if len(chains) == 1 else _free_ids(row.id, taken)
    for chain in chains:
        yield Scenario(next(ids), chain, rows=(row.id,), place=row.place)


def _links(cause: str, deviation: str, effect: str) -> Iterator[tuple[str, ...]]:
    """One chain; two where it would lead back, so that the loop is reported with all others."""
    if cause == effect != deviation:
        yield cause, deviation
        yield deviation, effect
    elif effect != deviation:
        yield tuple(dict.fromkeys((cause, deviation, effect)))
    elif cause != deviation:
        yield cause, deviation


def _free_ids(row: str, taken: set[str]) -> Iterator[str]:
    """``R1.1``, ``R1.2`` and so on, without those that rows or other chains have."""
    for number in count(1):
        id = f"{row}.{number}"
        if id not in taken:
            taken.add(id)
            yield id


@validate.arguments
def trace(scenarios: Scenarios) -> Trace:
    """The trace of scenarios: every chain, and every gate that develops an event of one, followed up and down.

    Parameters
    ----------
    scenarios
        The chains with their gates.

    Returns
    -------
    Trace
        Rows, chains and top events of each event.

    Examples
    --------
    >>> found = trace(Scenarios((Scenario("S1", ("misclassified", "collision"), rows=("R1",)),)))
    >>> found.events_of("R1"), found.tops_of("R1")
    (('misclassified', 'collision'), ('collision',))

    """
    inputs = scenarios.inputs
    rows: dict[str, dict[str, None]] = {}
    chains: dict[str, dict[str, None]] = {}
    for scenario in scenarios.chains:
        for event in scenario.events:
            rows.setdefault(event, {}).update(dict.fromkeys(scenario.rows))
            chains.setdefault(event, {})[scenario.id] = None
    for event, names in _developed(inputs, list(chains)).items():
        for name in names:
            rows.setdefault(name, {}).update(rows[event])
            chains.setdefault(name, {}).update(chains[event])
    tops: dict[str, list[str]] = {}
    for top in scenarios.tops:
        for event in below(top, inputs):
            tops.setdefault(event, []).append(top)
    basic = tuple(event for event in tops if event not in inputs)
    return Trace(_frozen(rows), _frozen(chains), _frozen(tops), basic)


@dataclass(frozen=True)
class Trace:
    """The way from rows over events to top events, and back.

    An event that stands in no chain, because a gate develops another one further, comes from the rows of that one.

    Parameters
    ----------
    rows, chains, tops
        For each event its rows, its chains, and the top events that it leads to.
    basic
        The events without causes.

    See Also
    --------
    trace

    """

    rows: Names
    """Rows of each event."""
    chains: Names
    """Chains of each event."""
    tops: Names
    """Top events that each event leads to."""
    basic: tuple[str, ...]
    """The events without causes."""

    def events_of(self, row: str) -> tuple[str, ...]:
        """The events that come from a row."""
        return self._events.get(row, ())

    def tops_of(self, row: str) -> tuple[str, ...]:
        """The top events that a row leads to."""
        return tuple(dict.fromkeys(top for event in self.events_of(row) for top in self.tops.get(event, ())))

    def events_table(self, top: str | None = None) -> Table:
        """Every basic event, or those of one top event, with its rows, chains and top events."""
        chosen = (event for event in self.basic if top is None or top in self.tops.get(event, ()))
        columns = (self.rows, self.chains, self.tops)
        rows = ((event, *(joined(names.get(event, ())) for names in columns)) for event in chosen)
        return Table(("basic event", "rows", "chains", "top events"), tuple(rows))

    def rows_table(self, hazop: Hazop, top: str | None = None) -> Table:
        """Every row that somebody worked on, or those of one top event, with the events and top events it leads to."""
        found = (
            (row.id, " / ".join(row.deviation), joined(self.events_of(row.id)), joined(self.tops_of(row.id)))
            for row in hazop.rows
            if not row.blank and (top is None or top in self.tops_of(row.id))
        )
        return Table(("row", "deviation", "events", "top events"), tuple(found))

    def findings(self, scenarios: Scenarios, hazop: Hazop) -> Iterator[Diagnostic]:
        """Rows that do not exist (errors); chains and events without a row, rows that lead nowhere (warnings)."""
        unknown = count()
        for scenario in scenarios.chains:
            yield from _row_problems(scenario, hazop, unknown)
        lost = [event for event in self.basic if not self.rows.get(event)]
        if lost:
            text = f"no row leads to {'the basic event' if len(lost) == 1 else 'basic events'} {listed(lost)}."
            yield Diagnostic("scenario-trace", text, hint="Name the rows that their chains come from.")
        used = {row for scenario in scenarios.chains for row in scenario.rows}
        for row in hazop.rows:
            if row.consequences and row.status != NOT_CREDIBLE and row.id not in used:
                text = f"row {row.id!r} has consequences, and no chain comes from it."
                hint = "Add a chain, or call the row not credible and say why."
                yield Diagnostic("scenario-trace", text, where=row.place, hint=hint)

    @cached_property
    def _events(self) -> Names:
        found: dict[str, list[str]] = {}
        for event, rows in self.rows.items():
            for row in rows:
                found.setdefault(row, []).append(event)
        return _frozen(found)


def _row_problems(scenario: Scenario, hazop: Hazop, unknown: Iterator[int]) -> Iterator[Diagnostic]:
    if not scenario.rows:
        text = f"the scenario {scenario.id!r} names no row of the worksheet."
        yield Diagnostic("scenario-trace", text, where=scenario.place, hint="Name the rows that it comes from.")
    for id in scenario.rows:
        row = hazop.row.get(id)
        if row is None:
            text = f"the scenario {scenario.id!r} names the row {id!r}, which the worksheet does not have."
            hint = did_you_mean(id, hazop.row) if next(unknown) < MOST_SUGGESTIONS else "Correct the name."
            yield Diagnostic("scenario-trace", text, "error", scenario.place, hint)
        elif row.status == NOT_CREDIBLE:
            text = f"the scenario {scenario.id!r} comes from row {id!r}, which is called not credible."
            yield Diagnostic("scenario-trace", text, where=scenario.place, hint="Change one of them.")


def _frozen(names: Mapping[str, Iterable[str]]) -> Names:
    return FrozenMap({key: tuple(found) for key, found in names.items()})


def _developed(inputs: Mapping[str, list[str]], known: list[str]) -> dict[str, list[str]]:
    """What stated gates bring in below each event of a chain, down to other events of chains."""
    chained = set(known)
    inner = {name: [each for each in names if each not in chained] for name, names in inputs.items()}
    return {event: [name for name in below(event, inner) if name != event] for event in known if inner.get(event)}


@dataclass(frozen=True)
class HazardStudy:
    """A worksheet with its chains, as ``compare`` takes them.

    Parameters
    ----------
    hazop
        The worksheet.
    stated
        Its chains; without any, those that its rows give.

    Examples
    --------
    >>> row = Row("R1", "camera", "image", "no", causes=("dirt",), consequences=("asset is missed",))
    >>> HazardStudy(Hazop("vehicle", rows=[row])).scenarios.tops
    ('asset is missed',)

    """

    hazop: Hazop
    stated: Scenarios | None = None

    @cached_property
    def scenarios(self) -> Scenarios:
        """The chains."""
        return self.stated if self.stated is not None else chains_from_worksheet(self.hazop)

    @property
    def trace(self) -> Trace:
        """Rows, events and top events."""
        return self.scenarios.trace


@validate.arguments
def compare(
    before: HazardStudy, after: HazardStudy, *, top: str | None = None, target: float | Target | None = None
) -> Difference:
    """What changed from one hazard study to another.

    Rows: added, removed, edited (and in which columns), with the events and top events of either study that rest on
    them. Tree: gates and events of the top event, added, removed or changed. Requirements: for each event of a learned
    component, or each event without one, what it may be at most when all others stay as they are; empty where
    probabilities are missing.

    Parameters
    ----------
    before, after
        The two studies.
    top
        The top event; it may be left out where there is only one.
    target
        What is asked of it; without a target there are no requirements.

    Returns
    -------
    Difference
        One table for rows, tree and requirements each.

    Examples
    --------
    >>> row = Row("R1", "camera", "image", "no", causes=("dirt",), consequences=("asset is missed",))
    >>> cloudy = Row("R2", "camera", "image", "late", causes=("cloudy water",), consequences=("asset is missed",))
    >>> found = compare(HazardStudy(Hazop("vehicle", rows=[row])), HazardStudy(Hazop("vehicle", rows=[row, cloudy])))
    >>> found.rows.rows[0][:2]
    ('R2', 'added')

    """
    return _compared(row_changes(before, after), before, after, top, target)


@dataclass(frozen=True)
class Difference:
    """Changes of rows with what they bear on, of the tree of a top event, and of its requirements.

    Parameters
    ----------
    rows, tree, requirements
        One table each.

    See Also
    --------
    compare

    """

    rows: Table
    tree: Table
    requirements: Table

    @property
    def empty(self) -> bool:
        """Whether nothing has changed."""
        return not (self.rows.rows or self.tree.rows)


def requirements(tree: FaultTree, target: float | Target) -> dict[str, float | None]:
    """What each event may be at most by itself; None where no number of it would do."""
    learned = [name for name in tree.events if COMPONENT in tree.attributes.get(name, {})]
    found: dict[str, float | None] = {}
    for name in learned or tree.events:
        try:
            alone = tree.allocate(target, events=[name], relax=True)
        except InvalidInput:
            continue
        except SurefootError:
            return {}
        found[name] = alone.requirements[name] if alone.feasible else None
    return found


def _compared(
    rows: Table, before: HazardStudy, after: HazardStudy, top: str | None, target: float | Target | None
) -> Difference:
    trees = [study.scenarios.fault_tree(top) for study in (before, after)]
    asked = [{} if target is None else requirements(tree, target) for tree in trees]
    return Difference(rows, _tree(*trees), _requirements(*asked))


def _tree(before: FaultTree, after: FaultTree) -> Table:
    rows: list[tuple[str, str, str, str]] = []
    for kind, old, new in (("gate", before.gates, after.gates), ("event", before.events, after.events)):
        for name in dict.fromkeys((*old, *new)):
            if name not in old or name not in new:
                rows.append((name, kind, "added" if name not in old else "removed", ""))
            elif old[name] != new[name]:
                rows.append((name, kind, "changed", f"{_shown(old[name])} -> {_shown(new[name])}"))
    return Table(("name", "kind", "change", "from and to"), tuple(rows))


def _shown(what: object) -> str:
    from surefoot.faulttree import Formula

    if isinstance(what, Formula):
        return f"{what.kind} of {len(what.inputs)}: {', '.join(dict.fromkeys(what.names()))}"
    return "unknown" if what is None else str(what)


def _requirements(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> Table:
    names = dict.fromkeys((*before, *after))
    return Table(("event", "at most before", "at most now"), tuple((n, before.get(n), after.get(n)) for n in names))


def row_changes(before: HazardStudy, after: HazardStudy) -> Table:
    """Rows that were added, removed or edited, with the events and top events that rest on them."""
    old, new = before.hazop.row, after.hazop.row
    edits = {id: _edit(old.get(id), new.get(id)) for id in dict.fromkeys((*old, *new))}
    found = ((id, edit, *_bears_on(id, before, after)) for id, edit in edits.items() if edit)
    return Table(("row", "change", "events", "top events"), tuple(found))


def _edit(old: Row | None, new: Row | None) -> str:
    if old is None or new is None:
        return "added" if old is None else "removed"
    changed = [f.name for f in fields(Row) if f.name not in ASIDE and getattr(old, f.name) != getattr(new, f.name)]
    return f"edited: {', '.join(changed).replace('_', ' ')}" if changed else ""


def _bears_on(id: str, before: HazardStudy, after: HazardStudy) -> tuple[str, str]:
    both = (before.trace, after.trace)
    events = dict.fromkeys(event for each in both for event in each.events_of(id))
    tops = dict.fromkeys(top for each in both for top in each.tops_of(id))
    return joined(events), joined(tops)


def compare_tops(
    before: HazardStudy, after: HazardStudy, tops: Iterable[str], *, target: float | Target | None = None
) -> dict[str, Difference]:
    """The same for several top events, which both studies have."""
    rows = row_changes(before, after)
    return {top: _compared(rows, before, after, top, target) for top in tops}
