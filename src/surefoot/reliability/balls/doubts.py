"""What speaks against the numbers of an assessment in balls beside contradicted assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from surefoot import bounds
from surefoot.bounds.statement import approximate
from surefoot.core import Diagnostic
from surefoot.reliability.balls.drawn import Drawn

FEWEST_ROWS = 30
LARGE_SHARE = 0.1
APPROXIMATE = approximate("The normal approximation", "With equal weights pmi has a limit that needs none.")


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


def of_counts(
    upper: float, least: float, counts: Mapping[str, tuple[int, int] | None], level: float
) -> Iterator[Diagnostic]:
    """Labelled rows that fail more often than the balls say: ``least`` against ``upper``, both at ``level``."""
    if upper >= least:
        return
    shown = [f"{count[0]:,} of {count[1]:,} {name} failed" for name, count in counts.items() if count]
    yield Diagnostic(
        "contradicted-by-tests",
        f"{' and '.join(shown)}, so at least {least:.4g} fail; the balls alone say at most {upper:.4g}. Each holds at "
        f"level {level:g}.",
        hint="Rows that the model was trained on fail less often than others; use held-out rows for the balls.",
    )
