"""What is wrong with a study, told before it runs for hours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.core import InvalidInput, validate
from surefoot.metrics.distances import as_distance
from surefoot.systems.data.conditions import Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.system import System
from surefoot.systems.records.scoring import VARIATION, VARIATION_ORIGINAL
from surefoot.systems.tables.measured import Score


def system(given: object) -> None:
    """A study is of a system."""
    if not isinstance(given, System):
        remedy = "Say System([module, ...], inputs={...})."
        raise InvalidInput("a study needs a System", where="Study", found=type(given).__name__, remedy=remedy)


def data(system: System, items: Items, training: Items | None, detectors: Any, *, where: str) -> None:
    """Every input of the system is given, with the truth, and detectors have something to learn from."""
    for what, each in (("items", items), ("training", training)):
        if each is not None and not isinstance(each, Items):
            found, remedy = type(each).__name__, "Say Items({'input': values}, truth=...)."
            raise InvalidInput(f"{what} must be Items", where=where, found=found, remedy=remedy)
    if items.truth is None:
        raise InvalidInput("items need their truth", where=where, remedy="Say Items(inputs, truth=...).")
    for what, given in (("items", items), ("training", training)):
        missing = sorted(set(system.inputs) - set(given.inputs)) if given is not None else ()
        if missing:
            raise InvalidInput(f"{what} lack an input of the system", where=where, found=", ".join(missing))
    if detectors and training is None:
        remedy = "Say training=Items(...), inputs as the modules were trained on."
        raise InvalidInput("detectors need training data", where=where, found=", ".join(detectors), remedy=remedy)


def conditions(system: System, chosen: Sequence[Condition], *, where: str) -> None:
    """Conditions differ, start with clean, and find the inputs that they corrupt."""
    strange = [repr(each) for each in chosen if not isinstance(each, Condition)]
    if strange:
        remedy = "Say conditions(['fog'], [3]), or Condition('fog', 3)."
        raise InvalidInput("conditions must be Condition", where=where, found=", ".join(strange), remedy=remedy)
    labels = [condition.label for condition in chosen]
    if len(set(labels)) != len(labels) or not chosen or not chosen[0].clean:
        found = ", ".join(labels) or "none"
        remedy = "conditions(...) puts clean first; what differs in options or inputs alone needs a study of its own."
        raise InvalidInput("conditions must differ, and start with clean", where=where, found=found, remedy=remedy)
    for condition in chosen:
        condition.touched(system.inputs)


def places(system: System, outputs: Mapping[str, str], own: Mapping[Score, str], *, where: str) -> None:
    """Places are outputs of modules, scores are numbers under names of their own, and distances are known."""
    if system.name in outputs:
        raise InvalidInput("an output has the name of the system", where=where, found=system.name)
    for place in (*outputs.values(), *own.values()):
        validate.choice(place, system.places, where=where, name="place")
    for score, place in own.items():
        if system.kinds[place] != "number":
            raise InvalidInput(f"the score {score.name!r} must be a number", where=where, found=system.kinds[place])
        if score.name in (VARIATION, VARIATION_ORIGINAL):
            raise InvalidInput("this name is taken by repeated passes", where=where, found=score.name)
    for module in system.modules.values():
        if module.distance is not None:
            as_distance(module.distance)
