"""Uncertainty of a model's answers, from repeated passes or from one.

``passes`` are made by dropout, by an ensemble of models or by changed inputs; ``measures`` say how far their answers
lie apart, and how flat class probabilities are. May import ``core``, ``metrics``, ``adapters`` and
``monitors.features``; torch where it is used.
"""

from surefoot.monitors.uncertainty.measures import (
    deep_gini,
    entropy,
    expected_entropy,
    mode_variation_ratio,
    mutual_information,
    pcs,
    predictive_entropy,
    variation_ratio,
    variation_ratio_original,
)
from surefoot.monitors.uncertainty.passes import (
    IdenticalPasses,
    augmented_passes,
    dropout_on,
    ensemble_passes,
    mc_dropout,
)

__all__ = [
    "IdenticalPasses",
    "augmented_passes",
    "deep_gini",
    "dropout_on",
    "ensemble_passes",
    "entropy",
    "expected_entropy",
    "mc_dropout",
    "mode_variation_ratio",
    "mutual_information",
    "pcs",
    "predictive_entropy",
    "variation_ratio",
    "variation_ratio_original",
]
