"""Draw how many tests until a target is shown, by which bound.

Run ``python docs/images/tests_until_shown.py``; it writes the SVG beside this file.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtr

import surefoot as sf
from surefoot.drawing import COLOURS, GREY, INK, PALE, open_frame

TARGET, LEVEL, RATIO = 0.005, 0.95, 3.0
SIZES = np.unique(np.geomspace(60, 20_000, 90).astype(int))


def main() -> None:
    """Simulate margins of a classifier, bound its risk after each number of tests, draw."""
    plt.switch_backend("Agg")
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "surefoot", "font.size": 11})
    margins = np.random.default_rng(4).normal(RATIO, 1.0, SIZES[-1])
    failures = np.cumsum(margins <= 0)
    curves = {
        "exact binomial, 95%": [
            sf.bounds.clopper_pearson(int(failures[n - 1]), int(n), level=LEVEL).upper(LEVEL) for n in SIZES
        ],
        "single value for normal scores, no level": [
            sf.bounds.normal_score(margins[:n], check=False).details["bound"] for n in SIZES
        ],
        "exact for normal scores, 95%": [
            sf.bounds.normal_exact(margins[:n], level=LEVEL, check=False).upper(LEVEL) for n in SIZES
        ],
    }
    figure, axes = plt.subplots(figsize=(8.4, 4.2), layout="constrained")
    axes.plot(SIZES, failures[SIZES - 1] / SIZES, ".", color=GREY, ms=4, label="failures seen / tests")
    for colour, (name, limits) in zip(COLOURS, curves.items(), strict=False):
        shown = SIZES[np.flatnonzero(np.asarray(limits) > TARGET)[-1] + 1]
        axes.plot(SIZES, limits, color=colour, lw=2, label=f"{name}: shown after {shown:,}")
        axes.plot(shown, TARGET, "o", color=colour, ms=8, zorder=4)
    axes.axhline(TARGET, color=INK, lw=1.2, ls="--")
    axes.text(19_000, TARGET * 1.06, f"target: at most {TARGET:g} per demand", ha="right", va="bottom", fontsize=10)
    axes.axhline(float(ndtr(-RATIO)), color=GREY, lw=1, ls=":")
    axes.text(62, float(ndtr(-RATIO)) * 0.95, "true risk", va="top", fontsize=10, color=GREY)
    axes.set(xscale="log", yscale="log", xlim=(60, 20_000), ylim=(3e-4, 0.2))
    axes.set(xlabel="tests", ylabel="risk and its upper bounds")
    axes.grid(color=PALE, which="major")
    axes.legend(frameon=False, fontsize=10, loc="upper right")
    open_frame(axes)
    figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
