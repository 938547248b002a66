"""What an estimate says of "the target is met", as belief and disbelief.

Belief is the highest level at which the estimate's bound shows the target met, disbelief the highest level at which it
shows it violated; the rest is uncertainty. For failures counted in trials these are the lower and upper probability of
Dempster (1966), "New methods for reasoning towards posterior distributions based on sample data": with k failures in n
trials and X binomial at the limit, belief is P(X > k) and disbelief P(X < k).

Both sum to at most 1 wherever bounds do not cross: were the target met at level s and violated at level t with
s + t > 1, the upper limit at s would lie below the lower one at t, and such a pair would miss with probability above 1
for some truth. Where bounds of a heuristic kind do cross, disbelief is kept and belief cut, which is the cautious side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from surefoot.core import Beta, Bound, BoundFamily, Distribution, Estimate, LogNormal, Normal, QuantileBound, Target
from surefoot.core.bound import Side
from surefoot.core.spread import Gamma
from surefoot.core.target import Status

HIGHEST_LEVEL = 1 - 1e-12
LOWEST_LEVEL = 1e-9
HALVINGS = 44
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Judgement:
    """How far an estimate shows a target met, and how far violated."""

    belief: float
    disbelief: float
    remark: str = ""


def judge(estimate: Estimate, target: Target) -> Judgement:
    """Belief and disbelief in "the target is met"; the estimate's assumptions are side-claims and left out here.

    >>> from surefoot.bounds import clopper_pearson
    >>> found = judge(clopper_pearson(0, 2995, level=0.95), Target(at_most=0.001))
    >>> round(found.belief, 4), found.disbelief
    (0.95, 0.0)
    """
    estimate.meets(target)  # Refuses units that cannot be compared.
    opposite: Side = "lower" if target.proving_side == "upper" else "upper"
    belief = _highest_level(estimate, target, target.proving_side, "met")
    disbelief = _highest_level(estimate, target, opposite, "violated")
    if belief + disbelief > 1 + ROUNDING:
        return Judgement(max(0.0, 1 - disbelief), disbelief, "its bounds cross, so that belief is cut")
    return Judgement(min(belief, 1 - disbelief), disbelief, _remark(estimate, target))


def _highest_level(estimate: Estimate, target: Target, side: Side, status: Status) -> float:
    own = tuple(family for family in estimate.bounds if family.side == side)
    families = [family for family in own if family.kind in target.kinds]
    if not families:
        return 0.0
    closed = _closed(families[0], target, side) if len(own) == 1 and target.uncertainty is None else None
    if closed is not None:
        return closed
    # Below level 1/2 both verdicts can hold at once; each is asked of its own side alone.
    one_sided = replace(estimate, bounds=own, assumptions=())

    def holds(level: float) -> bool:
        return one_sided.meets(replace(target, level=level)).status == status

    if any(family.kind == "expectation" for family in families):
        return target.level if holds(target.level) else 0.0
    fixed = [_level_of(f, target) for f in families if isinstance(f, Bound) and f.kind != "certain"]
    return max([_bisected(holds), *(level for level in fixed if level > 0 and holds(level))])


def _closed(family: BoundFamily, target: Target, side: Side) -> float | None:
    """Quantiles of a continuous distribution: the level is what lies on the good, or the bad, side of the limit."""
    if not isinstance(family, QuantileBound) or not _continuous(family.dist):
        return None
    below = float(family.dist.cdf(target.limit))
    return below if side == "upper" else 1 - below


def _continuous(dist: Distribution) -> bool:
    return isinstance(dist, Gamma | Normal | LogNormal) or (isinstance(dist, Beta) and dist.a > 0 and dist.b > 0)


def _level_of(bound: Bound, target: Target) -> float:
    """The level of a target that leaves a bound exactly the miss probability of this one."""
    return 1 - bound.alpha * (1 if target.uncertainty is None else 2)


def _bisected(holds: Callable[[float], bool]) -> float:
    """The highest level that holds, given that all below one that holds do too."""
    if holds(HIGHEST_LEVEL):
        return 1.0
    if not holds(LOWEST_LEVEL):
        return 0.0
    low, high = LOWEST_LEVEL, HIGHEST_LEVEL
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _remark(estimate: Estimate, target: Target) -> str:
    """What is particular about the bound that could show the target met."""
    counted = [f for f in estimate.bounds if f.side == target.proving_side and f.kind in target.kinds]
    if not counted:
        return "no bound of a kind that the target accepts, so that nothing can show it met"
    if any(f.kind == "expectation" for f in counted):
        return f"the bound holds on average only; belief is set to the target's level {target.level:g}"
    if all(isinstance(f, Bound) and f.kind != "certain" for f in counted):
        return "the bound is known at one level only, which is all that can be believed"
    return ""
