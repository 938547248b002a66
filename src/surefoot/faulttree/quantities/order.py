"""The order in which the parameters of a tree can be evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.quantities.base import Quantity


@dataclass
class Walk:
    """A walk through what parameters refer to, each after those that it needs."""

    parameters: Mapping[str, Quantity]
    order: list[str] = field(default_factory=list)
    cycles: list[tuple[str, ...]] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def visit(self, root: str) -> None:
        """Add a parameter after everything that it needs."""
        if root in self.done:
            return
        path, waiting = [root], [iter(self._needs(root))]
        above = {root}
        while path:
            below = next(waiting[-1], None)
            if below is None:
                waiting.pop()
                self._finish(path.pop(), above)
            elif below in above:
                self.cycles.append(tuple(path[path.index(below) :]))
            elif below not in self.done:
                path.append(below)
                waiting.append(iter(self._needs(below)))
                above.add(below)

    def _finish(self, name: str, above: set[str]) -> None:
        above.remove(name)
        self.done.add(name)
        self.order.append(name)

    def _needs(self, name: str) -> tuple[str, ...]:
        return tuple(other for other in self.parameters[name].references() if other in self.parameters)


def walked(parameters: Mapping[str, Quantity], roots: Iterable[str]) -> Walk:
    """The walk from some parameters; names that are not defined are passed over."""
    walk = Walk(parameters)
    for root in roots:
        if root in parameters:
            walk.visit(root)
    return walk


def parameter_order(parameters: Mapping[str, Quantity], roots: Iterable[str] | None = None) -> tuple[str, ...]:
    """Parameters that ``roots`` need (all, if none are given), each after those that it refers to."""
    walk = walked(parameters, parameters if roots is None else roots)
    if walk.cycles:
        cycle = " -> ".join([*walk.cycles[0], walk.cycles[0][0]])
        raise DiagnosticsError.of("tree-cycle", f"Parameters refer to each other in a circle: {cycle}.")
    return tuple(walk.order)
