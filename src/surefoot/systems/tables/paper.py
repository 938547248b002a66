"""Tables as paper SYS prints them: a row for each corruption and severity, a column for each module or system."""

from __future__ import annotations

from collections.abc import Mapping

from surefoot.core import Table
from surefoot.systems.data.conditions import Condition
from surefoot.systems.tables.performance import Drop, Interval, Performance
from surefoot.systems.tables.tested import Cell, Tested

UNDEFINED = "-"
NOT_SIGNIFICANT = "*"


def as_in_paper(
    found: Tested | Performance | Mapping[str, Performance], *, for_all: bool = False, intervals: bool = False
) -> Table:
    """A table of words; ``*`` marks what is not significant, ``-`` what is undefined.

    Significant is judged test by test as in the paper, or for all tests together (``for_all``). ``intervals`` adds
    intervals. Several performances (``side_by_side``) stand beside each other, as in Tables 4 to 7.
    """
    if isinstance(found, Tested):
        return _of_tests(found, for_all, intervals)
    return _of_performances({"": found} if isinstance(found, Performance) else found, intervals)


def _of_tests(tested: Tested, for_all: bool, intervals: bool) -> Table:
    rows = dict.fromkeys((cell.condition, cell.against) for cell in tested.cells)
    columns = dict.fromkeys(tested.label(cell) for cell in tested.cells)
    cells = {(cell.condition, tested.label(cell)): cell for cell in tested.cells}
    words = [
        (*_where(condition, against), *(_cell(tested, cells.get((condition, c)), for_all, intervals) for c in columns))
        for condition, against in rows
    ]
    return Table(("corruption", "severity", *columns), tuple(words))


def _where(condition: Condition, against: Condition | None) -> tuple[str, str]:
    if condition.clean:
        return "clean", UNDEFINED
    milder = "" if against is None else " - clean" if against.clean else f" - {against.severity}"
    return condition.corruption, f"{condition.severity}{milder}"


def _cell(tested: Tested, cell: Cell | None, for_all: bool, intervals: bool) -> str:
    if cell is None or cell.value is None:
        return UNDEFINED
    share = tested.statistic == "overlap"
    significant = cell.significant_all if for_all else cell.significant
    number = f"{100 * cell.value:.1f}%" if share else fixed(cell.value, 2)
    return f"{number}{'' if significant else NOT_SIGNIFICANT}{_range(cell.interval, 2) if intervals else ''}"


def _of_performances(several: Mapping[str, Performance], intervals: bool) -> Table:
    conditions = dict.fromkeys(drop.condition for each in several.values() for drop in each.drops)
    known = {(name, drop.condition): drop for name, each in several.items() for drop in each.drops}
    heads = [f"{name} {head}".strip() for name, each in several.items() for head in (each.metric.name, "drop (%)")]
    rows = [
        (
            *_where(condition, None),
            *(text for name in several for text in _texts(known.get((name, condition)), intervals)),
        )
        for condition in conditions
    ]
    return Table(("corruption", "severity", *heads), tuple(rows))


def _texts(drop: Drop | None, intervals: bool) -> tuple[str, str]:
    if drop is None:
        return UNDEFINED, UNDEFINED
    ends = None if drop.drop_interval is None else (100 * drop.drop_interval[0], 100 * drop.drop_interval[1])
    value = UNDEFINED if drop.value is None else fixed(drop.value, 3)
    share = UNDEFINED if drop.drop is None else fixed(100 * drop.drop, 1)
    return (value + _range(drop.interval, 3), share + _range(ends, 1)) if intervals else (value, share)


def _range(interval: Interval | None, digits: int) -> str:
    return "" if interval is None else f" [{fixed(interval[0], digits)}, {fixed(interval[1], digits)}]"


def fixed(value: float, digits: int) -> str:
    """A number with so many digits, and no sign on a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"
