"""What paper RAM says about its two image classifiers, and whether it holds for ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from study import LEVEL, Found

from surefoot.core import Estimate


@dataclass(frozen=True)
class Statement:
    """A sentence of section 4.4, what we found, and whether that agrees; None where our limits leave it open."""

    text: str
    ours: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """In words."""
        return {True: "holds", False: "does not hold", None: "open"}[self.holds]


def statements(digits: Sequence[Found], photographs: Sequence[Found]) -> Iterator[Statement]:
    """All that can be checked with what was studied; classifiers of both kinds are compared by the first of each."""
    yield from map(_unrobust, (*digits, *photographs))
    yield from map(_much_lower, digits)
    if digits and photographs:
        for compare in (_harder, _flatter, _closer, _looser):
            yield compare(digits[0], photographs[0])


def _unrobust(found: Found) -> Statement:
    acu, error = found.balls.acu, found.subject.test_error
    ours = f"{found.subject.name}: ACU {_shown(acu)}, test error {error:.4f}"
    return Statement("The ACU is worse than the test error", ours, _above(_limits(acu), (error, error)))


def _much_lower(found: Found) -> Statement:
    pmi, acu = found.balls.by_balls, found.balls.acu
    ours = f"{found.subject.name}: pmi {_shown(pmi)} is {pmi.value / acu.value:.2f} times the ACU"
    return Statement("MNIST: the mean of pmi is much lower than the ACU", ours, _above(_limits(acu), _limits(pmi)))


def _harder(digits: Found, photographs: Found) -> Statement:
    worse, better = photographs.balls.acu, digits.balls.acu
    ours = f"{_shown(worse)} against {_shown(better)}"
    return Statement("The ACU of CIFAR-10 is even worse", ours, _above(_limits(worse), _limits(better)))


def _flatter(digits: Found, photographs: Found) -> Statement:
    ours = f"weights are worth {photographs.flatness:.1%} of the balls, against {digits.flatness:.1%}"
    return Statement("The profile of CIFAR-10 is flatter", ours, photographs.flatness > digits.flatness)


def _closer(digits: Found, photographs: Found) -> Statement:
    ratios = [found.balls.by_balls.value / found.balls.acu.value for found in (photographs, digits)]
    apart = [abs(float(np.log(max(ratio, np.finfo(float).tiny)))) for ratio in ratios]
    ours = f"pmi is {ratios[0]:.2f} times the ACU, against {ratios[1]:.2f} times"
    return Statement("CIFAR-10: pmi and ACU are closer than for MNIST", ours, apart[0] < apart[1])


def _looser(digits: Found, photographs: Found) -> Statement:
    loose = [_slack(found) for found in (digits, photographs)]
    ours = f"the 97.5% limit is {loose[0]:.0%} above the mean, against {loose[1]:.0%}"
    return Statement("The upper bound of pmi is looser for MNIST", ours, loose[0] > loose[1])


def _slack(found: Found) -> float:
    """Distance of the normal limit from the mean at the end of the curve over k, in means."""
    _, mean, _, upper = found.balls.by_k().rows[-1]
    return float(upper / mean - 1)


def _limits(found: Estimate) -> tuple[float, float]:
    return found.lower(LEVEL), found.upper(LEVEL)


def _shown(found: Estimate) -> str:
    return f"{found.value:.4f} ({found.lower(LEVEL):.4f} to {found.upper(LEVEL):.4f})"


def _above(one: tuple[float, float], other: tuple[float, float]) -> bool | None:
    """Whether all of one interval lies above another; None where they overlap."""
    if one[0] > other[1]:
        return True
    return False if one[1] < other[0] else None
