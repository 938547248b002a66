"""Random points and pictures of a density."""

import matplotlib as mpl
import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.drawing import new_axes, save
from surefoot.profile import KDE

mpl.use("Agg")
KERNELS = ("gaussian", "exponential", "epanechnikov", "tophat")
POINTS = np.random.default_rng(0).random((40, 2))


@pytest.mark.parametrize("bandwidth", [0.2, np.array([[0.04, 0.02], [0.02, 0.09]])], ids=["scalar", "matrix"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_random_points_fall_into_cells_as_their_mass_says(kernel, bandwidth):
    profile = KDE(bandwidth, kernel).fit(POINTS, weights=np.arange(40.0))
    drawn, cells = profile.sample(30_000, seed=4), [np.linspace(-0.2, 1.2, 4)] * 2
    mass = profile.grid_mass(cells)
    shares = np.histogramdd(drawn, cells)[0] / 30_000
    assert (np.abs(shares - mass) < 4.5 * np.sqrt(mass / 30_000)).all()


def test_the_same_seed_draws_the_same():
    profile = KDE(0.2).fit(POINTS)
    np.testing.assert_array_equal(profile.sample(5, seed=1), profile.sample(5, seed=1))
    assert profile.sample(0, seed=1).shape == (0, 2)


def test_one_feature_is_a_line_with_its_uncertainty(tmp_path):
    axes = KDE("scott").fit(POINTS[:, :1]).plot()
    assert axes.get_ylabel() == "density"
    assert len(axes.collections) == 1
    assert save(axes.figure, tmp_path / "line.png").stat().st_size > 5000


def test_two_features_are_a_map_of_the_domain(tmp_path):
    given = new_axes(5, 4)
    axes = KDE(0.1, boundary="reflect", domain=(0, 1)).fit(POINTS).plot(given)
    assert axes is given
    assert axes.get_xlim() == (0, 1)
    assert save(axes.figure, tmp_path / "map.png").stat().st_size > 5000


def test_three_features_have_no_picture():
    with pytest.raises(InvalidInput, match="one or two features"):
        KDE(0.1).fit(np.zeros((2, 3))).plot()
