"""Figures show what they are given."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from surefoot.monitors import Stakes, compare, curve


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def world(rows=300, monitors=3):
    rng = np.random.default_rng(0)
    wrong = rng.random(rows) < 0.3
    one = np.ones(rows)
    stakes = Stakes((~wrong).astype(float), one, one, one, wrong.astype(float))
    return stakes, {f"$m_{i}": rng.normal(size=rows) + (3 - i / 4) * wrong for i in range(monitors)}


def test_a_curve_shows_gain_against_cost_and_the_hazard_alone():
    stakes, scores = world()
    found = curve(stakes, scores["$m_0"])
    axes = found.plot()
    line, ceiling = axes.get_lines()[:2]
    assert np.array_equal(line.get_xdata(), found.availability_cost[found.marks])
    assert np.array_equal(line.get_ydata(), found.safety_gain[found.marks])
    assert ceiling.get_ydata()[0] == found.hazard_alone
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("availability cost", "safety gain")
    assert len(axes.collections) == 1


def test_a_plot_can_go_on_given_axes():
    stakes, scores = world()
    _, axes = plt.subplots()
    assert curve(stakes, scores["$m_0"]).plot(ax=axes) is axes


def test_the_best_have_colours_and_the_others_are_counted():
    stakes, scores = world(monitors=9)
    axes = compare(scores, stakes, cost=0.1).plot().axes[1]
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words[0] == "$m_0"
    assert "3 others" in words
    axes.figure.canvas.draw()


def test_intervals_are_those_of_the_estimates():
    stakes, scores = world()
    comparison = compare(scores, stakes, cost=0.1)
    axes = comparison.plot().axes[0]
    drawn = [segment for lines in axes.collections for segment in lines.get_segments()]
    for segment, contender in zip(drawn, comparison.contenders, strict=True):
        assert segment[:, 0].tolist() == pytest.approx(contender.report.safety_gain.interval(0.95))
    assert [t.get_text() for t in axes.get_yticklabels()] == [c.name for c in comparison.contenders]


def test_a_comparison_has_intervals_beside_curves():
    stakes, scores = world()
    figure = compare(scores, stakes, thresholds=dict.fromkeys(scores, 1.0)).plot()
    assert len(figure.axes) == 2
    figure.canvas.draw()
