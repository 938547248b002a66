"""The top event for many sets of candidates, each computed on the same joint draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_args

import numpy as np

from surefoot.core import Assumption, Bound, Estimate, Point, Provenance
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.faulttree.changes import changed
from surefoot.faulttree.counted import CountedInputs
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.uncertainty import QUANTITY, counted_inputs, relevant_inputs, top_event
from surefoot.hazards.improvement.applied import Numbers, is_logic, with_logic, with_numbers
from surefoot.hazards.improvement.candidate import Candidate
from surefoot.hazards.improvement.combining import Chosen, merged
from surefoot.hazards.improvement.ground import MOST_VALUES, quantile, require_draws
from surefoot.hazards.improvement.kinds import drawn_kind
from surefoot.hazards.improvement.question import Question
from surefoot.hazards.improvement.rows import Row, Rows

WHERE = "candidates"


@dataclass(frozen=True, eq=False)
class Bench:
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


def _contradicted(inputs: Sequence[Estimate]) -> tuple[Assumption, ...]:
    """What keeps any bound from showing a target."""
    found = (assumption for estimate in inputs for assumption in estimate.assumptions)
    return tuple(dict.fromkeys(assumption for assumption in found if assumption.status == "contradicted"))
