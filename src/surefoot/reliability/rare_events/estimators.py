"""Risk inside balls: the estimator for the case, counting, proofs, and whether splitting says the same again."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Assumption, Check, Executor, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.corruptions.variation import Variation
from surefoot.reliability.local_risk import Progress
from surefoot.reliability.monte_carlo import MonteCarlo
from surefoot.reliability.proofs.box_proofs import Interval, proved_safe, readable
from surefoot.reliability.rare_events.devices import Array, Host, Stream
from surefoot.reliability.rare_events.margins import HostMargins, Margins, best_margins
from surefoot.reliability.rare_events.problem import (
    BELOW,
    COUNTED,
    EXHAUSTED,
    SPLIT,
    BallEstimator,
    BallProblem,
    BallRisks,
    StratifiedRisks,
    VariedBalls,
    ball_estimator,
)
from surefoot.reliability.rare_events.splitting import MultilevelSplitting, Sizes, in_batches
from surefoot.reliability.rare_events.walks import scattered, streams_of

POINTS = 1000
FAILURES = 1000
"""Expected among the points of all balls, they make the error of counting a few hundredths of the mean."""
NEGLIGIBLE, RAREST = 1e-3, 1e-15
AT_ONCE = 1000
"""Points in a ball that are drawn together."""
BY_VALUE = 2
FEWEST_PARTICLES = 100
"""That are split at a discrete value, however rare it is, where as many were asked for."""
SLACK = 1e-9


def as_ball_estimator(estimator: Any) -> BallEstimator:
    """An estimator of balls, whatever it was made for.

    Parameters
    ----------
    estimator
        ``MultilevelSplitting``, ``MonteCarlo``, ``Interval`` or a ``BallEstimator`` of your own.

    Returns
    -------
    BallEstimator
        The estimator itself, or what does the same in balls.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.reliability.as_ball_estimator(sf.reliability.MonteCarlo(100))
    Counting(samples=100)

    """
    if isinstance(estimator, BallEstimator) and not isinstance(estimator, type):
        return estimator
    if isinstance(estimator, MonteCarlo):
        return Counting(estimator.samples)
    if isinstance(estimator, Interval):
        return Proving(as_ball_estimator(estimator.otherwise), estimator.method)
    raise InvalidInput(
        "estimator must be one that looks into balls",
        where="assess_balls",
        found=repr(estimator),
        remedy="Use MultilevelSplitting(), MonteCarlo() or Interval().",
    )


def usual_estimator(foreseen: float, balls: int, problem: BallProblem) -> BallEstimator:
    """Proves what can be proved, and counts failures where enough of them are to be met for the mean.

    Where they are not, it splits, as far down as adds to the mean. Where a variation has finitely many values, all of
    them are tried.
    """
    if isinstance(problem.balls, VariedBalls) and problem.balls.variation.combinations is not None:
        return Exhausting()
    enough = foreseen * balls * POINTS >= FAILURES
    if enough or problem.model.returns == "label":
        found: BallEstimator = Counting(POINTS)
    else:
        found = MultilevelSplitting(POINTS, floor=math.log(max(foreseen * NEGLIGIBLE, RAREST)))
    boxes = not isinstance(problem.balls, VariedBalls)
    return Proving(found) if boxes and readable(problem.model, problem.balls.shape) else found


@ball_estimator("monte_carlo", public=False)
@dataclass(frozen=True)
class Counting:
    """Counts failures at ``samples`` uniform points in each ball, for any model."""

    samples: int

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls; see ``BallEstimator``."""
        work = partial(_counted, samples=self.samples, seed=seed)
        return in_batches(work, problem, chosen, executor=executor, seed=seed, progress=progress)


def _counted(problem: BallProblem, sizes: Sizes, *, samples: int, seed: int) -> BallRisks:
    margins = _margins_or_answers(problem)
    portion, balls = sizes.at_once(min(samples, AT_ONCE)), np.arange(len(problem.balls))
    with margins.prepared():
        parts = [_failures(margins, balls[i : i + portion], samples, seed) for i in range(0, len(balls), portion)]
    failures, found = np.concatenate(parts), BallRisks.empty(len(balls))
    with np.errstate(divide="ignore"):
        found.log_risk[:] = np.log(failures / samples)
    found.how[:], found.failures[:], found.trials[:], found.calls[:] = COUNTED, failures, samples, samples
    return found


def _margins_or_answers(problem: BallProblem) -> Margins:
    """Margins, or whether it fails where a model answers with labels."""
    return _Answered(problem) if problem.model.returns == "label" and problem.decide else best_margins(problem)


def _failures(margins: Margins, balls: NDArray[np.int64], samples: int, seed: int) -> NDArray[np.int64]:
    streams: list[Stream] = streams_of(margins, seed, balls)
    found = np.zeros(len(balls), np.int64)
    for start in range(0, samples, AT_ONCE):
        points = scattered(margins, balls, streams, min(AT_ONCE, samples - start))
        found += margins.arrays.host((margins(balls, points) >= 0).sum(1))
    return found


class _Answered(HostMargins):
    """Margins of a model that answers with labels: 1 where it fails, else -1."""

    def __init__(self, problem: BallProblem) -> None:
        super().__init__(problem, Host(problem.balls.centres.dtype.type))

    def __call__(self, balls: NDArray[np.int64], points: Array) -> Array:
        decide, inputs = self.problem.decide, self.problem.balls.inputs_at
        assert decide is not None
        answers = np.concatenate(
            [decide(inputs(ball, rows)) for ball, rows in zip(balls.tolist(), points, strict=True)]
        )
        undesired = self.problem.undesired[self.problem.labels[balls]]
        failing = np.take_along_axis(undesired, answers.reshape(points.shape[:2]), axis=1)
        return np.where(failing, 1.0, -1.0)


@dataclass(frozen=True)
class Exhausting:
    """Tries every value that the parameters of a variation can take, where there are finitely many: a proof."""

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls; see ``BallEstimator``."""
        return in_batches(_exhausted, problem, chosen, executor=executor, seed=seed, progress=progress)


def _exhausted(problem: BallProblem, sizes: Sizes) -> BallRisks:
    assert isinstance(problem.balls, VariedBalls)
    listed = problem.balls.variation.combinations
    assert listed is not None
    places, chances = listed
    margins, found = _margins_or_answers(problem), BallRisks.empty(len(problem.balls))
    portion = max(1, sizes.values // problem.balls.width)
    with margins.prepared():
        for ball in range(len(problem.balls)):
            parts = [places[i : i + portion] for i in range(0, len(places), portion)]
            fails = [margins.arrays.host(margins(np.array([ball]), margins.arrays.of(p[None])) >= 0)[0] for p in parts]
            failing = np.concatenate(fails)
            # Where all fail or none, rounding of the chances says nothing else.
            share = 1.0 if failing.all() else float(chances[failing].sum())
            found.log_risk[ball] = math.log(share) if share else -np.inf
    found.how[:], found.calls[:] = EXHAUSTED, len(places)
    return found


@dataclass(frozen=True)
class ByValue:
    """Looks into each combination of a variation's discrete values by itself, in proportion to its chance.

    A value at which nothing varies any more is tried once: a proof.
    """

    otherwise: BallEstimator

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls; see ``BallEstimator``."""
        assert isinstance(problem.balls, VariedBalls)
        strata, found = problem.balls.variation.strata, []
        seeds = np.random.SeedSequence([seed, BY_VALUE]).generate_state(len(strata), np.uint32).tolist()
        for number, (variation, chance) in enumerate(strata):
            own = replace(problem, balls=replace(problem.balls, variation=variation))
            estimator = self._at(variation, chance)
            told = progress and partial(_told_of_values, progress, number, len(strata))
            found.append(estimator.risks(own, chosen, executor=executor, seed=seeds[number], progress=told))
        return StratifiedRisks.of(np.array([chance for _, chance in strata]), found)

    def _at(self, variation: Variation, chance: float) -> BallEstimator:
        """The estimator with the share of its points that falls to a value."""
        if not variation.dimensions:
            return Exhausting()
        if isinstance(self.otherwise, Counting):
            return Counting(math.ceil(self.otherwise.samples * chance - SLACK))
        if isinstance(self.otherwise, MultilevelSplitting):
            most = self.otherwise.particles
            return replace(self.otherwise, particles=max(math.ceil(most * chance - SLACK), min(most, FEWEST_PARTICLES)))
        return self.otherwise


def by_value(estimator: BallEstimator, problem: BallProblem) -> BallEstimator:
    """The estimator, asked at each discrete value where a variation has some beside what varies in a range."""
    strata = problem.balls.variation.strata if isinstance(problem.balls, VariedBalls) else ()
    return ByValue(estimator) if strata else estimator


def _told_of_values(progress: Progress, number: int, count: int, done: int, total: int) -> None:
    progress((number * total + done) // count, total)


@ball_estimator("interval", public=False)
@dataclass(frozen=True)
class Proving:
    """Proves balls safe where bounds of the scores allow it, and asks another estimator about the others."""

    otherwise: BallEstimator
    method: str = "linear"

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls: none where proved, else as ``otherwise`` finds."""
        if isinstance(problem.balls, VariedBalls):
            raise no_proof_within_a_variation()
        safe = _safe(problem, chosen, self.method)
        found, left = BallRisks.empty(len(chosen)), np.flatnonzero(~safe)
        if left.size:
            rest = self.otherwise.risks(problem, chosen[left], executor=executor, seed=seed, progress=progress)
            found.put(left, rest)
        return found


def no_proof_within_a_variation() -> InvalidInput:
    """What to say where intervals are to prove something that is no box."""
    remedy = "Leave estimator out: where parameters have finitely many values all of them are tried."
    return InvalidInput("bounds of scores hold in boxes, not within a variation", where="Interval", remedy=remedy)


def _safe(problem: BallProblem, chosen: NDArray[np.int64], method: str) -> NDArray[np.bool_]:
    lower, upper = problem.balls.corners(chosen)
    labels = problem.labels[chosen]
    columns = list(problem.columns) or list(range(problem.undesired.shape[1]))
    undesired = np.zeros((len(chosen), problem.undesired.shape[1]), bool)
    undesired[:, columns] = problem.undesired[labels]
    return proved_safe(
        problem.model, problem.balls.shape, lower, upper, undesired, np.asarray(columns)[labels], method=method
    )


# Whether splitting says the same again: what it cannot reach, it reaches at times and misses at others.

REACHED = Assumption(
    "splitting-reaches-all-failures",
    "Splitting met every kind of failure that matters: its moves mix, and none hides behind a nearer miss.",
)
MOST = 8
"""Balls that are split once more."""
RARE = 1e-3
"""A disagreement that chance alone brings less often than this contradicts."""
LEAST_SD = 0.05


def examined(
    problem: BallProblem,
    estimator: BallEstimator,
    numbers: NDArray[np.int64],
    risks: BallRisks,
    weights: FloatArray,
    *,
    executor: Executor,
    seed: int,
) -> tuple[Assumption, ...]:
    """The assumption with its check, where splitting had a part: the balls that add most are split once more."""
    split = np.flatnonzero((risks.how == SPLIT) | (risks.how == BELOW))
    if not split.size:
        return ()
    # Half of those that add most, and half of the rest: a failure that was missed makes a ball look harmless.
    order = split[np.argsort(-(weights * risks.risk)[split], kind="stable")]
    rest = np.random.default_rng(seed).permutation(order[MOST // 2 :])
    chosen = np.concatenate([order[: MOST // 2], rest])[:MOST]
    again = estimator.risks(problem, numbers[chosen], executor=executor, seed=seed + 1)
    return (replace(REACHED, check=_compared(risks.take(chosen), again, risks.take(split))),)


def _compared(first: BallRisks, second: BallRisks, all_split: BallRisks) -> Check:
    """By the differences of logarithms in units of what both state, and by failures that uniform points met."""
    gaps = np.where((first.how == BELOW) & (second.how == BELOW), 0.0, _logs(first) - _logs(second))
    stated = np.sqrt(np.maximum(_sd(first) ** 2 + _sd(second) ** 2, LEAST_SD**2))
    chance_of_gaps = float(special.chdtrc(len(gaps), float(((gaps / stated) ** 2).sum())))
    met, foreseen = int(all_split.failures.sum()), all_split.foreseen
    chance_of_met = float(special.pdtrc(met - 1, foreseen)) if met else 1.0
    contradicted = min(chance_of_gaps, chance_of_met) < RARE
    figures = {
        "balls split again": len(gaps),
        "largest gap, as a factor": float(np.exp(np.abs(gaps).max())),
        "chance of such gaps": chance_of_gaps,
        "failures met by uniform points": met,
        "failures foreseen there": foreseen,
    }
    method = "some balls split again with other random numbers; failures among uniform points against the risks"
    return Check("contradicted" if contradicted else "supported", method, figures, float(np.abs(gaps).max()))


def _logs(risks: BallRisks) -> FloatArray:
    """Logarithms of risks; of none counted, half a failure."""
    return np.where(np.isfinite(risks.log_risk), risks.log_risk, -np.log(2.0 * np.maximum(risks.trials, 1)))


def _sd(risks: BallRisks) -> FloatArray:
    """Of logarithms: stated by splitting, from counts of failures by counting."""
    split = (risks.how == SPLIT) | (risks.how == BELOW)
    return np.where(split, risks.log_sd, 1 / np.sqrt(risks.failures + 0.5))
