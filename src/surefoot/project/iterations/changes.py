"""What changed between two iterations: models, data, files, worksheet rows, targets, settings, versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from surefoot.documents import listed
from surefoot.project.definition import MODEL
from surefoot.project.iterations.iteration import Judged
from surefoot.project.iterations.record import Record

MOST_NAMED = 8
NOTHING = "no input changed"


def changes(before: Record, after: Record) -> tuple[str, ...]:
    """Short phrases, inputs first; a phrase that says so where nothing that is recorded differs."""
    found = [
        *_inputs(before.iteration.inputs, after.iteration.inputs),
        *_rows(before.rows, after.rows),
        *_targets(before.iteration.targets, after.iteration.targets),
        *_settings(before.settings, after.settings),
        *_versions(before.versions, after.versions),
    ]
    return tuple(found) or (NOTHING,)


def _inputs(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """A file that several steps read is one change."""
    found: dict[tuple[str | None, str | None], list[str]] = {}
    for name, _ in _differences(before, after):
        found.setdefault((before.get(name), after.get(name)), []).append(_input_named(name))
    for (old, new), names in found.items():
        yield f"{' and '.join(names)} {NEW if old is None else GONE if new is None else CHANGED}"


def _input_named(name: str) -> str:
    """``component.model``, ``component.data set`` or ``evidence.step.parameter``, as people say it."""
    first, _, rest = name.partition(".")
    if first == "evidence" and "." in rest:
        step, _, parameter = rest.rpartition(".")
        return f"the {parameter} of {step}"
    return f"the {MODEL} of {first}" if rest == MODEL else f"the data {name}"


def _rows(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for name, how in _differences(before, after):
        found.setdefault(how, []).append(name)
    for how, names in found.items():
        yield f"worksheet rows {_ROWS[how]}: {listed(names, MOST_NAMED)}"


def _targets(before: Iterable[Judged], after: Iterable[Judged]) -> Iterator[str]:
    old, new = ({target.name: target.asked for target in targets} for targets in (before, after))
    for name, how in _differences(old, new):
        yield f"target {name}: {old[name]} → {new[name]}" if how == CHANGED else f"target {name} {how}"


def _settings(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    found = [f"{name} {how}" for name, how in _differences(before, after)]
    if found:
        yield f"project file: {listed(found, MOST_NAMED)}"


def _versions(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    names = [name for name, how in _differences(before, after) if how == CHANGED]
    found = [f"{name} {before[name]} → {after[name]}" for name in names]
    if found:
        yield f"versions: {listed(found, MOST_NAMED)}"


CHANGED, NEW, GONE = "changed", "is new", "is gone"
_ROWS = {CHANGED: "edited", NEW: "added", GONE: "removed"}


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in dict.fromkeys([*before, *after]):
        if name not in before or name not in after:
            yield name, NEW if name in after else GONE
        elif before[name] != after[name]:
            yield name, CHANGED
