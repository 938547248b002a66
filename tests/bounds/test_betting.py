import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from tests.refusals import refusal

import surefoot as sf
from surefoot.bounds.betting import PluginCapital

losses = st.lists(st.floats(0, 1), min_size=1, max_size=30)
CUT = 0.8
"""Largest share of the capital that is at stake."""
RNG = np.random.default_rng(11)
SAMPLES = [
    (RNG.random(200) < 0.03).astype(float),
    RNG.beta(2, 8, 150),
    RNG.beta(0.5, 50, 80),
    np.zeros(50),
    RNG.random(12),
]


def paper_log_capital(x, m, alpha, anytime):
    """Waudby-Smith and Ramdas, Eqns. (24) to (26), written step by step, for claims above the truth.

    A part of the capital belongs to a gambler who stakes everything at each step.
    """
    n, log_capital, best = len(x), 0.0, 0.0
    part = min(math.log(1 / alpha) / 50, 0.5)
    daring = math.log(part)
    total, squares, variance = 0.5, 0.25, 0.25
    for t in range(1, n + 1):
        horizon = t * math.log(t + 1) if anytime else n
        bet = min(math.sqrt(2 * math.log(1 / alpha) / (horizon * variance)), CUT / (1 - m))
        log_capital += math.log(1 + bet * (m - x[t - 1]))
        daring += math.log((1 - x[t - 1]) / (1 - m)) if x[t - 1] < 1 else -math.inf
        best = max(best, float(np.logaddexp(math.log(1 - part) + log_capital, daring)))
        total += x[t - 1]
        squares += (x[t - 1] - total / (t + 1)) ** 2
        variance = squares / (t + 1)
    return best


def paper_limit(x, level, anytime):
    def excess(m):
        return paper_log_capital(x, m, 1 - level, anytime) - math.log(1 / (1 - level))

    return brentq(excess, 1e-9, 1 - 1e-9, xtol=1e-13) if excess(1 - 1e-9) > 0 else 1.0


@pytest.mark.parametrize("x", SAMPLES, ids=lambda x: f"mean{x.mean():.3f}")
@pytest.mark.parametrize("anytime", [False, True])
def test_betting_matches_the_paper_step_by_step(x, anytime):
    for level in (0.9, 0.95, 0.999):
        found = sf.bounds.betting(x, level=level, anytime=anytime, order="given")
        for data, limit in ((x, found.upper(level)), (1 - x, 1 - found.lower(level))):
            root = paper_limit(data, level, anytime)
            assert limit == pytest.approx(root, rel=1e-6), level
            assert limit >= root * (1 - 1e-9), level


@given(losses, st.floats(0.5, 0.999))
@settings(deadline=None, max_examples=25)
def test_capital_rises_with_the_claim(x, level):
    x = np.array(x)
    capital = PluginCapital.tuned(x, np.ones(x.size), level=level)
    values = capital(np.geomspace(1e-6, 1e6, 200))
    assert (np.diff(values) >= -1e-12).all()


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("p", [0.05, 0.3, 0.8])
def test_ville_holds_exactly_over_all_sequences(anytime, p):
    n, level = 11, 0.8
    for side in ("upper", "lower"):
        missed = 0.0
        for x in itertools.product((0.0, 1.0), repeat=n):
            x = np.array(x)
            capital = PluginCapital.tuned(x, np.ones(n), level=level, anytime=anytime)
            capital, odds = (capital, p / (1 - p)) if side == "upper" else (capital.turned(), (1 - p) / p)
            hit = capital(np.array([odds]))[0] >= math.log(1 / (1 - level))
            missed += hit * p ** x.sum() * (1 - p) ** (n - x.sum())
        assert missed <= 1 - level + 1e-12


def test_stopping_at_the_worst_time_keeps_the_level():
    rng, repetitions, mean = np.random.default_rng(5), 3000, 2 / 9
    odds = np.array([mean / (1 - mean)])
    misses = 0
    for _ in range(repetitions):
        capital = PluginCapital.tuned(rng.beta(2, 7, 300), np.ones(300), level=0.9, anytime=True)
        misses += capital(odds)[0] >= math.log(10)
    assert sf.bounds.clopper_pearson(misses, repetitions, level=0.999).lower(0.999) <= 0.1


def test_without_failures_the_limit_is_the_largest_stake_away_from_clopper_pearson():
    n, level = 10_000, 0.95
    limit = sf.bounds.betting(np.zeros(n), level=level).upper(level)
    assert limit == pytest.approx(math.log(20) / n / CUT, rel=0.02)


def test_betting_is_tighter_than_the_closed_forms():
    rng = np.random.default_rng(0)
    for x in (rng.beta(10, 10, 1000), rng.beta(1, 20, 1000), (rng.random(1000) < 0.01).astype(float)):
        widths = {m: getattr(sf.bounds, m)(x, level=0.95).upper(0.95) - x.mean() for m in METHODS}
        assert widths["betting"] < min(widths["hoeffding"], widths["empirical_bernstein"])


METHODS = ("hoeffding", "empirical_bernstein", "betting")


def test_a_sorted_file_does_no_harm_and_seeds_are_reproducible():
    x = np.sort(np.random.default_rng(2).random(500))[::-1]
    shuffled, again = (sf.bounds.betting(x, level=0.95) for _ in range(2))
    assert shuffled == again
    assert shuffled.upper(0.95) < sf.bounds.betting(x, level=0.95, order="given").upper(0.95)
    assert sf.bounds.betting(x, level=0.95, seed=1).key != shuffled.key
    assert (
        sf.bounds.betting(x, level=0.95, order="given", seed=1).key
        == sf.bounds.betting(x, level=0.95, order="given").key
    )


@pytest.mark.parametrize("x", SAMPLES, ids=lambda x: f"mean{x.mean():.3f}")
def test_sequence_agrees_with_the_bound_of_each_prefix(x):
    level = 0.95
    found = sf.bounds.betting_sequence(x, level=level)
    assert (np.diff(found.upper) <= 0).all()
    assert (np.diff(found.lower) >= 0).all()
    assert found.upper[-1] == pytest.approx(sf.bounds.betting(x, level=level, anytime=True).upper(level), rel=1e-9)
    for t in (1, 2, 5, x.size // 2, x.size - 1):
        prefix = sf.bounds.betting(x[:t], level=level, anytime=True)
        odds, limit = (m / (1 - m) if m < 1 else np.inf for m in (prefix.upper(level), found.upper[t - 1]))
        assert odds * (1 - 1e-9) <= limit
        assert limit <= odds * 1.026 or limit == np.inf == odds


def test_sequence_says_when_testing_may_stop():
    found = sf.bounds.betting_sequence(np.zeros(5000), level=0.95)
    stop = found.stops_at(0.001)
    assert found.upper[stop - 1] <= 0.001 < found.upper[stop - 2]
    assert stop == pytest.approx(math.log(20) / 0.001 / CUT, rel=0.05)
    assert found.stops_at(1e-5) is None


def test_no_limit_lies_beyond_what_was_seen_even_after_an_early_run_of_luck():
    x = np.concatenate([np.zeros(300), np.ones(30)])
    found = sf.bounds.betting_sequence(x, level=0.95)
    assert found.upper[-1] >= x.mean()
    lucky = (np.random.default_rng(26).random(768) < 0.0638).astype(float)
    for losses in (lucky, 1 - lucky):
        estimate = sf.bounds.betting(losses, level=0.95)
        assert all(estimate.lower(v) <= estimate.value <= estimate.upper(v) for v in (0.5, 0.9, 0.95, 0.99))
    assert (np.diff(found.upper) <= 0).all()


def test_a_million_losses_take_bounded_memory():
    import tracemalloc

    x = (np.random.default_rng(1).random(200_000) < 0.001).astype(float)
    tracemalloc.start()
    sf.bounds.betting(x, level=0.95)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * x.nbytes


def test_unknown_order_is_refused():
    with pytest.raises(sf.InvalidInput, match="Did you mean 'given'"):
        sf.bounds.betting([0.1], level=0.9, order="givn")
    with pytest.raises(sf.InvalidInput):
        sf.bounds.betting_sequence([], level=0.9)
    with pytest.raises(sf.InvalidInput):
        sf.bounds.betting_sequence([0.1], level=1)
    with pytest.raises(sf.InvalidInput):
        sf.bounds.betting_sequence([0.1], level=0.9).stops_at(2)


def test_the_median_of_shuffles_hardly_depends_on_the_seed():
    x = np.repeat([1.0, 0.0], [30, 270])
    spread = {
        count: np.std([sf.bounds.betting(x, level=0.95, shuffles=count, seed=s).upper(0.95) for s in range(15)])
        for count in (1, 15)
    }
    assert spread[15] < spread[1] / 2


@pytest.mark.parametrize("p", [0.1, 0.4])
def test_the_median_of_shuffles_keeps_its_level_over_all_sequences(p):
    n, level = 7, 0.7
    missed = 0.0
    for x in itertools.product((0.0, 1.0), repeat=n):
        limit = sf.bounds.betting(x, level=level, shuffles=3, seed=2).upper(level)
        missed += (limit < p) * p ** sum(x) * (1 - p) ** (n - sum(x))
    assert missed <= 1 - level + 1e-12


def test_an_even_or_impossible_number_of_shuffles_is_refused():
    for shuffles in (0, 2, -1, 1.5):
        assert refusal(sf.InvalidInput, sf.bounds.betting, [0.1, 0.2], level=0.9, shuffles=shuffles), shuffles


@pytest.mark.parametrize("anytime", [False, True])
def test_no_failure_is_never_wider_than_the_exact_bound_with_its_share_of_alpha(anytime):
    for alpha in (0.2, 0.05, 1e-3, 1e-6, 1e-9, 1e-12, 1e-14):
        share = min(math.log(1 / alpha) / 50, 0.5)
        for n in (20, 1000):
            level = 1 - alpha
            limit = sf.bounds.betting(np.zeros(n), level=level, anytime=anytime).upper(level)
            assert limit <= -math.expm1(math.log(alpha * share) / n) * (1 + 1e-3), alpha
        if alpha == 1e-12:
            assert 0.0272 < limit < 0.028, alpha


def test_betting_is_never_wider_than_hoeffding_at_half_of_alpha():
    for level in (0.8, 0.95, 0.999, 1 - 1e-6, 1 - 1e-10):
        rng, half = np.random.default_rng(5), 1 - (1 - level) / 2
        for n in (10, 60, 400, 2000):
            for x in (rng.random(n) < 0.5, rng.random(n) < 0.02, rng.random(n), np.zeros(n), rng.beta(0.3, 8, n)):
                found, plain = (
                    method(x.astype(float), level=at)
                    for method, at in ((sf.bounds.betting, level), (sf.bounds.hoeffding, half))
                )
                assert found.upper(level) <= plain.upper(half), level
                assert found.lower(level) >= plain.lower(half), level
