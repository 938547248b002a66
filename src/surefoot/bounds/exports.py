"""The bounds that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.bounds.bayes import conservative_bayes
    from surefoot.bounds.betting import betting
    from surefoot.bounds.binomial import clopper_pearson, jeffreys, wilson
    from surefoot.bounds.bounded import bentkus, empirical_bernstein, hoeffding, normal_approximation
    from surefoot.bounds.groups import grouped
    from surefoot.bounds.normal_exact import normal_exact
    from surefoot.bounds.normal_score import normal_score
    from surefoot.bounds.predicted import predicted_failures
    from surefoot.bounds.serial import sequence
    from surefoot.bounds.stratified import stratified
    from surefoot.bounds.weighted import weighted

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
