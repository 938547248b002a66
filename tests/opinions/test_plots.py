import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats
from tests.opinions.refusals import refusal

from surefoot.core import InvalidInput, Undefined
from surefoot.opinions import Opinion, coverage_sensitivity, plots, recall

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


OPINIONS = {"recall": recall(470, 10), "vague": Opinion(0.4, 0.2, 0.4, 0.8)}


def test_triangle_places_points_by_barycentric_coordinates():
    ax = plots.opinion_triangle(OPINIONS)
    markers = [line for line in ax.lines if line.get_marker() == "o"]
    corners = {"belief": (1, 0), "disbelief": (0, 0), "uncertainty": (0.5, np.sqrt(3) / 2)}
    for marker, opinion in zip(markers, OPINIONS.values(), strict=True):
        expected = sum(float(getattr(opinion, name)) * np.array(corner) for name, corner in corners.items())
        assert marker.get_xydata()[0] == pytest.approx(expected)


def test_projector_is_parallel_to_the_director():
    ax = plots.opinion_triangle({"vague": OPINIONS["vague"]})
    dotted = next(line for line in ax.lines if line.get_linestyle() == ":")
    (x0, y0), (x1, y1) = dotted.get_xydata()
    director = np.array([0.5 - 0.8, np.sqrt(3) / 2])
    assert (x0 - x1) * director[1] == pytest.approx((y0 - y1) * director[0])
    assert x1 == pytest.approx(0.4 + 0.8 * 0.4)


def test_densities_match_scipy():
    ax = plots.beta_densities(OPINIONS, level=0.9)
    x, y = ax.lines[0].get_data()
    assert y == pytest.approx(stats.beta(471, 11).pdf(x), abs=1e-9)
    assert "0.977" in ax.get_legend().get_texts()[0].get_text()
    assert len(ax.collections) == 4


def test_density_with_infinite_ends_is_drawn_finite():
    ax = plots.beta_densities({"prior": Opinion(0, 0, 1, 0.1)})
    assert np.isfinite(ax.lines[0].get_ydata()).all()


def test_sensitivity_is_drawn_on_given_axes():
    _, ax = plt.subplots()
    curve = coverage_sensitivity(OPINIONS["recall"], np.logspace(-5, -1, 20))
    assert plots.sensitivity_curve(curve, ax=ax) is ax
    assert ax.get_xscale() == "log"
    assert any(np.array_equal(line.get_ydata(), curve.mean) for line in ax.lines)
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("draw", [plots.opinion_triangle, plots.beta_densities, plots.sensitivity_curve])
def test_what_cannot_be_drawn_is_refused(draw):
    many = {"none": {}, "arrays": {"many": recall([1, 2], 3)}, "13": {str(i): recall(1, 1) for i in range(13)}}
    none = {"nothing": None, "a list": [0.5], "a number": {"number": 0.5}, "one opinion": recall(1, 1)}
    for name, what in (many | none).items():
        assert refusal(draw, what), name


def test_density_of_dogmatic_opinion_is_undefined():
    with pytest.raises(Undefined):
        plots.beta_densities({"sure": Opinion(0.9, 0.1, 0)})


def test_bad_level_is_refused():
    with pytest.raises(InvalidInput):
        plots.beta_densities(OPINIONS, level=1)
