"""Pictures of the example: what the networks see, and our drops beside those of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import drive
import matplotlib.pyplot as plt
import numpy as np
import published

from surefoot.drawing import COLOURS, GREY, open_frame, save
from surefoot.systems import Condition
from surefoot.systems.tables.degradation import Performance

SMALL = 9


def frames(frame: drive.Frames, conditions: Sequence[Condition], path: Path) -> None:
    """One frame, clean and in every condition: a row for each corruption."""
    worse = [condition for condition in conditions if not condition.clean]
    names = list(dict.fromkeys(condition.corruption for condition in worse))
    most = max(sum(c.corruption == name for c in worse) for name in names)
    figure, grid = plt.subplots(len(names), most + 1, figsize=(2.2 * (most + 1), 1.32 * len(names)), squeeze=False)
    for axes, name in zip(grid, names, strict=True):
        shown = [Condition(), *(c for c in worse if c.corruption == name)]
        for place, condition in zip(axes, shown, strict=False):
            place.imshow(condition.applied({"x": frame[None]}, {"x": "image"}, seed=0, first=0)["x"][0])
            place.set_title(condition.label.replace("_", " "), fontsize=SMALL, pad=2)
    for place in grid.flat:
        place.axis("off")
    figure.tight_layout(pad=0.3)
    save(figure, path)


def beside(performance: Performance, path: Path) -> None:
    """The drop of our system against that of the paper's: a line for each corruption, from mild to severe."""
    figure, axes = plt.subplots(figsize=(6.4, 4.6))
    open_frame(axes)
    drops = [each for each in performance.drops if each.drop is not None]
    for number, name in enumerate(dict.fromkeys(each.condition.corruption for each in drops)):
        some = [each for each in drops if each.condition.corruption == name]
        theirs = [100 * published.printed(each.condition, "system")[1] for each in some]
        ours = [100 * float(each.drop or 0) for each in some]
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(theirs, ours, "-o", color=colour, lw=1.2, ms=4, label=name.replace("_", " "))
        for x, each in zip(theirs, some, strict=True):
            if each.drop_interval is not None:
                axes.vlines(x, *(100 * np.array(each.drop_interval)), color=colour, lw=1.5, alpha=0.4)
    most = min(axes.get_xlim()[1], axes.get_ylim()[1])
    axes.plot([0, most], [0, most], color=GREY, lw=0.8, ls=":", label="as much as in SYS")
    axes.set_xlabel("drop of the system in SYS, Table 4 (%)", fontsize=SMALL)
    axes.set_ylabel("drop of our system (%), 95% intervals", fontsize=SMALL)
    axes.tick_params(labelsize=SMALL)
    axes.legend(frameon=False, fontsize=SMALL, loc="upper left")
    figure.tight_layout()
    save(figure, path)
