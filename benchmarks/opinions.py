"""A million pairwise fusions and discountings against the package ``subjective-logic``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from subjective_logic.binomial_opinion import BinomialOpinion

from benchmarks.harness import Row, best_of
from surefoot.opinions import Opinion, fuse

PAIRS = 1_000_000
PEER = "subjective-logic"


def measure() -> list[Row]:
    """Rows for cumulative fusion and two discountings; the peer knows discounting by probability only."""
    x, y = _opinions(seed=1), _opinions(seed=2)
    peers = list(zip(_peers(x), _peers(y), strict=True))
    return [
        _row("cumulative fusion", lambda: fuse(x, y), lambda: [a.cumulative_fusion(b) for a, b in peers]),
        _row("discounting by belief", lambda: x.discounted_by(y), lambda: [b.trust_discounting(a) for a, b in peers]),
        _row(
            "discounting by probability",
            lambda: x.discounted_by(y, how="probability"),
            lambda: [b.trust_discounting(a) for a, b in peers],
        ),
    ]


def _row(task: str, ours: Callable[[], object], theirs: Callable[[], object]) -> Row:
    seconds, peer_seconds = best_of(ours), best_of(theirs, repeats=1)
    return Row(f"{PAIRS:,} x {task}", seconds, PEER, peer_seconds, "both all pairs; one thread")


def _opinions(seed: int) -> Opinion:
    masses = np.random.default_rng(seed).dirichlet([1.0, 1.0, 1.0], PAIRS)
    return Opinion(*masses.T)


def _peers(opinions: Opinion) -> list[BinomialOpinion]:
    masses = zip(opinions.belief.tolist(), opinions.disbelief.tolist(), strict=True)
    return [BinomialOpinion(round(b, 6), round(d, 6), round(1.0 - round(b, 6) - round(d, 6), 6)) for b, d in masses]


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:45} {row.seconds:8.3f} s  {row.ratio:8.0f} times {row.peer}")
