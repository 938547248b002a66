"""The checks of ``testing.check_detector``, by what they look at.

``fixtures`` makes rows and holds the detector and the words of a failure; ``scores`` and ``refusals`` list checks: a
name that ends the sentence "the detector ...", and a function that raises ``Failed`` or ``NotApplicable``. May import
``core``; only ``testing.detectors`` imports it.
"""

from surefoot.testing.detector_checks.fixtures import Check
from surefoot.testing.detector_checks.refusals import ODD_ROWS, REFUSALS
from surefoot.testing.detector_checks.scores import COPIES, SCORING

CHECKS: dict[str, Check] = {**SCORING, **REFUSALS, **ODD_ROWS, **COPIES}
