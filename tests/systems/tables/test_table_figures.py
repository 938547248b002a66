import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.drawing import clean_svg, figure_svg
from surefoot.systems import tables


def svg(axes):
    return clean_svg(figure_svg(axes.figure), "f")


def test_drops_are_drawn_with_their_severities(two_modules):
    drawn = svg(tables.plot_drops(tables.performance(two_modules(), draws=100)))
    assert "relative drop, 95% intervals" in drawn
    assert ">snow<" in drawn


def test_what_is_drawn_can_be_asked_to_draw_itself(two_modules):
    drops, tested = tables.performance(two_modules(), draws=100), tables.shifts(two_modules(), "strangeness")
    assert svg(drops.plot()) == svg(tables.plot_drops(drops))
    assert svg(tested.plot()) == svg(tables.plot_cells(tested))


def test_systems_are_told_apart_by_a_legend(two_modules):
    several = tables.side_by_side({"one $x$": two_modules(seed=1), "two": two_modules(seed=2)}, draws=100)
    drawn = svg(tables.plot_drops(several))
    assert "one $x$" in drawn
    assert ">two<" in drawn


@pytest.mark.parametrize("table_of", [tables.shifts, tables.rank_correlations, tables.error_changes])
def test_statistics_are_drawn_cell_by_cell(two_modules, table_of):
    found = table_of(two_modules(), "strangeness")
    drawn = svg(tables.plot_cells(found))
    shown = [cell for cell in found.cells if not cell.condition.clean]
    assert all(
        f">{cell.value:.2f}<" in drawn or f">{cell.value:.2f}<".replace("-0.00", "0.00") in drawn for cell in shown
    )
    assert all(found.label(cell) in drawn for cell in shown)


def test_overlaps_are_drawn(two_modules):
    assert "encoder / decoder kde top 10%" in svg(tables.plot_cells(tables.overlaps(two_modules(), shares=(0.1,))))


def test_undefined_cells_stay_empty(measured_of):
    found = tables.error_changes(measured_of(scores={"m kde": [np.ones(4), np.ones(4)]}), "strangeness")
    assert "nan" not in svg(tables.plot_cells(found)).lower()


def test_nothing_to_draw_is_refused(measured_of):
    with pytest.raises(InvalidInput, match="no corrupted condition"):
        tables.plot_drops(tables.performance(measured_of([np.arange(5.0)]), draws=100))
