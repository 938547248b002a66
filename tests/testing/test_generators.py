import math

import numpy as np
import pytest
from tests.refusals import refused

import surefoot as sf
from surefoot.testing import (
    BernoulliLosses,
    BetaLosses,
    GroupedLosses,
    ShiftedLosses,
    StratifiedCounts,
    TwoPointLosses,
    UniformLosses,
)

LOSSES = [BernoulliLosses(0.2), BetaLosses(2, 6), UniformLosses(0.1, 0.6), TwoPointLosses(0.2, 0.9, 0.3)]


def test_truth_is_the_mean_of_many_losses():
    for generator in LOSSES:
        (x,) = generator.sample(np.random.default_rng(0), 200_000)
        assert x.min() >= 0, generator
        assert x.max() <= 1, generator
        assert x.mean() == pytest.approx(generator.truth, abs=5 * x.std() / math.sqrt(x.size)), generator


def test_truth_of_groups_is_the_share_of_failed_inputs():
    generator = GroupedLosses(0.3, 10, 0.2, 2, 0.05)
    losses, groups = generator.sample(np.random.default_rng(0), 100_000)
    assert losses.mean() == pytest.approx(generator.truth, abs=0.004)
    assert len(np.unique(groups)) == 100_000


def test_truth_of_shifted_losses_is_the_weighted_mean():
    generator = ShiftedLosses((0.5, 0.5), (0.9, 0.1), (0.01, 0.2))
    losses, weights = generator.sample(np.random.default_rng(0), 400_000)
    assert weights.mean() == pytest.approx(1, abs=0.02)
    assert (losses * weights).mean() == pytest.approx(generator.truth, abs=0.004)
    assert weights.max() == generator.max_weight == 5


def test_truth_of_strata_is_the_weighted_share():
    generator = StratifiedCounts((0.8, 0.2), (0.5, 0.5), (0.1, 0.4))
    failures, trials, shares = generator.sample(np.random.default_rng(0), 200_000)
    assert trials.tolist() == [100_000, 100_000]
    assert np.dot(shares, failures / trials) == pytest.approx(generator.truth, abs=0.004)


def test_impossible_generators_are_refused():
    for make in [
        lambda: BernoulliLosses(1.2),
        lambda: BetaLosses(0, 1),
        lambda: UniformLosses(0.6, 0.1),
        lambda: TwoPointLosses(0.1, 0.2, -1),
        lambda: GroupedLosses(0.5, 0, 0.1, 1, 0.1),
        lambda: ShiftedLosses((0.5, 0.5), (1.0, 0.0), (0.1, 0.1)),
        lambda: ShiftedLosses((0.5,), (0.5, 0.5), (0.1, 0.1)),
        lambda: StratifiedCounts((0.5,), (0.5, 0.5), (0.1, 0.1)),
        lambda: ShiftedLosses((0.5, 0.5), (0.5, 0.4), (0.1, 0.1)),
        lambda: ShiftedLosses((0.5, 0.6), (0.5, 0.5), (0.1, 0.1)),
        lambda: StratifiedCounts((0.5, 0.4), (0.5, 0.5), (0.1, 0.1)),
        lambda: StratifiedCounts((0.5, 0.5), (0.5, 0.9), (0.1, 0.1)),
        lambda: StratifiedCounts(None, (0.5, 0.5), (0.1, 0.1)),
    ]:
        with refused(make, sf.InvalidInput):
            make()
