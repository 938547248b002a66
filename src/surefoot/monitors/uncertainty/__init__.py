"""Uncertainty of a model's answers, from repeated passes or from one.

Passes by dropout (``dropout``), by an ensemble or by changed inputs (``repeated``); how far their answers lie apart
(``variation``: Eqns. (5) and (6) of paper SYS, Wang et al. 2022, section 3.2); measures of class probabilities
(``probabilities``). May import ``core``, ``metrics``, ``adapters`` and ``monitors.features``; torch where it is used.
"""

from surefoot.monitors.uncertainty.dropout import IdenticalPasses, dropout_on, mc_dropout
from surefoot.monitors.uncertainty.probabilities import (
    deep_gini,
    entropy,
    expected_entropy,
    mutual_information,
    pcs,
    predictive_entropy,
)
from surefoot.monitors.uncertainty.repeated import augmented_passes, ensemble_passes
from surefoot.monitors.uncertainty.variation import mode_variation_ratio, variation_ratio, variation_ratio_original

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
