"""A fault tree as plain data, the same for YAML and JSON, written and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from surefoot.core.errors import SurefootError
from surefoot.documents import Document, Findings, Keys, Refused, did_you_mean, shown
from surefoot.faulttree.formats.assembly import DEEPEST, MARK, Parts, recorded, written, written_value
from surefoot.faulttree.formula import COUNTING, KINDS, ONE_INPUT, Formula, Kind
from surefoot.faulttree.quantities import Fixed, Parameter, Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.common_cause import CommonCause
    from surefoot.faulttree.model import FaultTree

# Whatever belongs to a gate or event stands with it; labels and attributes of other things have sections of their own.

VERSION = 1
SECTIONS = ("gates", "events", "houses", "groups", "parameters", "labels", "attributes")
LEFT_OUT = "left out"
PLAIN_KEYS = (MARK, "name", "top", LEFT_OUT, *SECTIONS)
LABEL, COMPONENT, ATTRIBUTES, STATE = "label", "component", "attributes", "state"
BESIDES = (LABEL, COMPONENT, ATTRIBUTES)


class Described(Protocol):
    """What has the sections of a tree."""

    @property
    def gates(self) -> Mapping[str, Formula]: ...
    @property
    def events(self) -> Mapping[str, Quantity | None]: ...
    @property
    def houses(self) -> Mapping[str, bool]: ...
    @property
    def groups(self) -> tuple[CommonCause, ...]: ...
    @property
    def parameters(self) -> Mapping[str, Quantity]: ...
    @property
    def labels(self) -> Mapping[str, str]: ...
    @property
    def attributes(self) -> Mapping[str, Mapping[str, str]]: ...


def plain_data(tree: FaultTree) -> dict[str, Any]:
    """Everything that the tree says, section by section; empty ones are left out."""
    left_out = {LEFT_OUT: list(tree.left_out)} if tree.left_out else {}
    return {MARK: VERSION, "name": tree.name, "top": tree.top, **left_out, **sections(tree)}


def sections(tree: Described) -> dict[str, Any]:
    """The sections that are not empty, of a tree or of what trees are made from."""
    about = _About(tree)
    placed = {*tree.gates, *tree.events, *tree.houses}
    found: dict[str, dict[str, Any]] = {
        "gates": {name: formula_data(formula) | about.of(name) for name, formula in tree.gates.items()},
        "events": {name: _event(quantity, about.of(name)) for name, quantity in tree.events.items()},
        "houses": {
            name: {STATE: state} | said if (said := about.of(name)) else state for name, state in tree.houses.items()
        },
        "groups": {group.name: _group(group) for group in tree.groups},
        "parameters": {name: written_value(quantity.to_dict()) for name, quantity in tree.parameters.items()},
        "labels": {name: text for name, text in tree.labels.items() if name not in placed},
        "attributes": {name: dict(said) for name, said in tree.attributes.items() if name not in placed},
    }
    return {name: section for name, section in found.items() if section}


class _About:
    """Labels and attributes of what has a place of its own."""

    def __init__(self, tree: Described) -> None:
        self.labels, self.attributes = tree.labels, tree.attributes

    def of(self, name: str) -> dict[str, Any]:
        said: dict[str, Any] = {}
        if name in self.labels:
            said[LABEL] = self.labels[name]
        if name in self.attributes:
            said |= _attributes(self.attributes[name])
        return said


def _attributes(said: Mapping[str, str]) -> dict[str, Any]:
    component = {COMPONENT: said[COMPONENT]} if COMPONENT in said else {}
    others = {key: value for key, value in said.items() if key != COMPONENT}
    return component | ({ATTRIBUTES: others} if others or not component else {})


def _event(quantity: Quantity | None, about: dict[str, Any]) -> Any:
    if quantity is None:
        return about or None
    data = quantity.to_dict()
    return written(data, Quantity) | about if about else written_value(data)


def _group(group: Any) -> dict[str, Any]:
    from surefoot.faulttree.common_cause import CommonCause

    return written(group.to_dict(), CommonCause, without=("name",))


# Reading; all problems of a file are found.

QUOTE_TEXT = "Put text that looks like a number, true or false in quotes."


def read_plain(document: Document, findings: Findings, *, top: str | None = None) -> Parts:
    """What a document describes."""
    return _Reader(document, findings).read(top)


def read_parts(document: Document, findings: Findings) -> Parts:
    """The sections of a document that describes parts of trees, which others put together."""
    return _Reader(document, findings).parts_read()


class _Reader:
    """Reads section by section; what cannot be taken over is noted, and reading goes on."""

    def __init__(self, document: Document, findings: Findings) -> None:
        self.document, self.findings = document, findings
        self.parts = Parts(findings, place_of=self._place)

    def read(self, top: str | None) -> Parts:
        data = self._whole()
        self._head(data, top)
        return self.parts_read()

    def parts_read(self) -> Parts:
        for section in SECTIONS:
            self._section(section, self.document.data.get(section))
        return self.parts

    def _whole(self) -> dict[str, Any]:
        data = self.document.data
        if not isinstance(data, dict):
            self.findings.stop(
                "tree-syntax", f"a tree is a mapping, found {shown(data)}.", line=1, hint=f"Begin: {MARK}: 1"
            )
        for key in data:
            if key not in PLAIN_KEYS:
                self._add(
                    (key,), "unknown-key", f"{shown(key)} is no section of a tree.", did_you_mean(key, PLAIN_KEYS)
                )
        return data

    def _head(self, data: dict[str, Any], top: str | None) -> None:
        version = data.get(MARK)
        if MARK not in data:
            self._add((), "missing-key", f"{MARK!r} is missing.", f"Begin: {MARK}: {VERSION}")
        elif version is True or version != VERSION:
            text = f"the file has the format {shown(version)}, this version reads {VERSION}."
            self._add((MARK,), "unsupported-version", text, "Use a newer Surefoot.")
        if "name" in data:
            self.parts.name = self._text(data["name"], ("name",))
        if top is not None:
            self.parts.top = top
        elif "top" in data:
            self.parts.top = self._text(data["top"], ("top",))
        left_out = data.get(LEFT_OUT, [])
        if isinstance(left_out, list):
            self.parts.left_out = [self._text(text, (LEFT_OUT, place)) for place, text in enumerate(left_out)]
        else:
            self._add((LEFT_OUT,), "wrong-value", f"{LEFT_OUT!r} takes a list of texts, found {shown(left_out)}.")

    def _section(self, section: str, said: Any) -> None:
        if said is None:
            return
        if not isinstance(said, dict):
            self._add((section,), "wrong-value", f"{section} are a mapping, found {shown(said)}.", "Write name: value.")
            return
        read = getattr(self, f"_read_{section}")
        for name, value in said.items():
            with self._noting((section, name)):
                read(name, value)

    def _read_gates(self, name: str, said: Any) -> None:
        if not isinstance(said, dict):
            raise Refused(
                "wrong-value", f"a gate is a mapping, found {shown(said)}.", "Write for example: {or: [a, b]}"
            )
        self._define(name, "gates")
        self.parts.gates[name] = read_formula(self._without_besides(name, said, "gates", KEYS))

    def _read_events(self, name: str, said: Any) -> None:
        self._define(name, "events")
        self.parts.events[name] = None
        if isinstance(said, dict):
            said = self._without_besides(name, said, "events", ()) or None
        if said is not None:
            self.parts.events[name] = _quantity(said)

    def _read_houses(self, name: str, said: Any) -> None:
        self._define(name, "houses")
        if isinstance(said, dict):
            inner = self._without_besides(name, said, "houses", (STATE,))
            if set(inner) != {STATE}:
                raise Refused(
                    "wrong-value", f"a house event with more to say is written with {STATE!r}.", "{state: true}"
                )
            said = inner[STATE]
        if not isinstance(said, bool):
            raise Refused("wrong-value", f"a house event is true or false, found {shown(said)}.")
        self.parts.houses[name] = said

    def _read_groups(self, name: str, said: Any) -> None:
        if not isinstance(said, dict):
            raise Refused("wrong-value", f"a group is a mapping, found {shown(said)}.")
        for what in (f"common-cause group {name!r}", f"common-cause group {name}, "):
            self.parts.other_marks[what] = ("groups", name)
        from surefoot.faulttree.common_cause import CommonCause

        self.parts.groups.append(CommonCause.from_dict(recorded(said, CommonCause, given={"name": name})))

    def _read_parameters(self, name: str, said: Any) -> None:
        self.parts.other_marks[f"parameter {name!r}"] = ("parameters", name)
        if said is None:
            raise Refused("wrong-value", "a parameter needs a value.")
        self.parts.parameters[name] = _quantity(said)

    def _read_labels(self, name: str, said: Any) -> None:
        self._label(name, said, ("labels", name))

    def _read_attributes(self, name: str, said: Any) -> None:
        self._attributes(name, said, ("attributes", name))

    def _without_besides(self, name: str, said: dict[str, Any], section: str, known: tuple[str, ...]) -> dict[str, Any]:
        """What is left when label, component and attributes are taken over."""
        if LABEL in said:
            self._label(name, said[LABEL], (section, name, LABEL))
        if ATTRIBUTES in said:
            self._attributes(name, said[ATTRIBUTES], (section, name, ATTRIBUTES))
        if COMPONENT in said:
            self._attributes(name, {COMPONENT: said[COMPONENT]}, (section, name))
        return {key: value for key, value in said.items() if key not in BESIDES}

    def _label(self, name: str, said: Any, path: Keys) -> None:
        if name in self.parts.labels:
            self._add(path, "duplicate-key", f"{shown(name)} has two labels.", "Remove one of them.")
        self.parts.labels[name] = self._text(said, path)

    def _attributes(self, name: str, said: Any, path: Keys) -> None:
        if not isinstance(said, dict):
            self._add(path, "wrong-value", f"attributes are a mapping of texts, found {shown(said)}.")
            return
        found = self.parts.attributes.setdefault(name, {})
        for key, value in said.items():
            if key in found:
                self._add((*path, key), "duplicate-key", f"{shown(name)} has the attribute {shown(key)} twice.")
            found[key] = self._text(value, (*path, key))

    def _define(self, name: str, section: str) -> None:
        """Note where a name is defined; one that is defined in two sections is found with the tree's other problems."""
        self.parts.marks.setdefault(name, (section, name))

    def _text(self, said: Any, path: Keys) -> str:
        if not isinstance(said, str):
            self._add(path, "wrong-value", f"{shown(path[-1])} must be text, found {shown(said)}.", QUOTE_TEXT)
        return str(said)

    @contextmanager
    def _noting(self, path: Keys) -> Iterator[None]:
        try:
            yield
        except Refused as error:
            self._add(path, error.code, f"{shown(path[-1])}: {error.text}", error.hint)
        except SurefootError as error:
            self._add(path, "tree-probability", f"{shown(path[-1])}: {error}")

    def _add(self, path: Keys, code: str, text: str, hint: str = "") -> None:
        self.findings.add(code, text, line=self.document.line(path), hint=hint)

    def _place(self, path: Keys) -> str:
        return self.findings.place(self.document.line(path))


def _quantity(said: Any) -> Quantity:
    if isinstance(said, Mapping):
        return Quantity.from_dict(recorded(said, Quantity))
    if isinstance(said, str):
        return Parameter(said)
    if isinstance(said, bool | list):
        raise Refused("wrong-value", f"a number or a quantity is needed, found {shown(said)}.")
    return Fixed(said)


# Formulas: ``{or: [a, b]}``, ``{at least: 2, of: [a, b, c]}``, ``{not: a}``.

AT_LEAST, BETWEEN, OF, ORDER = "at least", "between", "of", "order"
OPENINGS = (*(kind for kind in KINDS if kind not in COUNTING), AT_LEAST, BETWEEN)
KEYS = (*OPENINGS, OF, ORDER)
QUOTE_NAMES = "Put names that look like numbers in quotes."


def read_formula(said: Mapping[str, Any], depth: int = 0) -> Formula:
    """The formula that a mapping says."""
    if depth > DEEPEST:
        raise Refused("tree-syntax", f"formulas are nested more than {DEEPEST} deep.", "Give inner formulas names.")
    opening = _opening(said)
    if opening in (AT_LEAST, BETWEEN):
        return _counting(said, opening, depth)
    _refuse_besides(said, opening, (ORDER,) if opening == "pand" else ())
    one = opening in ONE_INPUT
    inputs = (_input(said[opening], depth),) if one else _inputs(said[opening], opening, depth)
    try:
        return Formula(cast(Kind, opening), inputs, order=said.get(ORDER))
    except SurefootError as error:
        raise Refused("tree-probability", f"{error}") from error


def formula_data(formula: Formula, depth: int = 0) -> dict[str, Any]:
    """Plain data that ``read_formula`` reads."""
    if depth > DEEPEST:
        raise Refused(
            "tree-unsupported", f"formulas are nested more than {DEEPEST} deep.", "Give inner formulas names."
        )
    inputs = [formula_data(item, depth + 1) if isinstance(item, Formula) else item for item in formula.inputs]
    if formula.kind == "atleast":
        return {AT_LEAST: formula.minimum, OF: inputs}
    if formula.kind == "cardinality":
        return {BETWEEN: [formula.minimum, formula.maximum], OF: inputs}
    order = {} if formula.order is None else {ORDER: formula.order}
    return {formula.kind: inputs[0] if formula.kind in ONE_INPUT else inputs} | order


def _opening(said: Mapping[str, Any]) -> str:
    found = [key for key in said if key in OPENINGS]
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused("wrong-value", f"a gate has one kind, found {' and '.join(map(shown, found))}.")
    if not said:
        raise Refused("missing-key", "the gate is empty.", "Write for example: {or: [a, b]}")
    first = next(iter(said))
    raise Refused("unknown-key", f"{shown(first)} is no kind of gate.", did_you_mean(first, OPENINGS))


def _counting(said: Mapping[str, Any], opening: str, depth: int) -> Formula:
    _refuse_besides(said, opening, (OF,))
    if OF not in said:
        raise Refused("missing-key", f"{opening!r} needs {OF!r} and a list.", "Write: {at least: 2, of: [a, b, c]}")
    inputs = _inputs(said[OF], OF, depth)
    if opening == AT_LEAST:
        return Formula("atleast", inputs, _whole(said[opening], opening))
    limits = said[opening]
    if not isinstance(limits, list) or len(limits) != 2:
        raise Refused("wrong-value", f"{BETWEEN!r} takes two numbers, found {shown(limits)}.", "Write: between: [1, 2]")
    return Formula("cardinality", inputs, _whole(limits[0], opening), _whole(limits[1], opening))


def _inputs(said: Any, key: str, depth: int) -> tuple[str | bool | Formula, ...]:
    if not isinstance(said, list):
        raise Refused("wrong-value", f"{key!r} takes a list, found {shown(said)}.", f"Write: {key}: [a, b]")
    return tuple(map(partial(_input, depth=depth), said))


def _input(said: Any, depth: int) -> str | bool | Formula:
    if isinstance(said, str | bool):
        return said
    if isinstance(said, Mapping):
        return read_formula(said, depth + 1)
    raise Refused("wrong-value", f"an input is a name, true, false or a formula, found {shown(said)}.", QUOTE_NAMES)


def _whole(said: Any, key: str) -> int:
    if isinstance(said, bool) or not isinstance(said, int):
        raise Refused("wrong-value", f"{key!r} takes a whole number, found {shown(said)}.")
    return said


def _refuse_besides(said: Mapping[str, Any], opening: str, allowed: tuple[str, ...]) -> None:
    for key in said:
        if key != opening and key not in allowed:
            hint = did_you_mean(key, [*allowed, "label", "component", "attributes"])
            raise Refused("unknown-key", f"{shown(key)} does not belong to a gate of kind {opening!r}.", hint)
