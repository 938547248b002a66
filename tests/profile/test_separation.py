import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from tests.refusals import refusal

from surefoot.core import InvalidInput, Undefined
from surefoot.profile import RunningSeparation, Separation, radius_check, separation, separation_growth, side_check

NORMS = [np.inf, 2, 1, 3.5]
SIEMENS = Path(__file__).parents[3] / "shared" / "data" / "siemens_2d" / "running_example.npz"


def brute_force(X, y, p):
    name = {np.inf: {"metric": "chebyshev"}}.get(p, {"metric": "minkowski", "p": p})
    distances = cdist(np.asarray(X, float), np.asarray(X, float), **name)
    distances[np.asarray(y)[:, None] == np.asarray(y)] = np.inf
    return distances.min()


def made(rows, features, labels, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, features)), rng.integers(0, labels, rows)


@pytest.mark.parametrize("p", NORMS)
def test_equals_brute_force(p):
    for features in (1, 3, 20, 70):
        for labels in (2, 5):
            X, y = made(150, features, labels)
            assert separation(X, y, p=p) == pytest.approx(brute_force(X, y, p), rel=1e-12), (features, labels)


@pytest.mark.parametrize("p", NORMS)
def test_more_than_a_thousand_wide_rows_of_a_label_equal_brute_force(p):
    X, y = made(1_200, 40, 2)[0], np.arange(1_200) >= 1_130
    assert separation(X, y, p=p) == pytest.approx(brute_force(X, y, p), rel=1e-12)


@given(
    X=arrays(float, (12, 3), elements=st.integers(-3, 3).map(float)),
    y=arrays(int, 12, elements=st.integers(0, 6)),
    p=st.sampled_from(NORMS),
)
@settings(deadline=None, max_examples=25)
def test_ties_and_many_labels_equal_brute_force(X, y, p):
    if len(set(y)) < 2:
        with pytest.raises(Undefined):
            separation(X, y, p=p)
        return
    found = separation(X, y, p=p)
    assert found == pytest.approx(brute_force(X, y, p), rel=1e-12)
    i, j = found.pair
    assert found.labels == (y[i], y[j])
    assert y[i] != y[j]
    assert np.linalg.norm(X[i] - X[j], ord=p) == pytest.approx(float(found))


def test_images_of_whole_numbers_equal_brute_force():
    for p in NORMS:
        rng = np.random.default_rng(3)
        X, y = rng.integers(0, 256, (120, 9, 9), dtype=np.uint8), rng.integers(0, 10, 120)
        assert separation(X, y, p=p) == pytest.approx(brute_force(X.reshape(120, -1), y, p), rel=1e-12), p


@pytest.mark.parametrize("p", NORMS)
def test_small_gaps_far_from_the_origin_are_seen(p):
    for features in (3, 60):
        X, y = made(80, features, 2)
        X = 1e6 + 1e-3 * X
        assert separation(X, y, p=p) == pytest.approx(brute_force(X, y, p), rel=1e-6), features


def by_logarithms(X, y, p):
    """All distances from the logarithms of their parts, which no power takes out of range."""
    gaps = np.abs(np.asarray(X, float)[:, None] - np.asarray(X, float))
    with np.errstate(divide="ignore"):
        parts = np.log(gaps)
    distances = parts.max(axis=2) if np.isinf(p) else logsumexp(p * parts, axis=2) / p
    return np.exp(distances[np.asarray(y)[:, None] != np.asarray(y)].min())


@pytest.mark.parametrize("p", [1, 2, 3, 50, 200, 300, 1000, 1e6, 1e12, 1e300, np.inf])
def test_any_norm_at_any_scale_equals_that_by_logarithms(p):
    for features in (1, 4, 40):
        for scale in (1e-4, 1, 1e4):
            X, y = made(80, features, 3)
            assert separation(scale * X, y, p=p) == pytest.approx(by_logarithms(scale * X, y, p), rel=1e-9), (
                features,
                scale,
            )


@given(
    X=arrays(np.uint8, (9, 3), elements=st.integers(0, 255)), p=st.sampled_from([50, 200, 1000]), seed=st.integers(0, 9)
)
@settings(deadline=None, max_examples=25)
def test_large_norms_of_whole_numbers_equal_those_by_logarithms(X, p, seed):
    y = np.random.default_rng(seed).permutation(9) % 3
    assert separation(X, y, p=p) == pytest.approx(by_logarithms(X, y, p), rel=1e-9)


def test_close_rows_around_zero_are_told_apart_from_closer_ones():
    for features in (3, 40):
        for p in (2, 200):
            X, y = made(30, features, 2)
            X[:4] = 1e-180 * np.array([4, 3, 1, 1e9])[:, None] * np.abs(X[:4])
            y[:4] = 0, 1, 0, 1
            assert separation(X, y, p=p) == pytest.approx(by_logarithms(X, y, p), rel=1e-9), (features, p)


def test_running_value_in_a_large_norm_equals_that_of_all_rows():
    for features in (3, 40):
        for p in (200, 1e300):
            X, y = made(120, features, 3)
            running = RunningSeparation(p=p)
            for part in np.split(np.arange(120), (1, 5, 60, 61)):
                running.update(1e-3 * X[part], y[part])
            assert running.value == pytest.approx(by_logarithms(1e-3 * X, y, p), rel=1e-9), (features, p)


def test_running_value_waits_for_a_second_label_in_a_large_norm():
    running = RunningSeparation(p=200)
    assert running.update([[0.0], [1.0]], [0, 0]) is None
    assert running.update([[0.001]], [1]) == pytest.approx(0.001)


def test_very_large_and_very_small_numbers_neither_overflow_nor_vanish():
    for scale in (1e-200, 1e-25, 1e25, 1e200):
        for features in (3, 40):
            X, y = made(60, features, 2)
            assert separation(scale * X, y, p=2) == pytest.approx(scale * brute_force(X, y, 2), rel=1e-9), (
                scale,
                features,
            )


@pytest.mark.parametrize("features", [2, 50])
def test_equal_rows_with_different_labels_have_none(features):
    X, y = made(50, features, 2)
    X[7], X[9] = X[3], X[3]
    y[[3, 7, 9]] = 0, 1, 0
    assert separation(X, y) == 0


def test_running_example_has_the_measured_value():
    if not SIEMENS.is_file():
        pytest.skip("the running example of RAM is not there")
    data = np.load(SIEMENS)
    assert round(separation(data["x"], data["y"]), 6) == 0.000830


def test_labels_may_be_text_and_rows_a_vector():
    found = separation([0.0, 1.0, 1.25], ["cat", "cat", "dog"])
    assert (float(found), found.pair, found.labels, found.p) == (0.25, (1, 2), ("cat", "dog"), np.inf)


def test_is_a_number_that_survives_pickle():
    found = separation([[0.0], [2.0]], [0, 1])
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(found, float)
    assert found / 2 == 1.0
    assert (again, again.pair, again.labels, again.p) == (found, found.pair, found.labels, found.p)


def test_bad_input_is_refused_with_its_reason():
    for X, y, p, message in (
        (np.empty((0, 2)), [], np.inf, "at least 1 row"),
        ([[0.0, np.nan], [1.0, 1.0]], [0, 1], np.inf, "finite"),
        (np.array([[0.0, np.inf], [1.0, 1.0]], np.float32), [0, 1], np.inf, "finite"),
        ([[0.0], [1.0]], [0, 1, 1], np.inf, "same length"),
        ([[0.0], [1.0]], [0, np.nan], np.inf, "missing labels"),
        ([[0.0], [1.0]], [[0], [1]], np.inf, "one label a row"),
        ([[0.0], [1.0]], np.array([0, "a"], dtype=object), np.inf, "mixes text and numbers"),
        ([[0.0], [1.0]], [0, 1], 0.5, "at least 1"),
        ([["a"], ["b"]], [0, 1], np.inf, "numbers"),
    ):
        assert re.search(message, refusal(InvalidInput, separation, X, y, p=p)), message


def test_one_label_has_no_separation():
    with pytest.raises(Undefined, match="all labelled 'a'"):
        separation([[0.0], [1.0]], ["a", "a"])


@pytest.mark.parametrize("features", [2, 40])
@pytest.mark.parametrize("p", [np.inf, 2])
def test_running_value_equals_that_of_all_rows_so_far(features, p):
    X, y = made(220, features, 5)
    running = RunningSeparation(p=p)
    for start, stop in zip((0, 1, 4, 90, 97, 150), (1, 4, 90, 97, 150, 220), strict=True):
        found = running.update(X[start:stop], y[start:stop])
        if len(set(y[:stop])) < 2:
            assert found is None
            continue
        assert found == pytest.approx(separation(X[:stop], y[:stop], p=p), rel=1e-12)
        i, j = found.pair
        assert found.labels == (y[i], y[j])
        assert np.linalg.norm(X[i] - X[j], ord=p) == pytest.approx(float(found))


def test_running_value_keeps_its_scale():
    X, y = made(60, 2, 2)
    running = RunningSeparation(p=2)
    for part in np.split(np.arange(60), 6):
        running.update(1e200 * X[part], y[part])
    assert running.value == pytest.approx(1e200 * separation(X, y, p=2), rel=1e-12)


@given(seed=st.integers(0, 10**6), shuffled=st.booleans())
@settings(deadline=None, max_examples=15)
def test_growth_equals_a_run_for_each_size(seed, shuffled):
    X, y = made(70, 2, 3, seed)
    growth = separation_growth(X, y, (5, 20, 21, 70), seed=seed if shuffled else None)
    order = np.arange(70)
    if shuffled:
        np.random.default_rng(seed).shuffle(order)
    for size, found in zip(growth.sizes, growth.separations, strict=True):
        part = order[:size]
        if found is not None:
            assert found == pytest.approx(brute_force(X[part], y[part], np.inf))
            assert np.abs(X[found.pair[0]] - X[found.pair[1]]).max() == pytest.approx(float(found))
        else:
            assert len(set(y[part])) == 1


def test_growth_never_rises_and_ends_at_the_separation():
    X, y = made(3000, 2, 2)
    values = [row[1] for row in separation_growth(X, y).table().rows]
    seen = [value for value in values if value is not None]
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == separation(X, y)


def test_growth_shows_a_separation_of_zero():
    growth = separation_growth([0.0, 1.0, 1.0, 3.0], [0, 1, 0, 1], (2, 3, 4))
    assert growth.separations == (1.0, 0.0, 0.0)


def test_growth_refuses_more_rows_than_there_are():
    with pytest.raises(InvalidInput, match="sizes"):
        separation_growth([0.0, 1.0], [0, 1], (1, 5))


def test_growth_plot_shows_the_side_and_each_size():
    import matplotlib as mpl

    mpl.use("Agg")
    X, y = made(200, 2, 2)
    growth = separation_growth(X, y, (50, 100, 200))
    axes = growth.plot(side=0.01)
    step, side = axes.lines
    assert list(step.get_xdata()) == [50, 100, 200]
    assert set(side.get_ydata()) == {0.01}
    mpl.pyplot.close(axes.figure)


@pytest.mark.parametrize(("side", "status"), [(0.2, "supported"), (0.25, "contradicted"), ([0.1, 0.3], "contradicted")])
def test_a_cell_must_be_smaller_than_the_separation(side, status):
    found = side_check(side, separation([0.0, 0.25], [0, 1]))
    assert found.status == status
    assert found.effect == pytest.approx(np.max(side) / 0.25)
    assert (found.figures["side"], found.figures["separation"]) == (np.max(side), 0.25)


@pytest.mark.parametrize(("radius", "status"), [(0.12, "supported"), (0.125, "contradicted")])
def test_a_ball_must_be_smaller_than_half_of_it(radius, status):
    assert radius_check(radius, 0.25).status == status


def test_no_cell_is_smaller_than_no_separation():
    found = side_check(1e-9, 0.0)
    assert (found.status, found.effect) == ("contradicted", np.inf)


def test_cells_need_the_maximum_norm():
    with pytest.raises(InvalidInput, match="L-infinity"):
        side_check(0.1, Separation(0.2, (0, 1), (0, 1), 2.0))
    assert radius_check(0.05, Separation(0.2, (0, 1), (0, 1), 2.0)).status == "supported"
