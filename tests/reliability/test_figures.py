"""Figures of an assessment: what they show is what the cells hold, and it can be read."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from tests.refusals import refused

from surefoot.core import InvalidInput, Table
from surefoot.drawing import BLUE, INK, RED, clean_svg, figure_svg
from surefoot.profile import KDE
from surefoot.reliability import Cells, ExactTrees, Grid, assess_cells, figures
from surefoot.testing import world_named

Sample, data_and_profile, data_sets, growth_by_k, limits_figure, maps = (
    figures.Sample,
    figures.data_and_profile,
    figures.data_sets,
    figures.growth_by_k,
    figures.limits_figure,
    figures.maps,
)

EMPTY, NORMAL, CROSS_BOUNDARY = range(3)
"""Where labels of cells come from; an oracle is the fourth source."""
COLUMNS = ("upper limit by", "rests on", "value", "at 0.95", "at 0.975", "the held-out tests")
DOMAINS = {1: (0, 1), 2: ((0, 250_000), (-3e-6, 3e-6)), 3: (0, 1), 4: (0, 1)}


def cells_of(shape, risk=None, *, source=None, mass=None, domain=(0, 1)):
    """Cells of a grid with the given risk; the profile is flat where nothing is said."""
    spans = [domain] * len(shape) if np.ndim(domain) == 1 else domain
    grid = Grid(tuple(np.linspace(low, high, n + 1) for (low, high), n in zip(spans, shape, strict=True)))
    count = len(grid)
    none = np.zeros(count, np.int64)
    return Cells(
        grid,
        ("a", "b"),
        np.zeros(count, np.uint8) if source is None else source,
        none,
        none,
        np.zeros(count, np.uint8),
        none,
        np.zeros((count, 2)),
        np.full(count, 1 / count) if mass is None else mass / mass.sum(),
        np.zeros(count) if risk is None else np.asarray(risk, float),
    )


def random_cells(shape, *, seed=0, domain=(0, 1)):
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape))
    source = rng.choice(4, count, p=[0.7, 0.2, 0.05, 0.05]).astype(np.uint8)
    risk = np.where(source == CROSS_BOUNDARY, 1.0, rng.random(count) ** 4 * (rng.random(count) < 0.3))
    return cells_of(shape, risk, source=source, mass=rng.random(count), domain=domain)


@pytest.fixture(scope="module")
def assessed():
    """A real assessment; figures of other cells are drawn from copies of it."""
    world, rng = world_named("wave"), np.random.default_rng(0)
    (inputs, labels), holdout = world.collect(rng, 400), world.held_out(rng, 300)
    model = world.fit(inputs, labels)
    return assess_cells(
        model, inputs, labels, side=0.02, domain=(0, 1), profile=KDE(0.1), estimator=ExactTrees(), holdout=holdout,
        checks=False,
    )  # fmt: skip


def drawn(figure, *, dpi=80):
    """The figure, drawn as a picture."""
    figure.set_dpi(dpi)
    FigureCanvasAgg(figure).draw()
    return figure


def words_of(figure):
    """Visible words with their places; numbers of ticks outside the view are never drawn."""
    hidden = set()
    for axes in figure.findobj(lambda artist: hasattr(artist, "xaxis")):
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not low - slack <= tick.get_loc() <= high + slack or not tick.get_visible():
                    hidden |= {tick.label1, tick.label2}
    words = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text() and text not in hidden]
    return [(text.get_text(), text.get_window_extent()) for text in words]


def require_readable(figure):
    """No word lies on another, and none outside the figure."""
    boxes = words_of(drawn(figure))
    width, height = figure.canvas.get_width_height()
    for name, box in boxes:
        assert min(box.x0, box.y0, width - box.x1, height - box.y1) > -1, name
    for (name, box), (other, another) in combinations(boxes, 2):
        across = min(box.x1, another.x1) - max(box.x0, another.x0)
        along = min(box.y1, another.y1) - max(box.y0, another.y0)
        assert across < 1 or along < 1, (name, other)


def shown_blocks(axes, shape):
    """The values of an image, one a block, the first feature along the first axis."""
    dots = axes.images[0].get_array()
    steps = [dots.shape[1] // shape[0], dots.shape[0] // shape[1]]
    return np.swapaxes(dots[:: steps[1], :: steps[0]], 0, 1)


@pytest.mark.parametrize("shape", [(30,), (40, 25), (8, 9, 10)])
def test_maps_fit_into_a_page(assessed, shape):
    assert clean_svg(figure_svg(maps(replace(assessed, cells=random_cells(shape)))), "p").startswith("<svg")


def test_the_same_cells_give_the_same_bytes(assessed):
    some = replace(assessed, cells=random_cells((20, 10)))
    assert figure_svg(maps(some)) == figure_svg(maps(some))


def test_more_features_than_anybody_reads_are_left_out_and_this_is_said(assessed):
    figure = maps(replace(assessed, cells=random_cells((2,) * 9)))
    assert len(figure.axes) == 8 * 3
    assert figure.get_suptitle() == "The first 8 of 9 features"


def test_a_real_assessment_draws_its_own_maps(assessed):
    figure = assessed.plot(names=["speed", "distance"])
    require_readable(figure)
    assert [figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()] == ["speed", "distance"]
    shown = shown_blocks(figure.axes[0], (50, 50))
    np.testing.assert_allclose(shown.ravel(), assessed.cells.mass * len(assessed.cells))


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
def test_words_on_maps_do_not_touch(assessed, dimensions):
    shape = {1: (900,), 2: (300, 170), 3: (20, 30, 10), 4: (3, 4, 2, 3)}[dimensions]
    require_readable(maps(replace(assessed, cells=random_cells(shape, domain=DOMAINS[dimensions]))))


def blocks_of(values, shape, size, combine):
    """Values of cells drawn together in blocks of so many along each feature."""
    found = {}
    for place, value in zip(product(*map(range, shape)), values, strict=True):
        block = tuple(number // size for number in place)
        found.setdefault(block, []).append(value)
    table = np.empty([1 + max(block[axis] for block in found) for axis in range(len(shape))])
    for block, inside in found.items():
        table[block] = combine(inside)
    return table


def test_the_panels_of_a_map_show_sums_and_the_highest_risk_of_their_blocks(assessed):
    for shape, most, size in (((12, 9), 6, 2), ((7, 5), 4, 2)):
        cells = random_cells(shape)
        density, _, risk, contribution = maps(replace(assessed, cells=cells), most_pixels=most).axes[:4]
        part, mass, highest, counted, crossed = (
            blocks_of(values, shape, size, combine)
            for values, combine in (
                (cells.contribution, sum),
                (cells.mass, sum),
                (cells.risk, max),
                (np.ones(len(cells)), sum),
                (cells.source == CROSS_BOUNDARY, any),
            )
        )
        crossed = crossed.astype(bool)
        np.testing.assert_allclose(shown_blocks(density, mass.shape), mass / counted * len(cells), err_msg=str(shape))
        shown = shown_blocks(contribution, mass.shape)
        np.testing.assert_allclose(shown.filled(0), part, err_msg=str(shape))
        np.testing.assert_array_equal(np.ma.getmaskarray(shown), part == 0)
        found = shown_blocks(risk, mass.shape)
        np.testing.assert_allclose(found[~crossed].filled(0), highest[~crossed], err_msg=str(shape))
        assert (found[crossed] > 1).all(), shape
        assert to_rgb(risk.images[0].cmap(risk.images[0].norm(2.0))) == to_rgb(INK)


def test_a_profile_that_is_flat_is_1_everywhere_also_where_cells_are_cut_off(assessed):
    grid = Grid.of(((0, 10), (-1, 1)), (3, 0.6), dimensions=2)
    lower, upper = grid.corners(slice(None))
    cells = replace(cells_of((4, 4)), grid=grid, mass=(upper - lower).prod(axis=1) / 20)
    shown = maps(replace(assessed, cells=cells), most_pixels=3).axes[0]
    np.testing.assert_allclose(shown_blocks(shown, (2, 2)), 1)


def test_a_block_that_is_cut_off_ends_at_the_frame(assessed):
    cells = replace(cells_of((4, 4)), grid=Grid.of((0, 1), 0.3, dimensions=2))
    axes = maps(replace(assessed, cells=cells)).axes[0]
    assert axes.get_xlim() == axes.get_ylim() == (0, 1)
    assert axes.images[0].get_extent() == pytest.approx([0, 1.2, 0, 1.2])


def test_one_failing_cell_of_a_quarter_of_a_million_is_seen(assessed):
    """In the picture itself: red dots at its place, and nowhere else in the panel."""
    cell = np.ravel_multi_index((123, 321), (500, 500))
    figure = drawn(maps(replace(assessed, cells=cells_of((500, 500), np.arange(250_000) == cell))), dpi=100)
    picture = np.asarray(figure.canvas.buffer_rgba())[::-1, :, :3].astype(int)
    box = figure.axes[2].get_window_extent()
    panel = picture[int(box.y0) + 3 : int(box.y1) - 3, int(box.x0) + 3 : int(box.x1) - 3]
    rows, columns = np.nonzero(panel.sum(axis=2) < 600)
    assert len(rows) >= 4
    height, width = panel.shape[:2]
    assert np.abs(columns / width - 123.5 / 500).max() < 0.02
    assert np.abs(rows / height - 321.5 / 500).max() < 0.02


def test_maps_without_failures_or_of_one_cell_are_drawn(assessed):
    for shape in [(1,), (1, 1), (1, 1, 1), (20,), (6, 7), (3, 4, 5)]:
        for risk in [0.0, 1.0, 1e-300]:
            drawn(maps(replace(assessed, cells=cells_of(shape, np.full(int(np.prod(shape)), risk)))))


def test_the_largest_contributions_are_ringed_where_they_stand_apart(assessed):
    risk = np.zeros((50, 50))
    risk[10, 10], risk[10, 11], risk[40, 10], risk[25, 25] = 1.0, 0.9, 0.5, 0.4
    apart = np.array([[10.5, 10.5], [40.5, 10.5], [25.5, 25.5]]) / 50
    for top, expected in ((3, apart), (1, apart[:1])):
        axes = maps(replace(assessed, cells=cells_of((50, 50), risk.ravel())), top=top).axes[3]
        rings = next(line.get_xydata() for line in axes.lines if line.get_marker() == "o")
        np.testing.assert_allclose(rings, expected, err_msg=str(top))


def test_colours_of_labels_are_mixed_and_one_cross_boundary_cell_blackens_its_block(assessed):
    source = np.full((4, 4), EMPTY, np.uint8)
    source[:2, :2] = NORMAL
    source[3, 3] = CROSS_BOUNDARY
    axes = maps(replace(assessed, cells=cells_of((4, 4), source=source.ravel())), most_pixels=2).axes[1]
    shown = shown_blocks(axes, (2, 2))
    np.testing.assert_allclose(shown[0, 0], to_rgb(BLUE))
    np.testing.assert_allclose(shown[1, 1], to_rgb(INK))


def test_names_must_be_one_for_each_feature(assessed):
    with pytest.raises(InvalidInput, match="names must be one for each of the 2 features"):
        assessed.plot(names=["x"])


def sample_of(dimensions, *, rows=200, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.beta(2, 3, (rows, dimensions))
    return Sample(points, np.where(points[:, 0] > 0.4, "red", "green"), ("green", "red"), KDE(0.1).fit(points), (0, 1))


def parts_of(sample):
    return sample.points, sample.labels, sample.classes, sample.profile, sample.domain


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_data_and_profile_are_drawn_and_can_be_read(dimensions):
    require_readable(data_and_profile(*parts_of(sample_of(dimensions))))


def test_the_profile_shown_is_the_density_of_scikit_learn():
    from sklearn.neighbors import KernelDensity

    sample = sample_of(2)
    image = data_and_profile(*parts_of(sample)).axes[1]
    shown = shown_blocks(image, (120, 120))
    centres = (np.arange(120) + 0.5) / 120
    x, y = np.meshgrid(centres, centres, indexing="ij")
    other = np.exp(
        KernelDensity(bandwidth=0.1).fit(sample.points).score_samples(np.column_stack([x.ravel(), y.ravel()]))
    )
    np.testing.assert_allclose(shown, (other / other.mean()).reshape(120, 120), rtol=5e-3)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_points_have_the_colour_of_their_class(dimensions):
    sample = sample_of(dimensions)
    dots = data_and_profile(*parts_of(sample)).axes[0].collections[0]
    places, colours = np.asarray(dots.get_offsets()), dots.get_facecolors()[:, :3]
    np.testing.assert_allclose(colours, [to_rgb(RED if x > 0.4 else BLUE) for x, _ in places])
    assert len(places) == 200


def test_a_figure_of_data_shows_three_features_at_most():
    with pytest.raises(InvalidInput, match="up to 3 features"):
        data_and_profile(*parts_of(sample_of(4)))


def test_sets_stand_side_by_side():
    figure = data_sets({"sparse": sample_of(2, rows=50), "dense, $5": sample_of(2, rows=12_000)})
    assert [axes.get_title(loc="left") for axes in figure.axes[:2]] == ["sparse: 50 points", "dense, $5: 12,000 points"]
    require_readable(figure)
    clean_svg(figure_svg(figure), "p")


def test_sets_that_cannot_stand_side_by_side_are_refused():
    for named in [{}, {"one": 2}, {"two": 2, "three": 3}]:
        with refused(named, InvalidInput, match="two or more sets"):
            data_sets({name: sample_of(dimensions) for name, dimensions in named.items()})


def test_growth_shows_mean_and_limit(assessed):
    table = assessed.by_k()
    upper, mean = growth_by_k(table).axes[0].lines
    for line, column in ((mean, 1), (upper, 3)):
        np.testing.assert_allclose(line.get_xydata(), [(row[0], row[column]) for row in table.rows])
    require_readable(growth_by_k(table))


def test_growth_of_one_k_is_drawn():
    drawn(growth_by_k(Table(("k", "mean", "sd", "upper"), ((10, 0.0, 0.0, 0.0),))))


ROWS = (
    ("cells alone, normal approximation", "votes, kernel", 0.0049, 0.00491, 0.00492, "contradict it"),
    ("cells alone, bootstrap", "votes, kernel", 0.0, 0.0, 0.0, "contradict it"),
    ("exact binomial (used)", "held-out labels", 0.018, 0.0266, 0.0283, ""),
    ("difference, distribution-free", "held-out labels, operation", 0.017, 0.4, 1.0, ""),
)


def colours_of(figure):
    """Colour of the limit at the highest level of each row, from the top."""
    marks = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "D", "<")]
    return [mark.get_markerfacecolor() for mark in marks][1::2]


def test_limits_below_the_exact_interval_of_the_tests_are_marked():
    from scipy.stats import binomtest

    figure = limits_figure(Table(COLUMNS, ROWS), 18, 1000)
    interval = binomtest(18, 1000).proportion_ci(0.95)
    assert colours_of(figure) == [RED if row[4] < interval.low else BLUE for row in ROWS] == [RED, RED, BLUE, BLUE]
    band = figure.axes[0].patches[0]
    assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((interval.low, interval.high))
    require_readable(figure)


def test_the_limit_that_is_used_stands_out():
    labels = limits_figure(Table(COLUMNS, ROWS), 18, 1000).axes[0].get_yticklabels()
    assert [label.get_fontweight() for label in labels] == ["normal", "normal", "bold", "normal"]


def test_limits_are_drawn_without_tests_and_for_none_or_all_failed():
    for tests in [(), (0, 0), (0, 50), (50, 50)]:
        for rows in [ROWS, ROWS[1:2]]:
            figure = limits_figure(Table(COLUMNS, rows), *tests)
            require_readable(figure)
            assert RED in colours_of(figure) if tests == (50, 50) else RED not in colours_of(figure), tests


def test_limits_of_a_real_assessment_are_drawn(assessed):
    failed = assessed.correction.failed
    require_readable(limits_figure(assessed.limits, int(failed.sum()), failed.size))
