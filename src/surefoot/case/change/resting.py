"""What claims rest on: assumptions, evidence, and all that was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.case.case import Case
from surefoot.case.change.snapshot import Snapshot
from surefoot.case.node import Node
from surefoot.core.canonical import digest


def assumptions_of(snapshot: Snapshot, claims: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Side-claims below these claims, and assumptions of what was measured for them that no side-claim states."""
    below = list(_below(snapshot.case, claims))
    stated = {node.assumption for node in below}
    for node in below:
        found = snapshot.node(node.id)
        if node.kind == "side-claim":
            yield node.id, {"text": node.text, "standing": found.standing if found else "unknown"}
        estimate = snapshot.estimate(node) if node.kind == "evidence" else None
        for assumption in estimate.assumptions if estimate else ():
            name = f"{assumption.id}[{assumption.scope}]" if assumption.scope else assumption.id
            if stated.isdisjoint((assumption.id, name)):
                yield name, {"text": assumption.text, "standing": assumption.status}


def result_digest(snapshot: Snapshot) -> str:
    """Hash of all that was measured, and of where it comes from; the same from a project and from its report."""
    keys = {name: provenance.key for name, provenance in snapshot.steps.items()}
    inputs = [snapshot.digests, snapshot.versions, snapshot.targets, snapshot.operation]
    return digest([snapshot.contents, keys, inputs])


def evidence_below(snapshot: Snapshot, claim: Node) -> tuple[str, ...]:
    """References of evidence under a claim without another claim in between."""
    found: dict[str, None] = {}
    seen, todo = {claim.id}, [*claim.supported_by]
    while todo:
        node = snapshot.case.nodes.get(snapshot.case.resolved(todo.pop()))
        if node is None or node.id in seen or node.kind not in ("argument", "evidence"):
            continue
        seen.add(node.id)
        if node.rests_on:
            found[node.rests_on] = None
        todo.extend(node.supported_by)
    return tuple(sorted(found))


def _below(case: Case, claims: Iterable[str]) -> Iterator[Node]:
    """Everything that these claims rest on, each once."""
    todo = list(claims)
    seen = set(todo)
    while todo:
        node = case.nodes.get(case.resolved(todo.pop()))
        if node is None:
            continue
        yield node
        new = [each for each in node.below if each not in seen]
        seen.update(new)
        todo.extend(new)
