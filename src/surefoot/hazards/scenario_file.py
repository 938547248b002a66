"""A file of scenarios: a tree file whose gates need not be written out, because chains give them.

Beside ``scenarios`` it has the sections of a fault tree's YAML file, written in the same words.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.core.errors import InvalidInput
from surefoot.documents import Document, Findings, Keys, by_line, did_you_mean, shown
from surefoot.faulttree.formats.assembly import TREE, Parts, wrong_numbers
from surefoot.faulttree.formats.native import SECTIONS
from surefoot.faulttree.formula import structure_problems
from surefoot.hazards.chains import Scenario, Scenarios

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
