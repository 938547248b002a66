"""F-N curves against brute force, criteria against their source, verdicts with known truth, and the figure."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefoot.core import Estimate, Gamma, InvalidInput, QuantileBound
from surefoot.hazards import targets

HSE = targets.Criterion.hse()
YEARLY = targets.Exposure(hours_per_year=1000)


def counted(events, hours, name):
    return YEARLY.estimate(targets.Reference(events, hours, name=name).estimate(), "year")


def curve_of(pairs):
    return targets.SocietalRisk.of([(f"a{i}", frequency, deaths) for i, (frequency, deaths) in enumerate(pairs)])


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9)), min_size=1, max_size=6), st.integers(1, 12))
def test_the_curve_is_the_sum_of_all_accidents_at_least_as_bad(pairs, deaths):
    risk = curve_of(pairs)
    assert risk.frequency(deaths).value == pytest.approx(sum(f for f, n in pairs if n >= deaths))
    assert risk.expected_deaths.value == pytest.approx(sum(f * n for f, n in pairs))


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 30)), min_size=1, max_size=6))
def test_expected_deaths_are_the_area_below_the_curve(pairs):
    risk = curve_of(pairs)
    area = sum(risk.frequency(n).value for n in range(1, max(risk.steps) + 1))
    assert risk.expected_deaths.value == pytest.approx(area)


def test_bounds_of_the_curve_share_the_miss_probability():
    a, b = counted(4, 1e6, "a"), counted(1, 1e6, "b")
    risk = targets.SocietalRisk.of([("a", a, 2), ("b", b, 10)])
    assert risk.frequency(1).upper(0.95) == pytest.approx(a.upper(0.975) + b.upper(0.975))
    assert risk.frequency(10).upper(0.95) == pytest.approx(b.upper(0.95))
    assert risk.expected_deaths.lower(0.95) == pytest.approx(2 * a.lower(0.975) + 10 * b.lower(0.975))


def test_beliefs_are_drawn_together():
    dist = Gamma(4.0, 1e-4)
    bounds = tuple(QuantileBound(dist, side, "credible") for side in ("upper", "lower"))
    belief = Estimate("f", dist.mean, "per year", bounds=bounds, dist=dist)
    risk = targets.SocietalRisk.of([("a", belief, 1), ("b", belief, 2)])
    assert risk.expected_deaths.upper(0.95) == pytest.approx(3 * dist.ppf(0.95), rel=0.05)


def test_the_criterion_of_hse_is_one_in_5000_years_for_50_deaths():
    assert HSE.at(50) == 1 / 5000
    assert HSE.at(500) == pytest.approx(1 / 50_000)
    assert "paragraph 136" in HSE.source
    assert "does not state" in HSE.source
    assert "extension" not in targets.Criterion.hse(slope=None).source


def test_without_a_slope_the_point_alone_is_checked():
    risk = curve_of([(1e-2, 3), (1.5e-4, 60), (0.4e-4, 200)])
    point = targets.Criterion.hse(slope=None)
    assert {n: v.status for n, v in risk.verdicts(point).items()} == {50: "met"}
    assert risk.status(point) == "met"
    assert {n: v.status for n, v in risk.verdicts(HSE).items()} == {3: "violated", 60: "violated", 200: "met"}
    assert risk.status(HSE) == "violated"


def test_the_curve_comes_closest_to_the_line_at_its_steps():
    risk = curve_of([(1e-3, 3), (1e-4, 40)])
    every = [risk.frequency(n).value / HSE.at(n) for n in range(1, 41)]
    at_steps = [risk.frequency(n).value / HSE.at(n) for n in HSE.checked_at(risk.steps)]
    assert max(every) == pytest.approx(max(at_steps))


def test_wrong_verdicts_on_the_whole_curve_are_as_rare_as_the_level_says():
    rng, truth, deaths, hours = np.random.default_rng(9), np.array([4e-3, 2e-3]), (2, 20), 2e6
    line = {"violated": 6.02e-3, "met": 5.98e-3}  # the curve of the truth is 6e-3 at 2 deaths
    for wrong, frequency in line.items():
        criterion = targets.Criterion(2, frequency, slope=-0.3)
        found = []
        for events in rng.poisson(truth * hours / 1000, (50, 2)):
            pairs = zip("ab", events, deaths, strict=True)
            risk = targets.SocietalRisk.of([(n, counted(int(k), hours, n), d) for n, k, d in pairs], level=0.8)
            found.append(risk.status(criterion))
        assert found.count(wrong) / len(found) <= 0.2


def test_tables_show_limits_what_is_allowed_and_verdicts():
    risk = targets.SocietalRisk.of([("a", counted(0, 1e6, "a"), 2), ("b", 1e-7, 60)])
    assert [row[0] for row in risk.table().rows] == [2, 60]
    assert risk.table().rows[0][3] == pytest.approx(2.9957e-3 + 1e-7, rel=1e-4)
    both = risk.table(HSE, targets.Criterion.hse(slope=None))
    assert [(row[0], row[4], row[6]) for row in both.rows] == [
        (2, "HSE intolerable", "met"),
        (60, "HSE intolerable", "met"),
        (50, "HSE intolerable", "met"),
    ]


def test_without_accidents_nothing_happens():
    risk = targets.SocietalRisk()
    assert risk.expected_deaths.value == 0
    assert risk.table(HSE).rows == ()
    assert risk.status(HSE) == "met"
    assert risk.status(targets.Criterion.hse(slope=None)) == "met"


@pytest.mark.parametrize(
    "risk",
    [
        targets.SocietalRisk(),
        curve_of([(1e-4, 1)]),
        curve_of([(0.0, 3)]),
        targets.SocietalRisk.of([("a", counted(9, 1e6, "a"), 2), ("b", counted(0, 1e6, "b"), 70)]),
    ],
    ids=["empty", "single", "never", "counted"],
)
def test_the_figure_shows_the_curve_and_each_criterion(risk):
    axes = risk.plot(HSE, targets.Criterion(10, 1e-4, None, name="point"))
    names = axes.get_legend_handles_labels()[1]
    assert ("F-N curve" in names) == any(risk.limit(n, "upper") > 0 for n in risk.steps)
    assert {"HSE intolerable", "point"} <= set(names)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    low, high = axes.get_ylim()
    assert low < HSE.frequency < high
    axes.figure.canvas.draw()
    plt.close(axes.figure)


def test_the_figure_goes_on_given_axes():
    _, axes = plt.subplots()
    assert curve_of([(1e-4, 3)]).plot(axes=axes) is axes
    top = max(patch.get_data().values.max() for patch in axes.patches)
    assert top == pytest.approx(1e-4)
    plt.close(axes.figure)


@pytest.mark.parametrize(
    "make",
    [
        lambda: curve_of([(-1.0, 2)]),
        lambda: curve_of([(1.0, 0)]),
        lambda: curve_of([(1.0, 2.5)]),
        lambda: targets.SocietalRisk.of([("a", 1.0, 2), ("a", 2.0, 3)]),
        lambda: targets.SocietalRisk.of([("a", targets.Reference(1, 2).estimate(), 2)]),
        lambda: curve_of([(1.0, 2)]).frequency(0),
        lambda: targets.Criterion(0, 1e-3),
        lambda: targets.Criterion(10, 0.0),
        lambda: targets.Criterion(10, 1e-3, slope=1.0),
        lambda: targets.Criterion(10, 1e-3, slope=0.0),
    ],
)
def test_what_cannot_be_is_refused(make):
    with pytest.raises(InvalidInput):
        make()


def test_a_point_is_one_comparison_however_many_steps_the_curve_has():
    rare = [("a", 1e-9, 1), ("b", 1e-9, 5)]
    risk = targets.SocietalRisk.of([*rare, ("c", targets.Reference(10, 1.0, per="year").estimate("frequency"), 60)])
    between = stats.gamma.ppf([0.05, 0.05 / 3], 10).mean()
    assert risk.status(targets.Criterion(50, between, None)) == "violated"
    assert risk.status(targets.Criterion(60, between, -1.0)) == "not shown"
