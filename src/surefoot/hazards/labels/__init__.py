"""Which operational inputs to label next, and the failure probability from such labels.

Labels are the costly part of the second loop of Figure 4 of paper RAM (Dong et al. 2023, section 3.2). Operational
inputs fall into strata by what the model says of them; labels are spent where they tighten the top event most; inputs
are drawn at random inside a stratum, so that the failure probability stays estimable. How the labels of a component are
shared among its strata depends on no outcome. May import ``surefoot.core`` and ``surefoot.bounds``.
"""

from surefoot.hazards.labels.failure_probability import stratified_posterior, stratified_risk
from surefoot.hazards.labels.label_plan import LabelPlan, LabelRequest, PlannedRow, plan_labels
from surefoot.hazards.labels.strata import FailureCriterion, Labelled, RiskStrata, Tally, read_labels, write_sheet

__all__ = [
    "FailureCriterion",
    "LabelPlan",
    "LabelRequest",
    "Labelled",
    "PlannedRow",
    "RiskStrata",
    "Tally",
    "plan_labels",
    "read_labels",
    "stratified_posterior",
    "stratified_risk",
    "write_sheet",
]
