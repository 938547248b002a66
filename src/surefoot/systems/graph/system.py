"""Systems as graphs: modules wired to inputs and to each other, and a batch on its way through them."""

from __future__ import annotations

import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from surefoot.core import InvalidInput, digest, validate
from surefoot.systems.graph.module import (
    OUTPUT,
    Answer,
    Loop,
    Module,
    all_right,
    as_kind,
    batch_of,
    fits,
    items_of,
    module_of,
    seed_of,
    version_of,
    wrong,
)

MOST_TEXT = 300
Values = Mapping[str, Sequence[Any]]
Stages = tuple[tuple[str, ...], ...]


class System:
    """Modules as a graph: in series, in parallel, or in loops of a stated number of rounds.

    Parameters
    ----------
    modules
        The parts, in any order.
    inputs
        What the system is given, with its kind.
    output
        The place whose values are its answer; that of the last module unless it says otherwise.
    loops
        Inputs (``module.port``) that are fed from a later module, each with its bound.
    name
        Of the system.

    References
    ----------
    Wang et al. (2022), SYS, Figure 2.

    Examples
    --------
    >>> double = Module("double", lambda x: 2 * x, {"x": "number"}, gives="number")
    >>> minus = Module("minus", lambda x: -x, {"x": "double"}, gives="number")
    >>> system = System([double, minus], inputs={"number": "number"})
    >>> [float(value) for value in system.run({"number": [1.0, 2.0]}).outputs["minus"]]
    [-2.0, -4.0]

    """

    @validate.arguments
    def __init__(
        self,
        modules: Sequence[Module],
        *,
        inputs: Mapping[str, str],
        output: str | None = None,
        loops: Mapping[str, Loop] | None = None,
        name: str = "system",
    ) -> None:
        self.name = name
        self.modules = {module.name: module for module in modules}
        self.inputs = {each: as_kind(kind, where=f"system {name!r}") for each, kind in inputs.items()}
        self.loops = dict(loops or {})
        self._require_names(modules)
        self.kinds = places(self.inputs, modules)
        require_wired(modules, self.kinds, self.loops)
        self.stages = stages(modules, self.loops)
        self.places = tuple(place for place in self.kinds if place not in self.inputs)
        """Where modules give something."""
        last = next(place for place in self.places if module_of(place) == modules[-1].name)
        self.output = validate.choice(output or last, self.places, where=f"system {name!r}", name="output")

    def __repr__(self) -> str:
        return f"System({self.name!r}: {' -> '.join('+'.join(stage) for stage in self.stages)})"

    @cached_property
    def version(self) -> str:
        """Digest of the wiring and of the versions of all modules."""
        parts = {
            name: {"version": m.version, "inputs": dict(m.inputs), "takes": dict(m.takes), "gives": m.ports}
            for name, m in self.modules.items()
        }
        loops = {place: [loop.rounds, version_of(loop.initial)] for place, loop in self.loops.items()}
        return digest({"modules": parts, "inputs": self.inputs, "output": self.output, "loops": loops})

    def run(
        self, inputs: Values, *, substitute: Values | None = None, noise: int | None = None, only: str | None = None
    ) -> Trace:
        """Send items through: what every module gave, and which items a module raised on.

        Parameters
        ----------
        inputs
            A column for each input of the system.
        substitute
            Outputs of some places, instead of running for them; an item for which it gives None has none.
        noise
            The seed of a pass in which modules with random numbers use them, each its own.
        only
            The one module that uses them; without it all do.

        Returns
        -------
        Trace
            Outputs, features and faults, item by item.

        """
        return Run(self, inputs, substitute or {}, noise, only).trace()

    @property
    def feeds(self) -> dict[str, set[str]]:
        """The modules that feed each module, loops included."""
        sources = {name: map(module_of, module.inputs.values()) for name, module in self.modules.items()}
        return {name: set(some) & set(self.modules) for name, some in sources.items()}

    def _require_names(self, modules: Sequence[Module]) -> None:
        where = f"system {self.name!r}"
        if not modules or not self.inputs:
            raise InvalidInput("a system needs a module and an input", where=where)
        names = [*self.inputs, *(module.name for module in modules)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InvalidInput("inputs and modules need different names", where=where, found=", ".join(twice))


def places(inputs: Mapping[str, str], modules: Sequence[Module]) -> dict[str, str]:
    """The kind of every place that something may be fed from."""
    return dict(inputs) | {m.place(port): kind for m in modules for port, kind in m.ports.items()}


def require_wired(modules: Sequence[Module], kinds: Mapping[str, str], loops: Mapping[str, Loop]) -> None:
    """Every input comes from somewhere, of a kind that fits, and every loop closes at an input."""
    ports = {f"{m.name}.{port}" for m in modules for port in m.inputs}
    for name in loops:
        validate.choice(name, ports, where="System", name="loop")
    for module in modules:
        for port, source in module.inputs.items():
            where = f"module {module.name!r}, input {port!r}"
            validate.choice(source, kinds, where=where, name="source")
            wanted = module.takes.get(port, "any")
            if not fits(wanted, kinds[source]):
                found = f"{source!r} gives {kinds[source]}"
                raise InvalidInput(f"needs {wanted}", where=where, found=found, remedy="Put a module between them.")


def stages(modules: Sequence[Module], loops: Mapping[str, Loop]) -> Stages:
    """Modules in an order in which each finds its inputs; modules of one loop form one stage."""
    names = [m.name for m in modules]
    feeds = {m.name: _sources(m, names, loops, closing=False) for m in modules}
    order = _sorted(feeds)
    closed = {m.name: _sources(m, names, loops, closing=True) for m in modules}
    groups = _groups(order, feeds, closed)
    return tuple(_sorted_groups(groups, order, feeds))


def _sources(module: Module, names: Sequence[str], loops: Mapping[str, Loop], *, closing: bool) -> set[str]:
    fed = {module_of(s) for p, s in module.inputs.items() if (f"{module.name}.{p}" in loops) == closing}
    return fed & set(names)


def _sorted(feeds: Mapping[str, set[str]]) -> list[str]:
    order: list[str] = []
    left = dict(feeds)
    while left:
        ready = [name for name, sources in left.items() if not sources & set(left)]
        if not ready:
            raise InvalidInput(
                "modules feed each other in a loop that has no stated bound",
                where="System",
                found=" -> ".join(_cycle(left)),
                remedy="Name the input that closes the loop: loops={'module.port': Loop(rounds=5, initial=...)}.",
            )
        order += ready
        left = {name: sources for name, sources in left.items() if name not in ready}
    return order


def _cycle(feeds: Mapping[str, set[str]]) -> list[str]:
    path = [next(iter(feeds))]
    while path[-1] not in path[:-1]:
        path.append(sorted(feeds[path[-1]] & set(feeds))[0])
    return path[path.index(path[-1]) :][::-1]


def _groups(order: Sequence[str], feeds: Mapping[str, set[str]], closed: Mapping[str, set[str]]) -> list[set[str]]:
    """Modules that a loop makes run again together: those on a way from its input to what feeds it back."""
    groups = [{name} for name in order]
    for name, sources in closed.items():
        for source in sources:
            after = {other for other in feeds if name in feeding({other}, feeds)}
            between = (after & feeding({source}, feeds)) | {name, source}
            joined = set().union(between, *(group for group in groups if group & between))
            groups = [group for group in groups if not group & joined] + [joined]
    return groups


def feeding(names: Collection[str], feeds: Mapping[str, set[str]]) -> set[str]:
    """Some modules and all that feed them, directly or through others."""
    found, waiting = set(names), list(names)
    while waiting:
        fresh = feeds[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def _sorted_groups(
    groups: list[set[str]], order: Sequence[str], feeds: Mapping[str, set[str]]
) -> list[tuple[str, ...]]:
    home = {name: number for number, group in enumerate(groups) for name in group}
    between = {
        str(number): {str(home[source]) for name in group for source in feeds[name]} - {str(number)}
        for number, group in enumerate(groups)
    }
    return [tuple(name for name in order if home[name] == int(number)) for number in _sorted(between)]


@dataclass(eq=False)
class Trace:
    """Everything that went through a system for some items.

    An item on which a module raised has None there, and at everything that is fed from there; ``faults`` has the first.

    Parameters
    ----------
    count
        How many items.
    outputs, features, faults
        By place (``module`` or ``module.port``), by module, by item.

    See Also
    --------
    System.run

    """

    count: int
    outputs: dict[str, list[Any]] = field(default_factory=dict)
    features: dict[str, list[Any]] = field(default_factory=dict)
    faults: dict[int, Fault] = field(default_factory=dict)


class Fault(NamedTuple):
    """Why there is no output for an item: the module that raised, and what it said.

    Attributes
    ----------
    module, text
        Who raised, and what it said.

    See Also
    --------
    System.run

    """

    module: str
    text: str

    def __str__(self) -> str:
        return f"{self.module}: {self.text}"


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
        taken = {
            port: batch_of(module.takes.get(port, self.system.kinds[source]), [self.values[source][i] for i in items])
            for port, source in module.inputs.items()
        }
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
