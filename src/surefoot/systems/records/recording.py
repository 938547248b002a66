"""Records: a system run on some items in a condition, with everything that went through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.core import digest
from surefoot.systems.data.conditions import Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.module import module_of
from surefoot.systems.graph.system import System
from surefoot.systems.graph.trace import Trace
from surefoot.systems.records import store
from surefoot.systems.records.columns import column_of, matrix_of
from surefoot.systems.records.passes import Passes
from surefoot.systems.records.threads import one_thread
from surefoot.systems.seeds import seed_of

FORMAT = 2


@dataclass(frozen=True, eq=False)
class Recording:
    """What is to be recorded: some items from number ``start`` on, in a condition, with repeated passes."""

    system: System
    items: Items
    condition: Condition
    start: int
    passes: Passes
    seed: int
    folder: Path

    @cached_property
    def key(self) -> str:
        """Digest of what decides the content of the file."""
        return digest(
            {
                "format": FORMAT,
                "system": self.system.version,
                "condition": self.condition.key,
                "items": self.items.digest,
                "start": self.start,
                "passes": [self.passes.count, self.passes.through, self.passes.judged(self.system)],
                "seed": self.seed,
            }
        )

    @property
    def part(self) -> store.Part:
        """Where it is kept."""
        path = self.folder / f"{self.start:09d}.parquet"
        return store.Part(path, self.key, self.start, self.start + len(self.items))


def record(task: Recording, rng: np.random.Generator) -> store.Done:
    """Run the system and write the file."""
    about = {"system": task.system.name, "condition": task.condition.label, "passes": task.passes.count}
    with one_thread():
        store.write(task.part, _recorded(task), {**about, "start": task.start})
    return store.Done()


def _recorded(task: Recording) -> dict[str, Any]:
    """Columns of everything that went through the system, and of its repeated passes."""
    inputs = task.condition.applied(task.items.read(), task.system.inputs, seed=task.seed, first=task.start)
    trace = task.system.run(inputs)
    columns = _columns(task.system, trace) | _named(task, trace)
    again: dict[int, str] = {}
    for turn in range(task.passes.count):
        columns |= _pass(task, inputs, trace, turn, again)
    columns["pass fault"] = column_of("text", [again.get(i) for i in range(trace.count)], where="faults")
    return columns


def _named(task: Recording, trace: Trace) -> dict[str, Any]:
    names = [task.items.name_of(i) for i in range(trace.count)]
    faults = [str(trace.faults[i]) if i in trace.faults else None for i in range(trace.count)]
    return {"item": column_of("text", names, where="names"), "fault": column_of("text", faults, where="faults")}


def _columns(system: System, trace: Trace) -> dict[str, Any]:
    outputs = {f"output:{place}": _column(system, place, values) for place, values in trace.outputs.items()}
    features = {}
    for name, rows in trace.features.items():
        width = next(np.size(row) for row in rows if row is not None)
        features[f"features:{name}"] = matrix_of(rows, width, where=f"features of module {name!r}")
    return outputs | features


def _pass(task: Recording, inputs: Mapping[str, Any], usual: Trace, turn: int, again: dict[int, str]) -> dict[str, Any]:
    """One repeated pass: what every judged module gave in it; what was raised in it alone is added to ``again``."""
    system = task.system
    seed = seed_of(task.seed, task.start, turn)
    columns = {}
    for name, place, found in _shaken(task, inputs, usual, seed):
        columns[f"pass {turn}:{place}"] = _column(system, place, found.outputs[place])
        for item, fault in found.faults.items():
            if usual.outputs[place][item] is not None and found.outputs[place][item] is None:
                again.setdefault(item, f"pass {turn} of {name}: {fault}")
    return columns


def _shaken(task: Recording, inputs: Mapping[str, Any], usual: Trace, seed: int) -> list[tuple[str, str, Trace]]:
    """For every judged module its place, and the pass that it is judged by."""
    system, places = task.system, task.passes.judged(task.system)
    if task.passes.through == "system":
        # What no random number reaches, and what no judged module needs, is as it was.
        needed = task.passes.needed(system)
        settled = {p: v for p, v in usual.outputs.items() if module_of(p) not in needed}
        together = system.run(inputs, substitute=settled, noise=seed)
        return [(name, place, together) for name, place in places.items()]
    found = []
    for name, place in places.items():
        # All other modules give what they usually give, so that this one alone is shaken.
        others = {p: v for p, v in usual.outputs.items() if module_of(p) != name}
        found.append((name, place, system.run(inputs, substitute=others, noise=seed, only=name)))
    return found


def _column(system: System, place: str, values: list[Any]) -> Any:
    return column_of(system.kinds[place], values, where=f"system {system.name!r}, {place!r}")
