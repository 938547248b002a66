"""``FaultTree``: gates over basic events, and everything that can be asked of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.core.distributions import Distribution
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.core.target import Target
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.logic.engines import BeyondBudget, Budget
from surefoot.faulttree.quantities import Fixed, Quantity, as_quantity, probabilities

if TYPE_CHECKING:
    from surefoot.drawing import Scene
    from surefoot.faulttree.allocation import Allocation
    from surefoot.faulttree.cutsets import CutSets, PrimeImplicants
    from surefoot.faulttree.formats.tree_files import Paths
    from surefoot.faulttree.groups import CommonCause
    from surefoot.faulttree.importance import Importance, JointImportance
    from surefoot.faulttree.logic import Compiled
    from surefoot.faulttree.result import TreeResult
    from surefoot.faulttree.sensitivity import BreakEven, Comparison, Sweep, Tornado, WhatIfs


@dataclass(frozen=True, repr=False)
class FaultTree:
    """A fault tree: a top event, gates, basic events with what is known of their probabilities, house events.

    Names are unique across gates, basic events and house events. An event without a quantity (None) has no known
    probability; cut sets can still be asked for. ``parameters`` are quantities that several events share. ``left_out``
    says, a sentence each, what the file means and the tree does not: its number is then not that of the file.

    >>> tree = FaultTree("stop", {"stop": Formula("or", ("power", "brakes")),
    ...                           "brakes": Formula("and", ("left", "right"))},
    ...                  {"power": as_quantity(1e-4), "left": as_quantity(0.01), "right": as_quantity(0.02)})
    >>> round(tree.probability(), 9)
    0.00029998
    """

    top: str
    gates: Mapping[str, Formula]
    events: Mapping[str, Quantity | None]
    houses: Mapping[str, bool] = field(default_factory=FrozenMap)
    groups: tuple[CommonCause, ...] = ()
    parameters: Mapping[str, Quantity] = field(default_factory=FrozenMap)
    labels: Mapping[str, str] = field(default_factory=FrozenMap)
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=FrozenMap)
    name: str = "fault tree"
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("gates", "events", "houses", "parameters", "labels", "attributes"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))
        object.__setattr__(self, "groups", tuple(self.groups))
        object.__setattr__(self, "left_out", tuple(self.left_out))
        DiagnosticsError.raise_if_any(self.problems)

    def __repr__(self) -> str:
        return f"FaultTree({self.name!r}, top={self.top!r}, {len(self.gates)} gates, {len(self.events)} events)"

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.draw()

    @classmethod
    def read(cls, paths: Paths, *, top: str | None = None, mission_time: float | None = None) -> FaultTree:
        """Read Open-PSA XML (several paths are one model), YAML, JSON, Aralia text or static Galileo.

        ``top`` chooses one of several top events, which ``read_all`` reads together; where none is chosen an error
        names them. ``mission_time`` is for files that ask for one and give none. A part of the file that a static tree
        cannot express is in ``left_out``, and a ``PartLeftOut`` warning says so.
        """
        from surefoot.faulttree.formats import read

        return read(paths, top=top, mission_time=mission_time)

    @classmethod
    def read_all(
        cls, paths: Paths, *, top: str | None = None, mission_time: float | None = None
    ) -> dict[str, FaultTree]:
        """Every top event of a file with its tree: gates that are no input of another one, sequences, each phase.

        The names are those that ``top`` of ``read`` takes; ``top`` keeps those it may mean, as the phases of a gate.
        """
        from surefoot.faulttree.formats import read_all

        return read_all(paths, top=top, mission_time=mission_time)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write Open-PSA XML, YAML or JSON, as the suffix says."""
        from surefoot.faulttree.formats import write

        write(self, path)

    @cached_property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong or odd; errors are raised when the tree is made, warnings stay here."""
        from surefoot.faulttree.formula import problems

        return tuple(problems(self))

    def with_events(self, known: Mapping[str, float | Estimate | Distribution | Quantity]) -> FaultTree:
        """The tree with what is known of some events replaced, by name."""
        return changed(self, {name: as_quantity(value) for name, value in known.items()}, where="with_events")

    @cached_property
    def expanded(self) -> FaultTree:
        """The tree with basic events in place of common-cause groups and of the order of priority gates."""
        formulas = (inner for formula in self.gates.values() for inner in formula.formulas())
        if not self.groups and all(formula.order is None for formula in formulas):
            return self
        from surefoot.faulttree.groups import expanded

        return expanded(self)

    @cached_property
    def compiled(self) -> Compiled:
        """The decision diagrams, compiled once; raises ``BeyondBudget`` where the default budget is not enough."""
        return self.compile()

    def compile(self, budget: Budget | None = None) -> Compiled:
        """Compile within a budget and keep the result, also for everything that is asked afterwards."""
        from surefoot.faulttree.logic.compilation import compiled_or_enclosed

        known = self.__dict__.get("compiled")
        if known is None:
            known = self.__dict__["compiled"] = compiled_or_enclosed(self, budget or Budget())
        return known

    def probability(self, *, budget: Budget | None = None) -> float:
        """The exact probability of the top event of the tree, every input at its value; see ``left_out`` too.

        Raises ``BeyondBudget``, which holds a certified interval, where the diagram would be too large. Warns of
        ``PlugInValue`` where the value of an input is an estimate whose error only a bound tells: ``analyse`` uses it.
        """
        from surefoot.faulttree.averages import warn_of_plug_ins

        compiled = self.compile(budget)
        warn_of_plug_ins(self)
        known = probabilities(self.expanded, events=compiled.events)
        return float(compiled.probability(np.array([float(known[name]) for name in compiled.events])))

    def interval(self, *, budget: Budget | None = None) -> tuple[float, float]:
        """The exact probability twice, or a certified interval where an exact answer is beyond the budget."""
        try:
            exact = self.probability(budget=budget)
        except BeyondBudget as beyond:
            return beyond.low, beyond.high
        return exact, exact

    def analyse(
        self, level: float = 0.95, draws: int = 10_000, *, seed: int = 0, target: Target | None = None, **options: Any
    ) -> TreeResult:
        """The top event with its uncertainty, cut sets, importances, approximations and tornado."""
        from surefoot.faulttree.result import analyse

        return analyse(self, level=level, draws=draws, seed=seed, target=target, **options)

    def cut_set_count(self) -> int:
        """The number of minimal cut sets, however large."""
        from surefoot.faulttree.cutsets import count

        return count(self.compiled)

    def cut_sets(
        self, order: int | None = None, cutoff: float | None = None, limit: int | None = None, **options: Any
    ) -> CutSets:
        """Minimal cut sets, lazily: up to an order, down to a probability, or the first few."""
        from surefoot.faulttree.cutsets import cut_sets

        return cut_sets(self.compiled, self._known(), order=order, cutoff=cutoff, limit=limit, **options)

    def prime_implicants(self, **options: Any) -> PrimeImplicants:
        """Prime implicants: of a tree that is not coherent they also name events that must not happen."""
        from surefoot.faulttree.cutsets import prime_implicants

        return prime_implicants(self.compiled, self._known(), **options)

    def importance(self, **options: Any) -> Importance:
        """How much each event and gate matters, by every usual measure, with intervals."""
        from surefoot.faulttree.importance import importance

        return importance(self, **options)

    def joint_importance(self, pairs: Iterable[tuple[str, str]] | None = None, **options: Any) -> JointImportance:
        """How the importance of one event depends on another, of these pairs or of the strongest events."""
        from surefoot.faulttree.importance import joint_importance

        return joint_importance(self, pairs, **options)

    def what_if(self, changes: Mapping[str, Any], **options: Any) -> Comparison:
        """The top event before and after changes of events, gates, house events or parameters."""
        from surefoot.faulttree.sensitivity import what_if

        return what_if(self, changes, **options)

    def scenarios(self, changes: Mapping[str, Mapping[str, Any]], **options: Any) -> WhatIfs:
        """Several changes by name, each against the tree as it is."""
        from surefoot.faulttree.sensitivity import scenarios

        return scenarios(self, changes, **options)

    def sweep(self, name: str, values: Any, **options: Any) -> Sweep:
        """The top event for each of many values of an event or parameter."""
        from surefoot.faulttree.sensitivity import sweep

        return sweep(self, name, values, **options)

    def tornado(self, *, level: float = 0.9) -> Tornado:
        """Which uncertain input moves the top event most."""
        from surefoot.faulttree.sensitivity import tornado

        return tornado(self, level=level)

    def allocate(self, target: float | Target, **options: Any) -> Allocation:
        """Requirements for events that together meet a target of the top event."""
        from surefoot.faulttree.allocation import allocate

        return allocate(self, target, **options)

    def break_even(self, target: float | Target) -> BreakEven:
        """Which single event could bring the top event to its target, and how good it would have to be."""
        from surefoot.faulttree.sensitivity import break_even

        return break_even(self, target)

    def draw(self, **options: Any) -> str:
        """The diagram in standard symbols, as SVG in the colours of a ``theme``; other options as for ``scene``."""
        from surefoot.faulttree.drawing import draw

        return draw(self, **options)

    def scene(self, **options: Any) -> Scene:
        """The diagram in standard symbols, for ``surefoot.drawing.save`` to write as SVG, PNG or PDF.

        ``highlight`` names events to be marked with what they alone make true, ``collapse`` gates to be drawn without
        what stands below, ``values`` are probabilities by name, ``title`` is a heading, ``depth`` the most levels of
        gates, ``root`` the gate to begin with, and ``width`` the room in pixels that the drawing is chosen to fit.
        """
        from surefoot.faulttree.drawing import picture

        return picture(self, **options)

    def _known(self) -> dict[str, float] | None:
        """Probability of each event, or None where one is not known."""
        tree = self.expanded
        if any(tree.events[name] is None for name in self.compiled.events):
            return None
        return {name: float(value) for name, value in probabilities(tree, events=self.compiled.events).items()}


# The tree with some of its numbers or truths changed.

Change = float | bool | Estimate | Quantity
KINDS = ("parameter", "house", "gate", "event")


def changed(tree: FaultTree, changes: Mapping[str, Change], *, where: str) -> FaultTree:
    """The tree with other values.

    An event or parameter takes a number, an estimate or a quantity. ``True`` makes an event or gate certain and
    ``False`` impossible, and sets a house event. Members and events of common-cause groups can be named too; the
    groups are then written out.
    """
    kinds = _kinds(tree)
    if not set(changes) <= set(kinds):
        tree = tree.expanded
        kinds = _kinds(tree)
    for name, change in changes.items():
        validate.choice(name, kinds, where=where, name="event, gate or parameter")
        _check(name, change, kinds[name], where)
    new = {kind: {n: c for n, c in changes.items() if kinds[n] == kind} for kind in KINDS}
    other = replace(
        tree,
        events={**tree.events, **{n: _quantity(c) for n, c in new["event"].items()}},
        parameters={**tree.parameters, **{n: as_quantity(c) for n, c in new["parameter"].items()}},
        houses={**tree.houses, **{n: bool(c) for n, c in new["house"].items()}},
        gates={**tree.gates, **{n: Formula("pass", (bool(c),)) for n, c in new["gate"].items()}},
    )
    if "compiled" in tree.__dict__ and not new["house"] and not new["gate"]:
        # Numbers do not touch the logic, which can take long to compile.
        other.__dict__["compiled"] = tree.compiled
    return other


def _kinds(tree: FaultTree) -> dict[str, str]:
    """What each name is; where an event and a parameter share one, it is the event."""
    named = (tree.parameters, tree.houses, tree.gates, tree.events)
    return {name: kind for kind, names in zip(KINDS, named, strict=True) for name in names}


def _check(name: str, change: Change, kind: str, where: str) -> None:
    if isinstance(change, bool) == (kind == "parameter") or (
        kind in ("house", "gate") and not isinstance(change, bool)
    ):
        wanted = {"parameter": "a number, an estimate or a quantity", "event": ""}.get(kind, "True or False")
        if wanted:
            raise InvalidInput(f"the {kind} {name!r} takes {wanted}", where=where, found=repr(change))


def _quantity(change: Change) -> Quantity:
    return Fixed(float(change)) if isinstance(change, bool) else as_quantity(change)
