"""Rejection on resamples, as weights and as copies."""

import numpy as np
from tests.refusals import told

from surefoot.systems import rejection
from surefoot.systems.rejection.comparison import Drawn, weights_of


def test_weights_reject_what_the_strategy_rejects_of_the_copies():
    for seed in [0, 3, 7]:
        for strategy in rejection.STRATEGIES:
            with told((strategy, seed)):
                rng = np.random.default_rng(seed)
                size = int(rng.integers(1, 30))
                pair = rng.integers(0, 8, (2, size)).astype(float)
                weights = rng.multinomial(size, np.ones(size) / size, size=6).astype(float)
                drawn = Drawn(rejection.Lists.of(*pair), weights)
                for count in range(size + 1):
                    rejected = drawn.rejected(strategy, np.full(6, float(count)))
                    for row, weight in zip(rejected, weights.astype(int), strict=True):
                        copies = np.repeat(np.arange(size), weight)
                        mask = rejection.STRATEGIES[strategy](pair[0, copies], pair[1, copies], count)
                        assert np.array_equal(row, np.bincount(copies[mask], minlength=size))


def test_each_resample_may_reject_its_own_count():
    for strategy in rejection.STRATEGIES:
        with told(strategy):
            rng = np.random.default_rng(1)
            drawn = Drawn(
                rejection.Lists.of(*rng.normal(size=(2, 50))),
                rng.multinomial(50, np.full(50, 0.02), size=4).astype(float),
            )
            counts = np.array([0.0, 3.0, 17.0, 50.0])
            together = drawn.rejected(strategy, counts)
            assert np.array_equal(together.sum(axis=1), counts)
            for row, count in enumerate(counts):
                assert np.array_equal(together[row], drawn.rejected(strategy, np.full(4, count))[row])


def test_items_of_a_unit_are_drawn_together():
    units = np.array([0, 0, 1, 2, 2, 2])
    weights = np.concatenate(list(weights_of(units, 500, np.random.default_rng(0))))
    assert weights.shape == (500, 6)
    assert np.array_equal(weights[:, 0], weights[:, 1])
    assert np.array_equal(weights[:, [0, 2, 3]].sum(axis=1), np.full(500, 3))
    assert abs(weights.mean() - 1) < 0.05
