"""From a target of the top event to requirements for events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import get_args

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.target import Target
from surefoot.core.validate import FloatArray
from surefoot.faulttree.allocation.cheapest import cheapest
from surefoot.faulttree.allocation.choice import WHERE, Choice, choose
from surefoot.faulttree.allocation.costs import CostOf, Costs
from surefoot.faulttree.allocation.held import held_inputs, held_values
from surefoot.faulttree.allocation.problem import Problem
from surefoot.faulttree.allocation.result import Allocation, Method
from surefoot.faulttree.allocation.rules import by_importance, equal, proportional
from surefoot.faulttree.allocation.target import as_target, limit_of
from surefoot.faulttree.model import FaultTree

NOTICEABLE = 1e-9
RULE_OF = {"equal": equal, "proportional": proportional, "importance": by_importance}


def allocate(
    tree: FaultTree,
    target: float | Target,
    *,
    events: Sequence[str] | None = None,
    method: Method = "equal",
    costs: Mapping[str, float | CostOf] | None = None,
    fixed: Collection[str] = (),
    lowest: Mapping[str, float] | None = None,
    level: float | None = None,
    relax: bool = False,
) -> Allocation:
    """Requirements for events so that the exact probability of the top event is at its target.

    ``events`` are those that may change; by default all with which the top event rises, without the ``fixed`` ones.
    No requirement is looser than today's value, unless ``relax`` says so, or below what ``lowest`` says can be reached.
    The other events stand at upper bounds. The miss probability of ``level``, by default the target's, is shared among
    them and the chosen events (Bonferroni 1936). ``tests`` of the result says how many tests without a failure show
    the target, found by assessing the tree anew. Methods:

    - ``equal``: the same probability for each event;
    - ``proportional``: today's values times one factor;
    - ``importance``: the factor by which an event must improve is in proportion to its criticality importance, so that
      all add the same to the top event;
    - ``cost``: the least sum of ``costs``. A number is the cost of each factor of ten below today's value, a function
      gives the cost of a probability; without ``costs`` each factor of ten costs 1.

    A target that cannot be met is no error: the result says so, with the best reachable and what stands in the way.
    """
    validate.choice(method, get_args(Method), where=WHERE, name="method")
    aim, compiled = as_target(target, where=WHERE), tree.compiled
    directions = {name: compiled.directions[name] for name in compiled.events}
    choice = choose(directions, tree.expanded.events, events, fixed)
    today = _today(tree, choice, method)
    share = aim.alpha if level is None else 1 - validate.level(level, where=WHERE)
    held = held_inputs(tree, choice.names)
    each = 1 - share / (len(choice.names) + len(held))
    problem = _problem(tree, today, limit_of(aim), lowest or {}, each if held else None, relax)
    priced = _priced(costs, method, choice, problem)
    feasible = bool(problem.top(problem.low) <= problem.target)
    x = _solved(problem, method, priced) if feasible else problem.low
    return Allocation(
        tree,
        aim,
        method,
        requirements=dict(zip(choice.names, x.tolist(), strict=True)),
        today=today,
        lowest=dict(zip(choice.names, problem.low.tolist(), strict=True)),
        before=None if None in today.values() else float(problem.top(problem.today)),
        top=float(problem.top(x)),
        feasible=feasible,
        blockers={} if feasible else _blockers(problem, compiled.events),
        level=1 - share,
        each=each,
        held=held,
        cost=None if priced is None else priced.total(x),
        notes=(*choice.notes, *(f"Left out of the tree: {text}" for text in tree.left_out)),
    )


def _problem(
    tree: FaultTree,
    today: Mapping[str, float | None],
    target: float,
    lowest: Mapping[str, float],
    level: float | None,
    relax: bool,
) -> Problem:
    columns = {name: column for column, name in enumerate(tree.compiled.events)}
    chosen = np.array([columns[name] for name in today])
    base = held_values(tree, today, level)
    base[chosen] = values = np.array([1.0 if value is None else value for value in today.values()])
    high = np.ones_like(values) if relax else values
    low = _lowest(lowest, dict(zip(today, high.tolist(), strict=True)))
    return Problem(tree.compiled, base, chosen, low, high, target)


def _priced(
    costs: Mapping[str, float | CostOf] | None, method: Method, choice: Choice, problem: Problem
) -> Costs | None:
    if method == "cost":
        return Costs.read(costs, choice.names, problem.today)
    if costs is not None:
        raise InvalidInput("costs are for the method 'cost'", where=WHERE, found=f"method={method!r}")
    return None


def _solved(problem: Problem, method: Method, costs: Costs | None) -> FloatArray:
    if problem.top(problem.high) <= problem.target:
        return problem.high
    return RULE_OF[method](problem) if costs is None else cheapest(problem, costs)


def _today(tree: FaultTree, choice: Choice, method: Method) -> dict[str, float | None]:
    known = tree.expanded.events
    unknown = {name for name in choice.names if known[name] is None}
    if unknown and method != "equal":
        raise InvalidInput(
            f"the method {method!r} starts from today's probabilities",
            where=WHERE,
            found=f"none for {', '.join(name for name in choice.names if name in unknown)}",
            remedy="Give them probabilities, or use method='equal'.",
        )
    values = dict(zip(tree.compiled.events, held_values(tree, choice.names, None).tolist(), strict=True))
    return {name: None if name in unknown else values[name] for name in choice.names}


def _lowest(given: Mapping[str, float], high: Mapping[str, float]) -> FloatArray:
    for name in given:
        validate.choice(name, high, where=WHERE, name="chosen event in lowest")
    found = {n: validate.probability(given.get(n, 0.0), where=WHERE, name=f"lowest of {n!r}") for n in high}
    above = [f"{name} {found[name]:g} above {high[name]:g}" for name in found if found[name] > high[name]]
    if above:
        raise InvalidInput(
            "the lowest probability is above the largest allowed",
            where=WHERE,
            found="; ".join(above),
            remedy="Leave these events out, or pass relax=True.",
        )
    return np.array(list(found.values()))


def _blockers(problem: Problem, names: Sequence[str]) -> dict[str, float]:
    """The other events, each with the top event if it were perfect as well; only those that help."""
    others = np.setdiff1d(np.arange(len(names)), problem.chosen)
    best = float(problem.top(problem.low))
    signs = problem.compiled.directions
    at = problem.base.copy()
    at[problem.chosen] = problem.low
    columns = np.repeat(at[:, None], len(others), axis=1)
    columns[others, np.arange(len(others))] = [0.0 if signs[names[i]] >= 0 else 1.0 for i in others]
    tops = np.asarray(problem.compiled.probability(columns))
    ranked = sorted(zip(tops.tolist(), (names[i] for i in others), strict=True))
    return {name: top for top, name in ranked if top < best * (1 - NOTICEABLE)}
