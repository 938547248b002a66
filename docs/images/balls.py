"""Draw the figures of balls.md: the overview of its first example, and digits beside neighbours that fail.

Run ``python docs/images/balls.py``; it writes two PNG files beside this file, in about ten seconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from surefoot.drawing import save
from surefoot.reliability import BallReliability, assess_balls
from surefoot.reliability.rare_events.splitting import failing_neighbours

FOLDER = Path(__file__).parent
COLOURS = 128
SHOWN = 8
SIDE = 8


def main() -> None:
    """Assess, draw, keep the pictures."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    found = assess_balls(model, X[1::2], y[1::2], radius=0.2)
    _keep(found.plot(), "balls_overview.png")
    _keep(_neighbours(found, model), "balls_neighbours.png")


def _neighbours(found: BallReliability, model: Any) -> Any:
    """Digits that are read right and have a rare failure nearby, the failing input, and what the model reads."""
    balls = found.cells
    right = np.flatnonzero((balls["label"] == balls["answer"]) & (balls["risk"] > 0))
    chosen = balls["number"][right[np.argsort(balls["risk"][right])[:SHOWN]]]
    failing = failing_neighbours(found.problem, chosen, seed=0)
    centres, labels = found.problem.balls.centres[chosen], found.problem.labels[chosen]
    figure, axes = plt.subplots(2, SHOWN, figsize=(9, 2.6), layout="constrained")
    for column, (centre, near, label, answer) in enumerate(
        zip(centres, failing, labels, model.predict(failing), strict=True)
    ):
        for row, (picture, title) in enumerate(((centre, f"a {label}"), (near, f"read as {answer}"))):
            axes[row, column].imshow(picture.reshape(SIDE, SIDE), cmap="gray_r", vmin=0, vmax=1)
            axes[row, column].set_title(title, fontsize=9)
            axes[row, column].axis("off")
    return figure


def _keep(figure: Any, name: str) -> None:
    path = save(figure, FOLDER / name)
    Image.open(path).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


if __name__ == "__main__":
    main()
