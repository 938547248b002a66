"""What all readers and writers share: a tree from its parts, and quantities as people write them.

``Parts.tree`` is the last step of every reader; it gives the tree, or all its problems with their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from surefoot.core.canonical import Tagged
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.documents import Findings, Refused, by_line, did_you_mean, shown
from surefoot.documents import Kind as FindingsKind
from surefoot.faulttree.formula import Formula, listed, structure_problems
from surefoot.faulttree.quantities import Quantity, problems_of

if TYPE_CHECKING:
    from surefoot.faulttree.common_cause import CommonCause
    from surefoot.faulttree.model import FaultTree
    from surefoot.faulttree.quantities.evaluation import Numbers


TREE = FindingsKind(
    "tree-syntax",
    named=dict.fromkeys(("gates", "events", "houses", "parameters"), "tree-duplicate"),
    beginning="Export it again.",
    flatter="Give inner formulas names.",
)
MARK = "surefoot-tree"
DEEPEST = 200
"""Formulas inside formulas; gates below gates may be as deep as they like."""
CHOOSE = "Say which one is meant with top= (--top at the prompt), or read all of them with read_all."


@dataclass
class Parts:
    """What a file says so far.

    ``marks`` remember where gates and events are defined: lines, or whatever ``place_of`` turns into a place once a
    message needs it.
    """

    findings: Findings
    top: str | None = None
    name: str | None = None
    gates: dict[str, Formula] = field(default_factory=dict)
    events: dict[str, Quantity | None] = field(default_factory=dict)
    houses: dict[str, bool] = field(default_factory=dict)
    groups: list[CommonCause] = field(default_factory=list)
    parameters: dict[str, Quantity] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    """What the file means and the tree cannot say, a sentence each."""
    left_out_at: dict[str, str] = field(default_factory=dict)
    """The same of single gates, which concerns the top events above them."""
    marks: dict[str, Any] = field(default_factory=dict)
    other_marks: dict[str, Any] = field(default_factory=dict)
    """Of parameters and groups, whose names may be those of events too; keys such as parameter 'x'."""
    place_of: Callable[[Any], str] | None = None

    def define(self, name: str, line: int) -> None:
        """Note the line of a definition; a second one of the same name is refused."""
        if name in self.marks:
            text = f"{shown(name)} is defined twice, first in line {self.marks[name]}."
            raise Refused("tree-duplicate", text, "Remove or rename one of them.")
        self.marks[name] = line

    def tree(self) -> FaultTree:
        """The tree, or one error with everything that is wrong with the file."""
        from surefoot.faulttree.model import FaultTree

        if self.findings.errors:
            self.findings.raise_if_any(self._others(self.top or next(iter(self.marks), "")))
        top = self.top if self.top is not None else self._only(self.roots())
        try:
            return FaultTree(**self._fields(top))
        except DiagnosticsError as error:
            bare = set(self._structure(top, placed=False))
            others = [found for found in error.diagnostics if found not in bare]
            DiagnosticsError.raise_if_any(by_line([*self._structure(top), *located(others, self._all_places())]))
            raise

    def trees(self) -> dict[str, FaultTree]:
        """The tree of the stated top event, or else of each gate that is no input of another one."""
        roots = self.roots() if self.top is None and not self.findings.errors else []
        if len(roots) < 2:
            tree = self.tree()
            return {tree.top: tree}
        self.findings.raise_if_any(self._others(roots[0]))
        places = self.places()
        return {root: self.below(root, places).tree() for root in roots}

    def roots(self) -> list[str]:
        """The gates that are no inputs of others, in the order of the file."""
        used = {name for formula in self.gates.values() for name in formula.names()}
        return [name for name in self.gates if name not in used]

    def places(self) -> dict[str, int]:
        """The order of all names, for ``below``."""
        return {name: place for place, name in enumerate((*self.gates, *self.events, *self.houses, *self.parameters))}

    def below(self, top: str, places: Mapping[str, int]) -> Parts:
        """What a top event depends on; of many top events each costs what it has, not what the file has."""

        def ordered(names: Iterable[str]) -> list[str]:
            return sorted(names, key=lambda name: (places.get(name, len(places)), name))

        reached = self._reached(top)
        groups = [group for group in self.groups if not reached.isdisjoint(group.members)]
        kept = ordered(reached)
        events = {name: self.events[name] for name in kept if name in self.events}
        grouped = [quantity for group in groups for quantity in group.quantities.values()]
        needed = ordered(self._needed([*filter(None, events.values()), *grouped]))
        members = [member for group in groups for member in (group.name, *group.members)]
        named = list(dict.fromkeys([*kept, *needed, *(f"parameter {name}" for name in needed), *members]))
        return replace(
            self,
            top=top,
            gates={name: self.gates[name] for name in kept if name in self.gates},
            events=events,
            houses={name: self.houses[name] for name in kept if name in self.houses},
            groups=groups,
            parameters={name: self.parameters[name] for name in needed},
            labels={name: self.labels[name] for name in named if name in self.labels},
            attributes={name: self.attributes[name] for name in named if name in self.attributes},
        )

    def _reached(self, top: str) -> set[str]:
        found, stack = {top}, [top]
        while stack:
            formula = self.gates.get(stack.pop())
            for name in formula.names() if formula else ():
                if name not in found:
                    found.add(name)
                    stack.append(name)
        return found

    def _needed(self, quantities: Iterable[Quantity]) -> set[str]:
        """The parameters that quantities refer to, through others too."""
        found: set[str] = set()
        stack = list(quantities)
        while stack:
            for name in stack.pop().references():
                if name not in found and name in self.parameters:
                    found.add(name)
                    stack.append(self.parameters[name])
        return found

    def _fields(self, top: str) -> dict[str, Any]:
        named = {} if self.name is None else {"name": self.name}
        names = ("gates", "events", "houses", "groups", "parameters", "labels", "attributes")
        reached = self._reached(top) if self.left_out_at else set()
        left_out = [*self.left_out, *(text for gate, text in self.left_out_at.items() if gate in reached)]
        return {"top": top, "left_out": left_out} | {name: getattr(self, name) for name in names} | named

    def _others(self, top: str) -> Iterator[Diagnostic]:
        """What is wrong beside the findings, in as much of the file as could be read."""
        if self.marks:
            yield from self._structure(top)
        unread = [what for what in self.other_marks if what not in {f"parameter {n!r}" for n in self.parameters}]
        yield from wrong_numbers(self, self._all_places(), unread)

    def _structure(self, top: str, *, placed: bool = True) -> Iterator[Diagnostic]:
        """Problems of names and gates; what was defined and could not be read is not called undefined as well."""
        members = {member for group in self.groups for member in group.members}
        unread = self.marks.keys() - {*self.gates, *self.events, *self.houses} if self.findings.errors else set()
        places = {name: self._place(mark) for name, mark in self.marks.items()} if placed else {}
        found = structure_problems(
            top, self.gates, self.events, self.houses, members=sorted(members | unread), places=places
        )
        yield from (replace(each, where=each.where or self.findings.file) for each in found) if placed else found

    def _all_places(self) -> dict[str, str]:
        gates = {f"gate {name!r}": self.marks[name] for name in self.gates if name in self.marks}
        events = {f"event {name!r}": self.marks[name] for name in self.events if name in self.marks}
        return {what: self._place(mark) for what, mark in (self.other_marks | gates | events).items()}

    def _place(self, mark: Any) -> str:
        return self.findings.place(mark) if self.place_of is None else self.place_of(mark)

    def _only(self, roots: list[str]) -> str:
        """The only root, or an error that names all of them."""
        if len(roots) == 1:
            return roots[0]
        found = f"{listed(roots)} are inputs of no other gate" if roots else "every gate is an input of another one"
        text = f"the top event is not named, and {found if self.gates else 'there are no gates'}."
        self.findings.add("tree-undefined", text, hint=CHOOSE if roots else "Name the top event.")
        self.findings.raise_if_any(self._others(next(iter(self.gates), "")) if self.gates else ())
        raise AssertionError("unreachable")


def wrong_numbers(said: Numbers, places: Mapping[str, str], unread: Iterable[str]) -> Iterator[Diagnostic]:
    """Problems of quantities in what could be read; what could not, such as parameter 'x', is not called undefined."""
    excused = {f"The {what} is not defined." for what in unread}
    yield from located((problem for problem in problems_of(said) if problem.text not in excused), places)


def located(found: Iterable[Diagnostic], places: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Problems of quantities and groups with the places of what they are about, which are called such as event 'x'."""
    for problem in found:
        about = problem.where if problem.where in places else _about(problem, places)
        if about is None:
            yield problem
        else:
            text = problem.text if about in problem.text else f"{problem.where}: {problem.text}"
            yield replace(problem, text=text, where=places[about])


def _about(problem: Diagnostic, places: Mapping[str, str]) -> str | None:
    return next((what for what in places if problem.where.startswith(what) or what in problem.text), None)


# Quantities and common-cause groups as people write them, and the recorded form of ``to_dict`` behind it.
#
# A written quantity is a number, the name of a parameter, or a mapping whose keys are fields, with spaces for
# underscores. ``type`` says which quantity it is; common ones are known by their keys. Fields that have their default
# may be left out.

Family = type[Tagged]


@dataclass(frozen=True)
class Form:
    """How a type is written.

    The keys by which it is known without being named, fields under another name, and fields that are like another one
    where they are left out.
    """

    known_by: frozenset[str]
    renamed: Mapping[str, str] = field(default_factory=dict)
    like: Mapping[str, str] = field(default_factory=dict)


FORMS: dict[str, Form] = {
    "periodic-test": Form(
        frozenset({"rate", "tested every"}), {"interval": "tested every"}, like={"first_test": "interval"}
    ),
    "fixed": Form(frozenset({"probability"}), {"value": "probability"}),
    "parameter": Form(frozenset({"parameter"}), {"name": "parameter"}),
    "counts": Form(frozenset({"failures", "trials"})),
    "measured": Form(frozenset({"estimate"})),
    "distribution": Form(frozenset({"distribution"})),
    "operation": Form(frozenset({"operation"}), {"name": "operation", "operands": "of"}),
    "lognormal-deviate": Form(frozenset({"mean", "error factor"})),
    "exponential": Form(frozenset({"rate", "time"})),
}
NO_FORM = Form(frozenset())


@dataclass(frozen=True)
class Slot:
    """A field of a type: its name, the key it is written under, whether it takes quantities, and its default."""

    name: str
    key: str
    takes_quantities: bool
    default: Any

    @property
    def needed(self) -> bool:
        """Whether it must be written."""
        return self.default is MISSING


@cache
def slots(member: type[Any]) -> tuple[Slot, ...]:
    """The fields of a type."""
    renamed = FORMS.get(member.tag, NO_FORM).renamed
    return tuple(
        Slot(f.name, renamed.get(f.name, f.name.replace("_", " ")), "Quantity" in str(f.type), _plain(f.default))
        for f in fields(member)
    )


def recorded(said: Mapping[str, Any], family: Family, *, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What ``from_dict`` reads, from a written mapping; ``given`` are fields known from elsewhere."""
    given = given or {}
    tag = _tag(said, family)
    known = [slot for slot in slots(_member(family, tag)) if slot.name not in given]
    _refuse_unknown(set(said) - {"type"}, [slot.key for slot in known], tag)
    like = FORMS.get(tag, NO_FORM).like
    data: dict[str, Any] = {"type": tag, **given}
    for slot in known:
        if slot.key in said:
            if said[slot.key] is None and slot.needed:
                raise Refused("missing-key", f"{shown(slot.key)} has no value for the type {tag!r}.", "Write a value.")
            data[slot.name] = recorded_value(said[slot.key]) if slot.takes_quantities else said[slot.key]
        elif _is_simple(data.get(like.get(slot.name, ""))):
            data[slot.name] = data[like[slot.name]]
        elif slot.needed:
            raise Refused("missing-key", f"{shown(slot.key)} is missing for the type {tag!r}.")
        else:
            data[slot.name] = slot.default
    return data


def recorded_value(said: Any) -> Any:
    """A quantity that stands inside another one or inside a group."""
    if isinstance(said, bool):
        raise Refused("wrong-value", f"a number or quantity is needed, found {shown(said)}.")
    if isinstance(said, str):
        return {"type": "parameter", "name": said}
    if isinstance(said, Mapping):
        return recorded(said, Quantity)
    return [recorded_value(item) for item in said] if isinstance(said, list) else said


def written(data: Mapping[str, Any], family: Family, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """A mapping for people from what ``to_dict`` gave."""
    tag = data["type"]
    like = {name: data[other] for name, other in FORMS.get(tag, NO_FORM).like.items() if _is_simple(data[other])}
    said = {
        slot.key: written_value(data[slot.name]) if slot.takes_quantities else data[slot.name]
        for slot in slots(_member(family, tag))
        if slot.name not in without and data[slot.name] != like.get(slot.name, slot.default)
    }
    return said if _known_by_keys(said) == tag else {"type": tag} | said


def written_value(data: Any) -> Any:
    """A quantity inside another one, or a list of them."""
    if isinstance(data, list):
        return [written_value(item) for item in data]
    if not isinstance(data, Mapping):
        return data
    if data["type"] == "fixed":
        return data["value"]
    return data["name"] if data["type"] == "parameter" else written(data, Quantity)


def _member(family: Family, tag: str) -> Any:
    return family._members[tag]


def _tag(said: Mapping[str, Any], family: Family) -> str:
    tag = said["type"] if "type" in said else _known_by_keys(said)
    known = family._members
    if tag is None:
        keys = ", ".join(map(shown, said)) or "(none)"
        raise Refused("missing-key", f"the keys {keys} say of no known type what it needs.", _typo(said, known))
    if not isinstance(tag, str) or tag not in known:
        hint = did_you_mean(tag, known) if isinstance(tag, str) else ""
        raise Refused("wrong-value", f"there is no type {shown(tag)}.", hint)
    return tag


def _typo(said: Mapping[str, Any], known: Mapping[str, object]) -> str:
    """What was probably meant by a key that no common type has, else which types there are."""
    common = sorted({key for form in FORMS.values() for key in form.known_by})
    hints = [did_you_mean(key, common) for key in said if key not in common]
    close = next((hint for hint in hints if hint.startswith("Did")), None)
    return close or f"Complete them, or give its type, one of {', '.join(known)}."


def _known_by_keys(said: Mapping[str, Any]) -> str | None:
    return next((tag for tag, form in FORMS.items() if form.known_by <= set(said)), None)


def _refuse_unknown(found: set[str], known: list[str], tag: str) -> None:
    for key in sorted(found - set(known)):
        raise Refused("unknown-key", f"{shown(key)} says nothing for the type {tag!r}.", did_you_mean(key, known))


def _is_simple(value: Any) -> bool:
    """Whether a value means the same wherever it stands: a number or the name of a parameter, nothing drawn."""
    if isinstance(value, Mapping):
        return value.get("type") == "parameter"
    return isinstance(value, int | float)


def _plain(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default
