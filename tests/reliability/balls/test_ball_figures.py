"""Figures of an assessment in balls."""

import numpy as np
import pytest
from tests.reliability.balls.known_truth import Known, world

from surefoot.drawing import figure_svg
from surefoot.reliability import assess_balls

ROWS = 120


def scores(rows):
    return rows @ np.array([[1.0, -1.0], [0.5, 0.2]])


def assessed(risk, trials=0, **options):
    inputs = np.random.default_rng(0).random((ROWS, 2))
    labels = scores(inputs).argmax(axis=1)
    estimator = Known(tuple(risk), trials)
    return assess_balls(scores, inputs, labels, radius=1e-3, estimator=estimator, checks=False, **options)


@pytest.fixture(scope="module")
def found():
    return assessed(world("rare", equal=True, seed=2, balls=ROWS)[0], trials=1000, budget=60)


def test_three_panels_tell_how_where_and_which(found):
    figure = found.plot()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [
        "Mean of the balls, from the first k draws",
        "Risk inside balls",
        "Which balls make the failure probability",
    ]
    assert b"<svg" in figure_svg(figure)


def test_the_curve_drawn_is_that_of_by_k(found):
    mean = next(line for line in found.plot().axes[0].lines if line.get_label() == "weighted, pmi: mean")
    assert mean.get_ydata().tolist() == pytest.approx([row[1] for row in found.by_k().rows])


def test_unequal_weights_show_the_unweighted_curve_beside(found):
    weighted = assessed(np.linspace(0, 0.2, ROWS), weights=np.linspace(1, 2, ROWS))
    assert len(weighted.plot().axes[0].lines) == 4
    assert len(found.plot().axes[0].lines) == 2


def test_the_bars_count_the_balls_by_how_their_risk_was_found(found):
    bars = sum(patch.get_height() for patch in found.plot().axes[1].patches)
    assert bars == np.isfinite(found.cells["log_risk"]).sum()


def test_the_share_of_the_riskiest_balls_rises_to_all(found):
    share, part = max((line.get_xydata() for line in found.plot().axes[2].lines), key=len).T
    assert share[[0, -1]].tolist() == pytest.approx([0, 1])
    assert part[[0, -1]].tolist() == pytest.approx([0, 1])
    assert (np.diff(part) >= 0).all()
    assert (part >= share - 1e-12).all()


def test_balls_without_any_risk_still_give_a_figure():
    figure = assessed(np.zeros(ROWS), budget=30).plot(level=0.9)
    assert "no failure was found" in {text.get_text() for text in figure.axes[0].texts}
    assert "where none was found" in figure.axes[1].get_title(loc="right")
    assert b"<svg" in figure_svg(figure)
