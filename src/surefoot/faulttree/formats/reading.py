"""From plain data, as YAML and JSON hold it, to a fault tree; all problems of a file are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from surefoot.core.errors import SurefootError
from surefoot.documents import Document, Findings, Keys, Refused, did_you_mean, shown
from surefoot.faulttree.formats.building import Parts
from surefoot.faulttree.formats.formulas import KEYS as GATE_KEYS
from surefoot.faulttree.formats.formulas import read_formula
from surefoot.faulttree.formats.plain import (
    ATTRIBUTES,
    BESIDES,
    COMPONENT,
    KEYS,
    LABEL,
    LEFT_OUT,
    MARK,
    SECTIONS,
    STATE,
    VERSION,
)
from surefoot.faulttree.formats.shorthand import recorded

if TYPE_CHECKING:
    from surefoot.faulttree.groups import CommonCause
    from surefoot.faulttree.quantities import Quantity

QUOTE = "Put text that looks like a number, true or false in quotes."


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
            if key not in KEYS:
                self._add((key,), "unknown-key", f"{shown(key)} is no section of a tree.", did_you_mean(key, KEYS))
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
        self.parts.gates[name] = read_formula(self._without_besides(name, said, "gates", GATE_KEYS))

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
        group = _group(name, said)
        self.parts.groups.append(group)

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
            self._add(path, "wrong-value", f"{shown(path[-1])} must be text, found {shown(said)}.", QUOTE)
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
    from surefoot.faulttree.quantities import Fixed, Parameter, Quantity

    if isinstance(said, Mapping):
        return Quantity.from_dict(recorded(said, Quantity))
    if isinstance(said, str):
        return Parameter(said)
    if isinstance(said, bool | list):
        raise Refused("wrong-value", f"a number or a quantity is needed, found {shown(said)}.")
    return Fixed(said)


def _group(name: str, said: Mapping[str, Any]) -> CommonCause:
    from surefoot.faulttree.groups import CommonCause

    return CommonCause.from_dict(recorded(said, CommonCause, given={"name": name}))
