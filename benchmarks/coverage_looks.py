"""Looks at one test set: how often some target that was called met is violated.

Four ways to use a test set again and again, each with the former counting (one look for each distinct set of results,
at level 1 - alpha / looks) and with the ledger as it is. Every model is a coin: its true error is 0.5, so that a
target of less than 0.5 is always violated, and every "met" is false. Run: ``python -m benchmarks.coverage_looks``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from surefoot.project.looks import adaptive_share, fixed_share

ROWS = 500
LEVEL = 0.95
TRUE_ERROR = 0.5
NEAR = 0.4999
"""A limit just below the true error: met exactly where the bound misses the truth."""
Errors = NDArray[np.bool_]


def upper(failures: NDArray[np.int_] | int, trials: int, alpha: NDArray[np.floating] | float) -> NDArray[np.floating]:
    """Clopper and Pearson's upper bound."""
    k = np.asarray(failures)
    return np.where(k < trials, betaincinv(k + 1.0, np.maximum(trials - k, 1.0), 1 - np.asarray(alpha)), 1.0)


def coins(rng: np.random.Generator, models: int, rows: int = ROWS) -> Errors:
    """Which rows each model gets wrong."""
    return rng.random((models, rows)) < TRUE_ERROR


def vote(rng: np.random.Generator, errors: Errors, good: NDArray[np.bool_]) -> Errors:
    """The errors of a vote, in which models that are good vote as they are and the others the other way round.

    On the test rows it is right more often than a coin; on new rows it is a coin.
    """
    votes = np.where(good[:, None], 1, -1) * np.where(errors, -1, 1)
    return np.asarray(votes.sum(axis=0) + rng.choice([-0.5, 0.5], errors.shape[1]) < 0)


def combined(rng: np.random.Generator, looks: int, share: Callable[[int], float], rows: int = ROWS) -> bool:
    """(a) Whether the bound is wrong of a model that is the vote of all others, whose errors were read off."""
    errors = coins(rng, looks - 1, rows)
    failures = int(vote(rng, errors, errors.mean(axis=1) < TRUE_ERROR).sum())
    return bool(upper(failures, rows, (1 - LEVEL) * share(looks)) <= NEAR)


def combined_by_verdicts(rng: np.random.Generator, looks: int, rows: int = ROWS) -> bool:
    """(a) with nothing but verdicts: each limit is set so that "met" tells whether a model errs less than half.

    The limit is the bound that half the rows failing would give, whatever the level of the look. That is all that the
    vote needs, so the last model is the same as before; only its level knows how it came about.
    """
    errors = coins(rng, looks - 1, rows)
    met = errors.sum(axis=1) <= rows // 2
    failures = int(vote(rng, errors, met).sum())
    return bool(upper(failures, rows, (1 - LEVEL) * adaptive_share(looks, int(met.sum()))) <= NEAR)


def until_met(rng: np.random.Generator, looks: int, rows: int = ROWS) -> bool:
    """(d) with nothing but verdicts: fixed models until one is met, which is always false."""
    k = np.arange(1, looks + 1)
    return first_met(rng, looks, (1 - LEVEL) / (2 * k**2), rows)


def first_met(rng: np.random.Generator, looks: int, alphas: NDArray[np.floating], rows: int = ROWS) -> bool:
    """(d) Whether one of these fixed models is met, one after another."""
    failures = rng.binomial(rows, TRUE_ERROR, looks)
    return bool((upper(failures, rows, alphas) <= NEAR).any())


def distinct_results(rng: np.random.Generator, models: int, rows: int) -> int:
    """(b) How many different numbers of errors so many models have: what was counted before."""
    return len(set(coins(rng, models, rows).sum(axis=1).tolist()))


def any_of_20(rng: np.random.Generator, alphas: NDArray[np.floating]) -> bool:
    """(c) Whether one of 20 models of one project is met."""
    return bool((upper(coins(rng, 20).sum(axis=1), ROWS, alphas) <= NEAR).any())


def rate(runs: int, run: Callable[..., bool], *given: object) -> str:
    """The share of runs in which something went wrong, with its standard error."""
    rng = np.random.default_rng(1)
    found = float(np.mean([run(rng, *given) for _ in range(runs)]))
    return f"{found:.4f} ± {np.sqrt(found * (1 - found) / runs):.4f}"


def main(runs: int) -> None:
    """Print the four tables."""
    alpha = 1 - LEVEL
    print(f"{runs} runs each, {ROWS} rows, level {LEVEL}")
    print("(a) adaptive: looks, alpha/k, alpha/(k(k+1)), verdicts only")
    for looks in (3, 6, 11, 21, 51):
        before, after = (rate(runs, combined, looks, share) for share in (lambda k: 1 / k, fixed_share))
        print(f"  {looks:3d}  {before}  {after}  {rate(runs, combined_by_verdicts, looks)}")
    rng = np.random.default_rng(1)
    counted = [distinct_results(rng, 25, 100) for _ in range(runs)]
    print(f"(b) 25 models on 100 rows: distinct results {np.mean(counted):.1f} ({min(counted)} to {max(counted)})")
    places = alpha * np.array([fixed_share(k) for k in range(1, 21)])
    print("(c) 20 models in one project, as one look and as 20: ", end="")
    print(rate(runs, any_of_20, np.full(20, alpha)), rate(runs, any_of_20, places), sep="  ")
    print("(d) until the first met: looks, alpha/k, alpha/(k(k+1)), verdicts only")
    for looks in (10, 50, 500):
        k = np.arange(1, looks + 1)
        before, after = (rate(runs, first_met, looks, alphas) for alphas in (alpha / k, alpha / (k * (k + 1))))
        print(f"  {looks:3d}  {before}  {after}  {rate(runs, until_met, looks)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4000)
    main(parser.parse_args().runs)
