"""Figures of the example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap
from published import LOSSES, Chain
from simulation import CoverageMap

from surefoot.drawing import save
from surefoot.opinions import Opinion, coverage_sensitivity
from surefoot.opinions.plots import beta_densities, opinion_triangle, sensitivity_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = (0.0, 0.05, 0.5, 0.8, 0.9, 0.94, 0.98, 1.0)
MARK_NOTHING: Mapping[str, float] = {}
SHADES = ("#67001f", "#b2182b", "#d6604d", "#f4a582", "#fddbc7", "#92c5de", "#2166ac")


def triangle(opinions: Mapping[str, Opinion], title: str, path: Path) -> Path:
    """The opinions of a chain in the opinion triangle."""
    figure, ax = plt.subplots(figsize=(6.8, 6.0), layout="constrained")
    opinion_triangle(opinions, ax=ax)
    ax.set_title(title, fontsize=12, loc="left")
    return save(figure, path)


def densities(printed: Chain, corrected: Chain, path: Path) -> Path:
    """Figure 2 in the printed form and in the corrected one."""
    figure, axes = plt.subplots(2, 1, figsize=(7.2, 7.0), sharex=True, layout="constrained")
    for ax, form, title in zip(axes, (printed, corrected), ("as printed", "corrected"), strict=True):
        beta_densities({"recall": form.recall, "discounted": form.discounted}, level=form.level, ax=ax)
        ax.set_title(f"Recall of construction signs, {title}", fontsize=12, loc="left")
    axes[0].set_xlabel("")
    return save(figure, path)


def sign_densities(opinions: Mapping[str, Opinion], title: str, path: Path) -> Path:
    """Beta densities of the network trained here."""
    figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    beta_densities(opinions, ax=ax)
    ax.set_title(title, fontsize=12, loc="left")
    return save(figure, path)


def sensitivity(opinion: Opinion, level: float, title: str, path: Path) -> Path:
    """Figure 3: the interval against missing coverage."""
    figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    sensitivity_curve(coverage_sensitivity(opinion, LOSSES, level=level), ax=ax)
    ax.set_title(title, fontsize=12, loc="left")
    return save(figure, path)


def maps(parts: Sequence[CoverageMap], heading: str, path: Path, *, mark: Mapping[str, float] = MARK_NOTHING) -> Path:
    """How often intervals contain the truth, one panel a map, in shades of red below the stated level."""
    figure, axes = plt.subplots(
        1, len(parts), figsize=(4.1 * len(parts) + 1.0, 4.4), sharey=True, layout="constrained", squeeze=False
    )
    colours = ListedColormap(SHADES)
    norm = BoundaryNorm(STEPS, len(SHADES))
    for ax, part in zip(axes[0], parts, strict=True):
        mesh = ax.pcolormesh(part.x, part.y, part.contained, cmap=colours, norm=norm, shading="nearest")
        _label(ax, part, mark)
    axes[0][0].set_ylabel(parts[0].y_name)
    bar = figure.colorbar(mesh, ax=axes[0], ticks=STEPS, spacing="uniform", shrink=0.95)
    bar.set_label("95% intervals that contain the truth")
    bar.ax.set_yticklabels([f"{step:.0%}" for step in STEPS])
    figure.suptitle(heading, x=0.01, ha="left", fontsize=12.5)
    return save(figure, path)


def _label(ax: Axes, part: CoverageMap, mark: Mapping[str, float]) -> None:
    ax.set_xscale("log")
    ax.set(xlabel=part.x_name, xlim=(np.min(part.x), np.max(part.x)), ylim=(np.min(part.y), np.max(part.y)))
    ax.set_title(part.title, fontsize=10.5)
    for name, place in mark.items():
        ax.axvline(place, color="white", lw=1.4, ls="--")
        ax.annotate(name, (place, np.max(part.y)), (4, -6), textcoords="offset points", va="top", color="white")
