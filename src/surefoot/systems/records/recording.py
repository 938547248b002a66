"""Records: a system run on some items in a condition, with everything that went through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from surefoot.core import digest
from surefoot.systems.data.conditions import Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.system import System
from surefoot.systems.graph.trace import Trace
from surefoot.systems.records import store
from surefoot.systems.records.columns import column_of, matrix_of

FORMAT = 1
Through = Literal["system", "module"]
"""What a repeated pass shakes: all modules together, or one at a time with its usual inputs."""


@dataclass(frozen=True, eq=False)
class Recording:
    """What is to be recorded: some items from number ``start`` on, in a condition, with repeated passes."""

    system: System
    items: Items
    condition: Condition
    start: int
    passes: int
    through: Through
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
                "passes": [self.passes, self.through],
                "seed": self.seed,
            }
        )

    @property
    def part(self) -> store.Part:
        """Where it is kept."""
        path = self.folder / f"{self.start:09d}.parquet"
        return store.Part(path, self.key, self.start, self.start + len(self.items))


def record(task: Recording, rng: np.random.Generator) -> int:
    """Run the system and write the file; gives the number of items on which a module raised."""
    system = task.system
    inputs = task.condition.applied(task.items.read(), system.inputs, seed=task.seed, first=task.start)
    trace = system.run(inputs)
    columns = _columns(system, trace) | _named(task, trace)
    for turn in range(task.passes):
        columns |= _pass(task, inputs, trace, turn)
    about = {"system": system.name, "condition": task.condition.label, "start": task.start, "passes": task.passes}
    store.write(task.part.path, task.key, columns, about)
    return len(trace.faults)


def judged_by(system: System) -> dict[str, str]:
    """For each module with a distance, the place that its repeated passes are judged by."""
    chosen = {name: m.place(next(iter(m.ports))) for name, m in system.modules.items() if m.distance is not None}
    return dict(chosen)


def shaken(system: System) -> list[str]:
    """Modules that have random numbers of their own."""
    return [name for name, module in system.modules.items() if module.noisy is not None]


def _named(task: Recording, trace: Trace) -> dict[str, Any]:
    names = [task.items.name_of(i) for i in range(len(task.items))]
    faults = [str(trace.faults[i]) if i in trace.faults else None for i in range(trace.count)]
    return {"item": column_of("text", names, where="names"), "fault": column_of("text", faults, where="faults")}


def _columns(system: System, trace: Trace) -> dict[str, Any]:
    outputs = {f"output:{place}": _column(system, place, values) for place, values in trace.outputs.items()}
    features = {}
    for name, rows in trace.features.items():
        there = next((row for row in rows if row is not None), None)
        if there is not None:
            flat = [None if row is None else np.asarray(row).reshape(-1) for row in rows]
            features[f"features:{name}"] = matrix_of(flat, np.asarray(there).size)
    return outputs | features


def _pass(task: Recording, inputs: Mapping[str, Any], usual: Trace, turn: int) -> dict[str, Any]:
    """One repeated pass: what every judged module gave in it."""
    system = task.system
    seed = int(np.random.SeedSequence((task.seed, task.start, turn)).generate_state(1)[0])
    places = judged_by(system)
    if task.through == "system":
        found = system.run(inputs, noise=seed)
        return {f"pass {turn}:{place}": _column(system, place, found.outputs[place]) for place in places.values()}
    columns = {}
    for name, place in places.items():
        # All other modules give what they usually give, so that this one alone is shaken.
        others = {p: v for p, v in usual.outputs.items() if p.partition(".")[0] != name}
        found = system.run(inputs, substitute=others, noise=seed, only=name)
        columns[f"pass {turn}:{place}"] = _column(system, place, found.outputs[place])
    return columns


def _column(system: System, place: str, values: list[Any]) -> Any:
    return column_of(system.kinds[place], values, where=f"system {system.name!r}, {place!r}")
