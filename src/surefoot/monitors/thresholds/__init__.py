"""Thresholds under a budget, with a guarantee where one is asked for.

``by_hazard`` and ``by_availability`` keep residual hazard or availability cost within a budget: in the sample, in
expectation or with a stated probability (``risk_control``); ``by_utility`` weighs one against the other. Figures are
those of paper MON (Guerin et al. 2022, section II), units of calibration are in ``calibration``. May import ``core``,
``drawing``, ``bounds``, ``monitors.returns`` and ``monitors.evaluation``.
"""

from surefoot.monitors.thresholds.calibration import grid_of
from surefoot.monitors.thresholds.choice import Choice
from surefoot.monitors.thresholds.objectives import by_availability, by_hazard, by_utility

__all__ = ["Choice", "by_availability", "by_hazard", "by_utility", "grid_of"]
