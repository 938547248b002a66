"""Section 5 of Herd & Burton (SAC 2024): each number as printed, recomputed in the printed form, and corrected.

The printed form takes 99% intervals where the text says 95%, and in Eqn. (26) all 12,629 test images for the
uncertainty where the text says the 480 of the class. The corrected form does what the text says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot.opinions import Opinion, chain, coverage_sensitivity, precision, recall, score

TP, FP, TN, FN = 470, 10, 12_149, 10
SQUARED_ERRORS = 2.148
CLASS_IMAGES, TEST_IMAGES = 480, 12_629
PRINTED_LEVEL, STATED_LEVEL = 0.99, 0.95
LOSSES = np.logspace(-5, -1, 81)


@dataclass(frozen=True)
class Figure:
    """One number of the paper in its three forms."""

    item: str
    printed: str
    printed_form: str
    corrected: str
    remark: str = ""


@dataclass(frozen=True)
class Chain:
    """Opinions of one form of the section, and the level of its intervals."""

    recall: Opinion
    calibration: Opinion
    level: float

    @property
    def discounted(self) -> Opinion:
        """Recall as seen through calibration, Eqn. (27)."""
        return chain(self.recall, self.calibration)


def printed_chain() -> Chain:
    """What the authors computed: Eqn. (26) with the uncertainty of all test images, intervals at 99%."""
    disbelief, uncertainty = SQUARED_ERRORS / (CLASS_IMAGES + 2), 2 / (TEST_IMAGES + 2)
    calibration = Opinion(1 - disbelief - uncertainty, disbelief, uncertainty)
    return Chain(recall(TP, FN), calibration, PRINTED_LEVEL)


def corrected_chain() -> Chain:
    """What the text says: 480 images in Eqn. (26), intervals at 95%."""
    return Chain(recall(TP, FN), score(1 - SQUARED_ERRORS / CLASS_IMAGES, CLASS_IMAGES), STATED_LEVEL)


def figures() -> list[Figure]:
    """Every number of section 5 that can be recomputed."""
    old, new = printed_chain(), corrected_chain()
    point = TP / (TP + FN)
    found_right = precision(TP, FP, prior_weight=0).probability
    return [
        Figure("recall", "98%", f"{point:.2%}", f"{point:.2%}"),
        Figure("precision", "97%", f"{found_right:.2%}", f"{found_right:.2%}", "470 of 480 is 98%, not 97%"),
        Figure("sum of the confusion matrix", "12,629", f"{TP + FP + TN + FN:,}", "-", "the public set has 12,630"),
        Figure("recall opinion (25)", "(0.975, 0.021, 0.004)", _masses(old.recall), _masses(new.recall)),
        Figure(
            "recall, interval", "0.956 to 0.991", _interval(old.recall, old), _interval(new.recall, new), "99%, not 95%"
        ),
        Figure(
            "Brier score",
            "0.004",
            f"{SQUARED_ERRORS / CLASS_IMAGES:.4f}",
            f"{SQUARED_ERRORS / CLASS_IMAGES:.4f}",
        ),
        Figure(
            "Brier opinion (26)",
            "(0.995, 0.004, 0.0002)",
            _masses(old.calibration),
            _masses(new.calibration),
            "u of 12,629 images, d of 480",
        ),
        Figure("discounted recall (27)", "(0.971, 0.021, 0.01)", _masses(old.discounted), _masses(new.discounted)),
        Figure("discounted, interval", "0.94 to 0.994", _interval(old.discounted, old), _interval(new.discounted, new)),
        *_sensitivity_figures(old, new),
    ]


def _sensitivity_figures(old: Chain, new: Chain) -> list[Figure]:
    printed = {1e-5: "0.94 to 1.0", 1e-2: "(curve)", 1e-1: "(curve)"}
    rows = []
    for loss, text in printed.items():
        forms = (coverage_sensitivity(form.discounted, [loss], level=form.level) for form in (old, new))
        ranges = [f"{s.lower[0]:.4f} to {s.upper[0]:.4f}" for s in forms]
        rows.append(Figure(f"at coverage {1 - loss:g}, interval", text, *ranges, remark="Figure 3"))
    return rows


def _masses(opinion: Opinion) -> str:
    return f"({opinion.belief:.4f}, {opinion.disbelief:.4f}, {opinion.uncertainty:.4f})"


def _interval(opinion: Opinion, form: Chain) -> str:
    low, high = opinion.interval(form.level)
    return f"{low:.4f} to {high:.4f}"
