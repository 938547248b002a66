"""What to improve, what to test, and what became of it: the loops of Figure 4 of paper RAM (Dong et al. 2023).

``test_plan`` turns a top event's budget into tests, ``improvements`` ranks events by what they could do, ``candidates``
compares combinations of measures, and ``compare`` says whether a component that was retrained fails less often by more
than noise. May import ``surefoot.core``, ``drawing``, ``bounds`` and ``faulttree``.
"""

from surefoot.hazards.improvement.candidate import Barrier, Candidate, Times
from surefoot.hazards.improvement.candidates import candidates
from surefoot.hazards.improvement.candidates_result import Candidates
from surefoot.hazards.improvement.comparison import compare
from surefoot.hazards.improvement.comparison_result import Comparison, ComponentChange
from surefoot.hazards.improvement.improvement import Improvement
from surefoot.hazards.improvement.improvements import improvements
from surefoot.hazards.improvement.improvements_result import Improvements
from surefoot.hazards.improvement.option import Option
from surefoot.hazards.improvement.plain import candidates_from_plain
from surefoot.hazards.improvement.plan import TestPlan
from surefoot.hazards.improvement.plan_row import PlannedTests
from surefoot.hazards.improvement.planning import plan_tests as test_plan

__all__ = [
    "Barrier",
    "Candidate",
    "Candidates",
    "Comparison",
    "ComponentChange",
    "Improvement",
    "Improvements",
    "Option",
    "PlannedTests",
    "TestPlan",
    "Times",
    "candidates",
    "candidates_from_plain",
    "compare",
    "improvements",
    "test_plan",
]
