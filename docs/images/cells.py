"""Draw the figures of reliability.md: maps of the dense set, and the limits of the page's example.

Run ``python docs/images/cells.py``; it writes two PNG files beside this file, in about a minute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
from PIL import Image

from surefoot.drawing import save
from surefoot.profile import KDE
from surefoot.reliability import CellReliability, ExactTrees, assess_cells
from surefoot.reliability.cells.maps import limits_figure, maps
from surefoot.testing import dense_set, world_named

FOLDER = Path(__file__).parent
COLOURS = 256


def main() -> None:
    """Assess, draw, keep the pictures."""
    known = dense_set()
    rest = known.held_out
    rows = known.inputs[~rest], known.labels[~rest]
    dense = _assessed(known.model, rows, known.world.side, known.inputs, (known.inputs[rest], known.labels[rest]))
    _keep(maps(dense), "cells_maps.png")
    _keep(_limits(_example()), "cells_limits.png")


def _example() -> CellReliability:
    """The first example of the page."""
    world, rng = world_named("wave"), np.random.default_rng(0)
    labelled, held_out = world.collect(rng, 2000), world.held_out(rng, 500)
    operation, _ = world.sample(rng, 20_000)
    return _assessed(world.fit(*labelled), labelled, world.side, operation, held_out)


def _assessed(model: Any, labelled: Any, side: float, operation: Any, held_out: Any) -> CellReliability:
    profile = KDE(0.02, boundary="reflect", domain=(0, 1)).fit(operation)
    return assess_cells(
        model,
        *labelled,
        side=side,
        domain=(0, 1),
        profile=profile,
        estimator=ExactTrees(),
        holdout=held_out,
        checks=False,
    )


def _limits(found: CellReliability) -> Any:
    assert found.correction is not None
    failed = found.correction.failed
    return limits_figure(found.limits, int(failed.sum()), failed.size)


def _keep(figure: Any, name: str) -> None:
    path = save(figure, FOLDER / name)
    Image.open(path).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


if __name__ == "__main__":
    main()
