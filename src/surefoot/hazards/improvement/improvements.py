"""A requirement is not met: which events to improve, and by how much."""

from __future__ import annotations

from surefoot.core import Target, validate
from surefoot.faulttree.logic.budget import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.uncertainty import event_matrix, top_event
from surefoot.hazards.improvement.gains import gains
from surefoot.hazards.improvement.ground import Ground
from surefoot.hazards.improvement.improvement import Costs, checked_costs, improvement, ranked
from surefoot.hazards.improvement.improvements_result import Improvements
from surefoot.hazards.improvement.levers import Lever, levers
from surefoot.hazards.improvement.question import Question, too_large

WHERE = "improvements"


def improvements(
    tree: FaultTree,
    target: float | Target,
    *,
    costs: Costs | None = None,
    level: float | None = None,
    draws: int = 10_000,
    seed: int = 0,
    mix: bool = False,
    budget: Budget | None = None,
) -> Improvements:
    """What each event alone could do for the upper bound that the verdict compares, the most worthwhile first.

    To improve an event lowers its probability (where the top event falls with it, that of its absence). To learn more
    about it keeps its mean and takes its uncertainty away: the gain of that is the share of the bound that is due to
    not knowing, and new tests or labels are the way to it. Events that rest on one estimate or one parameter are one
    thing. All what-ifs are computed on the same joint values of the inputs; the top event is linear in each event, so
    that its derivative (Birnbaum 1969) gives them all.

    ``costs`` are those of each factor of ten, or functions that give the cost of a probability. ``level`` comes
    before that of the target; ``mix`` is that of ``propagate``. A tree beyond the budget has no rows, and says so.
    """
    asked = Question.of(target, level, where=WHERE)
    priced = checked_costs(costs, tree, where=WHERE)
    draws = validate.count(draws, where=WHERE, name="draws", at_least=1)
    try:
        tree.compile(budget)
    except BeyondBudget as beyond:
        return Improvements(tree, asked.target, asked.aim, None, None, notes=(too_large(tree, beyond),))
    top = top_event(tree, level=asked.aim.level, draws=draws, seed=seed, unit=asked.unit, mix=mix)
    ground = Ground(tree, asked.aim.level, draws, seed)
    bound, found = top.upper(asked.aim.level), levers(ground)
    today = event_matrix(tree, {}, 1)[:, 0]
    rows = [
        improvement(tree, gain, float(today[gain.lever.rows[0]]), bound, priced)
        for gain in gains(ground, found, asked.aim.limit)
    ]
    return Improvements(tree, asked.target, asked.aim, top, bound, ranked(rows), _notes(ground, found), dict(priced))


def _notes(ground: Ground, found: list[Lever]) -> tuple[str, ...]:
    one = [f"{', '.join(lever.events)} rest on one input and change together." for lever in found if lever.rows[1:]]
    unclear = [", ".join(lever.events) for lever in found if not lever.direction]
    if unclear:
        one.append(f"{'; '.join(unclear)}: the top event neither only rises nor only falls with it; no need is stated.")
    if not ground.sampled and ground.uncertain:
        one.append("Every uncertain input stands at its own bound, and all of them share the miss probability.")
    return tuple(one)
