"""Charts as SVG: the same bytes each time, words as text."""

import re
from io import BytesIO

import numpy as np
import pytest
from matplotlib import rc_context

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
