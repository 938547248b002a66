"""Corruptions: inputs made worse by a known amount, to see what a model, its monitor and a system make of them.

Here live corruptions of images (``image``), sounds (``audio``) and texts (``text``), each with five severities, found
by name in ``catalogue``: those of Hendrycks and Dietterich ("Benchmarking Neural Network Robustness to Common
Corruptions and Perturbations", 2019), of Table 1 of paper SYS (Wang et al. 2022) with its three levels, and of section
III of paper MON (Guerin et al. 2022); ``gallery`` shows them. May import ``core``, ``drawing`` and ``datasets``.
"""

from surefoot.corruptions.catalogue import LEVELS, corrupt, corruption, domain_of, names
from surefoot.corruptions.image.light import shift_brightness

__all__ = ["LEVELS", "corrupt", "corruption", "domain_of", "names", "shift_brightness"]
