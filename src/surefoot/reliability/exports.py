"""The cell estimators and ball estimators that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.reliability.balls.splitting import MultilevelSplitting
    from surefoot.reliability.exact_trees import ExactTrees
    from surefoot.reliability.interval import Interval
    from surefoot.reliability.monte_carlo import MonteCarlo

__all__ = ["ExactTrees", "Interval", "MonteCarlo", "MultilevelSplitting"]
