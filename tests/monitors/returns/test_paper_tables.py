"""Tables of Guerin et al. (2022): rows made from the counts that printed figures imply."""

import numpy as np
import pytest

from surefoot.monitors import evaluate, returns

episodes, errors, Landing, objects, Rewards, threats = (
    returns.episodes,
    returns.errors,
    returns.Landing,
    returns.objects,
    returns.Rewards,
    returns.threats,
)

IMAGES = 20_000


def flags(gain, residual, cost, rows):
    """Hazardous rows and alarms of a monitor with these figures."""
    caught, missed, needless = (round(figure * rows) for figure in (gain, residual, cost))
    hazardous = np.arange(rows) < caught + missed
    alarms = np.zeros(rows, dtype=bool)
    alarms[:caught] = True
    alarms[caught + missed : caught + missed + needless] = True
    return hazardous, alarms


def figures(returns):
    report = evaluate(returns, draws=200)
    assert report.sum_holds
    return [report.safety_gain.value, report.residual_hazard.value, report.availability_cost.value]


@pytest.mark.parametrize("printed", [(0.184, 0.140, 0.304), (0.074, 0.251, 0.154)])
def test_table_1_e1(printed):
    wrong, alarms = flags(*printed, IMAGES)
    returns = errors(wrong.astype(int), np.zeros(IMAGES, dtype=int)).under(alarms)
    assert figures(returns) == pytest.approx(printed)
    assert returns.hazards.mean() == pytest.approx(wrong.mean())


@pytest.mark.parametrize("printed", [(0.344, 0.156, 0.144), (0.086, 0.414, 0.142)])
def test_table_1_e2_sums_to_the_half_that_are_threats(printed):
    threat, alarms = flags(*printed, IMAGES)
    assert figures(threats(threat).under(alarms)) == pytest.approx(printed)
    assert threat.mean() == 0.5


def test_table_2_e1():
    rows = 1000
    wrong, alarms = flags(0.187, 0.060, 0.065, rows)
    box = [[0, 0, 1, 1]]
    returns = objects([[] if error else box for error in wrong], [box] * rows).under(alarms)
    assert figures(returns) == pytest.approx((0.187, 0.060, 0.065))


def test_table_2_e2_has_the_printed_figures_with_8_accidents_in_53_episodes():
    steps = 220
    crashes, prevented = np.arange(53) < 8, np.arange(53) < 4
    alone = Rewards([[0.0] * (steps - 1) + [-float(c)] for c in crashes], [[1.0] * steps] * 53)
    stops = steps // 5
    monitored = Rewards(
        [[0.0] * (stops - 1) + [-float(c and not p)] for c, p in zip(crashes, prevented, strict=True)],
        [[1.0] * stops] * 53,
    )
    returns = episodes(monitored, alone, horizon=steps)
    assert figures(returns) == pytest.approx((0.075, 0.075, 0.800), abs=5e-4)
    assert returns.hazards.mean() == pytest.approx(8 / 53)


def test_table_3_e1_is_normalised_by_the_unsafe_candidates():
    unsafe, rejected = flags(0.805, 0.195, 0.0, 1000)
    zones = [[0.0, 0.5] for _ in unsafe]
    landing = Landing(zones, [[0.1, 0.2]] * 1000, None, 0.1)
    returns = landing.candidates("unsafe").under(rejected)
    assert figures(returns) == pytest.approx((0.805, 0.195, 0.0))
    by_image = landing.candidates().under(np.column_stack([rejected, np.zeros(1000)]).ravel())
    assert figures(by_image) == pytest.approx((0.805 / 2, 0.195 / 2, 0.0))
