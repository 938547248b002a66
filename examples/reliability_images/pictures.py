"""Figures of the example."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from study import LEVEL, Found

from surefoot.core import Table
from surefoot.drawing import BLUE, GREY, INK, RED, open_frame, save
from surefoot.profile import plot_history, plot_reconstructions

PANELS = (("pmi", "pmi: balls weighted by density"), ("acu", "ACU: balls weighted equally"))


def draw_all(found: Found, out: Path) -> None:
    """Every figure about one network."""
    name, set_ = found.subject.name, found.subject.images.name
    figure_7(found, out / f"figure_7_{name}.png")
    save(found.balls.plot(), out / f"balls_{name}.png")
    by_radius(found, out / f"radius_{name}.png")
    save(found.weights.plot().figure, out / f"weights_{set_}.png")
    save(plot_reconstructions(found.subject.vae, found.subject.inputs), out / f"decoded_{set_}.png")
    save(plot_history(found.subject.vae), out / f"training_{set_}.png")


def figure_7(found: Found, path: Path) -> None:
    """Mean, upper limit and variance of pmi and ACU from the first k balls."""
    figure, axes = plt.subplots(2, 2, figsize=(9.0, 5.4), sharex=True, layout="constrained", height_ratios=(2, 1))
    for column, (of, title) in enumerate(PANELS):
        k, mean, sd, upper = _columns(found.balls.by_k(of=of, level=LEVEL))
        top, bottom = (open_frame(part) for part in axes[:, column])
        top.plot(k, upper, color=BLUE, lw=1.4, label=f"upper limit, {LEVEL:.1%}")
        top.plot(k, mean, color=INK, lw=1.4, label="mean")
        top.axhline(found.subject.test_error, color=RED, lw=1, ls="--", label="test error")
        top.set_title(title, fontsize=10, loc="left")
        top.set(ylim=(0, None), ylabel="failure probability")
        bottom.plot(k, sd**2, color=GREY, lw=1.4)
        bottom.set(xlabel="balls looked at, k", ylabel="variance of the mean", yscale="log")
    axes[0, 0].legend(frameon=False, fontsize=8)
    save(figure, path)


def by_radius(found: Found, path: Path) -> None:
    """Both means against the radius."""
    names, rows = found.radii.columns, found.radii.rows
    radius, pmi, acu = (
        np.array([row[names.index(name)] for row in rows], float) for name in ("radius", "by balls", "acu")
    )
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    open_frame(axes).plot(radius, pmi, "o-", color=BLUE, lw=1.6, label="pmi")
    axes.plot(radius, acu, "o-", color=GREY, lw=1.6, label="ACU")
    axes.axhline(found.subject.test_error, color=RED, lw=1, ls="--", label="test error")
    axes.axvline(found.subject.images.radius, color=INK, lw=0.8, ls=":", label="radius of the paper")
    axes.set(xlabel="radius of the balls", ylabel="failure probability", xlim=(0, None), ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)


def _columns(table: Table) -> list[np.ndarray]:
    return [np.array(column, float) for column in zip(*table.rows, strict=True)]
