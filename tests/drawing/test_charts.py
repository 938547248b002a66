"""Charts as SVG: the same bytes each time, words as text."""

import re
from io import BytesIO

import numpy as np
import pytest
from matplotlib import rc_context

import surefoot as sf
from surefoot.drawing import figure_svg, new_axes


def figure(title="a title"):
    axes = new_axes(3, 2)
    axes.scatter([1, 2, 3], [1, 2, 3])
    axes.imshow(np.arange(9).reshape(3, 3))
    axes.set_title(title)
    return axes.figure


@pytest.fixture(autouse=True)
def _without_display(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")


def test_a_figure_gives_the_same_bytes_each_time_and_is_released():
    import matplotlib.pyplot as plt

    assert figure_svg(figure()) == figure_svg(figure())
    assert plt.get_fignums() == []


def test_words_of_a_figure_stay_text_and_no_date_is_written():
    content = figure_svg(figure("words < & >")).decode()
    assert "words &lt; &amp; &gt;" in content
    assert "dc:date" not in content


def test_paths_are_written_in_hundredths_of_a_point_and_stay_where_they_are():
    def numbers(content):
        return [[float(n) for n in re.findall(r"-?[\d.]+", d)] for d in re.findall(r' d="([^"]*)"', content)]

    target = BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "surefoot"}):
        figure().savefig(target, format="svg")
    short = figure_svg(figure()).decode()
    assert not re.search(r' d="[^"]*\.\d{3}', short)
    for ours, theirs in zip(numbers(short), numbers(target.getvalue().decode()), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.0101)


def test_a_figure_says_what_its_axes_show():
    axes = new_axes(3, 2)
    axes.set(xlabel="rows", ylabel="share < 1", title="A title")
    assert b"<title>share &lt; 1 against rows. A title</title>" in figure_svg(axes.figure)


def words_of(chart):
    return [text.text for group in chart.groups for text in group.marks if isinstance(text, sf.drawing.Text)]


def bars_of(chart):
    """Start and end of each bar."""
    marks = (mark for group in chart.groups for mark in group.marks if isinstance(mark, sf.drawing.Path))
    steps = [mark.steps for mark in marks if mark.pen.name == "bar"]
    return [(float(step[1:].split()[0]), float(step.partition("H")[2])) for step in steps]


def test_intervals_stand_where_their_numbers_are():
    chart = sf.drawing.interval_chart([("car", 0.0, 0.1, 0.2), ("tree", 0.2, 0.3, 0.4)], "share")
    (start, middle), (again, end) = bars_of(chart)
    assert middle == again
    assert abs((end - middle) - (middle - start)) < 0.21
    assert {"car", "tree", "share", "0", "0.1", "0.4"} <= set(words_of(chart))


def test_an_interval_that_is_not_known_leaves_its_row_empty():
    chart = sf.drawing.interval_chart([("known", 0.2, 0.3, 0.4), ("not", float("nan"), 0.3, 0.4)], "share")
    assert len(bars_of(chart)) == 1
    assert "not" in words_of(chart)


def test_charts_of_extreme_numbers_have_different_ticks():
    for low, high in ((0.0, 0.0), (0.0, 5e-324), (0.987654, 0.987655), (1e-9, 1e9), (-3e300, 3e300), (0.0, 1.0)):
        words = words_of(sf.drawing.interval_chart([("a", low, low, high)], "share"))[1:-1]
        assert len(set(words)) == len(words) > 1, (low, high, words)


def test_a_curve_in_a_band_tells_what_it_is():
    chart = sf.drawing.band_chart(
        [10, 1000], [0.0, 0.01], [0.1, 0.02], [0.4, 0.03], labels=("rows", "share"), words=("bounds", "seen"), title="T"
    )
    assert {"rows", "share", "bounds", "seen", "T", "10", "100", "1,000"} <= set(words_of(chart))
    assert chart.title == "share against rows. T"
    assert sf.drawing.clean_svg(sf.drawing.svg(chart).encode(), "x").startswith("<svg")
