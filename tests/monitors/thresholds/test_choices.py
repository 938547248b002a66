import json

import numpy as np
import pytest
from scipy.stats import binom
from tests.monitors.thresholds.worlds import BINARY, EPISODES, LANDING, OTHER_SCORES, stakes_of
from tests.refusals import refused

from surefoot.core import InvalidInput, Target, Undefined
from surefoot.monitors import Choice, Stakes, Sweep, by_availability, by_hazard, by_utility, grid_of

GRID = grid_of(OTHER_SCORES, 40)
STAKES, SCORES = BINARY.draw(np.random.default_rng(0), 400)
CHOOSERS = {
    "hazard-sample": lambda *given, **more: by_hazard(*given, budget=0.05, mode="sample", **more),
    "hazard-expectation": lambda *given, **more: by_hazard(*given, budget=0.05, **more),
    "hazard-probability": lambda *given, **more: by_hazard(*given, budget=0.08, mode="probability", **more),
    "cost-sample": lambda *given, **more: by_availability(*given, budget=0.2, **more),
    "cost-expectation": lambda *given, **more: by_availability(*given, budget=0.2, mode="expectation", **more),
    "cost-probability": lambda *given, **more: by_availability(*given, budget=0.2, mode="probability", **more),
    "utility": lambda *given, **more: by_utility(*given, safety_weight=4, **more),
}


@pytest.mark.parametrize("name", CHOOSERS)
def test_a_sweep_and_its_rows_give_the_same_choice(name):
    rows = CHOOSERS[name](STAKES, SCORES, thresholds=GRID)
    sweep = CHOOSERS[name](Sweep.of(STAKES, SCORES, GRID))
    assert rows.threshold == sweep.threshold
    for figure in ("safety_gain", "residual_hazard", "availability_cost"):
        assert getattr(rows, figure) == pytest.approx(getattr(sweep, figure), abs=1e-12)


@pytest.mark.parametrize("name", CHOOSERS)
def test_a_choice_survives_json_and_reports_the_figures_of_its_alarms(name):
    found = CHOOSERS[name](STAKES, SCORES, thresholds=GRID)
    read = Choice.from_dict(json.loads(json.dumps(found.to_dict())))
    assert read.to_dict() == found.to_dict()
    returns = STAKES.under(found.threshold < SCORES)
    assert found.residual_hazard == pytest.approx(returns.residuals.mean())
    assert found.availability_cost == pytest.approx(returns.costs.mean())
    assert found.safety_gain == pytest.approx(returns.gains.mean())
    assert found.guarantee in str(found)
    assert "Threshold" in found._repr_html_()


@pytest.mark.parametrize("name", CHOOSERS)
def test_a_score_that_equals_the_threshold_raises_no_alarm(name):
    scores = np.round(SCORES)
    found = CHOOSERS[name](STAKES, scores, thresholds=np.arange(-4.0, 5.0))
    assert found.threshold in scores
    assert found.residual_hazard == pytest.approx(STAKES.under(scores > found.threshold).residuals.mean())


def test_a_cost_in_the_sample_is_the_largest_within_the_budget():
    found = by_availability(STAKES, SCORES, budget=0.2)
    assert found.availability_cost == 0.2
    assert found.kind == "heuristic"
    assert [caveat.code for caveat in found.caveats] == ["chosen-in-sample"]


def test_guarantees_are_bounds_that_targets_read():
    certain = by_hazard(STAKES, SCORES, budget=0.08, mode="probability", delta=0.05, thresholds=GRID)
    average = by_hazard(STAKES, SCORES, budget=0.08)
    assert certain.bounded.upper(0.95) == 0.08
    assert certain.bounded.meets(Target(at_most=0.08, level=0.95)).status == "met"
    assert average.bounded.meets(Target(at_most=0.08, level=0.95)).status == "not shown"
    assert average.bounded.meets(Target(at_most=0.08, kinds=("expectation",))).status == "met"
    assert (certain.kind, average.kind) == ("confidence", "expectation")


def test_episodes_of_unequal_length_count_once_each():
    stakes, scores = EPISODES.draw(np.random.default_rng(1), 100)
    found = by_hazard(stakes, scores, budget=0.06)
    assert "Each episode counts once, whether of 3 or 9 rows" in found.guarantee
    assert (found.unit, found.units, found.bounded.unit) == ("episode", 100, "per episode")
    by_episode = Sweep.of(stakes, scores, [found.threshold]).residuals
    assert found.residual_hazard == pytest.approx(by_episode.mean())
    assert found.residual_hazard != pytest.approx(stakes.under(scores > found.threshold).residuals.mean(), rel=1e-3)


def test_thresholds_taken_from_calibration_scores_are_seen():
    fair = by_hazard(STAKES, SCORES, budget=0.08, mode="probability", thresholds=GRID)
    peeked = by_hazard(STAKES, SCORES, budget=0.08, mode="probability", thresholds=np.sort(SCORES)[::8])
    status = [next(a.status for a in c.assumptions if a.id == "thresholds-before-data") for c in (fair, peeked)]
    assert status == ["unchecked", "contradicted"]
    assert peeked.bounded.meets(Target(at_most=0.08, level=0.9)).status == "not shown"


def test_among_certified_thresholds_the_preferred_is_taken():
    stakes, scores = LANDING.draw(np.random.default_rng(2), 3_000)
    options = {"budget": 0.1, "mode": "probability", "thresholds": GRID, "search": "holm"}
    available, safe = (by_hazard(stakes, scores, prefer=p, **options) for p in ("availability", "safety"))
    certified = np.array(available.bounded.details["certified"])
    assert certified.size < GRID.size
    sweep = Sweep.of(stakes, scores, certified)
    assert available.threshold == certified[sweep.costs.mean(axis=0).argmin()]
    assert safe.threshold == certified[sweep.gains.mean(axis=0).argmax()]
    assert available.threshold > safe.threshold


def test_a_search_that_starts_where_alarms_hurt_says_so():
    stakes, scores = LANDING.draw(np.random.default_rng(2), 3_000)
    with pytest.raises(Undefined, match="the search does not begin there"):
        by_hazard(stakes, scores, budget=0.1, mode="probability", thresholds=GRID)
    assert by_hazard(stakes, scores, budget=0.1, mode="probability", thresholds=GRID, starts=5).threshold > 0


def test_without_a_certified_threshold_the_units_needed_are_told():
    with pytest.raises(Undefined, match=r"a p-value of 0\.1\d+ at best.*about 2\d\d inputs shows it if just this mean"):
        by_hazard(STAKES.chosen(slice(180)), SCORES[:180], budget=0.01, mode="probability", thresholds=[-9.0])


def test_residuals_below_zero_widen_the_range_that_is_tested():
    half, better = np.full(300, 0.5), np.where(np.arange(300) < 150, 0.6, 0.5)
    stakes = Stakes(better, half, half, np.ones(300), np.zeros(300))
    found = by_hazard(stakes, np.arange(300.0), budget=0.2, mode="probability", thresholds=[10.5, 200.5])
    assert "lies between -1 and 1" in str(found)
    mean = (found.residual_hazard + 1) / 2
    divergence = mean * np.log(mean / 0.6) + (1 - mean) * np.log((1 - mean) / 0.4)
    expected = min(np.exp(-300 * divergence), np.e * binom.cdf(np.ceil(300 * mean), 300, 0.6))
    assert found.bounded.details["p_value"] == pytest.approx(expected)


def test_hazards_below_zero_contradict_what_a_mean_rests_on():
    half, worse = np.full(300, 0.5), np.where(np.arange(300) < 150, 0.4, 0.5)
    stakes = Stakes(worse, np.full(300, 0.6), half, np.ones(300), np.zeros(300))
    found = by_hazard(stakes, np.arange(300.0), budget=0.05)
    assert [a.id for a in found.assumptions if a.status == "contradicted"] == ["ideal-is-best"]
    assert "assumption-contradicted" in [c.code for c in found.caveats]


def test_alarms_that_never_or_always_fire_are_told():
    never = by_hazard(STAKES, SCORES, budget=0.9)
    always = by_availability(STAKES, SCORES, budget=1.0)
    assert (never.threshold, always.threshold) == (np.inf, -np.inf)
    assert all(any(c.code == "monitor-constant" for c in choice.caveats) for choice in (never, always))
    assert Choice.from_dict(json.loads(json.dumps(never.to_dict()))).threshold == np.inf


def test_few_units_are_told():
    stakes, scores = BINARY.draw(np.random.default_rng(0), 10)
    assert "few-groups" in [c.code for c in by_hazard(stakes, scores, budget=0.5).caveats]


def test_what_means_nothing_is_refused():
    for options, told in [
        ({"budget": 0.0}, "No sample shows that nothing is left"),
        ({"budget": 1.0}, "Every threshold keeps such a budget"),
        ({"budget": -0.1, "mode": "sample"}, "from 0 to"),
        ({"budget": np.nan}, "budget must be one finite number"),
        ({"budget": 0.1, "mode": "certain"}, "unknown mode"),
        ({"budget": 0.1, "mode": "probability"}, "grid_of"),
        ({"budget": 0.1, "mode": "probability", "thresholds": []}, "thresholds must be a list"),
        ({"budget": 0.1, "mode": "probability", "thresholds": [np.nan]}, "free of NaN"),
        ({"budget": 0.1, "mode": "probability", "thresholds": GRID, "delta": 0.0}, "delta must lie in"),
        ({"budget": 0.1, "mode": "probability", "thresholds": GRID, "delta": 1.0}, "delta must lie in"),
        ({"budget": 0.1, "mode": "probability", "thresholds": GRID, "starts": 41}, "at most one a threshold"),
        ({"budget": 0.1, "prefer": "comfort"}, "unknown prefer"),
    ]:
        with refused((options, told), InvalidInput, match=told):
            by_hazard(STAKES, SCORES, **options)


def test_wrong_sources_are_refused():
    sweep = Sweep.of(STAKES, SCORES, GRID)
    for source, scores, told in (
        (STAKES, None, "Stakes without scores"),
        (sweep, SCORES, "Sweep with scores"),
        (STAKES, SCORES[:5], "same length"),
        (STAKES, np.where(SCORES > 2, np.inf, SCORES), "finite"),
        (STAKES.weighted(np.ones(400)), SCORES, "not exchangeable"),
    ):
        with pytest.raises(InvalidInput, match=told):
            by_hazard(source, scores, budget=0.1)
    with pytest.raises(InvalidInput, match="brings its own thresholds"):
        by_hazard(sweep, budget=0.1, thresholds=GRID)


def test_a_sweep_beyond_its_stated_range_is_refused():
    sweep = Sweep.of(STAKES, SCORES, GRID)
    wide = Sweep(sweep.thresholds, sweep.gains, 3 * sweep.residuals, sweep.costs)
    with pytest.raises(InvalidInput, match="must lie in the stated range"):
        by_hazard(wide, budget=0.1)


def test_a_grid_holds_each_quantile_once():
    np.testing.assert_array_equal(grid_of([1.0, 2.0, 3.0, 4.0, 5.0], 3), [1, 3, 5])
    assert grid_of([1.0, 2.0, 3.0], 1).tolist() == [2]
    assert grid_of([7.0, 7.0], 50).tolist() == [7]
    with pytest.raises(InvalidInput):
        grid_of([])


def test_returns_of_another_range_are_budgeted_in_their_own_unit():
    errors = (np.arange(400) % 4 == 0) * 20.0
    wide = type(STAKES)(
        20 - errors, np.full(400, 20.0), np.full(400, 20.0), np.full(400, 5.0), np.zeros(400),
        safety_range=(0, 20), mission_range=(0, 5),
    )  # fmt: skip
    unit = stakes_of(errors / 20, np.zeros(400))
    for options in ({}, {"mode": "probability", "thresholds": GRID}):
        one, twenty = by_hazard(unit, SCORES, budget=0.1, **options), by_hazard(wide, SCORES, budget=2.0, **options)
        assert one.threshold == twenty.threshold
        assert twenty.residual_hazard == pytest.approx(20 * one.residual_hazard)
