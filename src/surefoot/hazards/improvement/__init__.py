"""What to improve, what to test, and what became of it: the loops of Figure 4 of paper RAM (Dong et al. 2023).

``test_plan`` turns a top event's budget into tests, ``improvements`` ranks events by what they could do, ``candidates``
compares combinations of measures, and ``compare`` says whether a component that was retrained fails less often by more
than noise. May import ``surefoot.core``, ``drawing``, ``bounds`` and ``faulttree``.
"""

from surefoot.hazards.improvement.combinations import Candidates, Combination, candidates
from surefoot.hazards.improvement.countermeasures import Barrier, Candidate, Times, candidates_from_plain
from surefoot.hazards.improvement.priorities import Improvement, Improvements, improvements
from surefoot.hazards.improvement.retraining import Comparison, ComponentChange, compare
from surefoot.hazards.improvement.tests_needed import PlannedTests, TestPlan
from surefoot.hazards.improvement.tests_needed import plan_tests as test_plan

__all__ = [
    "Barrier",
    "Candidate",
    "Candidates",
    "Combination",
    "Comparison",
    "ComponentChange",
    "Improvement",
    "Improvements",
    "PlannedTests",
    "TestPlan",
    "Times",
    "candidates",
    "candidates_from_plain",
    "compare",
    "improvements",
    "test_plan",
]
