"""How labels are shared: against Neyman's rule, against every other way to spend a few, and without outcomes."""

from itertools import product

import numpy as np
import pytest

from surefoot.hazards.labels.label_plan import Expected, path, shared

SHARES = np.array([0.1, 0.3, 0.6])
ROOM = np.full(3, 10**6)


def expected(failing, counting=(1, 1, 1)):
    return Expected(SHARES, np.asarray(failing, float), np.asarray(counting, float))


def test_many_labels_come_close_to_neymans_allocation():
    rates = np.array([0.4, 0.1, 0.02])
    found = np.bincount(path(expected(rates), np.zeros(3), ROOM, 20_000, 0.95), minlength=3)
    neyman = SHARES * np.sqrt(rates * (1 - rates))
    assert found / 20_000 == pytest.approx(neyman / neyman.sum(), abs=0.02)


def test_where_risks_are_equal_labels_follow_the_shares():
    found = np.bincount(path(expected([0.05] * 3), np.zeros(3), ROOM, 5000, 0.95), minlength=3)
    assert found / 5000 == pytest.approx(SHARES, abs=0.02)


def test_a_few_labels_are_spent_as_well_as_any_other_way_allows():
    known, before = expected([0.4, 0.1, 0.02]), np.array([10.0, 30.0, 60.0])
    found = before + np.bincount(path(known, before, ROOM, 12, 0.95), minlength=3)
    ways = [before + way for way in product(range(13), repeat=3) if sum(way) == 12]
    best = min(float(known.limits(way, 0.95)) for way in ways)
    assert float(known.limits(found, 0.95)) == pytest.approx(best, rel=1e-6)


def test_labels_are_never_more_than_rows():
    found = np.bincount(path(expected([0.4, 0.1, 0.02]), np.zeros(3), np.array([5, 7, 2]), 100, 0.95), minlength=3)
    assert found.tolist() == [5, 7, 2]


def test_the_variance_of_a_class_is_that_of_a_ratio():
    rng = np.random.default_rng(0)
    failing, counting, trials = np.array([0.1, 0.02, 0.01]), np.array([0.5, 0.2, 0.1]), 2000
    pairs = zip(failing, counting, strict=True)
    cells = np.stack([rng.multinomial(trials, [f, c - f, 1 - c], size=4000) for f, c in pairs], axis=1)
    failed, counted = SHARES @ cells[:, :, 0].T, SHARES @ cells[:, :, :2].sum(axis=2).T
    known = expected(failing, counting)
    predicted = (SHARES**2 * known.variances() / trials).sum() / known.counted**2
    assert np.var(failed / counted) == pytest.approx(predicted, rel=0.1)


def test_the_steepest_curve_gets_the_labels():
    curves = [np.array([8.0, 7.5, 7.0, 6.5]), np.array([8.0, 8.0, 4.0, 3.9])]
    assert shared(curves, 2) == [0, 2]
    assert shared(curves, 3) == [1, 2]
    assert shared(curves, 6) == [3, 3]


@pytest.mark.parametrize("labels", range(1, 7))
def test_convex_curves_are_shared_as_well_as_any_other_way_allows(labels):
    curves = [3 * 0.5 ** np.arange(7.0), 2 * 0.8 ** np.arange(7.0), 1 * 0.1 ** np.arange(7.0)]
    found = sum(curve[number] for curve, number in zip(curves, shared(curves, labels), strict=True))
    ways = [way for way in product(range(7), repeat=3) if sum(way) == labels]
    best = min(sum(curve[number] for curve, number in zip(curves, way, strict=True)) for way in ways)
    assert found == pytest.approx(best)
