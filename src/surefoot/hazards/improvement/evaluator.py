"""The top event for what-ifs, each computed on the same joint values of the inputs.

``Evaluator`` computes sets of candidates, ``BoundInputs`` what-ifs of single events, for a ``Question``: a target with
the limit and level of its verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np

from surefoot.bounds.planning import Aim
from surefoot.core import Assumption, Bound, Estimate, LevelUnavailable, MixedKinds, Point, Provenance, Target, validate
from surefoot.core.bound import MIN_TAIL_DRAWS, Kind, Side
from surefoot.core.canonical import FrozenMap
from surefoot.core.propagation import joint_draws, limit_at, takes_a_share
from surefoot.core.validate import FloatArray
from surefoot.faulttree import quantities
from surefoot.faulttree.allocation import as_target
from surefoot.faulttree.counted import CountedInputs
from surefoot.faulttree.logic.engines import BeyondBudget
from surefoot.faulttree.model import FaultTree, changed
from surefoot.faulttree.quantities import Quantity
from surefoot.faulttree.uncertainty import (
    QUANTITY,
    counted_inputs,
    directions,
    event_matrix,
    relevant_inputs,
    top_event,
)
from surefoot.hazards.improvement.countermeasures import (
    Barrier,
    Candidate,
    Chosen,
    Numbers,
    is_logic,
    merged,
    with_logic,
    with_numbers,
)

WHERE = "candidates"
MOST_VALUES = 2_000_000
Change = Callable[[FloatArray], None]


@dataclass(frozen=True)
class Question:
    """A target, and ``aim``: the limit its upper bound must reach, and at which level; see ``Estimate.meets``."""

    target: Target
    aim: Aim

    @classmethod
    def of(cls, target: float | Target, level: float | None, *, where: str) -> Question:
        """A number is a largest probability at level 0.95; ``level`` comes before the target's own."""
        given = as_target(target, where=where)
        aimed = given if level is None else replace(given, level=validate.level(level, where=where))
        return cls(aimed, Aim.of(aimed))

    @property
    def unit(self) -> str:
        """What the top event is counted by."""
        return self.target.counted


@dataclass(frozen=True, eq=False)
class Evaluator:
    """A tree without groups, candidates that fit it, and how inputs are drawn."""

    tree: FaultTree
    candidates: Sequence[Candidate]
    asked: Question
    draws: int
    seed: int
    mix: bool
    _trees: dict[Chosen, FaultTree] = field(default_factory=dict)

    def top(self, chosen: Chosen) -> Estimate:
        """The top event with the chosen candidates, with bounds at the level of the verdict.

        Raises ``BeyondBudget`` where their gates make the tree too large.
        """
        counted = counted_inputs(self.changed(chosen)) if self._counted else None
        if counted is not None:
            return self._of_counts(counted)
        if not self._rows.sampled:
            return top_event(self.changed(chosen), **self.options)
        tree = self._with_logic(chosen)
        return self._drawn(tree, [self._rows.row(event, chosen) for event in tree.compiled.events])

    def changed(self, chosen: Chosen) -> FaultTree:
        """The tree with the chosen candidates."""
        tree, changes = self._with_logic(chosen), merged([self.candidates[place] for place in chosen])
        numbers = with_numbers(Numbers(tree.events, tree.parameters), changes)
        known = {**numbers.parameters, **numbers.events}
        new = {name: quantity for name in changes if (quantity := known.get(name)) is not None}
        return changed(tree, new, where=WHERE) if new else tree

    @property
    def options(self) -> dict[str, Any]:
        """How the top event is computed."""
        return {
            "level": self.asked.aim.level,
            "draws": self.draws,
            "seed": self.seed,
            "unit": self.asked.unit,
            "mix": self.mix,
        }

    @cached_property
    def _counted(self) -> bool:
        """Whether the counts of the tree speak together, as they do in ``top_event``."""
        return counted_inputs(self.tree) is not None

    def _of_counts(self, counted: CountedInputs) -> Estimate:
        alpha = 1 - self.asked.aim.level
        limits = {side: counted.limit(alpha, side) for side in get_args(Side)}
        return Estimate(
            QUANTITY,
            counted.value,
            self.asked.unit,
            counted.tree.name,
            bounds=tuple(Bound(limit, side, alpha, "confidence") for side, limit in limits.items()),
            assumptions=_contradicted(list(relevant_inputs(counted.tree).values())),
            provenance=Provenance("what if", {"level": self.asked.aim.level}),
        )

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.tree, self.candidates, self.draws, self.seed)

    @cached_property
    def _logical(self) -> frozenset[int]:
        """Candidates that change gates or house events."""
        places = enumerate(self.candidates)
        return frozenset(place for place, each in places if any(is_logic(self.tree, name) for name in each.changes))

    def _with_logic(self, chosen: Chosen) -> FaultTree:
        """The tree with other gates, compiled once for each set of candidates that change them."""
        key = tuple(place for place in chosen if place in self._logical)
        if key not in self._trees:
            changes = merged([self.candidates[place] for place in key])
            logic = {name: some for name, some in changes.items() if is_logic(self.tree, name)}
            self._trees[key] = with_logic(self.tree, logic) if logic else self.tree
        return self._trees[key]

    def _drawn(self, tree: FaultTree, rows: list[Row]) -> Estimate:
        inputs = list({estimate.belief_key: estimate for row in rows for estimate in row.inputs}.values())
        kind = drawn_kind(inputs, mix=self.mix, where=WHERE)
        size = 1 if all(isinstance(estimate.dist, Point) for estimate in inputs) else self.draws
        tops, level = _tops(tree, rows, size), self.asked.aim.level
        if kind != "certain":
            require_draws(self.draws, level, where=WHERE)
        alpha = 0.0 if kind == "certain" else 1 - level
        return Estimate(
            QUANTITY,
            float(tops.mean()),
            self.asked.unit,
            tree.name,
            bounds=(
                Bound(quantile(tops, level), "upper", alpha, kind),
                Bound(quantile(tops, 1 - level), "lower", alpha, kind),
            ),
            assumptions=_contradicted(inputs),
            provenance=Provenance("what if", {"level": level, "draws": size}, seed=self.seed),
        )


def _contradicted(inputs: Sequence[Estimate]) -> tuple[Assumption, ...]:
    """What keeps any bound from showing a target."""
    found = (assumption for estimate in inputs for assumption in estimate.assumptions)
    return tuple(dict.fromkeys(assumption for assumption in found if assumption.status == "contradicted"))


@dataclass(frozen=True, eq=False)
class Rows:
    """Events of a tree and of barriers, as candidates leave them; an input that is drawn is drawn once for all."""

    tree: FaultTree
    candidates: Sequence[Candidate]
    draws: int
    seed: int
    _known: dict[tuple[str, Chosen], Row] = field(default_factory=dict)

    def row(self, event: str, chosen: Chosen) -> Row:
        """An event with the chosen candidates."""
        key = event, tuple(place for place in chosen if place in self._touching.get(event, ()))
        if key not in self._known:
            self._known[key] = self._computed(*key)
        return self._known[key]

    @cached_property
    def inputs(self) -> dict[str, Estimate]:
        """Every input that some set of candidates has, by its belief."""
        found = list(quantities.inputs(self._base).values())
        for place in range(len(self.candidates)):
            touched = [event for event, places in self._touching.items() if place in places]
            found += quantities.inputs(self._numbers((place,)), events=touched).values()
        return {estimate.belief_key: estimate for estimate in found}

    @cached_property
    def sampled(self) -> bool:
        """Whether everything can be drawn, or is certain."""
        return all(estimate.dist is not None for estimate in self.inputs.values())

    @cached_property
    def _pool(self) -> dict[str, FloatArray]:
        return joint_draws(self.inputs, draws=self.draws, seed=self.seed, where="candidates")

    def _computed(self, event: str, chosen: Chosen) -> Row:
        numbers = self._numbers(chosen)
        alone = Numbers(dict.fromkeys(numbers.events) | {event: numbers.events[event]}, numbers.parameters)
        inputs = quantities.inputs(alone, events=[event])
        drawn = {name: self._pool[estimate.belief_key] for name, estimate in inputs.items()}
        return Row(quantities.probabilities(alone, drawn, events=[event])[event], tuple(inputs.values()))

    def _numbers(self, chosen: Chosen) -> Numbers:
        return with_numbers(self._base, merged([self.candidates[place] for place in chosen])) if chosen else self._base

    @cached_property
    def _base(self) -> Numbers:
        """Events as they are, and those that barriers bring."""
        return Numbers({**self.tree.events, **self._barriers}, dict(self.tree.parameters))

    @property
    def _barriers(self) -> dict[str, Quantity]:
        changes = (change for candidate in self.candidates for change in candidate.changes.values())
        return {change.name: change.fails for change in changes if isinstance(change, Barrier)}

    @cached_property
    def _touching(self) -> dict[str, frozenset[int]]:
        """Which candidates may move an event: those that change it, or a parameter that some form of it names."""
        changed_by: dict[str, set[int]] = {}
        for place, candidate in enumerate(self.candidates):
            for name in candidate.changes:
                changed_by.setdefault(name, set()).add(place)
        named = self._named()
        return {
            event: frozenset(place for name in _reached(event, named) for place in changed_by.get(name, ()))
            for event in self.tree.events
        }

    def _named(self) -> dict[str, set[str]]:
        """Parameters that an event or a parameter names, in any form that a candidate gives it."""
        found: dict[str, set[str]] = {}
        for name, quantity in self._forms():
            found.setdefault(name, set()).update(quantity.references())
        return found

    def _forms(self) -> Iterator[tuple[str, Quantity]]:
        known: Mapping[str, Quantity | None] = {**self.tree.parameters, **self.tree.events}
        yield from ((name, quantity) for name, quantity in known.items() if quantity is not None)
        changes = (pair for candidate in self.candidates for pair in candidate.changes.items())
        yield from ((name, change) for name, change in changes if isinstance(change, Quantity))


@dataclass(frozen=True)
class Row:
    """The probability of an event, one for each joint draw or one for all, and the inputs behind it."""

    values: float | FloatArray
    inputs: tuple[Estimate, ...]


def _reached(start: str, named: Mapping[str, set[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        new = named.get(waiting.pop(), set()) - seen
        seen |= new
        waiting.extend(new)
    return seen


def drawn_kind(inputs: Iterable[Estimate], *, mix: bool, where: str) -> Kind:
    """Certain where every input is, heuristic where one is or kinds are mixed on purpose, else credible."""
    inputs = list(inputs)
    if all(isinstance(estimate.dist, Point) for estimate in inputs):
        return "certain"
    kinds = {family.kind for estimate in inputs for family in estimate.bounds} - {"certain"}
    if kinds - {"heuristic"} <= {"credible"}:
        return "heuristic" if "heuristic" in kinds else "credible"
    if not mix:
        raise MixedKinds(
            "these kinds of bounds do not combine",
            where=where,
            found=", ".join(sorted(kinds)),
            remedy="Use estimates of one kind, or pass mix=True and accept a heuristic result.",
        )
    return "heuristic"


def _tops(tree: FaultTree, rows: Sequence[Row], size: int) -> FloatArray:
    step = max(1, MOST_VALUES // max(len(rows), 1))
    found = np.empty(size)
    for start in range(0, size, step):
        block = slice(start, min(start + step, size))
        p = np.empty((len(rows), block.stop - start))
        for own, row in zip(p, rows, strict=True):
            own[:] = row.values[block] if isinstance(row.values, np.ndarray) and row.values.ndim else row.values
        found[block] = tree.compiled.probability(p)
    return found


def require_draws(draws: int, level: float, *, where: str) -> None:
    """Refuse draws that are too few for a bound at this level, as bounds of estimates do."""
    if draws * (1 - level) < MIN_TAIL_DRAWS * (1 - 1e-9):
        remedy = f"Use at least {math.ceil(MIN_TAIL_DRAWS / (1 - level) - 1e-6):,} draws."
        raise LevelUnavailable(f"{draws:,} draws do not resolve level {level:.12g}", where=where, remedy=remedy)


def quantile(values: FloatArray, level: float) -> float:
    """The quantile as ``Empirical`` defines it, without sorting."""
    rank = min(max(needed_rank(len(values), level) - 1, 0), len(values) - 1)
    return float(np.partition(values, rank)[rank])


def needed_rank(count: int, level: float) -> int:
    """How many of the values must lie at or below a limit for the quantile to."""
    return math.ceil(level * count - 1e-9)


# The inputs of a top event's bound, one what-if at a time.


@dataclass(frozen=True, eq=False)
class BoundInputs:
    """What the upper bound of a top event is computed from: joint draws of its inputs, or the corner of their bounds.

    The same numbers as ``top_event``: where every uncertain input has a distribution, the bound is a quantile of the
    draws; otherwise each input stands at its own bound, and all of them share the miss probability.
    """

    tree: FaultTree
    level: float
    draws: int
    seed: int

    @cached_property
    def inputs(self) -> dict[str, Estimate]:
        """The inputs on which the top event depends."""
        return relevant_inputs(self.tree)

    @cached_property
    def uncertain(self) -> frozenset[str]:
        """Those that are not known exactly."""
        return frozenset(name for name, estimate in self.inputs.items() if not isinstance(estimate.dist, Point))

    @cached_property
    def sampled(self) -> bool:
        """Whether inputs are drawn."""
        return bool(self.uncertain) and all(estimate.dist is not None for estimate in self.inputs.values())

    @property
    def size(self) -> int:
        """How many joint values there are."""
        return self.draws if self.sampled else 1

    def counted(self, names: Collection[str]) -> int:
        """How many of these inputs share the miss probability where inputs stand at their bounds."""
        return 0 if self.sampled else sum(takes_a_share(self.inputs[n], self._sides[n]) for n in names)

    def bound(self, tops: FloatArray) -> float:
        """The upper bound of the top event from one probability a joint value."""
        return quantile(tops, self.level)

    def drawn(self, *, known: Collection[str] = (), fewer: int = 0) -> dict[str, FloatArray]:
        """Values of the inputs; ``known`` ones have their mean, and ``fewer`` says how many others no longer count."""
        found = dict(self._draws) if self.sampled else self._corner(known, fewer)
        return found | {name: np.full(self.size, mean_of(self.inputs[name])) for name in known}

    def tops(self, drawn: dict[str, FloatArray], change: Change | None = None) -> FloatArray:
        """The top event for each joint value, after a change of the rows of events."""
        found = np.empty(self.size)
        for block in self.blocks():
            p = self.rows(drawn, block)
            if change is not None:
                change(p)
            found[block] = self.tree.compiled.probability(p)
        return found

    def rows(self, drawn: dict[str, FloatArray], block: slice) -> FloatArray:
        """Probabilities of all events, one column a joint value."""
        part = {name: values[block] for name, values in drawn.items()}
        return event_matrix(self.tree, part, block.stop - block.start)

    def blocks(self) -> Iterator[slice]:
        """Joint values in blocks of bounded memory."""
        step = max(1, MOST_VALUES // max(len(self.tree.compiled.events), 1))
        return (slice(start, min(start + step, self.size)) for start in range(0, self.size, step))

    @cached_property
    def _draws(self) -> dict[str, FloatArray]:
        return joint_draws(self.inputs, draws=self.draws, seed=self.seed, where=f"top event {self.tree.top!r}")

    @cached_property
    def _sides(self) -> dict[str, Side]:
        """The bound of each input that is worse for the top event."""
        signs = directions(self.tree)
        return {name: "lower" if name in self.uncertain and signs[name] < 0 else "upper" for name in self.inputs}

    def _corner(self, known: Collection[str], fewer: int) -> dict[str, FloatArray]:
        left = {name: estimate for name, estimate in self.inputs.items() if name not in known}
        count = self.counted(left) - fewer
        share = 1 - (1 - self.level) / max(count, 1)
        return {name: np.array([limit_at(e, self._sides[name], share)]) for name, e in left.items()}


def mean_of(estimate: Estimate) -> float:
    """What an input would be if it were known and no better: the mean of what is believed about it.

    Counts without a distribution have the mean that Jeffreys' prior gives, as a share of 0 failures would be perfect.
    """
    if estimate.dist is not None:
        return estimate.dist.mean
    counts = counts_of(estimate)
    return estimate.value if counts is None else (counts[0] + 0.5) / (counts[1] + 1)


def counts_of(estimate: Estimate) -> tuple[int, int] | None:
    """Failures and trials that an estimate rests on, where it says so in whole numbers."""
    counts = [estimate.details.get(name) for name in ("failures", "trials")]
    whole = [int(number) for number in counts if isinstance(number, int | float) and number == int(number)]
    return (whole[0], whole[1]) if len(whole) == 2 and whole[1] > 0 else None


def too_large(tree: FaultTree, beyond: BeyondBudget) -> str:
    """What is said where an exact answer is beyond the budget."""
    return (
        f"{tree.top} is beyond the budget of nodes and seconds: its probability lies between {beyond.low:.4g} and "
        f"{beyond.high:.4g}, and what an event contributes is not known. Give a larger budget."
    )


def component_of(tree: FaultTree, event: str) -> str:
    """The component that an event is marked with, or nothing."""
    return tree.attributes.get(event, FrozenMap()).get("component", "")


def upper_limit(estimate: Estimate | None, level: float) -> float | None:
    """The upper bound at a level, where there is one."""
    try:
        return None if estimate is None else estimate.upper(level)
    except LevelUnavailable:
        return None
