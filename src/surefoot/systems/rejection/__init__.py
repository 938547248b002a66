"""Rejecting the answers a system is likely to get wrong, and what that is worth (paper SYS, section 4.5).

Here live the five strategies of the paper (Wang et al. 2022) and errors learned from all scores with cross-fitting
(``strategies``), their gain at chosen rates (SYS Tables 26 and 27) and at every share of accepted answers
(``comparison``), a threshold with a guarantee on the error of accepted answers (``acceptance``), and believing the
right one of several modules (``alternatives``). May import ``core``, ``metrics``, ``drawing``, ``bounds``,
``monitors``, ``systems.data`` and ``systems.tables``; scikit-learn where it is used.
"""

from surefoot.systems.rejection.acceptance import Acceptance, accept_below, accept_below_predicted
from surefoot.systems.rejection.alternatives import average_unless_rejected, chosen_module, switching
from surefoot.systems.rejection.comparison import RiskCoverage, rejections, risk_coverage
from surefoot.systems.rejection.strategies import STRATEGIES, ErrorModel, Lists, fold_of, predicted_errors

__all__ = [
    "STRATEGIES",
    "Acceptance",
    "ErrorModel",
    "Lists",
    "RiskCoverage",
    "accept_below",
    "accept_below_predicted",
    "average_unless_rejected",
    "chosen_module",
    "fold_of",
    "predicted_errors",
    "rejections",
    "risk_coverage",
    "switching",
]
