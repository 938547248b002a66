"""Corruptions: inputs made worse by a known amount, to see what a model and its monitor make of them.

Here live corruptions of images (Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common
Corruptions and Perturbations", 2019), each with five severities, found by name in ``catalogue``; and the continuous
change of brightness of paper MON (Guerin et al. 2022, section III-A). May import ``core`` only.
"""

from surefoot.corruptions.brightness import shift_brightness
from surefoot.corruptions.catalogue import corrupt, names

__all__ = ["corrupt", "names", "shift_brightness"]
