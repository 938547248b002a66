"""What speaks against the numbers of an assessment in balls beside contradicted assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from surefoot import bounds
from surefoot.bounds.statement import approximate
from surefoot.core import Check, Diagnostic
from surefoot.reliability.balls.drawn import Drawn

FEWEST_ROWS = 30
LARGE_SHARE = 0.1
APPROXIMATE = approximate("The normal approximation", "With equal weights pmi has a limit that needs none.")
TRAINED_ON = "Rows that the model was trained on fail less often than others; use held-out rows for the balls."
TOO_MUCH_NOISE = (
    "Noise of this radius is more than operation brings: take a smaller one, or sign the tests that were counted."
)


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
class Compared:
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
        hint = TRAINED_ON if self._tests_fail_more else TOO_MUCH_NOISE
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
