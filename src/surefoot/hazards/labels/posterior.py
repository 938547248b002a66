"""The posterior of the failure probability in operation from labels by stratum, for what is credible elsewhere too."""

from __future__ import annotations

import numpy as np

from surefoot.bounds.statement import FAILURE_PROBABILITY, FIXED_SIZE, About, approximate, state
from surefoot.bounds.stratified import KNOWN_SHARES, WITHIN_STRATA
from surefoot.core import Beta, Distribution, Estimate, Histogram, InvalidInput, Provenance, QuantileBound, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray
from surefoot.hazards.labels.bound import BY_CHANCE, SAMPLED_SHARES, counts_of
from surefoot.hazards.labels.tally import Tally

PRIOR = 0.5
DRAWS = 400_000
TAILS = np.geomspace(1e-5, 0.05, 60)
INNER = np.linspace(0.05, 0.95, 181)
REACHED = np.unique(np.concatenate([[0.0], TAILS, INNER, 1 - TAILS, [1.0]]))
"""Where the distribution is tabulated, closer together in its tails."""


def stratified_posterior(
    tally: Tally, *, level: float, scope: str = "", unit: str = PER_DEMAND, seed: int = 0
) -> Estimate:
    """Posterior under Jeffreys' prior in each stratum; credible, so that it combines with other credible numbers.

    Shares that were counted among operational rows are uncertain too, with Jeffreys' prior for them. Every stratum
    needs labels and every row of a sheet a label: a distribution cannot be on the safe side of both bounds at once. One
    stratum whose rows all count gives the posterior of ``bounds.jeffreys``; otherwise the distribution is tabulated
    from draws.
    """
    level = validate.level(level, where="stratified_posterior")
    _check(tally)
    params = {**counts_of(tally), "level": level}
    dist = _distribution(tally, np.random.default_rng(seed))
    return state(
        About(FAILURE_PROBABILITY, unit, scope),
        tally.risk,
        (QuantileBound(dist, "upper", "credible"), QuantileBound(dist, "lower", "credible")),
        dist=dist,
        assumptions=(WITHIN_STRATA, KNOWN_SHARES if tally.seen is None else SAMPLED_SHARES, BY_CHANCE, FIXED_SIZE),
        caveats=(approximate("jeffreys", "Use the method melded where the level must hold."),),
        details=params,
        provenance=Provenance("hazards.stratified_posterior", params, seed=seed),
    )


def _check(tally: Tally) -> None:
    empty = [name for name, trials in zip(tally.names, tally.trials, strict=True) if not trials]
    if empty or np.any(tally.unknown):
        found = f"no label in {', '.join(empty)}" if empty else f"{int(np.sum(tally.unknown))} rows without one"
        remedy = "Label them, or use the method melded, which counts them on the safe side."
        raise InvalidInput(
            "every stratum and row needs a label", where="stratified_posterior", found=found, remedy=remedy
        )


def _distribution(tally: Tally, rng: np.random.Generator) -> Distribution:
    if len(tally.names) == 1 and not tally.conditional:
        failed, trials = float(tally.failures[0]), float(tally.trials[0])
        return Beta.from_counts(failed, trials - failed)
    found = np.quantile(_draws(tally, rng), REACHED)
    inside = np.concatenate([[True], np.diff(found) > 0])
    return Histogram(tuple(found[inside].tolist()), tuple(np.diff(REACHED[inside]).tolist()))


def _draws(tally: Tally, rng: np.random.Generator) -> FloatArray:
    """Draws of the risk; gamma variates with a common scale are those of a Dirichlet distribution."""
    counts = [tally.failures, tally.counted - tally.failures, tally.trials - tally.counted]
    kinds = counts if tally.conditional else counts[:2]
    parts = np.stack([rng.standard_gamma(each + PRIOR, (DRAWS, len(tally.names))) for each in kinds])
    failing, passing = parts[0] / parts.sum(axis=0), parts[1] / parts.sum(axis=0)
    shares = _shares(tally, rng)
    above, below = (failing * shares).sum(axis=1), (passing * shares).sum(axis=1)
    return above / (above + below)


def _shares(tally: Tally, rng: np.random.Generator) -> FloatArray:
    if tally.seen is None:
        return np.asarray(tally.shares)
    drawn = rng.standard_gamma(tally.shares * tally.seen + PRIOR, (DRAWS, len(tally.names)))
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))
