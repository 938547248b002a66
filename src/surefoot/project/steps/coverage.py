"""How much of the operating conditions the test rows show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.core import InvalidInput, Table
from surefoot.opinions import CombinationCoverage, t_way_coverage
from surefoot.project.conditions import as_text

LARGEST_CODE = 2**62
MOST_MISSING = 20
Odd = Mapping[str, Sequence[Any]]


def measured_coverage(tested: Tested, odd: Odd, ways: int) -> CombinationCoverage:
    """Combinations of values of ``ways`` dimensions of the table that occur; rows outside the table show none."""
    lacking = [name for name in odd if name not in tested.attributes]
    if lacking:
        raise InvalidInput(
            "dimensions of the operating conditions are no attributes of the data",
            where=tested.component,
            found=", ".join(lacking),
            remedy="Name their columns under attributes, state the coverage, or say coverage: false.",
        )
    return t_way_coverage(_distinct_rows(tested, odd), odd, min(ways, len(odd)))


def missing(coverage: CombinationCoverage) -> Table:
    """Combinations that no row shows, at most ``MOST_MISSING`` of them."""
    rows = [(", ".join(f"{name} = {as_text(value)}" for name, value in cell.items()),) for cell in coverage.missing]
    if len(rows) > MOST_MISSING:
        rows = [*rows[:MOST_MISSING], (f"and {len(rows) - MOST_MISSING:,} more",)]
    return Table(("combination that no row shows",), tuple(rows))


def _distinct_rows(tested: Tested, odd: Odd) -> list[dict[str, Any]]:
    """Each combination of values once, found without sorting rows of text."""
    places = [_places(tested.attributes[name], values) for name, values in odd.items()]
    inside = np.logical_and.reduce([place >= 0 for place in places])
    kept, shape = [place[inside] for place in places], tuple(len(values) for values in odd.values())
    if math.prod(shape) <= LARGEST_CODE:
        found = np.column_stack(np.unravel_index(np.unique(np.ravel_multi_index(kept, shape)), shape))
    else:
        found = np.unique(np.column_stack(kept), axis=0)
    return [{name: odd[name][place] for name, place in zip(odd, row, strict=True)} for row in found.tolist()]


def _places(column: NDArray[Any], values: Sequence[Any]) -> NDArray[np.int16]:
    """The number of each row's value in the list of values, -1 where it is not in the list."""
    found = np.full(len(column), -1, dtype=np.int16)
    for place, value in enumerate(values):
        found[_equal(column, value)] = place
    return found


def _equal(column: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """Files hold 1, 1.0 and "1" for the same value, so numbers are compared as numbers and the rest as text."""
    if column.dtype.kind in "biuf":
        return np.asarray(column == _number(value))
    same = np.asarray(column == as_text(value))
    return same | (column == value) | (column == _number(value)) if column.dtype.hasobject else same


def _number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan
