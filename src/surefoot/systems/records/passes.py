"""Repeated passes: how often a system is shaken, what is shaken in each, and which modules are judged by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from surefoot.systems.graph.module import module_of
from surefoot.systems.graph.system import System

Through = Literal["system", "module"]
"""What a repeated pass shakes: all modules together, or one at a time with its usual inputs."""


@dataclass(frozen=True)
class Passes:
    """How many passes, through what."""

    count: int = 0
    through: Through = "system"

    def judged(self, system: System) -> dict[str, str]:
        """For each module that is judged, its place: it has a distance, and random numbers reach it."""
        if not self.count:
            return {}
        reached = _fed_from(_noisy(system), system) if self.through == "system" else _noisy(system)
        modules = [module for name, module in system.modules.items() if module.distance is not None and name in reached]
        return {module.name: module.place(next(iter(module.ports))) for module in modules}

    def needed(self, system: System) -> set[str]:
        """Modules that must run in a pass: random numbers reach them, and they feed one that is judged, or are one."""
        return _fed_from(_noisy(system), system) & _feeding(set(self.judged(system)), system)


def _noisy(system: System) -> set[str]:
    return {name for name, module in system.modules.items() if module.noisy is not None}


def _feeding(names: set[str], system: System) -> set[str]:
    """Modules of these names, and all that feed them."""
    found = set(names)
    while True:
        sources = {module_of(source) for name in found for source in system.modules[name].inputs.values()}
        feeding = sources & set(system.modules)
        if feeding <= found:
            return found
        found |= feeding


def _fed_from(names: set[str], system: System) -> set[str]:
    """Modules of these names, and all that are fed from them."""
    found = set(names)
    while True:
        fed = {
            name
            for name, module in system.modules.items()
            if found & {module_of(source) for source in module.inputs.values()}
        }
        if fed <= found:
            return found
        found |= fed
