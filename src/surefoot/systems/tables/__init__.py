"""Tables of research questions 0 to 3 of paper SYS (Wang et al. 2022, sections 4.1 to 4.4), for any system.

``Measurements`` holds what was measured item by item; each table is a function of it: ``performance`` (RQ0), ``shifts``
(RQ1 and RQ2), ``overlaps`` and ``rank_correlations`` (RQ1), ``score_changes`` (RQ2), ``error_changes`` (RQ3).
``as_in_paper`` prints them as the paper does, ``figures`` draws them. May import ``core``, ``metrics``, ``drawing``,
``monitors`` and ``systems.data``; scipy.stats where it is used.
"""

from surefoot.systems.tables.correlations import error_changes, overlaps, rank_correlations, score_changes
from surefoot.systems.tables.degradation import Drop, Performance, performance, shifts, side_by_side
from surefoot.systems.tables.inference import Cell, Measurements, MemoryColumns, Score, Tested
from surefoot.systems.tables.presentation import as_in_paper, plot_cells, plot_drops

__all__ = [
    "Cell",
    "Drop",
    "Measurements",
    "MemoryColumns",
    "Performance",
    "Score",
    "Tested",
    "as_in_paper",
    "error_changes",
    "overlaps",
    "performance",
    "plot_cells",
    "plot_drops",
    "rank_correlations",
    "score_changes",
    "shifts",
    "side_by_side",
]
