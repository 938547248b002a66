import itertools
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from benchmarks.plain_splitting import batched_plain, plain_splitting
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import irwinhall, norm
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.testing import linear_failure_probability, linear_world

torch = pytest.importorskip("torch")
GRID = [(2, 1e-2), (2, 1e-10), (10, 1e-30), (100, 1e-6), (784, 0.7), (784, 1e-300), (3072, 1e-2), (3072, 1e-30)]


def rng(seed=0):
    return np.random.default_rng(seed)


def by_mpmath(weights, offset, lower, upper):
    """Inclusion and exclusion over the corners, as scores at the corners: another form than the one under test."""
    with mpmath.workdps(120):
        w, low, high = ([mpmath.mpf(float(v)) for v in values] for values in (weights, lower, upper))
        whole = mpmath.mpf(0)
        for corner in itertools.product((0, 1), repeat=len(w)):
            score = mpmath.mpf(offset) + sum(
                a * (h if c else b) for a, b, h, c in zip(w, low, high, corner, strict=True)
            )
            if score > 0:
                whole += (-1) ** (len(w) - sum(corner)) * score ** len(w)
        volume = mpmath.factorial(len(w)) * mpmath.fprod(a * (h - b) for a, b, h in zip(w, low, high, strict=True))
        return float(mpmath.log(whole / volume))


def tilted(box):
    """Half the range of each term of the score, its middle, and the tilt that makes failing usual."""
    lower, upper = box.corners
    sides, middle = np.abs(box.weights) * (upper - lower) / 2, box.weights @ (lower + upper) / 2 + box.offset
    scale = np.linalg.norm(sides)

    def mean(s):
        return (sides / np.tanh(s * sides) - 1 / s).sum()

    return sides, middle, brentq(lambda s: mean(s) + middle, 1e-3 / scale, 1e4 / scale)


def cumulant(z):
    return (z + np.log(-np.expm1(-2 * z) / (2 * z))).sum()


def by_saddle_point(box):
    """The tail by Lugannani & Rice (1980)."""
    sides, middle, s = tilted(box)
    z = s * sides
    curvature = (sides**2 * (1 / z**2 - 1 / np.sinh(z) ** 2)).sum()
    w, u = math.sqrt(2 * (-s * middle - cumulant(z))), s * math.sqrt(curvature)
    return norm.logsf(w) + math.log1p(math.exp(norm.logpdf(w) - norm.logsf(w)) * (1 / u - 1 / w))


def test_one_feature_is_a_ratio_of_lengths():
    for reach in [1e-9, 0.3, 0.5, 0.8, 1 - 1e-9]:
        found = linear_failure_probability([2.0], -2 * (3 - 4 * reach), [-1.0], [3.0])
        assert found == pytest.approx(math.log(reach), rel=1e-6, abs=1e-12), reach


def test_two_features_near_a_corner_are_a_triangle():
    for reach in [1e-150, 1e-12, 0.1, 0.9]:
        found = linear_failure_probability([1.0, -0.25], reach, [-1.0, 0.0], [0.0, 8.0])
        assert found == pytest.approx(math.log(reach**2 / 2 / (0.25 * 8)), rel=1e-12), reach


@pytest.mark.parametrize("d", range(1, 13))
def test_up_to_twelve_features_agree_with_mpmath(d):
    weights, lower = rng(d).standard_normal(d), rng(d + 50).uniform(-1, 1, d)
    upper = lower + rng(d + 99).uniform(0.1, 1, d)
    ends = np.stack([weights * lower, weights * upper])
    lowest, highest = ends.min(axis=0).sum(), ends.max(axis=0).sum()
    for share in (0.02, 0.3, 0.7):
        offset = -(highest - share * (highest - lowest))
        case = weights, offset, lower, upper
        assert linear_failure_probability(*case) == pytest.approx(by_mpmath(*case), rel=1e-9, abs=1e-12)


def test_thirteen_features_of_equal_or_falling_weight_agree_with_mpmath():
    for fall in (0.0, 1.0, 3.0):
        sizes = rng(13).uniform(0.1, 1, 13) / np.arange(1, 14) ** fall
        for share in (1e-3, 0.2, 0.5):
            case = sizes, -(1 - share) * sizes.sum(), np.zeros(13), np.ones(13)
            assert linear_failure_probability(*case) == pytest.approx(by_mpmath(*case), abs=1e-9), (fall, share)


def test_equal_widths_agree_with_irwin_and_hall():
    for d, reach in [(20, 7.5), (50, 3.0), (100, 20.0), (784, 301.0), (3072, 1350.0), (3072, 1500.0)]:
        r = Fraction(reach)
        exact = sum((-1) ** k * math.comb(d, k) * (r - k) ** d for k in range(math.floor(r) + 1)) / math.factorial(d)
        expected = float(mpmath.log(mpmath.mpf(exact.numerator)) - mpmath.log(mpmath.mpf(exact.denominator)))
        found = linear_failure_probability(np.ones(d), reach - d, np.zeros(d), np.ones(d))
        assert found == pytest.approx(expected, abs=1e-8), (d, reach)


def test_middle_of_the_distribution_agrees_with_scipy():
    found = linear_failure_probability(np.ones(15), -7.0, np.zeros(15), np.ones(15))
    assert math.exp(found) == pytest.approx(irwinhall.cdf(8, 15), rel=1e-8)


@pytest.mark.parametrize("concentrated", [False, True])
@pytest.mark.parametrize(("d", "p"), [(100, 1e-30), (784, 1e-10), (3072, 1e-4), (3072, 1e-30)])
def test_many_features_agree_with_lugannani_and_rice(d, p, concentrated):
    box = linear_world(d, p, seed=d, concentrated=concentrated)
    assert box.log_probability == pytest.approx(by_saddle_point(box), abs=0.03 if concentrated else 2e-3)


@pytest.mark.parametrize("concentrated", [False, True])
def test_hundreds_of_features_agree_with_tilted_sampling(concentrated):
    box = linear_world(300, 1e-12, seed=3, concentrated=concentrated)
    sides, middle, tilt = tilted(box)
    z = tilt * sides
    u = rng(0).random((20_000, 300))
    moves = (np.log(u * np.expm1(2 * z) + 1) / z - 1) @ sides
    values = np.where(moves >= -middle, np.exp(cumulant(z) - tilt * moves - box.log_probability), 0.0)
    assert values.mean() == pytest.approx(1, abs=4 * values.std() / math.sqrt(len(values)))
    assert values.std() < 5


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 40), st.floats(0.001, 0.999), st.integers(0, 2**32 - 1))
def test_both_sides_sum_to_one(d, share, seed):
    weights, centre = rng(seed).standard_normal(d), rng(seed + 1).uniform(0, 1, d)
    offset = (2 * share - 1) * np.abs(weights).sum() * 0.1 - weights @ centre
    box = centre - 0.1, centre + 0.1
    sides = [linear_failure_probability(sign * weights, sign * offset, *box) for sign in (1, -1)]
    assert math.exp(sides[0]) + math.exp(sides[1]) == pytest.approx(1, abs=1e-9)


def test_what_cannot_or_must_happen_has_probability_0_or_1():
    for d in [2, 12, 13, 30]:
        w, low, high = np.ones(d), np.zeros(d), np.ones(d)
        assert linear_failure_probability(w, 0.0, low, high) == 0.0, d
        assert linear_failure_probability(w, -d, low, high) == -math.inf, d
        assert linear_failure_probability(np.zeros(d), 0.0, low, high) == 0.0, d
        assert linear_failure_probability(np.zeros(d), -1e-300, low, high) == -math.inf, d
        assert linear_failure_probability(w, -0.5, low, np.r_[1.0, np.zeros(d - 1)]) == pytest.approx(math.log(0.5)), d


def test_bad_input_is_refused():
    for case, message in [
        (([1.0], 0.0, [1.0], [0.0]), "lower must not lie above upper"),
        (([np.nan], 0.0, [0.0], [1.0]), "weights must be finite"),
        (([1.0, 2.0], 0.0, [0.0], [1.0]), "same length"),
        (([], 0.0, [], []), "at least 1"),
        (([1.0], np.inf, [0.0], [1.0]), "offset must be one finite number"),
        (([1.0, 1.0] + [1e-14] * 18, -2.0 + 1e-3, [0.0] * 20, [1.0] * 20), "outweigh"),
    ]:
        with refused(message, InvalidInput, match=message):
            linear_failure_probability(*case)


def test_world_has_the_probability_that_was_asked_for():
    for d, p in GRID:
        box = linear_world(d, p, seed=1)
        assert box.log_probability == pytest.approx(math.log(p), abs=1e-9), (d, p)
        assert linear_failure_probability(box.weights, box.offset, *box.corners) == box.log_probability, (d, p)
        assert box.corners[0].min() >= 0, (d, p)
        assert box.corners[1].max() <= 1, (d, p)


@pytest.mark.parametrize("concentrated", [False, True])
@pytest.mark.parametrize("cut", [False, True])
def test_world_fails_as_often_as_it_says(concentrated, cut):
    box = linear_world(50, 0.03, seed=2, concentrated=concentrated, cut=cut)
    inputs = rng(1).uniform(*box.corners, (100_000, 50))
    rate = (box.scores(inputs).argmax(axis=1) == 1).mean()
    assert rate == pytest.approx(0.03, abs=4 * math.sqrt(0.03 / 100_000))


def test_single_precision_has_its_own_truth():
    box, exact = linear_world(10, 1e-10, seed=5, single=True), linear_world(10, 1e-10, seed=5)
    assert box.offset == np.float32(exact.offset)
    assert box.log_probability != exact.log_probability
    assert box.log_probability == linear_failure_probability(box.weights, box.offset, *box.corners)


@pytest.mark.parametrize("single", [False, True])
def test_module_and_function_give_the_same_scores(single):
    box = linear_world(30, 1e-3, seed=4, single=single)
    inputs = rng(2).uniform(*box.corners, (500, 30)).reshape(500, 2, 15)
    module = box.module()
    with torch.no_grad():
        found = module(torch.tensor(inputs, dtype=module[1].weight.dtype)).numpy()
    assert found.dtype == (np.float32 if single else np.float64)
    np.testing.assert_allclose(found, box.scores(inputs), atol=1e-5 if single else 1e-14)


def test_what_floats_cannot_hold_is_refused():
    for d, p, single in [(1, 1e-20, False), (2, 1e-30, False), (2, 1e-10, True), (10, 1e-300, True)]:
        with refused((d, p, single), InvalidInput, match="cannot hold"):
            linear_world(d, p, seed=0, single=single)


def test_world_can_be_sent_to_other_processes():
    box = pickle.loads(pickle.dumps(linear_world(5, 0.01, seed=0)))
    assert linear_failure_probability(box.weights, box.offset, *box.corners) == box.log_probability


@pytest.mark.parametrize(("d", "p"), [(2, 1e-3), (20, 1e-2)])
def test_plain_splitting_finds_the_probability(d, p):
    box = linear_world(d, p, seed=1)
    centres, labels = torch.tensor(box.centre).expand(40, -1), torch.zeros(40, dtype=torch.long)
    options = {"particles": 200, "steps": 20, "rho": 0.2, "generator": torch.Generator().manual_seed(0)}
    found = batched_plain(box.module(), centres, labels, box.radius, **options)
    ratio = np.exp([split.log_probability - box.log_probability for split in found])
    # Adaptive levels overestimate by (1 - rho) / (rho * particles) each (Cerou & Guyader 2007).
    bias = max(split.levels for split in found) * 0.8 / (0.2 * 200)
    error = 4 * ratio.std() / math.sqrt(40)
    assert 1 - error < ratio.mean() < 1 + bias + error
    assert all(split.calls == 200 * (1 + 20 * (split.levels - 1)) for split in found)


def test_plain_splitting_stops_at_its_floor():
    box = linear_world(20, 1e-30, seed=1, single=True)
    centre = torch.tensor(box.centre, dtype=torch.float32)
    found = plain_splitting(box.module(), centre, 0, box.radius, particles=100, steps=5, floor=-6.0)
    assert found.log_probability == -6.0
    assert found.levels == 3


def test_plain_splitting_counts_a_mispredicted_centre_as_failures():
    box = linear_world(20, 1e-2, seed=1)
    centre = torch.tensor(box.centre)
    found = plain_splitting(box.module(), centre, 1, box.radius, particles=1000, steps=5)
    assert found.levels == 1
    assert found.log_probability == pytest.approx(math.log(0.99), abs=0.02)
