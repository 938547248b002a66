"""Subjective logic: beliefs that carry their own uncertainty.

Here live binomial, multinomial and hyper-opinions and their operators (Jøsang, Subjective Logic,
2016), and the opinions formed from metrics of machine learning (paper SL: Herd & Burton 2024). May
import ``core`` and ``drawing``, and loads ``scipy.special`` at most.
"""

from surefoot.opinions import plots
from surefoot.opinions.combination_coverage import EXAMPLE_ODD, CombinationCoverage, covering_rows, t_way_coverage
from surefoot.opinions.conditionals import Conditionals, abduce, deduce, invert, marginal_base_rate
from surefoot.opinions.fusion import fuse
from surefoot.opinions.metrics import (
    CONFIDENCES,
    LIKELIHOODS,
    accuracy,
    brier,
    coverage,
    expected_calibration_error,
    f1,
    judgement,
    judgement_table,
    precision,
    recall,
    score,
    specificity,
)
from surefoot.opinions.multinomial import HyperOpinion, MultinomialOpinion
from surefoot.opinions.opinion import (
    Opinion,
    add,
    codivide,
    conjunction,
    disjunction,
    divide,
    maximise_uncertainty,
    subtract,
)
from surefoot.opinions.trust import Link, Sensitivity, TrustNetwork, chain, chain_steps, coverage_sensitivity

__all__ = [
    "CONFIDENCES",
    "EXAMPLE_ODD",
    "LIKELIHOODS",
    "CombinationCoverage",
    "Conditionals",
    "HyperOpinion",
    "Link",
    "MultinomialOpinion",
    "Opinion",
    "Sensitivity",
    "TrustNetwork",
    "abduce",
    "accuracy",
    "add",
    "brier",
    "chain",
    "chain_steps",
    "codivide",
    "conjunction",
    "coverage",
    "coverage_sensitivity",
    "covering_rows",
    "deduce",
    "disjunction",
    "divide",
    "expected_calibration_error",
    "f1",
    "fuse",
    "invert",
    "judgement",
    "judgement_table",
    "marginal_base_rate",
    "maximise_uncertainty",
    "plots",
    "precision",
    "recall",
    "score",
    "specificity",
    "subtract",
    "t_way_coverage",
]
