"""Figures of the example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import photographs
import tables
from matplotlib.axes import Axes
from ranking import Ranked
from table_one import PRINTED, SCHEMES, VIEWS, Worth
from tasks import Task

from surefoot.corruptions import shift_brightness
from surefoot.drawing import BLUE, GREEN, GREY, INK, PALE, RED, open_frame, save

LOOKS = {"safety gain": GREEN, "residual hazard": RED, "availability cost": BLUE}
GAP, WHITE = 2, 255
TITLES = {"E1": "E1, detect errors", "E2": "E2, detect threats"}


def by_strength(found: Mapping[float, Worth], marked: Sequence[float], path: Path) -> None:
    """Table I against the strength of the shift, printed rows where the error rate is the printed one."""
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 7.0), sharex=True, sharey="row", layout="constrained")
    for row, scheme in zip(axes, SCHEMES, strict=True):
        for panel, name in zip(row, VIEWS, strict=True):
            _panel(open_frame(panel), found, name, scheme)
            _printed(panel, marked, name, scheme)
            panel.set_title(f"{TITLES[scheme]}: {name} monitor", fontsize=10, loc="left")
        row[0].set_ylabel("share of all images")
    for panel in axes[1]:
        panel.set_xlabel("strength of the shift (darker < 0 < brighter)")
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False, fontsize=9
    )
    save(figure, path)


def _panel(axes: Axes, found: Mapping[float, Worth], name: str, scheme: str) -> None:
    strengths = np.array(list(found))
    reports = [worth.reports[name, scheme] for worth in found.values()]
    whole = [report.hazard_alone.value for report in reports]
    axes.plot(strengths, whole, color=GREY, lw=1.2, ls="--", label="gain + residual")
    for number, (figure, colour) in enumerate(LOOKS.items()):
        estimates = [tables.three(report)[number] for report in reports]
        low, high = np.transpose([r.interval(e) for r, e in zip(reports, estimates, strict=True)])
        axes.fill_between(strengths, low, high, color=colour, alpha=0.25, lw=0)
        axes.plot(strengths, [e.value for e in estimates], color=colour, lw=1.6, label=figure)
    axes.set(ylim=(0, None), xlim=(strengths[0], strengths[-1]))


def _printed(axes: Axes, marked: Sequence[float], name: str, scheme: str) -> None:
    for strength in marked:
        axes.axvline(strength, color=GREY, lw=0.7, ls=":")
        for value, colour in zip(PRINTED[name, scheme], LOOKS.values(), strict=True):
            axes.plot(strength, value, "D", color=colour, ms=6, mec=INK, mew=0.8, clip_on=False)
    axes.plot([], [], "D", color="none", mec=INK, label="printed, where the error rate is")


def ranking(found: Ranked, path: Path) -> None:
    """Safety gain of every detector within the budget, in both schemes, the best in E1 on top."""
    names = [contender.name for contender in found.comparisons["E1"].contenders][::-1]
    figure, axes = plt.subplots(
        1, 2, figsize=(10.0, 0.24 * len(names) + 1.2), sharey=True, layout="constrained", squeeze=False
    )
    for panel, scheme in zip(axes[0], SCHEMES, strict=True):
        comparison = found.comparisons[scheme]
        reports = [comparison[name].report for name in names]
        low, high = np.transpose([report.interval(report.safety_gain) for report in reports])
        open_frame(panel).hlines(names, low, high, color=BLUE, lw=2.2)
        panel.plot([report.safety_gain.value for report in reports], names, "o", color=INK, ms=4)
        panel.axvline(comparison.hazard_alone.value, color=GREY, lw=1.2, ls="--")
        panel.set_title(f"{TITLES[scheme]}; dashed: all there is to gain", fontsize=10, loc="left")
        panel.set(xlabel=f"safety gain at an availability cost of at most {comparison.cost:g}", xlim=(0, None))
        panel.grid(axis="y", color=PALE, lw=0.6)
        panel.margins(y=0.02)
    save(figure, path)


def shifted(images: photographs.Bytes, strengths: Sequence[float], path: Path) -> None:
    """Some images at several strengths."""
    shown = np.stack([shift_brightness(images, strength) for strength in strengths])
    _sheet(shown, [f"{strength:+.2g}" for strength in strengths], path)


def threats(tasks: Sequence[Task], count: int, path: Path) -> None:
    """The first images of each task as they are, and the threats; novelties are other images."""
    shown = [tasks[0].usual[0][:count], *(task.threats[0][:count] for task in tasks)]
    _sheet(np.stack(shown), ["as they are", *(task.name for task in tasks)], path)


def _sheet(rows: np.ndarray, names: Sequence[str], path: Path) -> None:
    """Rows of images as one picture, a gap between them."""
    height, width = rows.shape[:2]
    framed = np.pad(rows, [(0, 0), (0, 0), (GAP, GAP), (GAP, GAP), (0, 0)], constant_values=WHITE)
    side = framed.shape[2]
    figure, axes = plt.subplots(figsize=(0.75 * width + 1, 0.75 * height), layout="constrained")
    axes.imshow(framed.transpose(0, 2, 1, 3, 4).reshape(height * side, width * side, 3), interpolation="nearest")
    axes.set_yticks(side * (np.arange(height) + 0.5), names, fontsize=9)
    axes.tick_params(length=0)
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    save(figure, path)
