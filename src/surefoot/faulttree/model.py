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
from surefoot.faulttree.formula import Formula, problems_of
from surefoot.faulttree.logic.engines import BeyondBudget, Budget
from surefoot.faulttree.quantities import Fixed, Quantity, as_quantity, probabilities

if TYPE_CHECKING:
    from surefoot.drawing import Scene
    from surefoot.faulttree.allocation import Allocation
    from surefoot.faulttree.analysis import TreeResult
    from surefoot.faulttree.common_cause import CommonCause
    from surefoot.faulttree.cutsets import CutSets, PrimeImplicants
    from surefoot.faulttree.formats.tree_files import Paths
    from surefoot.faulttree.importance import Importance
    from surefoot.faulttree.joint_importance import JointImportance
    from surefoot.faulttree.logic import Compiled
    from surefoot.faulttree.sensitivity import BreakEven, Comparison, Sweep, Tornado, WhatIfs


@dataclass(frozen=True, repr=False)
class FaultTree:
    """A fault tree: a top event, gates, basic events with what is known of their probabilities, house events.

    Names are unique across gates, basic events and house events.

    Parameters
    ----------
    top
        Name of the top event.
    gates
        What each gate says of its inputs, by name.
    events
        What is known of each basic event; None where nothing is: cut sets can still be asked for.
    houses
        Events that are set to true or false.
    groups
        Common-cause groups, which define their members.
    parameters
        Quantities that several events share.
    labels, attributes
        What else is said of names. The attribute ``component`` names the ML component that an event depends on.
    name
        Of the tree.
    left_out
        What the file means and the tree does not, a sentence each: its number is then not that of the file.

    Raises
    ------
    DiagnosticsError
        With everything that is wrong at once: undefined names, cycles, gates, probabilities.

    References
    ----------
    Dong et al. (2023), RAM, sections 2.2, 3.2 and 6.2.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import Fixed, Formula
    >>> tree = sf.FaultTree("stop", {"stop": Formula("or", ("power", "brakes")),
    ...                              "brakes": Formula("and", ("left", "right"))},
    ...                     {"power": Fixed(1e-4), "left": Fixed(0.01), "right": Fixed(0.02)})
    >>> round(tree.probability(), 9)
    0.00029998
    >>> tree.cut_set_count()
    2

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
        validate.fields(self, but=("houses",))
        validate.kind(self.houses, Mapping, where="FaultTree", name="houses", example="{'off': True}")
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
        """Read Open-PSA XML, YAML, JSON, Aralia text or static Galileo; every problem of the file is in the error.

        Parameters
        ----------
        paths
            A file, or several that are one Open-PSA model.
        top
            One of several top events, which ``read_all`` reads together; where none is chosen an error names them.
        mission_time
            For files that ask for one and give none.

        Warns
        -----
        PartLeftOut
            Of a part of the file that a static tree cannot express; it is in ``left_out``.

        """
        from surefoot.faulttree.formats import read

        return read(paths, top=top, mission_time=mission_time)

    @classmethod
    def read_all(
        cls, paths: Paths, *, top: str | None = None, mission_time: float | None = None
    ) -> dict[str, FaultTree]:
        """Every top event of a file with its tree: gates that are no input of another one, sequences, each phase.

        Parameters
        ----------
        paths, mission_time
            As of ``read``.
        top
            Keep those that it may mean, as the phases of a gate.

        Returns
        -------
        dict
            Trees by the names that ``top`` of ``read`` takes.

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
        return tuple(problems_of(self))

    def with_events(self, known: Mapping[str, float | Estimate | Distribution | Quantity]) -> FaultTree:
        """The tree with what is known of some events replaced, by name."""
        return changed(self, {name: as_quantity(value) for name, value in known.items()}, where="with_events")

    @cached_property
    def expanded(self) -> FaultTree:
        """The tree with basic events in place of common-cause groups and of the order of priority gates."""
        formulas = (inner for formula in self.gates.values() for inner in formula.formulas())
        if not self.groups and all(formula.order is None for formula in formulas):
            return self
        from surefoot.faulttree.common_cause import expanded

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

        Parameters
        ----------
        budget
            Most nodes and seconds.

        Raises
        ------
        BeyondBudget
            Where the diagram would be too large; it holds a certified interval.

        Warns
        -----
        PlugInValue
            Where the value of an input is an estimate whose error only a bound tells: ``analyse`` uses it.

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
        """The top event with its uncertainty, cut sets, importances, approximations and tornado.

        A tree beyond the budget gets a certified interval instead of an exact probability.

        Parameters
        ----------
        level
            Confidence of the intervals.
        draws, seed
            Joint draws of the inputs, where they have distributions and were not counted.
        target
            What the top event is held against.
        **options
            ``unit``; ``budget``; ``mix`` allows kinds of bounds that do not combine, which makes the result
            heuristic; ``anytime`` is for counts that were looked at while testing went on, and may have ended it;
            ``progress`` gets the draws done and all draws.

        Returns
        -------
        TreeResult
            Everything but the top event is computed when it is asked for.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> result = tree.analyse(level=0.95)
        >>> round(result.top.upper(0.95), 7)
        0.0004995
        >>> result.top.details["method"]
        'exact limit'

        """
        from surefoot.faulttree.analysis import analyse

        return analyse(self, level=level, draws=draws, seed=seed, target=target, **options)

    def cut_set_count(self) -> int:
        """The number of minimal cut sets, however large."""
        from surefoot.faulttree.cutsets import count

        return count(self.compiled)

    def cut_sets(
        self, order: int | None = None, cutoff: float | None = None, limit: int | None = None, **options: Any
    ) -> CutSets:
        """Minimal cut sets, lazily: up to an order, down to a probability, or the first few.

        Parameters
        ----------
        order
            Most events of a set.
        cutoff
            Least probability of a set.
        limit
            Only so many.
        **options
            ``by="probability"`` gives probable ones first instead of small ones.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> [str(found) for found in tree.cut_sets()]
        ['a', 'b, c']

        """
        from surefoot.faulttree.cutsets import cut_sets

        return cut_sets(self.compiled, self._known(), order=order, cutoff=cutoff, limit=limit, **options)

    def prime_implicants(self, **options: Any) -> PrimeImplicants:
        """Prime implicants: of a tree that is not coherent they also name events that must not happen.

        Parameters
        ----------
        **options
            ``order``, ``cutoff``, ``limit`` and ``by`` as of ``cut_sets``, and a ``budget``.

        Examples
        --------
        >>> from surefoot.faulttree import FaultTree, Formula
        >>> tree = FaultTree("top", {"top": Formula("xor", ("a", "b"))}, {"a": None, "b": None})
        >>> [str(found) for found in tree.prime_implicants()]
        ['-a, b', 'a, -b']

        """
        from surefoot.faulttree.cutsets import prime_implicants

        return prime_implicants(self.compiled, self._known(), **options)

    def importance(self, **options: Any) -> Importance:
        """How much each event and gate matters, by every usual measure, with intervals.

        Parameters
        ----------
        **options
            ``level``, ``draws`` and ``seed`` of the intervals; ``gates`` names the gates to look at.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> round(tree.importance().of("b", "criticality"), 2)
        0.8

        """
        from surefoot.faulttree.importance import importance

        return importance(self, **options)

    def joint_importance(self, pairs: Iterable[tuple[str, str]] | None = None, **options: Any) -> JointImportance:
        """How the importance of one event depends on another, of these pairs or of the strongest events.

        Parameters
        ----------
        pairs
            Names of two events each.
        **options
            ``strongest`` says of how many events all pairs are looked at where none are named; ``level``, ``draws``
            and ``seed``.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> round(tree.joint_importance([("b", "c")]).values[0], 4)
        1.0

        """
        from surefoot.faulttree.joint_importance import joint_importance

        return joint_importance(self, pairs, **options)

    def what_if(self, changes: Mapping[str, Any], **options: Any) -> Comparison:
        """The top event before and after changes of events, gates, house events or parameters.

        Parameters
        ----------
        changes
            By name: a number, an estimate or a quantity; true or false of events, gates and house events.
        **options
            ``name`` of the comparison; ``level``, ``draws``, ``seed`` and ``mix`` as of ``analyse``.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> round(tree.what_if({"b": 0.001}).point_after, 7)
        7e-05

        """
        from surefoot.faulttree.sensitivity import what_if

        return what_if(self, changes, **options)

    def scenarios(self, changes: Mapping[str, Mapping[str, Any]], **options: Any) -> WhatIfs:
        """Several changes by name, each against the tree as it is.

        Parameters
        ----------
        changes
            By name, each as ``what_if`` takes it.
        **options
            As of ``what_if``.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> round(tree.scenarios({"no b": {"b": False}, "no a": {"a": False}})["no a"].point_after, 7)
        0.0002

        """
        from surefoot.faulttree.sensitivity import scenarios

        return scenarios(self, changes, **options)

    def sweep(self, name: str, values: Any, **options: Any) -> Sweep:
        """The top event for each of many values of an event or parameter.

        Parameters
        ----------
        name
            Of the event or parameter.
        values
            What it takes in turn.
        **options
            ``second``, a name and values for a grid; ``target``, to learn where the top event passes it.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> [round(value, 4) for value in tree.sweep("b", [0, 0.5], target=1e-3).crossings]
        [0.0475]

        """
        from surefoot.faulttree.sensitivity import sweep

        return sweep(self, name, values, **options)

    def tornado(self, *, level: float = 0.9) -> Tornado:
        """Which uncertain input moves the top event most.

        Parameters
        ----------
        level
            Of the interval that each input is moved over, the others at their value.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> [bar.input for bar in tree.tornado().bars]
        ['a']

        """
        from surefoot.faulttree.sensitivity import tornado

        return tornado(self, level=level)

    def allocate(self, target: float | Target, **options: Any) -> Allocation:
        """Requirements for events that together meet a target of the top event.

        Parameters
        ----------
        target
            The largest probability of the top event.
        **options
            ``events`` that may change, or ``fixed`` ones that may not; ``method`` (``"equal"``, ``"proportional"``,
            ``"importance"`` or ``"cost"``, with ``costs``); ``lowest`` probabilities that can be reached; ``level``;
            ``relax`` allows requirements looser than today's values.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> found = tree.allocate(4e-4, fixed=["a", "c"])
        >>> {name: round(limit, 4) for name, limit in found.requirements.items()}
        {'b': 0.0074}

        """
        from surefoot.faulttree.allocation import allocate

        return allocate(self, target, **options)

    def break_even(self, target: float | Target) -> BreakEven:
        """Which single event could bring the top event to its target, and how good it would have to be.

        Parameters
        ----------
        target
            The largest probability of the top event.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> {name: round(value, 6) for name, value in tree.break_even(1e-4).needed.items()}
        {'b': 0.0025..., 'c': 0.005...}

        """
        from surefoot.faulttree.sensitivity import break_even

        return break_even(self, target)

    def draw(self, **options: Any) -> str:
        """The diagram in standard symbols, as SVG in the colours of a ``theme``.

        Parameters
        ----------
        **options
            ``theme``; others as of ``scene``.

        Examples
        --------
        >>> import surefoot as sf
        >>> from surefoot.faulttree import Counts, Fixed, Formula
        >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "both")), "both": Formula("and", ("b", "c"))},
        ...                     {"a": Counts(0, 10_000), "b": Fixed(0.01), "c": Fixed(0.02)})
        >>> tree.draw(highlight=["a"])[:4]
        '<svg'

        """
        from surefoot.faulttree.drawing import draw

        return draw(self, **options)

    def scene(self, **options: Any) -> Scene:
        """The diagram in standard symbols, for ``surefoot.drawing.save`` to write as SVG, PNG or PDF.

        Parameters
        ----------
        **options
            ``highlight`` names events to be marked with what they alone make true, ``collapse`` gates to be drawn
            without what stands below, ``values`` are probabilities by name, ``title`` is a heading, ``depth`` the most
            levels of gates, ``root`` the gate to begin with, and ``width`` the room in pixels that the drawing is
            chosen to fit.

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
    events = {n: Fixed(float(c)) if isinstance(c, bool) else as_quantity(c) for n, c in new["event"].items()}
    other = replace(
        tree,
        events={**tree.events, **events},
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
