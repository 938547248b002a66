"""The evidence register: everything that a result rests on, by whom it is kept, and which claims it serves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from surefoot.case.change.causes import CASE_FILE
from surefoot.case.evaluation import DocumentEvidence
from surefoot.case.templates.builder import Results
from surefoot.core import Estimate, Evidence, Table
from surefoot.project.definition import MODEL

if TYPE_CHECKING:
    from surefoot.case import Case, Node
    from surefoot.project.result import Result

DOCUMENT, DATA_SET, RESULT, CASE = "document", "data set", "result", "case file"
COUNTED = "step.counted"
FILES = {"step.fault_tree": "fault tree", "step.scenario_tree": "scenarios", "step.hazop": "worksheet"}
"""What a file is that a step names, by the step; others are files."""
SHOWN = 12
"""Characters of a digest that a table shows."""


@dataclass(frozen=True)
class RegisterEntry:
    """One document, data set, model, file or result, and the claims that it serves.

    See Also
    --------
    Result.register : Makes the entries.

    """

    id: str
    kind: str
    """``document``, ``data set``, ``model``, ``fault tree``, ``worksheet``, ``case file``, ``result`` and so on."""
    title: str
    version: str
    digest: str
    """SHA-256 of the content; empty where nobody knows it."""
    owner: str
    date: str
    serves: tuple[str, ...]
    """Ids of the claims that rest on it directly."""
    checked: str
    """Whether its content was compared with what was recorded, and when."""
    state: str
    """Of a document ``draft``, ``reviewed``, ``accepted`` or ``changed``; of a result whether it counts."""


class Register(tuple[RegisterEntry, ...]):
    """All entries, in the order documents, data and models, files, results.

    See Also
    --------
    Result.register : Makes it.

    """

    __slots__ = ()
    columns = ("id", "kind", "title", "version", "digest", "owner", "date", "serves", "checked", "state")

    def table(self, *, digits: int | None = SHOWN) -> Table:
        """For people: one row an entry; digests of so many characters, whole where None."""
        rows = ({**asdict(entry), "digest": entry.digest[:digits], "serves": ", ".join(entry.serves)} for entry in self)
        return Table(self.columns, tuple(tuple(row[name] for name in self.columns) for row in rows))


def register(result: Result) -> Register:
    """The evidence register of a result; recomputed from what the result holds."""
    made = _Register(result)
    return Register((*made.documents(), *made.links(), *made.data_and_models(), *made.files(), *made.results()))


class _Register:
    def __init__(self, result: Result) -> None:
        self.result = result
        self.day = result.created[:10]
        self.steps = _served(result.case, result.evidence)
        self.components: Mapping[str, Any] = result.definition.get("components", {})

    def documents(self) -> Iterator[RegisterEntry]:
        """One entry a document, however many steps read it, where it has an id of its own."""
        found: dict[tuple[str, str, str], RegisterEntry] = {}
        for entry in self._read_by_steps():
            key = entry.id, entry.digest, entry.title
            found[key] = _together(found[key], entry) if key in found else entry
        yield from found.values()

    def _read_by_steps(self) -> Iterator[RegisterEntry]:
        for step, evidence in self.result.evidence.items():
            said = evidence.provenance.params.get(DOCUMENT)
            if not isinstance(said, Mapping):
                continue
            without = DocumentEvidence.of(evidence)
            found, stated = self._found(step, f"{DOCUMENT} path"), said.get("sha256") or ""
            changed = bool(found and stated and found != stated)
            yield RegisterEntry(
                id=str(said.get("id") or step),
                kind=without.kind if without else DOCUMENT,
                title=str(said.get("title") or said.get("path") or said.get("url") or ""),
                version=str(said.get("version") or ""),
                digest=found or stated,
                owner=str(said.get("owner") or ""),
                date=str(said.get("date") or ""),
                serves=self._of_step(step),
                checked=self._checked(found, stated),
                state="changed" if changed else without.state if without else "counted in",
            )

    def links(self) -> Iterator[RegisterEntry]:
        """Evidence of the case that names an address and no result."""
        for node in self.result.case:
            if node.kind == "evidence" and node.url.strip() and not node.rests_on:
                by = node.stated.by if node.stated else ""
                yield RegisterEntry(
                    id=node.id,
                    kind=DOCUMENT,
                    title=node.text,
                    version="",
                    digest=node.digest,
                    owner="",
                    date="",
                    serves=_each_once(_claims_above(self.result.case, node.id)),
                    checked=self._checked("", node.digest),
                    state=f"answered for by {by}" if by else "named by its address alone",
                )

    def data_and_models(self) -> Iterator[RegisterEntry]:
        for component, part in self.components.items():
            sources = {MODEL: part.get(MODEL)} | dict(part.get("data", {}))
            for name, source in sources.items():
                reference = f"{component}.{name}"
                if reference in self.result.digests:
                    kept = source if isinstance(source, Mapping) else {"path": source or ""}
                    yield RegisterEntry(
                        id=reference,
                        kind=MODEL if name == MODEL else DATA_SET,
                        title=str(next((kept[key] for key in ("path", "callable", "factory") if kept.get(key)), "")),
                        version=str(kept.get("version", "")),
                        digest=self.result.digests[reference],
                        owner=str(kept.get("owner", "")),
                        date=str(kept.get("date", "")),
                        serves=self._of_source(component, name),
                        checked=f"content read {self.day}".strip(),
                        state="",
                    )

    def files(self) -> Iterator[RegisterEntry]:
        for name, digest in self.result.digests.items():
            if name == CASE_FILE:
                title = str(self.result.definition.get("case", {}).get("file", ""))
                yield self._file(name, CASE, title, digest, tuple(node.id for node in self.result.case.tops[:1]))
            elif name.startswith("evidence."):
                _, step, parameter = name.split(".", 2)
                evidence = self.result.evidence.get(step)
                key = parameter.partition(" ")[0]
                if evidence is not None and key != DOCUMENT:
                    kind = FILES.get(evidence.provenance.method, "file") if key == "file" else key
                    title = evidence.provenance.params.get(key, "")
                    yield self._file(f"{step}.{parameter}", kind, title, digest, self._of_step(step))

    def results(self) -> Iterator[RegisterEntry]:
        for step, evidence in self.result.evidence.items():
            for estimate in evidence.estimates:
                reference = f"{step}.{estimate.reference}"
                yield RegisterEntry(
                    id=reference,
                    kind=RESULT,
                    title=f"{estimate.quantity}{f' of {estimate.scope}' if estimate.scope else ''}",
                    version="",
                    digest=estimate.digest,
                    owner="",
                    date=self.day,
                    serves=self.steps.get(f"{step}.{estimate.quantity}", ()) or self.steps.get(reference, ()),
                    checked=f"computed {self.day}".strip(),
                    state=_state(estimate),
                )

    def _file(self, identity: str, kind: str, title: Any, digest: str, serves: tuple[str, ...]) -> RegisterEntry:
        told = title if isinstance(title, str) else identity
        return RegisterEntry(identity, kind, told, "", digest, "", "", serves, f"content read {self.day}".strip(), "")

    def _found(self, step: str, parameter: str) -> str:
        return str(self.result.digests.get(f"evidence.{step}.{parameter}", ""))

    def _checked(self, found: str, stated: str) -> str:
        if not found:
            return "hash stated, not compared" if stated else "unchecked: no hash is known"
        as_stated = "compared with the hash as stated" if stated else "content read"
        return f"{as_stated} {self.day}".strip()

    def _of_step(self, step: str) -> tuple[str, ...]:
        """Claims that a step serves by any of its results, or by itself where it has none."""
        every = (claims for name, claims in self.steps.items() if name.partition(".")[0] == step)
        return _each_once(claim for claims in every for claim in claims)

    def _of_source(self, component: str, name: str) -> tuple[str, ...]:
        """Claims whose results were computed on a data set, or with a model."""
        using = [step for step, item in self.result.evidence.items() if _uses(item, component, name, self.result)]
        return _each_once(claim for step in using for claim in self._of_step(step))


def _together(one: RegisterEntry, other: RegisterEntry) -> RegisterEntry:
    """What two steps say of one document: that it is a review says more than that it is a document."""
    kinds = [each.kind for each in (one, other) if each.kind != DOCUMENT]
    states = _each_once((one.state, other.state))
    return replace(
        one,
        kind=kinds[0] if kinds else DOCUMENT,
        serves=_each_once((*one.serves, *other.serves)),
        state=", ".join(sorted(states)),
    )


def _uses(evidence: Evidence, component: str, name: str, result: Result) -> bool:
    made = evidence.provenance
    digest = result.digests.get(f"{component}.{name}")
    return made.params.get("component") == component and digest in made.data.values()


def _served(case: Case, evidence: Mapping[str, Evidence]) -> dict[str, tuple[str, ...]]:
    """For each reference that a node rests on, and for what went into it, the claims above."""
    known = Results(evidence)
    direct: dict[str, list[str]] = {}
    stating = [node for node in case if node.rests_on and node.assumption]
    for node in case:
        if node.rests_on and not node.assumption:
            direct.setdefault(node.rests_on, []).extend(_claims_above(case, node.id))
    heard = _each_way(direct)
    for node in stating:
        # One node states an assumption for all results that share it, and names one of them.
        apart = [each for each in _claims_above(case, node.id) if not _states_of(node, heard.get(each, ()), known)]
        direct.setdefault(node.rests_on, []).extend(apart)
    found = {reference: list(claims) for reference, claims in direct.items()}
    for reference, claims in direct.items():
        for behind in known.behind([reference]) if reference in known else ():
            found.setdefault(behind, []).extend(claims)
    return {reference: _each_once(claims) for reference, claims in found.items()}


def _each_way(direct: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """For each claim the results of its evidence."""
    found: dict[str, set[str]] = {}
    for reference, claims in direct.items():
        for claim in claims:
            found.setdefault(claim, set()).add(reference)
    return found


def _states_of(node: Node, heard: Iterable[str], known: Results) -> bool:
    """Whether a claim has the assumption from its own evidence, so that it needs no other result for it."""
    held = (each for reference in heard if reference in known for each in known[reference].assumptions)
    return any(node.assumption in (each.id, f"{each.id}[{each.scope}]") for each in held)


def _claims_above(case: Case, identity: str) -> Iterator[str]:
    """The nearest claims that a node holds up, through arguments and side-warrants."""
    waiting, seen = [identity], {identity}
    while waiting:
        for parent in case.parents[waiting.pop()]:
            if parent not in seen:
                seen.add(parent)
                if case[parent].kind == "claim":
                    yield parent
                else:
                    waiting.append(parent)


def _each_once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _state(estimate: Estimate) -> str:
    if any(assumption.status == "contradicted" for assumption in estimate.assumptions):
        return "contradicted"
    if estimate.unanswered:
        return "rests on what is stated and nobody answers for"
    if estimate.stated:
        return "rests on what is stated and somebody answers for"
    return "current"
