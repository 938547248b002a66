"""The estimates of an assessment in balls, the assumptions behind them, and what the data say about each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.bounds.closed_form import CentralLimitBound
from surefoot.bounds.statement import FIXED_SIZE, ORDER_FIRST, approximate
from surefoot.core import Assumption, BoundFamily, Check, Diagnostic, Estimate, Provenance
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.corruptions.variation import Variation
from surefoot.profile import representativeness
from surefoot.profile.sampling_frame import MOST_ROWS
from surefoot.reliability.balls.draws import SIDES, Drawn, VarianceParts
from surefoot.reliability.balls.frame import Frame, radius_against_separation
from surefoot.reliability.balls.limits import OperationLimits
from surefoot.reliability.cells.statements import CONTRADICTION_LEVEL, contradicted

REPRESENTATIVE = Assumption(
    "frame-represents-operation",
    "The rows, weighed as they are, are a random sample of what operation brings (RAM, Assumption 2).",
)
SINGLE_LABEL = Assumption(
    "single-label-balls", "All inputs in a ball have the label of its centre (Assumption 3, Remark 3)."
)
UNIFORM = Assumption(
    "uniform-inside", "Inputs are distributed uniformly inside each ball (Assumption 5).", beyond_tests=True
)
SAMPLING_DOMINATES = Assumption(
    "sampling-of-balls-dominates",
    "What is not known of risks inside and weights is small beside the sampling of balls (Assumption 7; the printed "
    "variance needs it).",
)
NORMAL = Assumption("normal-mean", "The mean over the draws is close to normally distributed.")
DETERMINISTIC = Assumption("deterministic-model", "The model answers the same input always the same.")
KEEPS_LABELS = Assumption(
    "variation-keeps-labels",
    "An input that is varied as stated keeps its label: a person would still give it (RAM, Assumption 3).",
    beyond_tests=True,
)
IN_VARIATION = "failure probability within variation v of operational inputs"
IN_VARIATION_OF_ROWS = "failure probability within variation v of the rows"
NEAR_OPERATION = "failure probability within radius r of operational inputs"
NEAR_ROWS = "failure probability within radius r of the rows"
UNASTUTENESS = "average ball unastuteness"
APPROXIMATE = approximate("The normal approximation", "With equal weights pmi has a limit that needs none.")
TRAINED_ON = "Rows that the model was trained on fail less often than others; use held-out rows for the balls."
TOO_MUCH_NOISE = (
    "Noise of this radius is more than operation brings: take a smaller one, or sign the tests that were counted."
)
TOO_MUCH_VARIATION = (
    "The variation is more than operation brings: take a weaker one, or sign the tests that were counted."
)
CHANGING = ("model-random", "model-batch-dependent")
LARGE_SHARE = 0.1
FEWEST = 30
FEWEST_ROWS = 30
COCHRAN = 25


def scope_of_radius(radius: float) -> str:
    """What a scope says of the radius.

    >>> scope_of_radius(0.2)
    'r = 0.2'
    """
    return f"r = {radius:.4g}"


def as_stated(variation: str) -> Assumption:
    """The assumption that operation varies inputs so, in place of an even spread inside balls.

    >>> as_stated("rotation (angle uniform from -15 to 15 degrees)").id
    'variation-as-in-operation'
    """
    text = f"Operation varies its inputs as stated, each like any other: {variation}."
    return Assumption("variation-as-in-operation", f"{text} Nothing is said of any other variation.", beyond_tests=True)


@dataclass(frozen=True, eq=False)
class Statements:
    """Everything that the estimates are made from."""

    drawn: Drawn
    variance: FloatArray
    """Of the risk of each draw."""
    below: NDArray[np.bool_]
    """Draws whose risk is known to be below the one stated, and no more."""
    parts: VarianceParts
    centres: tuple[int, int]
    """Centres of the frame that fail, and their number."""
    tests: tuple[int, int] | None
    assumptions: tuple[Assumption, ...]
    caveats: tuple[Diagnostic, ...]
    level: float
    params: Mapping[str, Any]
    seed: int
    variation: str = ""
    """What inputs vary by, in place of noise within a radius."""

    def pmi(self) -> Estimate:
        """The failure probability near operation's inputs, which is the one to sign."""
        families = tuple(self.families(side)[self.method] for side in SIDES)
        compared = self._compared(*families)
        assumptions = self._assumptions(normal=not self.drawn.equal_weights, compared=compared)
        return Estimate(
            IN_VARIATION if self.variation else NEAR_OPERATION,
            self.value,
            scope=self.scope,
            bounds=families,
            assumptions=assumptions,
            caveats=(
                *compared.caveats,
                *contradicted(assumptions),
                *self.caveats,
                *of_weights(self.drawn),
                *of_floor(self.value, self._from_0.value),
                *(() if self.drawn.equal_weights else (APPROXIMATE,)),
            ),
            details={
                "method": self.method,
                "sd": math.sqrt(self.parts.of_operation),
                "rows": self.drawn.balls,
                "by_balls": self.drawn.mean()[0],
                **self._counts,
            },
            provenance=self._provenance("pmi"),
        )

    def by_balls(self) -> Estimate:
        """The weighted mean of the frame itself, with the error of the draws and of the risks inside."""
        compared = self._compared(*self._normal_of_frame)
        assumptions = self._assumptions(normal=True, compared=compared)
        return Estimate(
            IN_VARIATION_OF_ROWS if self.variation else NEAR_ROWS,
            self.drawn.mean()[0],
            scope=self.scope,
            bounds=self._normal_of_frame,
            assumptions=assumptions,
            caveats=(
                *compared.caveats,
                *contradicted(assumptions),
                *self.caveats,
                *of_floor(self.drawn.mean()[0], self._from_0.drawn.mean()[0]),
                APPROXIMATE,
            ),
            details={
                "sd": math.sqrt(self.parts.of_frame),
                "sd_draws": math.sqrt(self.parts.draws),
                "sd_inside": math.sqrt(self.parts.inside),
                "rows": self.drawn.balls,
                **self._counts,
            },
            provenance=self._provenance("by_balls"),
        )

    def acu(self) -> Estimate:
        """RAM, Definition 3: the mean risk of all balls of the frame, as if their weights were equal."""
        value, variance = self.drawn.flat_mean()
        least = self._from_0.drawn.flat_mean()[0]
        variance += float((self.drawn.expansion * self.variance).sum()) / self.drawn.balls**2
        return Estimate(
            UNASTUTENESS,
            value,
            unit="per ball",
            scope=self.scope,
            bounds=self._normal(value, least, variance),
            assumptions=self._assumptions(normal=True),
            caveats=(
                *contradicted(self._assumptions(normal=True)),
                *self.caveats,
                *of_floor(value, least),
                APPROXIMATE,
            ),
            details={"sd": math.sqrt(variance), **self._counts},
            provenance=self._provenance("acu"),
        )

    @cached_property
    def _operation(self) -> OperationLimits:
        return OperationLimits(self.drawn, self.parts, self.tests, self.level, self.seed)

    @cached_property
    def _from_0(self) -> Statements:
        """With 0 in balls that are below the floor, as lower limits need it."""
        if not self.below.any():
            return self
        drawn = replace(self.drawn, risk=np.where(self.below, 0.0, self.drawn.risk))
        return replace(self, drawn=drawn, below=np.zeros_like(self.below))

    @property
    def value(self) -> float:
        """The estimate of operation."""
        return self._operation.value

    @property
    def mean_of_different(self) -> bool:
        """Whether that is the mean of the different balls drawn."""
        return self._operation.mean_of_different

    @property
    def method(self) -> str:
        """The name of the limits that are signed."""
        return self._operation.signed

    def families(self, side: Side) -> dict[str, BoundFamily]:
        """Limits of operation by their names."""
        return (self if side == "upper" else self._from_0)._operation.families(side)

    @property
    def _normal_of_frame(self) -> tuple[BoundFamily, ...]:
        return self._normal(self.drawn.mean()[0], self._from_0.drawn.mean()[0], self.parts.of_frame)

    def _normal(self, value: float, least: float, variance: float) -> tuple[BoundFamily, ...]:
        draws, sd = self.drawn.risk.size, math.sqrt(variance)
        return tuple(
            CentralLimitBound(mean, sd, draws, side, "heuristic")
            for mean, side in zip((value, least), SIDES, strict=True)
        )

    @property
    def scope(self) -> str:
        """The radius or the variation, without which the numbers say nothing."""
        if self.variation:
            return f"v = {self.variation}"
        return scope_of_radius(self.params["radius"])

    def _assumptions(self, *, normal: bool, compared: BallsAgainstTests | None = None) -> tuple[Assumption, ...]:
        """What a number rests on; only the printed variance takes the sampling of balls for all there is."""
        left_out = {SAMPLING_DOMINATES.id, *(() if normal else (NORMAL.id,))}
        against = compared.check if compared else None
        kept = tuple(
            replace(a, check=against) if against and a.id in (UNIFORM.id, as_stated("").id) else a
            for a in self.assumptions
            if a.id not in left_out
        )
        return kept if normal else (*kept, FIXED_SIZE, *((ORDER_FIRST,) if self._operation.ordered else ()))

    @cached_property
    def tested(self) -> tuple[float, float]:
        """Limits of the failure probability at inputs as they were collected, by labelled rows.

        Centres of the frame count where its rows are operation as they are.
        """
        level = CONTRADICTION_LEVEL
        found = [bounds.clopper_pearson(*each, level=level) for each in self._labelled.values()]
        lower, upper = [e.lower(level) for e in found], [e.upper(level) for e in found]
        return max(lower, default=0.0), min(upper, default=1.0)

    @property
    def _labelled(self) -> dict[str, tuple[int, int]]:
        """Failures and number of labelled inputs, by what they are."""
        centres = {"centres": self.centres} if self.drawn.equal_weights else {}
        return {**centres, **({"held-out tests": self.tests} if self.tests else {})}

    def _compared(self, *families: BoundFamily) -> BallsAgainstTests:
        """Upper and lower limits from balls beside labelled inputs."""
        upper, lower = (family.limit_at(CONTRADICTION_LEVEL) for family in families)
        too_much = TOO_MUCH_VARIATION if self.variation else TOO_MUCH_NOISE
        return BallsAgainstTests((lower, upper), self.tested, self._labelled, CONTRADICTION_LEVEL, too_much)

    @property
    def _counts(self) -> dict[str, Any]:
        return {
            "draws": self.drawn.risk.size,
            "balls": self.drawn.first.size,
            "centres_failing": self.centres[0],
            "level": self.level,
        }

    def _provenance(self, part: str) -> Provenance:
        return Provenance(f"reliability.assess_balls.{part}", dict(self.params), seed=self.seed)


# What speaks against the numbers beside contradicted assumptions.


def of_floor(value: float, least: float) -> Iterator[Diagnostic]:
    """Balls below the floor make much of the value: it falls to ``least`` without them."""
    if value - least > LARGE_SHARE * value:
        yield Diagnostic(
            "value-at-floor",
            f"balls below the floor make {1 - least / value:.0%} of the value, which counts them as if at the floor; "
            "the value is itself an upper limit.",
            hint="Lower the floor of MultilevelSplitting to find less.",
        )


def of_weights(drawn: Drawn) -> Iterator[Diagnostic]:
    """What unequal weights leave open."""
    if drawn.equal_weights:
        return
    effective = bounds.effective_weight_count(drawn.weights)
    if effective < FEWEST_ROWS:
        yield Diagnostic(
            "few-effective-rows",
            f"{drawn.balls:,} rows so weighted are worth {effective:.3g} of equal weight (Kish 1965); below "
            f"{FEWEST_ROWS} limits are not to be relied on.",
            hint="Take rows that are more like operation, or widen the bandwidth of the weights.",
        )
    yield Diagnostic(
        "weights-estimated",
        f"the largest possible weight was taken from the data: {drawn.weights.max() * drawn.balls:.3g} times the mean.",
    )


@dataclass(frozen=True)
class BallsAgainstTests:
    """Limits of the mean of the balls beside those of labelled inputs as they were collected, all at ``level``.

    Where inputs fail more often than their neighbours, balls do not speak of operation: its inputs are not spread like
    noise around them. Where neighbours fail more often, the number is about noise of that radius, and not about the
    inputs themselves.
    """

    balls: tuple[float, float]
    """Lower and upper limit."""
    tested: tuple[float, float]
    counts: Mapping[str, tuple[int, int]]
    """Failures and number of labelled inputs, by what they are."""
    level: float
    too_much: str = TOO_MUCH_NOISE
    """What to do where the balls fail more often."""

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """The contradiction, whichever way it goes."""
        if not (self._tests_fail_more or self._balls_fail_more):
            return ()
        shown = " and ".join(f"{failed:,} of {n:,} {name} failed" for name, (failed, n) in self.counts.items())
        if self._tests_fail_more:
            said = f"at least {self.tested[0]:.4g} fail; the balls alone say at most {self.balls[1]:.4g}"
        else:
            said = f"at most {self.tested[1]:.4g} fail; the balls alone say at least {self.balls[0]:.4g}"
        hint = TRAINED_ON if self._tests_fail_more else self.too_much
        return (
            Diagnostic("contradicted-by-tests", f"{shown}, so {said}. Each holds at level {self.level:g}.", hint=hint),
        )

    @property
    def check(self) -> Check | None:
        """Against an even spread inside balls; neighbours that fail more often do not speak against it."""
        if not self._tests_fail_more:
            return None
        figures = {"tests_at_least": self.tested[0], "balls_at_most": self.balls[1]}
        return Check("contradicted", "inputs as they were collected fail more often than those around them", figures)

    @property
    def _tests_fail_more(self) -> bool:
        return self.balls[1] < self.tested[0]

    @property
    def _balls_fail_more(self) -> bool:
        return self.balls[0] > self.tested[1]


# The assumptions, each with its check.


@dataclass(frozen=True, eq=False)
class CheckInputs:
    """What the checks look at."""

    frame: Frame
    drawn: Drawn
    parts: VarianceParts
    operational: NDArray[np.floating] | None
    caveats: tuple[Diagnostic, ...]
    """What the model's answers showed before."""
    seed: int


def check_assumptions(data: CheckInputs) -> tuple[Assumption, ...]:
    """All assumptions, each with its check."""
    varied = data.frame.variation
    inside: tuple[tuple[Assumption, Callable[[CheckInputs], Check | None]], ...] = (
        ((SINGLE_LABEL, _single_label), (UNIFORM, _unchecked))
        if varied is None
        else ((KEEPS_LABELS, _unchecked), (as_stated(str(varied)), _unchecked))
    )
    checks: tuple[tuple[Assumption, Callable[[CheckInputs], Check | None]], ...] = (
        (REPRESENTATIVE, _representative),
        *inside,
        (DETERMINISTIC, _deterministic),
        (SAMPLING_DOMINATES, _sampling_dominates),
        (NORMAL, _normal),
    )
    return tuple(replace(assumption, check=check(data)) for assumption, check in checks)


def unchecked_assumptions(varied: Variation | None = None) -> tuple[Assumption, ...]:
    """All assumptions, none of them checked."""
    inside = (SINGLE_LABEL, UNIFORM) if varied is None else (KEEPS_LABELS, as_stated(str(varied)))
    return (REPRESENTATIVE, *inside, DETERMINISTIC, SAMPLING_DOMINATES, NORMAL)


def _representative(data: CheckInputs) -> Check | None:
    if data.operational is None or min(len(data.operational), len(data.frame)) < 2:
        return None
    rows = data.frame.rows
    if not data.drawn.equal_weights:
        rng = np.random.default_rng(data.seed)
        rows = rows[rng.choice(len(rows), min(len(rows), MOST_ROWS), p=data.drawn.weights)]
    return representativeness(rows, data.operational, seed=data.seed)


def _single_label(data: CheckInputs) -> Check:
    return radius_against_separation(data.frame, seed=data.seed)


def _unchecked(data: CheckInputs) -> Check | None:
    return None


def _deterministic(data: CheckInputs) -> Check:
    against = [caveat.text.rstrip(".") for caveat in data.caveats if caveat.code in CHANGING]
    if against:
        return Check("contradicted", "; ".join(against))
    return Check("supported", "some inputs were answered again, in other batches, and the answers agreed")


def _sampling_dominates(data: CheckInputs) -> Check | None:
    if not data.parts.draws:
        return None
    share = data.parts.not_sampling
    words = f"risks inside and weights make {share:.1%} of the variance, the sampling of balls {1 - share:.1%}"
    figures = {name: part for name, _, part in data.parts.table().rows}
    return Check("supported" if share <= LARGE_SHARE else "contradicted", words, figures, share)


def _normal(data: CheckInputs) -> Check:
    """Cochran (1977), 2.15: more draws than 25 times the square of the skewness."""
    sizes, values = data.drawn.sequence(flat=False)
    shifts: FloatArray = sizes * (values - np.average(values, weights=sizes))
    spread = float(np.sqrt(np.mean((shifts - shifts.mean()) ** 2)))
    skewness = float(np.mean((shifts - shifts.mean()) ** 3)) / spread**3 if spread else 0.0
    needed = max(COCHRAN * skewness**2, FEWEST)
    enough = bool(spread) and values.size >= needed
    words = f"{values.size:,} draws of skewness {skewness:.3g}; {needed:,.0f} would do"
    if not spread:
        words = f"all {values.size:,} draws found the same risk, so nothing shows how they spread"
    return Check("supported" if enough else "contradicted", words, {"draws": values.size, "skewness": skewness})
