"""``System``: modules wired together, and what goes through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from surefoot.core import InvalidInput, digest, validate
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.module import Loop, Module, module_of
from surefoot.systems.graph.ports import as_kind
from surefoot.systems.graph.running import Run
from surefoot.systems.graph.trace import Trace
from surefoot.systems.graph.wiring import places, require_wired, stages

Values = Mapping[str, Sequence[Any]]


class System:
    """Modules as a graph: in series, in parallel, or in loops of a stated number of rounds.

    ``inputs`` names what the system is given, with its kind; ``output`` is the place whose values are its answer, that
    of the last module unless it says otherwise. ``loops`` names the inputs (``module.port``) that are fed from a later
    module, each with its bound.
    """

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

        ``substitute`` gives the outputs of some places instead of running for them; an item for which it gives None has
        none. ``noise`` is the seed of a pass in which modules with random numbers use them, each its own: all modules,
        or ``only`` one.
        """
        return Run(self, inputs, substitute or {}, noise, only).trace()

    def _require_names(self, modules: Sequence[Module]) -> None:
        where = f"system {self.name!r}"
        if not modules or not self.inputs:
            raise InvalidInput("a system needs a module and an input", where=where)
        names = [*self.inputs, *(module.name for module in modules)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InvalidInput("inputs and modules need different names", where=where, found=", ".join(twice))
