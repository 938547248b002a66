"""Bad input is refused in words; good objects travel."""

import pickle
import re

import numpy as np
import pytest
from tests.refusals import refusal

from surefoot.core import InvalidInput, Undefined
from surefoot.profile import KDE, Profile

POINTS = np.random.default_rng(0).normal(size=(20, 2))


def test_points_are_checked():
    for points, message in (
        ([[1.0, np.nan]], "X must be finite"),
        ([1.0, 2.0], r"X must be two-dimensional.*reshape"),
        (np.empty((0, 2)), "at least one row"),
        (np.empty((3, 0)), "at least one row"),
        ([["a", "b"]], "X must be numbers"),
        ([[1e200, 0.0]], "too large for double precision"),
    ):
        assert re.search(message, refusal(InvalidInput, KDE(0.1).fit, points)), message


@pytest.mark.parametrize(
    ("bandwidth", "message"),
    [
        (0.0, "above 0"),
        (-1.0, "above 0"),
        (np.nan, "finite"),
        ([0.1, 0.0], "above 0"),
        ([0.1, 0.2, 0.3], r"a number, 2 numbers or a 2 x 2 matrix"),
        (np.ones((2, 2)), "positive definite"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "positive definite"),
        (np.array([[1.0, 0.5], [0.2, 1.0]]), "symmetric"),
        (np.array([[-1.0, 0.0], [0.0, 1.0]]), "above 0"),
        ("scot", "Did you mean 'scott'"),
    ],
    ids=str,
)
def test_bandwidths_are_checked(bandwidth, message):
    with pytest.raises(InvalidInput, match=message):
        KDE(bandwidth).fit(POINTS)


@pytest.mark.parametrize("rule", ["scott", "silverman", "cross-validation"])
def test_rules_need_spread(rule):
    constant = POINTS.copy()
    constant[:, 1] = 3.0
    with pytest.raises(InvalidInput, match="feature 1 is always 3"):
        KDE(rule).fit(constant)
    with pytest.raises(InvalidInput, match="at least 2 points"):
        KDE(rule).fit(POINTS[:1])


def test_features_that_others_determine_have_no_rule_of_thumb():
    with pytest.raises(InvalidInput, match="positive definite"):
        KDE("scott").fit(np.stack([POINTS[:, 0], 2 * POINTS[:, 0]], axis=1))


def test_weights_are_checked():
    for weights, message in (
        (np.ones(3), "one a point"),
        (np.zeros(20), "not all 0"),
        (-np.ones(20), "negative"),
        (["a"] * 20, "numbers"),
    ):
        assert re.search(message, refusal(InvalidInput, KDE(0.1).fit, POINTS, weights=weights)), message


def test_options_are_checked_on_construction():
    for options, message in (
        ({"kernel": "gausian"}, "Did you mean 'gaussian'"),
        ({"boundary": "reflct", "domain": (0, 1)}, "Did you mean 'reflect'"),
        ({"boundary": "reflect"}, "belong together"),
        ({"domain": (0, 1)}, "belong together"),
    ):
        assert re.search(message, refusal(InvalidInput, KDE, 0.1, **options)), message


def test_domains_are_checked():
    with pytest.raises(InvalidInput, match="low below high"):
        KDE(0.1, boundary="reflect", domain=(1, 0)).fit(POINTS)
    with pytest.raises(InvalidInput, match="points lie outside the reflecting domain"):
        KDE(0.1, boundary="reflect", domain=(0, 1)).fit(POINTS)
    with pytest.raises(Undefined, match="no mass inside"):
        KDE(0.1, boundary="renormalise", domain=(90, 91)).fit(POINTS).density([[90.5, 90.5]])


@pytest.mark.parametrize("domain", [[(-9, 9), (-8, 8)], [(-9, -8), (9, 8)]], ids=["pairs", "corners"])
def test_domains_are_pairs_or_corners(domain):
    profile = KDE(0.1, boundary="renormalise", domain=domain).fit(POINTS)
    assert profile.density([[8.9, 0], [0, 8.1]])[1] == 0


def test_what_is_asked_is_checked():
    profile = KDE(0.1).fit(POINTS)
    edges = [np.linspace(0, 1, 3)] * 2
    for ask, message in [
        (lambda: profile.density([[1.0, 2.0, 3.0]]), "2 features a row"),
        (lambda: profile.density([1.0, 2.0]), "two-dimensional"),
        (lambda: profile.density([[np.nan, 0.0]]), "finite"),
        (lambda: profile.cell_mass([[0, 0]], [[1, -1]]), "must not exceed"),
        (lambda: profile.cell_mass([[0, 0]], [[1, 1], [2, 2]]), "same length"),
        (lambda: profile.cell_mass([[0, 0]], [[1, np.nan]]), "NaN"),
        (lambda: profile.grid_mass(edges[:1]), "each of the 2 features"),
        (lambda: profile.grid_mass([edges[0], edges[0][::-1]]), "must increase"),
        (lambda: profile.grid_mass(edges, rule="center"), "Did you mean 'centre'"),
        (lambda: profile.contributions(edges, np.ones(4)), "one a cell"),
        (lambda: profile.variance([[0, 0]], size=0), "at least 1"),
        (lambda: profile.bootstrap_variance([[0, 0]], 1, 0), "at least 2"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            ask()


def test_exact_masses_that_would_take_too_long_are_refused():
    points = np.random.default_rng(1).random((5, 4))
    with pytest.raises(InvalidInput, match="at most 3 features"):
        KDE(0.5, "tophat").fit(points).cell_mass(np.zeros((1, 4)), np.full((1, 4), 0.4))
    with pytest.raises(InvalidInput, match="at most 3 features"):
        KDE(np.eye(4) + 0.1).fit(points).cell_mass(np.zeros((1, 4)), np.ones((1, 4)))


def test_a_profile_without_points_says_so():
    assert not KDE(0.1).is_fitted
    with pytest.raises(Undefined, match="Call fit"):
        KDE(0.1).density([[0.0]])


def test_fitting_leaves_the_recipe_and_the_data_alone():
    recipe, points = KDE(0.1), POINTS.copy()
    profile = recipe.fit(points)
    before = profile.density(POINTS[:3])
    points[:] = 0
    np.testing.assert_array_equal(profile.density(POINTS[:3]), before)
    assert profile.is_fitted
    assert not recipe.is_fitted


def test_the_name_shows_the_parameters():
    text = repr(KDE(0.2, "tophat", boundary="reflect", domain=(0, 1)).fit(np.full((2, 1), 0.5)))
    assert text == "KDE(bandwidth=0.2, kernel='tophat', boundary='reflect', domain=(0, 1))"


def test_a_fitted_density_is_a_profile_and_travels():
    profile = KDE("cross-validation", boundary="renormalise", domain=(-5, 5)).fit(POINTS)
    assert isinstance(profile, Profile)
    assert profile.weigh(POINTS[:4]).tolist() == [1, 1, 1, 1]
    assert profile.weight_draws(3, np.random.default_rng(0)) is None
    again = pickle.loads(pickle.dumps(profile))
    np.testing.assert_array_equal(again.density(POINTS), profile.density(POINTS))


def test_one_point_and_huge_offsets_are_fine():
    alone = KDE(2.0).fit([[1e9]])
    assert alone.density([[1e9]])[0] == pytest.approx(1 / (2 * np.sqrt(2 * np.pi)))
    assert alone.variance([[1e9]])[0] == pytest.approx(0, abs=1e-30)
