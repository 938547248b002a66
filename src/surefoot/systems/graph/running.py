"""``Run``: one batch on its way through a system."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.systems.graph.module import OUTPUT, Answer, Loop, Module, module_of
from surefoot.systems.graph.ports import all_right, batch_of, items_of, wrong
from surefoot.systems.graph.trace import Fault, Trace
from surefoot.systems.seeds import seed_of

if TYPE_CHECKING:
    from surefoot.systems.graph.system import System

MOST_TEXT = 300


class Run:
    """A batch on its way: values of every place so far, and the items that a place has none for."""

    def __init__(
        self,
        system: System,
        inputs: Mapping[str, Sequence[Any]],
        substitute: Mapping[str, Sequence[Any]],
        noise: int | None,
        only: str | None,
    ) -> None:
        self.system, self.noise, self.only = system, noise, only
        where = f"system {system.name!r}"
        if only is not None:
            validate.choice(only, system.modules, where=where, name="module")
        self.count = _count(system, inputs, where)
        self.values = {name: list(inputs[name]) for name in system.inputs}
        self.substitute = {p: self._replacing(p, values, where) for p, values in substitute.items()}
        self.numbers = {name: number for number, name in enumerate(system.modules)}
        self.gone: dict[str, set[int]] = {}
        self._trace = Trace(self.count)

    def trace(self) -> Trace:
        """Send the batch through all stages."""
        for stage in self.system.stages:
            rounds = max((loop.rounds for loop in self._loops(stage).values()), default=1)
            self._start_loops(stage)
            for _ in range(rounds):
                for name in stage:
                    self._pass(self.system.modules[name])
        return self._trace

    def _replacing(self, place: str, values: Sequence[Any], where: str) -> list[Any]:
        validate.choice(place, self.system.places, where=where, name="place")
        if len(values) != self.count:
            found = f"{len(values)} for {place!r}"
            raise InvalidInput(f"substitutes need {self.count} values", where=where, found=found)
        return list(values)

    def _loops(self, stage: Sequence[str]) -> dict[str, Loop]:
        return {place: loop for place, loop in self.system.loops.items() if module_of(place) in stage}

    def _start_loops(self, stage: Sequence[str]) -> None:
        for place, loop in self._loops(stage).items():
            name, _, port = place.partition(".")
            self.values[self.system.modules[name].inputs[port]] = [self._initial(loop, i) for i in range(self.count)]

    def _initial(self, loop: Loop, item: int) -> Any:
        if callable(loop.initial):
            return loop.initial(**{name: self.values[name][item] for name in self.system.inputs})
        return loop.initial

    def _pass(self, module: Module) -> None:
        """Run a module on the items that reach it, unless others give all its outputs, and keep what it gives."""
        places = {port: module.place(port) for port in module.ports}
        replaced = {port: self._replaced(module, place) for port, place in places.items() if place in self.substitute}
        given, features = replaced, dict[int, Any]()
        if len(replaced) < len(places):
            own, features = self._answers(module, self._reached(module))
            given = own | replaced
        for port, place in places.items():
            kept = [given[port].get(i) for i in range(self.count)]
            self.values[place] = self._trace.outputs[place] = kept
            self.gone[place] = set(range(self.count)) - set(given[port])
        if features:
            self._trace.features[module.name] = [features.get(i) for i in range(self.count)]

    def _reached(self, module: Module) -> list[int]:
        """Items that every input of a module has a value for."""
        gone = set().union(*(self.gone.get(source, ()) for source in module.inputs.values()))
        return [i for i in range(self.count) if i not in gone]

    def _replaced(self, module: Module, place: str) -> dict[int, Any]:
        """What stands for the output of a module; where there is nothing, the item has no answer."""
        given = {i: value for i, value in enumerate(self.substitute[place]) if value is not None}
        for item in set(range(self.count)) - set(given):
            self._fail(item, module, "nothing was given in its place")
        return given

    def _fail(self, item: int, module: Module, why: str) -> None:
        self._trace.faults.setdefault(item, Fault(module.name, why))

    def _answers(self, module: Module, items: list[int]) -> tuple[dict[str, dict[int, Any]], dict[int, Any]]:
        """What a module gives for some items; where it raises on them together, for each alone."""
        given: dict[str, dict[int, Any]] = {port: {} for port in module.ports}
        features: dict[int, Any] = {}
        for part in self._asked(module, items):
            outputs, rows = part
            for port, values in outputs.items():
                given[port] |= values
            features |= rows
        return given, features

    def _asked(self, module: Module, items: list[int]) -> list[tuple[dict[str, dict[int, Any]], dict[int, Any]]]:
        if not items:
            return []
        try:
            return [self._asked_together(module, items)]
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except Exception as error:
            if len(items) == 1:
                self._fail(items[0], module, _said(error))
                return []
        # Halves find one bad item among many in few runs; each good item runs a few times more at most.
        middle = len(items) // 2
        return self._asked(module, items[:middle]) + self._asked(module, items[middle:])

    def _asked_together(self, module: Module, items: list[int]) -> tuple[dict[str, dict[int, Any]], dict[int, Any]]:
        where = f"module {module.name!r}"
        taken = {port: self._taken(module, port, source, items) for port, source in module.inputs.items()}
        answer = self._run(module, taken)
        outputs, rows = answer if isinstance(answer, Answer) else (answer, None)
        by_port = outputs if isinstance(outputs, Mapping) and OUTPUT not in module.ports else {OUTPUT: outputs}
        missing = sorted(set(module.ports) - set(by_port))
        if missing:
            raise InvalidInput("gave nothing at a port", where=where, found=", ".join(missing))
        kinds = module.ports
        given = {p: dict(zip(items, items_of(by_port[p], len(items), where=where), strict=True)) for p in kinds}
        self._keep_faults(module, given, [port for port in kinds if not all_right(kinds[port], by_port[port])])
        features = (
            {} if rows is None else dict(zip(items, items_of(np.asarray(rows), len(items), where=where), strict=True))
        )
        return given, features

    def _keep_faults(self, module: Module, given: dict[str, dict[int, Any]], doubtful: Sequence[str]) -> None:
        """Items whose answer at a port is an exception, or is not of its kind, have none at all."""
        failed = set()
        for port in doubtful:
            for item, value in given[port].items():
                problem = _said(value) if isinstance(value, Exception) else wrong(module.ports[port], value)
                if problem:
                    self._fail(item, module, problem)
                    failed.add(item)
        for values in given.values():
            for item in failed:
                del values[item]

    def _taken(self, module: Module, port: str, source: str, items: list[int]) -> Any:
        kind = module.takes.get(port, self.system.kinds[source])
        return batch_of(kind, [self.values[source][i] for i in items])

    def _run(self, module: Module, taken: Mapping[str, Any]) -> Any:
        if self.noise is None or module.noisy is None or self.only not in (None, module.name):
            return module.run(**taken)
        return module.noisy(seed_of(self.noise, self.numbers[module.name]), **taken)


def _count(system: System, inputs: Mapping[str, Sequence[Any]], where: str) -> int:
    missing = sorted(set(system.inputs) - set(inputs))
    if missing:
        raise InvalidInput("an input is missing", where=where, found=", ".join(missing))
    lengths = {name: len(inputs[name]) for name in system.inputs}
    if len(set(lengths.values())) != 1:
        raise InvalidInput("inputs have different lengths", where=where, found=str(lengths))
    return next(iter(lengths.values()))


def _said(error: Exception) -> str:
    text = "".join(traceback.format_exception_only(error)).strip()
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 3] + "..."
