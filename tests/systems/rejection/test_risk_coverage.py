"""Risk-coverage curves."""

import numpy as np
import pytest
from tests.refusals import told

from surefoot.core import InvalidInput
from surefoot.drawing import figure_svg
from surefoot.systems import predicted_errors, rejection, risk_coverage

QUICK = {"draws": 400, "points": 10}


def test_a_curve_is_the_metric_of_what_is_accepted_at_every_count(speech, scores):
    for strategy in rejection.STRATEGIES:
        with told(strategy):
            measured = speech(40, severities=1)
            curve = risk_coverage(measured, measured.conditions[0], **scores, **QUICK).curves[strategy]
            statistics = measured.statistics()
            pair = [measured.score(scores[name]) for name in ("uncertainty", "strangeness")]
            for count in range(40):
                kept = ~rejection.STRATEGIES[strategy](*pair, count)
                assert curve.accepted[count] == pytest.approx(
                    float(measured.metric.value(statistics[kept].sum(axis=0)))
                )
                assert curve.coverage[count] == pytest.approx(kept.mean())


def test_the_area_of_the_largest_errors_is_known(measured_of, words_wrong, scores):
    """Half of 1000 items are all wrong: the area tends to 1/2 + ln(1/2)/2, that of a blind score to 1/2."""
    rng = np.random.default_rng(0)
    wrong = 5 * rng.permutation(np.arange(1000) % 2)
    measured = measured_of([words_wrong(wrong, 5)], [rng.random(1000)], [rng.random(1000)])
    found = risk_coverage(measured, **scores, strategies=["S1"], **QUICK)
    assert found.best.area == pytest.approx(0.5 + 0.5 * np.log(0.5), abs=0.002)
    assert found.curves["S1"].area == pytest.approx(0.5, abs=0.03)
    assert found.excess("S1") == pytest.approx(found.curves["S1"].area - found.best.area)
    low, high = found.excess_interval("S1")
    assert low < found.excess("S1") < high
    assert abs(found.table.rows[0][-1]) < 0.15
    assert found.table.rows[1][-1] == 1


def test_where_higher_is_better_excess_is_still_what_is_lost(measured_of, scores):
    right = np.arange(100) % 2
    measured = measured_of(
        [np.column_stack([right, np.ones(100)])], [-right + 0.0], [np.arange(100.0)], metric="accuracy"
    )
    found = risk_coverage(measured, **scores, **QUICK)
    assert found.excess("S1") == pytest.approx(0, abs=1e-12)
    assert found.excess("S2") > 0.1


def test_bands_hold_the_curve_and_are_wider_for_fewer_items(speech, scores):
    widths = []
    for items in (60, 600):
        curve = risk_coverage(speech(items, severities=1), **scores, **QUICK).curves["S5"]
        low, high = curve.band(0.95)
        here = np.interp(curve.marks, curve.coverage[::-1], curve.accepted[::-1])
        assert ((low <= here) & (here <= high)).mean() >= 0.9
        widths.append((high - low).mean())
    assert widths[0] > 2 * widths[1]


def test_few_items_and_undefined_ends_do_no_harm(measured_of, words_wrong, scores):
    measured = measured_of([words_wrong([1, 0, 2], [0, 5, 5])], [[1, 2, 3]], [[3, 2, 1]])
    found = risk_coverage(measured, **scores, **QUICK)
    assert np.isnan(found.curves["S1"].accepted[2])
    assert np.isfinite(found.curves["S1"].area)


def test_a_figure_has_every_strategy_and_a_name(speech, scores):
    measured = speech(50)
    found = risk_coverage(measured, **scores, others={"learned": predicted_errors(measured)}, **QUICK)
    drawn = figure_svg(found.plot().figure).decode()
    for words in (
        "S1, area",
        "S5, area",
        "learned, area",
        "largest errors, area",
        "share of answers accepted",
        "wer of",
    ):
        assert words in drawn


def test_an_unknown_strategy_is_refused(speech, scores):
    with pytest.raises(InvalidInput, match="unknown strategy"):
        risk_coverage(speech(10), **scores, strategies=["S6"], **QUICK)


def test_without_draws_there_are_curves_of_very_many_items_and_no_intervals(speech, scores):
    found = risk_coverage(speech(20_000, severities=1), **scores, draws=0)
    assert found.curves["S3"].accepted.size == 20_000
    assert found.excess_interval("S3") == (None, None)
    assert len(figure_svg(found.plot().figure)) < 200_000
