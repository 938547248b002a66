"""Return functions: what a prediction, with an alarm or without, is worth to safety and to the mission.

``Stakes`` holds what is at stake at each input, ``Returns`` what a monitor made of it, ``Sweep`` what units are worth
at many thresholds; the other modules are ready return functions of paper MON (Guerin et al. 2022, section III):
``errors``, ``threats``, ``severity``, ``objects``, ``episodes`` from ``Rewards``, and ``Landing``. May import ``core``,
``metrics`` and ``bounds``.
"""

from typing import TYPE_CHECKING

from surefoot.monitors.returns.landing import Landing, disc, zone_hazard, zone_safety
from surefoot.monitors.returns.rewards import (
    ReturnInterval,
    Rewards,
    discounted_interval,
    discounted_return,
    finite_return,
)
from surefoot.monitors.returns.stakes import Returns, Stakes, Sweep, return_function

__all__ = [
    "Landing",
    "ReturnInterval",
    "Returns",
    "Rewards",
    "Stakes",
    "Sweep",
    "disc",
    "discounted_interval",
    "discounted_return",
    "finite_return",
    "return_function",
    "zone_hazard",
    "zone_safety",
]
# What is registered; written by `make generated`.
if TYPE_CHECKING:
    from surefoot.monitors.returns.classification import errors, objects, severity, threats
    from surefoot.monitors.returns.rewards import episodes
__all__ += ["episodes", "errors", "objects", "severity", "threats"]
# End of what `make generated` writes.
return_function.show(__name__)
