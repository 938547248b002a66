"""Whether the results that a step combines can be combined: tried out with stand-ins, before anything is measured.

A stand-in has the kind of bounds that the result of a step will have, and goes through the same calculation. Where the
kind is known only once a step has run, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surefoot import bounds
from surefoot.core import Bound, Estimate, Provenance, SurefootError
from surefoot.core.averaging import NO_CONFIDENCE
from surefoot.core.estimate import PER_DEMAND
from surefoot.documents import Keys, Problem
from surefoot.project.checks.improvement import mapping
from surefoot.project.draft import Draft
from surefoot.project.references import step_in

if TYPE_CHECKING:
    from surefoot.faulttree import FaultTree

LEVEL, DRAWS = 0.9, 100
MOST_NODES, MOST_SECONDS = 200_000, 2.0
"""A tree that takes more is not tried out here."""


def tree_combination(draft: Draft, tree: FaultTree, given: Mapping[str, Any], at: Keys) -> Iterator[Problem]:
    """What would stop a tree from being analysed with the kinds of bounds that its events are fed with."""
    from surefoot.faulttree import BeyondBudget, Budget
    from surefoot.faulttree.uncertainty import top_event

    fed = _StandIns(draft).of({n: r for n, r in mapping(given.get("events")).items() if n in tree.events})
    bare = [name for name, quantity in tree.events.items() if quantity is None and name not in (fed or {})]
    if not fed or bare or all(estimate.dist is not None for estimate in fed.values()):
        return
    try:
        tried = tree.with_events(fed)
        tried.compile(Budget(MOST_NODES, MOST_SECONDS))
        top_event(tried, level=LEVEL, draws=DRAWS, mix=given.get("mix") is True)
    except BeyondBudget:
        return
    except SurefootError as error:
        yield _problem(error, (*at, "events"))


def product_combination(draft: Draft, given: Mapping[str, Any], at: Keys) -> Iterator[Problem]:
    """What would stop factors from being multiplied."""
    try:
        _StandIns(draft).product(given)
    except SurefootError as error:
        yield _problem(error, (*at, "factors"))


def _problem(error: SurefootError, at: Keys) -> Problem:
    seen = "" if error.found is None else f"; found {error.found}"
    hint = error.remedy.replace("pass mix=True", "say mix: true")
    return Problem("cannot-combine", at, f"cannot be combined: {error.problem}{seen}.", hint)


@dataclass(frozen=True)
class _StandIns:
    """Estimates of the kinds that the steps of a project will give."""

    draft: Draft

    def of(self, references: Mapping[str, Any]) -> dict[str, Estimate] | None:
        """One for each reference; None where the kind of one of them is not known."""
        found = {name: self._of(text) for name, text in references.items()}
        known = {name: estimate for name, estimate in found.items() if estimate is not None}
        return known if len(known) == len(found) else None

    def product(self, given: Mapping[str, Any], name: str = "product") -> Estimate | None:
        """The product of stand-ins for factors."""
        from surefoot.project.steps.product import product

        factors = self.of(mapping(given.get("factors")))
        if not factors:
            return None
        (found,) = product(factors=factors, quantity=name, unit=PER_DEMAND, mix=given.get("mix") is True).estimates
        return found

    def _of(self, text: Any) -> Estimate | None:
        name = step_in(text)
        source = self.draft.definition.steps.get(name) if name else None
        if name is None or source is None:
            return None
        if source.step == "product":
            try:
                return self.product(source.parameters, text)
            except (SurefootError, RecursionError):
                return None
        made = MADE.get(source.step)
        estimate = made(source.parameters) if made else None
        if estimate is None:
            return None
        measured = {} if source.step == "stated" else {"data": f"{source.component} {source.on}"}
        return replace(estimate, scope=text, provenance=Provenance(source.step, {"result": text}, data=measured))


def _stated(given: Mapping[str, Any]) -> Estimate:
    return Estimate.known("stand-in", 0.01, source="stand-in")


def _sure(given: Mapping[str, Any]) -> Estimate:
    return bounds.clopper_pearson(1, 100, level=LEVEL)


def _vague(given: Mapping[str, Any]) -> Estimate:
    return bounds.wilson(1, 100, level=LEVEL)


def _believed(given: Mapping[str, Any]) -> Estimate:
    return bounds.jeffreys(1, 100, level=LEVEL)


def _on_average(given: Mapping[str, Any]) -> Estimate:
    return Estimate("stand-in", 0.01, bounds=(Bound(0.05, "upper", NO_CONFIDENCE, "expectation"),))


def _counted(given: Mapping[str, Any]) -> Estimate:
    if given.get("groups") == "use" and given.get("max_group_size") is None:
        return _vague(given)
    return {"jeffreys": _believed, "wilson": _vague}.get(str(given.get("method")), _sure)(given)


def _mean(given: Mapping[str, Any]) -> Estimate:
    vague = given.get("method") == "normal_approximation" or given.get("groups") == "use"
    return _vague(given) if vague and given.get("max_group_size") is None else _sure(given)


MADE: dict[str, Callable[[Mapping[str, Any]], Estimate]] = {
    "binomial_bound": _counted,
    "loss_bound": _mean,
    "normal_bound": _sure,
    "normal_score": _on_average,
    "stated": _stated,
}
