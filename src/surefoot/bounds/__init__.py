"""Bounds of a component's failure probability, each with what it assumes.

Distribution-free: binomial (Clopper-Pearson, Jeffreys, Wilson), bounded losses (Hoeffding, empirical
Bernstein, betting), conservative Bayesian, importance-weighted, stratified, grouped and
serial bounds; trials needed, and risk budgets (Braband and Schaebe 2020). Normal scores: NRB (Guenther and Liggesmeyer,
"Single-valued Risk Bound for Normal Classifiers") with the checks of its assumptions, and the exact
bound beside it. May import ``core`` and ``drawing``, and loads ``scipy.special`` at most.
"""

from typing import TYPE_CHECKING

from surefoot.bounds.assumption_tests import (
    anderson_darling,
    assumption_checks,
    duplicates,
    jarque_bera,
    normality,
    outcome_drift,
    shapiro_wilk,
    split_half_drift,
)
from surefoot.bounds.betting import ConfidenceSequence, betting_sequence
from surefoot.bounds.class_margins import margins, mode_margins
from surefoot.bounds.dependence import (
    GroupEffect,
    duplicate_groups,
    effective_sample_size,
    serial_dependence,
)
from surefoot.bounds.normal_score import (
    ScoreBudget,
    distant_rows,
    normal_score_budget,
    normal_score_by_mode,
    one_of_each_group,
)
from surefoot.bounds.operational_risk import effective_weight_count
from surefoot.bounds.planning import (
    Budget,
    Demonstration,
    Spending,
    Spent,
    TrialPlan,
    demonstration,
    risk_budget,
    trials_needed,
    trials_needed_by_stratum,
)
from surefoot.bounds.plots import (
    plot_anderson_darling,
    plot_assumption_checks,
    plot_duplicates,
    plot_jarque_bera,
    plot_score_surface,
    plot_shapiro_wilk,
    plot_split_half_drift,
)
from surefoot.bounds.prediction_powered import difference_estimator
from surefoot.bounds.score_function import critical_ratio, normal_score_minimum, normal_score_violation
from surefoot.bounds.shortfall import fresh_tests, needed
from surefoot.bounds.statement import Counts, bound

__all__ = [
    "Budget",
    "ConfidenceSequence",
    "Counts",
    "Demonstration",
    "GroupEffect",
    "ScoreBudget",
    "Spending",
    "Spent",
    "TrialPlan",
    "anderson_darling",
    "assumption_checks",
    "betting_sequence",
    "bound",
    "critical_ratio",
    "demonstration",
    "difference_estimator",
    "distant_rows",
    "duplicate_groups",
    "duplicates",
    "effective_sample_size",
    "effective_weight_count",
    "fresh_tests",
    "jarque_bera",
    "margins",
    "mode_margins",
    "needed",
    "normal_score_budget",
    "normal_score_by_mode",
    "normal_score_minimum",
    "normal_score_violation",
    "normality",
    "one_of_each_group",
    "outcome_drift",
    "plot_anderson_darling",
    "plot_assumption_checks",
    "plot_duplicates",
    "plot_jarque_bera",
    "plot_score_surface",
    "plot_shapiro_wilk",
    "plot_split_half_drift",
    "risk_budget",
    "serial_dependence",
    "shapiro_wilk",
    "split_half_drift",
    "trials_needed",
    "trials_needed_by_stratum",
]
# What is registered; written by `make generated`.
if TYPE_CHECKING:
    from surefoot.bounds.betting import betting
    from surefoot.bounds.binomial import (
        clopper_pearson,
        conservative_bayes,
        garwood,
        jeffreys,
        judged,
        quantile,
        wilson,
    )
    from surefoot.bounds.closed_form import bentkus, empirical_bernstein, hoeffding, normal_approximation
    from surefoot.bounds.dependence import grouped, sequence
    from surefoot.bounds.normal_score import normal_exact, normal_score
    from surefoot.bounds.operational_risk import stratified, weighted
    from surefoot.bounds.prediction_powered import predicted_failures
__all__ += [
    "bentkus",
    "betting",
    "clopper_pearson",
    "conservative_bayes",
    "empirical_bernstein",
    "garwood",
    "grouped",
    "hoeffding",
    "jeffreys",
    "judged",
    "normal_approximation",
    "normal_exact",
    "normal_score",
    "predicted_failures",
    "quantile",
    "sequence",
    "stratified",
    "weighted",
    "wilson",
]
# End of what `make generated` writes.
bound.show(__name__)
