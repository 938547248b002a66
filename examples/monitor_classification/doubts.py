"""Uncertainty of the classifier as a score: of one pass, of passes with dropout, and of passes on changed images."""

from __future__ import annotations

import numpy as np
import photographs
import views
from numpy.typing import NDArray

from surefoot import monitors

PASSES, RATE = 10, 0.1
"""As in SYS (Wang et al. 2022, section 3.4)."""
MOST_SHIFT = 2
Scores = dict[str, NDArray[np.float64]]


def doubts(pair: views.Pair, pixels: photographs.Bytes, *, seed: int = 0) -> Scores:
    """Every uncertainty score of images, by its name; higher is more uncertain."""
    inputs = photographs.as_input(pixels)
    (once,) = monitors.ensemble_passes([pair.classifier], inputs, output="probability")
    dropped = monitors.mc_dropout(pair.classifier, inputs, passes=PASSES, rate=RATE, output="probability", seed=seed)
    changed = monitors.augmented_passes(pair.classifier, inputs, moved, passes=PASSES, output="probability", seed=seed)
    return {
        "DeepGini": monitors.deep_gini(once),
        "PCS": monitors.pcs(once),
        **_of_passes("dropout", dropped, once),
        **_of_passes("moved images", changed, once),
    }


def moved(inputs: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """All images moved by a few pixels, and mirrored or not: what the classifier was trained on."""
    down, right = rng.integers(-MOST_SHIFT, MOST_SHIFT + 1, 2)
    padded = np.pad(inputs, ((0, 0), (0, 0), (MOST_SHIFT,) * 2, (MOST_SHIFT,) * 2), mode="reflect")
    height, width = inputs.shape[2:]
    part = padded[:, :, MOST_SHIFT + down :, MOST_SHIFT + right :][:, :, :height, :width]
    return part[:, :, :, ::-1] if rng.random() < 0.5 else part


def _of_passes(name: str, passes: NDArray[np.floating], once: NDArray[np.floating]) -> Scores:
    answers = passes.argmax(axis=2)
    return {
        f"variation ratio, {name}": monitors.variation_ratio(answers),
        f"variation ratio of the answer, {name}": monitors.variation_ratio_original(answers, once.argmax(axis=1)),
        f"predictive entropy, {name}": monitors.predictive_entropy(passes),
        f"mutual information, {name}": monitors.mutual_information(passes),
    }
