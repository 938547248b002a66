"""Tables of research questions 0 to 3 of paper SYS (Wang et al. 2022, sections 4.1 to 4.4), for any system.

``Measured`` holds what was measured item by item; each table is a function of it: ``performance`` (RQ0), ``shifts``
(RQ1 and RQ2), ``overlaps`` and ``rank_correlations`` (RQ1), ``score_changes`` (RQ2), ``error_changes`` (RQ3).
``as_in_paper`` prints them as the paper does, ``figures`` draws them. May import ``core``, ``metrics``, ``drawing``,
``monitors`` and ``systems.data``; scipy.stats where it is used.
"""

from surefoot.systems.tables.correlations import error_changes, rank_correlations, score_changes
from surefoot.systems.tables.figures import plot_cells, plot_drops
from surefoot.systems.tables.measured import Kept, Measured, Score
from surefoot.systems.tables.overlaps import overlaps
from surefoot.systems.tables.paper import as_in_paper
from surefoot.systems.tables.performance import Drop, Performance, performance, side_by_side
from surefoot.systems.tables.shifts import shifts
from surefoot.systems.tables.tested import Cell, Tested

__all__ = [
    "Cell",
    "Drop",
    "Kept",
    "Measured",
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
