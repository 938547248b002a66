"""What modules should give: which modules are told apart, and the outputs that stand for theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric
from surefoot.systems.data.items import Items
from surefoot.systems.graph.module import module_of
from surefoot.systems.graph.system import System
from surefoot.systems.graph.trace import Trace
from surefoot.systems.records.scoring import statistics_of

Truths = Mapping[str, Sequence[Any]]
"""By place, the true output of each item."""


def chosen_modules(system: System, modules: Sequence[str] | None, *, where: str) -> list[str]:
    """The modules that are told apart: all but the one whose output is the system's, unless they are named."""
    if modules is None:
        last = module_of(system.output)
        return [name for name in system.modules if name != last] or [last]
    chosen = [validate.choice(name, system.modules, where=where, name="module") for name in modules]
    if not chosen or len(set(chosen)) != len(chosen):
        raise InvalidInput("modules must be named, each once", where=where, found=", ".join(chosen) or "none")
    return chosen


def require_truth(items: Items, *, where: str) -> None:
    """Items have their truth."""
    if items.truth is None:
        raise InvalidInput("items need their truth", where=where, remedy="Say Items(inputs, truth=...).")


def modules_with_truth(
    system: System, modules: Sequence[str] | None, truths: Truths | None, *, where: str
) -> list[str]:
    """``chosen_modules``; where none are named and truths are given, of those whose truth is known."""
    if modules is not None or truths is None:
        return chosen_modules(system, modules, where=where)
    known = {module_of(place) for place in truths}
    usual = [name for name in chosen_modules(system, None, where=where) if name in known]
    return usual or chosen_modules(system, sorted(known), where=where)


def require_truths(system: System, chosen: Sequence[str], truths: Truths | None, count: int, *, where: str) -> None:
    """Truths are of places, one value an item, and of every module that is told apart."""
    if truths is None:
        return
    for place, values in truths.items():
        validate.choice(place, system.places, where=where, name="place")
        if len(values) != count:
            found = f"{len(values)} of {place!r} for {count} items"
            raise InvalidInput("truths need one value an item", where=where, found=found)
    unknown = [name for name in chosen if not any(place in truths for place in system.modules[name].places)]
    if unknown:
        raise InvalidInput("a module has no truth", where=where, found=", ".join(unknown), remedy="Name others.")


def reference(
    system: System,
    inputs: Mapping[str, Any],
    chosen: list[str],
    truths: Truths | None,
    part: slice,
) -> dict[str, list[Any]]:
    """What the modules that are told apart should give."""
    if truths is not None:
        return {place: list(values[part]) for place, values in truths.items() if module_of(place) in chosen}
    trace = system.run(inputs)
    return {place: values for place, values in trace.outputs.items() if module_of(place) in chosen}


def judged(system: System, trace: Trace, items: Items, metric: Metric) -> FloatArray:
    """Statistics of the metric of what a system gave; NaN where an item has no answer that counts."""
    return statistics_of(metric, trace.outputs[system.output], items.read_truth())
