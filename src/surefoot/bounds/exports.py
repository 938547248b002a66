"""The bounds that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.bounds.betting import betting
    from surefoot.bounds.binomial import clopper_pearson, conservative_bayes, jeffreys, wilson
    from surefoot.bounds.closed_form import bentkus, empirical_bernstein, hoeffding, normal_approximation
    from surefoot.bounds.dependence import grouped, sequence
    from surefoot.bounds.normal_score import normal_exact, normal_score
    from surefoot.bounds.operational_risk import stratified, weighted
    from surefoot.bounds.prediction_powered import predicted_failures

__all__ = [
    "bentkus",
    "betting",
    "clopper_pearson",
    "conservative_bayes",
    "empirical_bernstein",
    "grouped",
    "hoeffding",
    "jeffreys",
    "normal_approximation",
    "normal_exact",
    "normal_score",
    "predicted_failures",
    "sequence",
    "stratified",
    "weighted",
    "wilson",
]
