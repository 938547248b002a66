"""Bounds of a component's failure probability, each with what it assumes.

Distribution-free: binomial (Clopper-Pearson, Jeffreys, Wilson), bounded losses (Hoeffding, empirical
Bernstein, betting), conservative Bayesian, importance-weighted, stratified, grouped and
serial bounds; trials needed, and risk budgets (Braband and Schaebe 2020). Normal scores: NRB (Guenther and Liggesmeyer,
"Single-valued Risk Bound for Normal Classifiers") with the checks of its assumptions, and the exact
bound beside it. May import ``core`` and ``drawing``, and loads ``scipy.special`` at most.
"""

from surefoot.bounds.bayes import conservative_bayes
from surefoot.bounds.betting import ConfidenceSequence, betting, betting_sequence
from surefoot.bounds.binomial import clopper_pearson, jeffreys, wilson
from surefoot.bounds.bounded import bentkus, empirical_bernstein, hoeffding, normal_approximation
from surefoot.bounds.budget import Budget, Spending, Spent, risk_budget
from surefoot.bounds.checks import (
    anderson_darling,
    assumption_checks,
    duplicates,
    jarque_bera,
    normality,
    shapiro_wilk,
    split_half_drift,
)
from surefoot.bounds.figures import (
    plot_anderson_darling,
    plot_assumption_checks,
    plot_duplicates,
    plot_jarque_bera,
    plot_score_surface,
    plot_shapiro_wilk,
    plot_split_half_drift,
)
from surefoot.bounds.groups import GroupEffect, duplicate_groups, effective_sample_size, grouped, one_of_each_group
from surefoot.bounds.margins import margins, mode_margins
from surefoot.bounds.needed import fresh_tests, needed
from surefoot.bounds.normal_coverage import critical_ratio, normal_score_violation
from surefoot.bounds.normal_exact import normal_exact
from surefoot.bounds.normal_minimum import normal_score_minimum
from surefoot.bounds.normal_score import ScoreBudget, normal_score, normal_score_budget, normal_score_by_mode
from surefoot.bounds.planning import Demonstration, TrialPlan, demonstration, trials_needed, trials_needed_by_stratum
from surefoot.bounds.predicted import difference, predicted_failures
from surefoot.bounds.serial import sequence, serial_dependence
from surefoot.bounds.stratified import stratified
from surefoot.bounds.weighted import effective_weight_count, weighted

__all__ = [
    "Budget",
    "ConfidenceSequence",
    "Demonstration",
    "GroupEffect",
    "ScoreBudget",
    "Spending",
    "Spent",
    "TrialPlan",
    "anderson_darling",
    "assumption_checks",
    "bentkus",
    "betting",
    "betting_sequence",
    "clopper_pearson",
    "conservative_bayes",
    "critical_ratio",
    "demonstration",
    "difference",
    "duplicate_groups",
    "duplicates",
    "effective_sample_size",
    "effective_weight_count",
    "empirical_bernstein",
    "fresh_tests",
    "grouped",
    "hoeffding",
    "jarque_bera",
    "jeffreys",
    "margins",
    "mode_margins",
    "needed",
    "normal_approximation",
    "normal_exact",
    "normal_score",
    "normal_score_budget",
    "normal_score_by_mode",
    "normal_score_minimum",
    "normal_score_violation",
    "normality",
    "one_of_each_group",
    "plot_anderson_darling",
    "plot_assumption_checks",
    "plot_duplicates",
    "plot_jarque_bera",
    "plot_score_surface",
    "plot_shapiro_wilk",
    "plot_split_half_drift",
    "predicted_failures",
    "risk_budget",
    "sequence",
    "serial_dependence",
    "shapiro_wilk",
    "split_half_drift",
    "stratified",
    "trials_needed",
    "trials_needed_by_stratum",
    "weighted",
    "wilson",
]
