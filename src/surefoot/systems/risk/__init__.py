"""Risk: from what was measured item by item to failure probabilities that fault tree, case and verdict consume.

``failures`` gives one Estimate a condition, ``system_failure`` the whole under a ``Mix`` of conditions, that is an
operational profile over them, and ``system_tree`` modules as basic events with the dependence that was measured. The
rest of Surefoot needs what paper SYS (Wang et al. 2022) leaves open. May import ``core``, ``bounds``, ``faulttree``,
``monitors``, ``systems.data`` and ``systems.tables``.
"""

from surefoot.systems.risk.events import chained, system_tree
from surefoot.systems.risk.mix import Mix
from surefoot.systems.risk.probabilities import failures, system_failure
from surefoot.systems.tables.measured import failed

__all__ = ["Mix", "chained", "failed", "failures", "system_failure", "system_tree"]
