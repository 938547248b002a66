"""Gross disproportion: arithmetic by hand, bounds, and verdicts that err rarely enough."""

import numpy as np
import pytest

from surefoot.core import Estimate, InvalidInput
from surefoot.hazards import targets

VALUE = targets.Valuation(2_000_000, factor=3, source="stated for the test")
CAMERA = targets.Measure("camera", 9_000, before=2e-4, after=5e-5, years=10, people=5)
YEARLY = targets.Exposure(hours_per_year=1.0)


def counted(events, exposure, name):
    return YEARLY.estimate(targets.Reference(events, exposure, name=name).estimate(), "year")


def test_benefit_is_deaths_prevented_times_their_value():
    found = targets.disproportion(CAMERA, VALUE)
    assert found.benefit.value == pytest.approx(1.5e-4 * 10 * 5 * 2_000_000)
    assert found.ratio == pytest.approx(9_000 / 15_000)
    assert found.limits == pytest.approx((0.6, 0.6))
    assert found.verdict == "reasonably practicable"


def test_later_benefits_count_less_where_a_discount_is_stated():
    discounted = targets.Valuation(2_000_000, factor=3, source="s", discount=0.035)
    by_hand = sum(1.035**-year for year in range(1, 11))
    assert discounted.counted_years(10) == pytest.approx(by_hand)
    assert targets.Valuation(1, factor=1, source="s").counted_years(10) == 10


@pytest.mark.parametrize(
    ("cost", "verdict"),
    [(15_000, "reasonably practicable"), (44_999, "reasonably practicable"), (45_001, "grossly disproportionate")],
)
def test_the_factor_decides_from_which_cost_on_a_measure_may_be_left_out(cost, verdict):
    assert targets.disproportion(targets.Measure("m", cost, 2e-4, 5e-5, 10, 5), VALUE).verdict == verdict


def test_a_measure_without_effect_is_out_of_proportion():
    found = targets.disproportion(targets.Measure("paint", 10, 1e-4, 1e-4, 1), VALUE)
    assert found.ratio == float("inf")
    assert found.verdict == "grossly disproportionate"


def test_uncertain_risks_bound_the_benefit_from_both_sides():
    measure = targets.Measure("m", 1000, counted(40, 1e5, "old"), counted(4, 1e5, "new"), 1)
    found = targets.disproportion(measure, VALUE, level=0.95)
    high = measure.before.upper(0.975) - measure.after.lower(0.975)
    low = measure.before.lower(0.975) - measure.after.upper(0.975)
    assert found.limits == pytest.approx((1000 / high / 2e6, 1000 / low / 2e6), rel=1e-9)


def test_what_the_data_do_not_decide_is_not_shown():
    measure = targets.Measure("m", 100, counted(4, 1e5, "old"), counted(3, 1e5, "new"), 1)
    assert targets.disproportion(measure, VALUE).verdict == "not shown"
    assert targets.disproportion(measure, VALUE).limits[1] == float("inf")


def test_wrong_verdicts_are_as_rare_as_the_level_says():
    rng, years = np.random.default_rng(8), 2000.0
    before, after = 4e-3, 1e-3
    for factor, wrong in ((1.001, "grossly disproportionate"), (0.999, "reasonably practicable")):
        cost = (before - after) * VALUE.per_fatality * VALUE.factor / factor
        verdicts = [
            targets.disproportion(
                targets.Measure("m", cost, counted(int(a), years, "old"), counted(int(b), years, "new"), 1),
                VALUE,
                level=0.8,
            ).verdict
            for a, b in zip(rng.poisson(before * years, 60), rng.poisson(after * years, 60), strict=True)
        ]
        assert verdicts.count(wrong) / 60 <= 0.2


def test_the_table_has_the_best_ratio_first():
    table = targets.practicable([targets.Measure("paint", 10, 1e-4, 1e-4, 1), CAMERA], VALUE)
    assert [row[0] for row in table.rows] == ["camera", "paint"]
    assert table.rows[0][-1] == "reasonably practicable"
    assert table.columns[0] == "measure"
    assert targets.practicable([], VALUE).rows == ()


@pytest.mark.parametrize(
    "make",
    [
        lambda: targets.Measure("m", -1, 1e-4, 1e-5, 1),
        lambda: targets.Measure("m", 1, 2.0, 1e-5, 1),
        lambda: targets.Measure("m", 1, 1e-4, 1e-5, 0),
        lambda: targets.Measure("m", 1, Estimate.known("r", 1e-4, source="s"), 1e-5, 1),
        lambda: targets.Valuation(1e6, factor=0.5, source="s"),
        lambda: targets.Valuation(1e6, factor=2, source=" "),
        lambda: targets.Valuation(0, factor=2, source="s"),
    ],
)
def test_what_cannot_be_is_refused(make):
    with pytest.raises(InvalidInput):
        make()
