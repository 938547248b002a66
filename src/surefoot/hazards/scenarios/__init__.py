"""Chains from cause to consequence, and the fault trees they merge into (paper RAM, section 3.2, Figures 17 and 18).

Here live the model of chains and its file, drafts from worksheet rows, the merging into gates with conflicts and loops
reported, and the trace between rows, events and top events. May import ``core``, ``faulttree`` and
``hazards.worksheet``.
"""

from surefoot.hazards.scenarios.chains import Scenario, Scenarios
from surefoot.hazards.scenarios.trees import Difference, Study, Trace, compare, drafted, fault_tree, trace

__all__ = ["Difference", "Scenario", "Scenarios", "Study", "Trace", "compare", "drafted", "fault_tree", "trace"]
