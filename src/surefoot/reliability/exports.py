"""The cell estimators and ball estimators that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.reliability.monte_carlo import MonteCarlo
    from surefoot.reliability.proofs.box_proofs import Interval
    from surefoot.reliability.proofs.exact_trees import ExactTrees
    from surefoot.reliability.rare_events.splitting import MultilevelSplitting

__all__ = ["ExactTrees", "Interval", "MonteCarlo", "MultilevelSplitting"]
