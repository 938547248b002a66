"""The checks of ``testing.check_detector``, by what they look at.

``data`` makes rows, ``subject`` holds the detector and the words of a failure; ``scoring``, ``refusals``, ``odd_rows``
and ``copies`` each list checks: a name that ends the sentence "the detector ...", and a function that raises
``Failed`` or ``NotApplicable``. May import ``core``; only ``testing.detectors`` imports it.
"""

from surefoot.testing.detector_checks import refusals, scores
from surefoot.testing.detector_checks import refusals as copies
from surefoot.testing.detector_checks.fixtures import Check

CHECKS: dict[str, Check] = {**scores.SCORING_CHECKS, **refusals.CHECKS, **scores.CHECKS, **copies.COPIES_CHECKS}
