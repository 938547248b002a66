import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import xlog1py, xlogy
from tests.refusals import refusal

import surefoot as sf

PRIOR = {"prior_confidence": 0.9, "prior_bound": 0.01}


def worst_posterior(k, n, p, theta, eps, floor):
    """Smallest posterior P(X <= p) over discrete priors: a linear-fractional program (Charnes and Cooper)."""
    grid = np.unique(
        np.concatenate([np.geomspace(max(floor, 1e-5), 1, 400), [floor, eps, p, p * (1 + 1e-9), k / n, 1]])
    )
    grid = grid[(grid >= floor) & (grid <= 1)]
    log_likelihood = xlogy(k, grid) + xlog1py(n - k, -grid)
    likelihood = np.exp(log_likelihood - log_likelihood.max())
    inside = (grid <= p) * likelihood
    found = linprog(
        inside,
        A_eq=[likelihood],
        b_eq=[1],
        A_ub=[theta - (grid <= eps)],
        b_ub=[0],
        method="highs",
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize(
    ("k", "n", "p", "theta", "eps", "floor"),
    [
        (0, 100, 0.02, 0.9, 0.01, 0.0),
        (0, 1000, 0.005, 0.5, 0.001, 0.0),
        (1, 300, 0.03, 0.8, 0.01, 0.002),
        (2, 50, 0.2, 0.9, 0.02, 0.01),
        (3, 40, 0.05, 0.9, 0.04, 0.03),
        (1, 200, 0.02, 0.7, 0.006, 0.004),
    ],
)
def test_confidence_is_the_linear_program_over_all_priors(k, n, p, theta, eps, floor):
    family = sf.bounds.conservative_bayes(k, n, level=0.9, prior_confidence=theta, prior_bound=eps, floor=floor).bounds[
        0
    ]
    assert family.confidence(p) == pytest.approx(worst_posterior(k, n, p, theta, eps, floor), rel=1e-5)


@given(st.integers(0, 3), st.integers(5, 5000), st.floats(0.05, 0.99), st.floats(1e-4, 0.3), st.floats(0.01, 0.9999))
@settings(deadline=None)
def test_limit_inverts_the_confidence(k, n, theta, eps, level):
    found = sf.bounds.conservative_bayes(
        k, n, level=level, prior_confidence=theta, prior_bound=eps, floor=eps / 10 if k else 0.0
    )
    limit, family = found.upper(level), found.bounds[0]
    assert limit >= eps
    assert family.confidence(limit) >= level * (1 - 1e-9)
    if limit > max(eps, k / n) * (1 + 1e-9):
        assert family.confidence(limit * (1 - 1e-6)) < level


def test_posterior_of_any_prior_that_fits_is_at_least_as_confident():
    rng = np.random.default_rng(0)
    k, n, theta, eps, floor, level = 1, 500, 0.8, 0.005, 1e-4, 0.9
    limit = sf.bounds.conservative_bayes(k, n, level=level, prior_confidence=theta, prior_bound=eps, floor=floor).upper(
        level
    )
    for _ in range(500):
        x = np.exp(rng.uniform(math.log(floor), 0, 20))
        mass = rng.dirichlet(np.full(20, 0.2))
        if mass[x <= eps].sum() < theta:
            continue
        posterior = mass * x**k * (1 - x) ** (n - k)
        assert posterior[x <= limit].sum() >= level * posterior.sum() * (1 - 1e-12)


def test_zero_failures_closed_form():
    """Zhao et al. (2020): with no failures x1 = prior_bound, x3 = limit."""
    n, theta, eps, level = 10_000, 0.9, 1e-4, 0.99
    limit = sf.bounds.conservative_bayes(0, n, level=level, prior_confidence=theta, prior_bound=eps).upper(level)
    inside, outside = theta * (1 - eps) ** n, (1 - theta) * (1 - limit) ** n
    assert inside / (inside + outside) == pytest.approx(level, rel=1e-9)


def test_enough_trials_raise_confidence_in_the_prior_bound_but_never_show_less():
    found = sf.bounds.conservative_bayes(0, 10**7, level=0.99, **PRIOR)
    assert found.upper(0.89) == 0.01
    assert found.details["confidence_in_prior_bound"] == pytest.approx(0.9)
    assert found.lower(0.99) == 0
    assert {b.kind for b in found.bounds} == {"credible", "certain"}


def test_only_failures_leave_the_trivial_limit():
    assert sf.bounds.conservative_bayes(5, 5, level=0.99, floor=0.001, **PRIOR).upper(0.99) == pytest.approx(1)


def test_failure_with_floor_zero_is_undefined():
    with pytest.raises(sf.Undefined, match="floor"):
        sf.bounds.conservative_bayes(1, 100, level=0.9, **PRIOR)


def test_bad_input_is_refused():
    for change in (
        {"prior_confidence": 1.0},
        {"prior_confidence": 0},
        {"prior_bound": 0},
        {"prior_bound": 1.5},
        {"floor": 0.5},
        {"floor": -0.1},
        {"level": 1.0},
        {"level": math.nan},
        {"failures": -1},
        {"trials": 0},
        {"failures": 101},
    ):
        arguments = {"failures": 0, "trials": 100, "level": 0.9, **PRIOR} | change
        assert refusal(sf.InvalidInput, sf.bounds.conservative_bayes, **arguments), change


def test_confidence_below_the_prior_bound_is_none_and_at_one_is_full():
    family = sf.bounds.conservative_bayes(0, 100, level=0.9, **PRIOR).bounds[0]
    assert family.confidence(0.009) == 0
    assert family.confidence(1.0) == 1
    with pytest.raises(sf.InvalidInput, match="upper limits"):
        sf.BoundFamily.from_dict(family.to_dict() | {"side": "lower"})
