"""What was behind a changed result: data, model, file, code, seed, parameter, method or target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from surefoot.case.change.snapshot import Snapshot
from surefoot.case.evaluation import is_shared
from surefoot.case.model import Node
from surefoot.core import Provenance
from surefoot.core.canonical import thaw

Sort = Literal[
    "data",
    "model",
    "file",
    "code",
    "version",
    "seed",
    "parameter",
    "method",
    "target",
    "operation",
    "input",
    "argument",
    "judgement",
    "policy",
    "unknown",
]
ABSENT = "absent"
SHORT = 12
CASE_FILE = "case.file"
"""What results call the digest of the user's own part of the case."""


@dataclass(frozen=True)
class Cause:
    """One thing that differs: data, model, code, seed, parameter, target; and of which step it is where that is known.

    See Also
    --------
    compare : Finds the causes of all differences.

    """

    sort: Sort
    name: str
    before: str = ""
    after: str = ""
    step: str = ""

    def __str__(self) -> str:
        changed = f" {self.before} -> {self.after}" if self.before or self.after else ""
        step = f" (step {self.step})" if self.step else ""
        return f"{self.sort} {self.name}{changed}{step}".replace("  ", " ")

    def to_dict(self) -> dict[str, str]:
        """Plain data for JSON."""
        return dict(vars(self))


def input_causes(before: Snapshot, after: Snapshot) -> tuple[Cause, ...]:
    """What differs of data, models, files, versions and targets, as far as both are known."""
    found = [*_known(before.digests, after.digests, _digest_sort)]
    found += _known(before.versions, after.versions, lambda name: ("version", name))
    found += _known(before.targets, after.targets, lambda name: ("target", name))
    if before.assessed and after.assessed:
        found += operation_causes(before.operation, after.operation)
    return tuple(found)


def operation_causes(before: Mapping[str, str], after: Mapping[str, str]) -> list[Cause]:
    """What operation brought since, for each claim that it speaks of."""
    return [Cause("operation", f"of {name}", str(old), str(new)) for name, old, new in differences(before, after)]


class Origins:
    """Why results of steps differ, steps whose results they use included."""

    def __init__(self, before: Snapshot, after: Snapshot) -> None:
        self._before, self._after = before, after
        self._inputs = {**_inputs(before.steps), **_inputs(after.steps)}
        named = [*before.digests.items(), *after.digests.items()]
        self._named = {(digest, name.partition(".")[0]): name for name, digest in named}
        self._own: dict[str, tuple[Cause, ...]] = {}

    def of_step(self, step: str) -> tuple[Cause, ...]:
        """Differences of a step and of all steps before it; none where nothing is known of it."""
        seen, todo, found = {step}, [step], dict[Cause, None]()
        while todo:
            name = todo.pop()
            found |= dict.fromkeys(self._of_one(name))
            new = [each for each in self._inputs.get(name, ()) if each not in seen]
            seen.update(new)
            todo.extend(new)
        return tuple(found)

    def known(self, step: str) -> bool:
        """Whether the step is there both times."""
        return step in self._before.steps and step in self._after.steps

    def _of_one(self, step: str) -> tuple[Cause, ...]:
        if step not in self._own:
            old, new = self._before.steps.get(step), self._after.steps.get(step)
            self._own[step] = () if old is None or new is None else tuple(self._causes(old, new, step))
        return self._own[step]

    def _causes(self, old: Provenance, new: Provenance, step: str) -> Iterator[Cause]:
        """With the names that data and models have in the project."""
        component = str(new.params.get("component", ""))
        names = {name: self._named.get((digest, component), "") for name, digest in new.data.items()}
        return provenance_causes(old, new, step, names)


def provenance_causes(
    old: Provenance, new: Provenance, step: str = "", names: Mapping[str, str] | None = None
) -> Iterator[Cause]:
    """What differs between two origins of one result; ``names`` are those of its data in the project."""
    if old.method != new.method:
        yield Cause("method", "", old.method, new.method, step)
    for name, first, second in differences(old.data, new.data):
        sort, known = _data_sort(name)
        yield Cause(sort, (names or {}).get(name) or known, short(first), short(second), step)
    if old.seed != new.seed:
        yield Cause("seed", "", str(old.seed), str(new.seed), step)
    for name, first, second in differences(_flat(old.params), _flat(new.params)):
        asked = name.partition(".")[0] == "asked"
        yield Cause("target" if asked else "parameter", name, short(first), short(second), step)
    for name, first, second in differences(old.versions, new.versions):
        code = name == "sources" or name.startswith("step ")
        yield Cause("code" if code else "version", "" if name == "sources" else name, short(first), short(second))


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Names with what they had and have, where that differs."""
    for name in dict.fromkeys([*old, *new]):
        first, second = old.get(name, ABSENT), new.get(name, ABSENT)
        if first != second:
            yield name, first, second


def _known(old: Mapping[str, Any], new: Mapping[str, Any], sort: Callable[[str], tuple[Sort, str]]) -> list[Cause]:
    """Nothing is said where one side does not know any of them."""
    if not old or not new:
        return []
    found = [(*sort(name), short(first), short(second)) for name, first, second in differences(old, new)]
    return [Cause(which, name, first, second) for which, name, first, second in found]


def _digest_sort(name: str) -> tuple[Sort, str]:
    if name.startswith("evidence.") or name == CASE_FILE:
        return "file", name
    return ("model" if name.endswith(".model") else "data"), name


def _data_sort(name: str) -> tuple[Sort, str]:
    """``data``, ``model``, ``file of tree``, ``data of labelled`` as a step records them."""
    what, _, parameter = name.partition(" of ")
    last = what.rpartition(".")[2]
    if last == "model":
        return "model", parameter
    return ("file", parameter) if last == "file" else ("data", parameter if last == "data" else name)


def _inputs(steps: Mapping[str, Provenance]) -> dict[str, tuple[str, ...]]:
    """For each step the names of those whose results it uses."""
    by_key = {provenance.key: name for name, provenance in steps.items()}
    return {
        name: tuple(by_key[key] for key in provenance.inputs if key in by_key) for name, provenance in steps.items()
    }


def _flat(params: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in params.items():
        path = f"{prefix}{name}"
        found |= _flat(value, f"{path}.") if isinstance(value, Mapping) and value else {path: thaw(value)}
    return found


def short(value: Any) -> str:
    """A value in a line; of a digest its beginning."""
    text = value if isinstance(value, str) else str(thaw(value))
    return f"{text[:SHORT]}..." if len(text) == 64 else text


# Evidence whose content is not what it was, and why.


@dataclass(frozen=True)
class EvidenceChange:
    """One piece of evidence that differs, in its content or only in where it comes from.

    See Also
    --------
    compare : Finds all of them.

    """

    id: str
    rests_on: str
    before: str
    after: str
    """Content hashes; empty where nothing was measured."""
    shown_before: str = ""
    shown_after: str = ""
    """The value, or what the check of an assumption said."""
    causes: tuple[Cause, ...] = ()
    check: bool = False
    """Whether it is the check of an assumption."""

    @property
    def matters(self) -> bool:
        """Whether it can decide how a claim stands: a check by its outcome, everything else by its content."""
        return self.shown_before != self.shown_after if self.check else not self.same

    @property
    def same(self) -> bool:
        """Whether the result is the same although something behind it differs."""
        return self.before == self.after

    def __str__(self) -> str:
        why = "; ".join(map(str, self.causes)) or "the cause is not recorded"
        return f"{self.id} ({self.rests_on or 'no reference'}) {self.moved}: {why}"

    @property
    def moved(self) -> str:
        """From what to what."""
        if self.same:
            return "is the same, from something else"
        if not self.before:
            return "is measured now"
        if not self.after:
            return "is not measured any more"
        if not self.shown_before or self.shown_before == self.shown_after:
            return f"{self.shown_after} {self.before[:SHORT]}... -> {self.after[:SHORT]}...".strip()
        return f"{self.shown_before} -> {self.shown_after}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**vars(self), "same": self.same, "causes": [cause.to_dict() for cause in self.causes]}


def evidence_changes(before: Snapshot, after: Snapshot, renamed: Mapping[str, str]) -> Iterator[EvidenceChange]:
    """Evidence and checked assumptions that are in both cases and differ."""
    origins = Origins(before, after)
    former = {new: old for old, new in renamed.items()}
    for node in after.case:
        old = before.case.nodes.get(former.get(node.id, node.id))
        if old is not None and any(each.rests_on or each.digest or is_shared(each) for each in (node, old)):
            found = _compared(before, after, old, node, origins)
            if not found.same or (found.causes and not node.assumption):
                yield found


def _compared(before: Snapshot, after: Snapshot, old: Node, new: Node, origins: Origins) -> EvidenceChange:
    contents = before.content(old), after.content(new)
    causes = _causes(before, after, old, new, origins)
    # What was never assessed is not known to differ.
    if (not contents[0] and not before.measured) or (not contents[1] and not after.measured):
        contents = (max(contents), max(contents))
    shown = before.shown(old), after.shown(new)
    return EvidenceChange(new.id, after.reference(new), *contents, *shown, causes, bool(new.assumption))


def _causes(before: Snapshot, after: Snapshot, old: Node, new: Node, origins: Origins) -> tuple[Cause, ...]:
    if old.rests_on != new.rests_on:
        return (Cause("input", "reference", old.rests_on, new.rests_on),)
    step = after.reference(new).partition(".")[0]
    if origins.known(step):
        return origins.of_step(step)
    first, second = before.estimate(old), after.estimate(new)
    if first is None or second is None:
        return ()
    return tuple(provenance_causes(first.provenance, second.provenance))
