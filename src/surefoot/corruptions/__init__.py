"""Corruptions: inputs made worse by a known amount, to see what a model, its monitor and a system make of them.

Here live corruptions of images (``image``), sounds (``audio``) and texts (``text``), each with five severities, found
by name in ``catalogue``: those of Hendrycks and Dietterich ("Benchmarking Neural Network Robustness to Common
Corruptions and Perturbations", 2019), of Table 1 of paper SYS (Wang et al. 2022) with its three levels, and of section
III of paper MON (Guerin et al. 2022); ``gallery`` shows them. ``variation`` has families of changes whose parameters
have a distribution. May import ``core``, ``drawing`` and ``datasets``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.corruptions.catalogue import LEVELS, corrupt, corruption, domain_of, names
from surefoot.corruptions.image.digital import shift_brightness
from surefoot.corruptions.text.spelling import common_misspellings
from surefoot.corruptions.variation import Parameter, Variation, variations

if TYPE_CHECKING:
    from surefoot.corruptions import gallery

__all__ = [
    "LEVELS",
    "Parameter",
    "Variation",
    "common_misspellings",
    "corrupt",
    "corruption",
    "domain_of",
    "gallery",
    "names",
    "shift_brightness",
    "variations",
]


def __getattr__(name: str) -> Any:
    if name == "gallery":  # Draws, so it is loaded when it is used.
        return import_module(f"{__name__}.gallery")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
