"""Figures of the example, one function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
from departures import LEVEL, METHODS, RISKS, SIZES, Cell
from matplotlib import pyplot as plt
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from scipy import special

from surefoot.bounds import normal_score_violation, plot_assumption_checks, plot_score_surface
from surefoot.bounds.score_function import minimise, score_bound
from surefoot.drawing import COLOURS, INK, PALE, RED, save

if TYPE_CHECKING:
    from academic import Classes
    from cancer import Tested
    from study import Count

FLOOR = 0.0025
TAILS = (0.025, 0.975)
# Blue below 5%, white at 5%, red above.
ALARM = [(0, "#8fb4d9"), (0.5, "#fbfaf7"), (0.78, "#d1495b"), (1, "#6d0f1f")]


def violation_rates(counts: Mapping[float, Count], path: Path) -> None:
    """Exact violation probability by mu/sigma, with the simulated rates in bins."""
    figure, axes = plt.subplots(figsize=(8.2, 4.8), layout="constrained")
    ratios = np.geomspace(0.005, 5, 160)
    for n, colour in zip((100, 200, 300), COLOURS, strict=False):
        axes.plot(ratios, normal_score_violation(ratios, n), color=colour, lw=1.8, label=f"exact, N = {n}")
    for low, high in zip(*_edges(), strict=True):
        _binned_point(axes, counts, low, high)
    axes.plot([], [], "o", color=INK, ms=4, label="simulated, all N, with 95% interval")
    axes.set(xscale="log", yscale="log", xlabel=r"true $\mu/\sigma$", ylabel="probability that the bound is too low")
    axes.set(ylim=(1e-9, 2e-2), xlim=(0.005, 5))
    axes.legend(frameon=False, fontsize=9, loc="lower left")
    axes.set_title("How often the single-valued bound lies below the true risk", loc="left", fontsize=11)
    axes.grid(which="major", color=PALE)
    save(figure, path)


def _edges() -> tuple[np.ndarray, np.ndarray]:
    edges = np.geomspace(0.005, 5, 19)
    return edges[:-1], edges[1:]


def _binned_point(axes: plt.Axes, counts: Mapping[float, Count], low: float, high: float) -> None:
    inside = {r: c for r, c in counts.items() if low <= r < high}
    sets, violations = sum(c.sets for c in inside.values()), sum(c.violations for c in inside.values())
    if not violations:
        return
    centre = np.exp(sum(np.log(r) * c.sets for r, c in inside.items()) / sets)
    limits = special.betaincinv([violations, violations + 1], [sets - violations + 1, sets - violations], TAILS)
    axes.vlines(centre, *limits, color=INK, lw=1.3)
    axes.plot(centre, violations / sets, "o", color=INK, ms=4)


def scatter(classes: Classes, seed: int, path: Path) -> None:
    """Test data of the academic example and the machine's decision line (NRB, Figure 1)."""
    from academic import TRAINING
    from sklearn.svm import SVC

    rng = np.random.default_rng(seed)
    machine = SVC(kernel="linear").fit(*classes.draw(rng, TRAINING // 2))
    points, labels = classes.draw(rng, 75)
    figure, axes = plt.subplots(figsize=(5.6, 5.0), layout="constrained")
    for label, colour in ((0, COLOURS[0]), (1, RED)):
        axes.plot(*points[labels == label].T, "o", color=colour, ms=5, mec="white", label=f"class {label + 1}")
    x = np.array([points[:, 0].min() - 0.3, points[:, 0].max() + 0.3])
    (a, b), c = machine.coef_[0], machine.intercept_[0]
    axes.plot(x, -(a * x + c) / b, color=INK, lw=1.4, label="decision line")
    axes.set(xlabel="$x_1$", ylabel="$x_2$", ylim=(points[:, 1].min() - 0.4, points[:, 1].max() + 0.4))
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    axes.set_title("Academic example, N = 150", loc="left", fontsize=11)
    save(figure, path)


def checks(tested: Tested, path: Path) -> None:
    """All checks of the assumptions for one group (NRB, Figure 2 and section 3.3)."""
    n = tested.margins.size
    figure = plot_assumption_checks(tested.margins, tested.features, title=f"{tested.group}, {n} test rows")
    save(figure, path)


def surface(ratio: float, n: int, group: str, path: Path) -> None:
    """g_N over gamma and eta as a surface and as contours, with its minimum (NRB, Figure 3)."""
    figure = plt.figure(figsize=(12.4, 5.0), layout="constrained")
    solid = figure.add_subplot(1, 2, 1, projection="3d")
    exponents = np.linspace(-5, -0.3, 120)
    x, y = np.meshgrid(exponents, exponents)
    height = score_bound(ratio, n, 10**x, 10**y)
    solid.plot_surface(x, y, height, cmap="viridis_r", rcount=70, ccount=70, lw=0, alpha=0.92)
    lowest = minimise(ratio, n)
    place = (np.log10(lowest.gamma), np.log10(lowest.eta), lowest.value)
    solid.plot(*([float(v)] for v in place), "o", color=RED, ms=8, mec="white", zorder=10)
    ticks = range(-5, 0)
    solid.set_xticks(ticks, [f"$10^{{{k}}}$" for k in ticks])
    solid.set_yticks(ticks, [f"$10^{{{k}}}$" for k in ticks])
    solid.set(xlabel=r"$\gamma$", ylabel=r"$\eta$", zlabel="$g_N$")
    solid.view_init(32, -125)
    solid.set_title(f"{group} class", loc="left", fontsize=10)
    plot_score_surface(ratio, n, ax=figure.add_subplot(1, 2, 2))
    save(figure, path)


def departure_map(cells: Sequence[Cell], path: Path) -> None:
    """Violation rates by family (rows), true risk and sample size (columns), a panel for each tighter method."""
    names = list(dict.fromkeys(c.family.name for c in cells))
    figure, axes = plt.subplots(
        1, 4, figsize=(17, 7.2), layout="constrained", sharey=True, width_ratios=[20, 20, 20, 4]
    )
    norm = LogNorm(FLOOR, 1)
    colours = LinearSegmentedColormap.from_list("calm to alarm", ALARM)
    for panel, method in zip(axes[:3], METHODS, strict=False):
        table = np.array([[_rate(cells, name, n, risk, method) for risk in RISKS for n in SIZES] for name in names])
        image = panel.imshow(np.maximum(table, FLOOR), norm=norm, cmap=colours, aspect="auto")
        _mark_excess(panel, table)
        _columns(panel)
        stated = "no level stated" if method == "normal_score" else f"{LEVEL:.0%}"
        panel.set_title(f"{method} ({stated})", loc="left", fontsize=11, pad=24)
    axes[0].set_yticks(range(len(names)), names, fontsize=9)
    _rejections(axes[3], cells, names)
    bar = figure.colorbar(image, ax=axes, shrink=0.85, pad=0.01, extend="min")
    bar.set_ticks([0.0025, 0.01, 0.05, 0.2, 1], labels=["0.25%", "1%", "5%", "20%", "100%"], minor=False)
    bar.minorticks_off()
    bar.set_label("share of data sets whose bound is below the true risk (in per cent where above 6%)")
    save(figure, path)


def _rate(cells: Sequence[Cell], name: str, n: int, risk: float, method: str) -> float:
    return next(c.rates[risk][method] for c in cells if c.family.name == name and c.n == n)


def _mark_excess(panel: plt.Axes, table: np.ndarray) -> None:
    for (i, j), rate in np.ndenumerate(table):
        if rate > 0.06:
            ink = "white" if rate > 0.35 else INK
            panel.text(j, i, f"{100 * rate:.0f}", ha="center", va="center", fontsize=7, color=ink)


def _columns(panel: plt.Axes) -> None:
    width = len(SIZES)
    panel.set_xticks(range(width * len(RISKS)), [f"{n}" for _ in RISKS for n in SIZES], rotation=90, fontsize=8)
    for k, risk in enumerate(RISKS):
        panel.text((k + 0.5) * width - 0.5, -0.75, f"{risk:g}", ha="center", fontsize=9, color=INK)
        if k:
            panel.axvline(k * width - 0.5, color="white", lw=2)
    panel.set_xlabel("N, for each true risk (above)")
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)


def _rejections(panel: plt.Axes, cells: Sequence[Cell], names: Sequence[str]) -> None:
    shares = [[next(c.contradicted for c in cells if c.family.name == f and c.n == n) for n in SIZES] for f in names]
    panel.imshow(shares, vmin=0, vmax=1, cmap="Greys", aspect="auto")
    for (i, j), share in np.ndenumerate(np.array(shares)):
        ink = "white" if share > 0.5 else INK
        panel.text(j, i, f"{100 * share:.0f}", ha="center", va="center", fontsize=7, color=ink)
    panel.set_xticks(range(len(SIZES)), [f"{n}" for n in SIZES], rotation=90, fontsize=8)
    panel.set_title("normality\ncontradicted, %", loc="left", fontsize=10)
    panel.set_xlabel("N")
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
