"""Frames whose risks are known, and an estimator that answers with them."""

from dataclasses import dataclass

import numpy as np

from surefoot.reliability import BallRisks, SamplingFrame

COUNTED, PROVED = BallRisks.COUNTED, BallRisks.PROVED

BALLS = 400


@dataclass(frozen=True)
class Known:
    """Answers with the risks it was given; with ``trials``, with the share of so many that fail."""

    risk: tuple[float, ...]
    trials: int = 0

    def risks(self, problem, chosen, *, executor, seed, progress=None):
        if progress:
            for done in range(1, len(chosen) + 1):
                progress(done, len(chosen))
        risk, count = np.array(self.risk)[chosen], len(chosen)
        failures = np.zeros(count, np.int64)
        if self.trials:
            rngs = [np.random.default_rng([seed, number]) for number in chosen]
            failures = np.array([rng.binomial(self.trials, p) for rng, p in zip(rngs, risk, strict=True)])
            risk = failures / self.trials
        with np.errstate(divide="ignore"):
            log_risk = np.log(risk)
        how = np.full(count, COUNTED if self.trials else PROVED, np.uint8)
        trials = np.full(count, self.trials, np.int64)
        return BallRisks(log_risk, np.zeros(count), how, failures, trials, np.full(count, max(self.trials, 1)))


def world(kind, *, equal, seed, balls=BALLS):
    """True risks, a guess of them that errs, and weights that go with neither or with risk."""
    rng = np.random.default_rng([seed, 12])
    if kind == "common":
        risk = rng.beta(0.3, 2, balls)
    elif kind == "rare":
        risk = np.where(rng.random(balls) < 0.02, rng.random(balls), 1e-4 * rng.random(balls))
    else:
        risk = (rng.random(balls) < 0.05).astype(float)
    guess = np.clip(risk ** rng.uniform(0.5, 1.5, balls) * rng.lognormal(0, 1, balls), 1e-12, 1)
    weights = np.ones(balls) if equal else rng.lognormal(0, 0.7, balls) * (1 + risk)
    return risk, guess, weights / weights.sum()


def drawn_from(design, risk, guess, weights, budget, seed):
    """What a design draws when the risks are these."""
    frame = SamplingFrame(weights, lambda: guess)
    return design.draw(frame, lambda chosen: risk[chosen], budget, np.random.default_rng([seed, 3]))
