"""Can the recall of a traffic-sign classifier be trusted? Section 5 of Herd & Burton (SAC 2024), and on real signs.

Run ``python examples/traffic_sign_trust/run.py --help``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pictures
from published import corrected_chain, figures, printed_chain
from rich.console import Console
from rich.table import Table
from scores import keep
from simulation import CoverageMap, calibrated_sharpness, calibration_map, dataset_coverage_map
from tracks import TRACK_LENGTH

from surefoot import MissingData, datasets
from surefoot.opinions import CombinationCoverage, Opinion

if TYPE_CHECKING:
    from signs import Signs

LEVEL = 0.95
FOUND, IMAGES = 0.98, 480
OTHER_RECALLS, OTHER_SIZES = (0.5, 0.9, 0.98, 0.999, 0.9999), (50, 480, 5000)
console = Console(width=146)


def main() -> None:
    """Print every table and save every figure."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    section_five(options.out)
    simulations(options.out, quick=options.quick)
    try:
        signs = datasets.gtsrb()
    except MissingData as missing:
        console.print(f"\nReal signs are left out: {missing}", highlight=False)
    else:
        real_signs(signs, options)
    console.print(f"\nFigures are in {options.out}", highlight=False)


def section_five(out: Path) -> None:
    """The published numbers, printed, recomputed and corrected; Figures 2 and 3."""
    table = Table(title="Section 5 of Herd & Burton (2024)", title_justify="left")
    for heading in ("number", "printed", "printed form (99%)", "corrected (95%, 480 images)", "remark"):
        table.add_column(heading, no_wrap=True)
    for figure in figures():
        table.add_row(figure.item, figure.printed, figure.printed_form, figure.corrected, figure.remark)
    console.print(table, highlight=False)
    printed, corrected = printed_chain(), corrected_chain()
    pictures.densities(printed, corrected, out / "figure_2_densities.png")
    pictures.sensitivity(
        printed.discounted, printed.level, "Sensitivity to coverage, as printed", out / "figure_3_printed.png"
    )
    pictures.sensitivity(
        corrected.discounted, corrected.level, "Sensitivity to coverage, corrected", out / "figure_3_corrected.png"
    )


def simulations(out: Path, *, quick: bool) -> None:
    """Where discounted intervals contain the truth, and where they do not."""
    points = 9 if quick else 41
    loss, gap = np.logspace(-3, np.log10(0.5), points), np.linspace(0, FOUND, points)
    coverage_maps = [
        dataset_coverage_map(loss, gap, claimed=None, title="recall alone"),
        dataset_coverage_map(loss, gap, claimed=1.0, title="discounted by the true coverage"),
        dataset_coverage_map(loss, gap, claimed=0.1, title="by a coverage loss stated 10 times too small"),
    ]
    sharpness, shift = np.logspace(-1, 1.5, points), np.linspace(0, 1.5, points)
    repetitions = 100 if quick else 2000
    calibration_maps = [
        calibration_map(sharpness, shift, discount=flag, repetitions=repetitions, title=title)
        for flag, title in ((False, "recall alone"), (True, "discounted by the Brier opinion"))
    ]
    _print_map_summary("Data-set coverage: operation differs from the test set", coverage_maps)
    _print_other_recalls(loss, points)
    _print_map_summary("Calibration: margins shrink in operation", calibration_maps)
    console.print(
        f"A calibrated network of recall {FOUND:.0%} has sharpness {calibrated_sharpness(FOUND):.1f}.", highlight=False
    )
    pictures.maps(coverage_maps, f"{IMAGES} test images, recall {FOUND} on what they cover", out / "map_coverage.png")
    pictures.maps(
        calibration_maps,
        f"{IMAGES} test images, recall {FOUND} without a shift",
        out / "map_calibration.png",
        mark={"calibrated": calibrated_sharpness(FOUND)},
    )


def real_signs(signs: datasets.TrafficSigns, options: argparse.Namespace) -> None:
    """Train, keep the scores for the assessment, measure class 25 and chain what was measured."""
    from network import Training
    from signs import answer, domain_of, measure, thinned

    settings = Training(epochs=options.epochs, seed=options.seed)
    if options.quick:
        signs, settings = thinned(signs, train_every=30, test_every=20), Training(epochs=2, seed=options.seed)
    answers, domain = answer(signs, settings), domain_of(signs)
    measured = measure(signs, answers, domain)
    independent = measured.steps(measured.recall)
    honest = measured.steps(measured.effective_recall)
    _print_measurements(measured)
    _print_chain(f"Chain, {measured.images} images taken as independent", independent)
    _print_chain(f"Chain, worth {measured.effective_images:.0f} independent images", honest)
    strengthened = measured.strengthened()
    _print_chain("Strengthened by fusion with the held-out tracks", measured.steps(strengthened))
    out = options.out
    title = "Road-work signs, network trained here"
    pictures.triangle(honest, title, out / "signs_triangle.png")
    pictures.sign_densities(honest, title, out / "signs_densities.png")
    pictures.sensitivity(honest["discounted by calibration"], LEVEL, title, out / "signs_sensitivity.png")
    kept = keep(signs, answers, domain)
    console.print(f"\nScores are in {kept}; surefoot assess {kept.parent} makes the case of them", highlight=False)


def _print_measurements(measured: Signs) -> None:
    missing = "; ".join(", ".join(f"{k} {v}" for k, v in part.items()) for part in measured.test_coverage.missing[:3])
    held_found, held_images = measured.held_out
    mean_squared_error = measured.squared_errors / measured.images
    worth, origin = measured.effective_images, measured.images / TRACK_LENGTH
    rows = {
        "accuracy, all classes": f"{measured.accuracy:.4f}",
        "road-work signs found": f"{measured.found} of {measured.images} ({measured.found / measured.images:.4f})",
        "false alarms": f"{measured.false_alarms} (precision {float(measured.precision.probability):.4f})",
        "squared errors on the class": f"{measured.squared_errors:.3f} (Brier score {mean_squared_error:.4f})",
        "Brier opinion": _masses(measured.class_calibration),
        "calibration opinion, all classes (ECE)": _masses(measured.calibration),
        "2-way coverage, test": _share(measured.test_coverage),
        "2-way coverage, training": _share(measured.train_coverage),
        "missing in the test images": missing or "none",
        "held-out tracks, found": f"{held_found} of {held_images}",
        "correlation of errors within a track": f"{measured.correlation:.3f}",
        "test images are worth": f"{worth:.0f} independent ones (they stem from {origin:.0f} tracks)",
    }
    table = Table(title="Road-work signs (class 25), measured", title_justify="left", show_header=False)
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table, highlight=False)
    console.print(
        "Frames come in tracks of 30 near-duplicates, and the benchmark does not publish which test images form a "
        "track: they are not independent. The correlation is measured on training tracks that were held out. "
        "Coverage is relative to what the benchmark shows at all.",
        highlight=False,
    )


def _print_chain(title: str, steps: dict[str, Opinion]) -> None:
    table = Table(title=title, title_justify="left")
    for heading in ("opinion", "belief, disbelief, uncertainty", "probability", "95% interval"):
        table.add_column(heading)
    for name, opinion in steps.items():
        low, high = opinion.interval(LEVEL)
        table.add_row(name, _masses(opinion), f"{float(opinion.probability):.4f}", f"{low:.4f} to {high:.4f}")
    console.print(table, highlight=False)


def _print_map_summary(title: str, maps: list[CoverageMap]) -> None:
    table = Table(title=title, title_justify="left")
    for heading in ("95% interval", "contains truth", "lowest at", "grid below 94%", "lower end holds", "width"):
        table.add_column(heading)
    for part in maps:
        row, column = np.unravel_index(part.contained.argmin(), part.contained.shape)
        table.add_row(
            part.title,
            f">= {part.contained.min():.3f}",
            f"x = {part.x[column]:.3g}, y = {part.y[row]:.3g}",
            f"{(part.contained < 0.94).mean():.0%}",
            f">= {part.not_above.min():.3f}",
            f"{part.width.min():.3f} to {part.width.max():.3f}",
        )
    console.print(table, highlight=False)
    console.print(f"x: {maps[0].x_name}; y: {maps[0].y_name}\n", highlight=False)


def _print_other_recalls(loss: np.ndarray, points: int) -> None:
    table = Table(title="Discounted by the true coverage, other recalls and sample sizes", title_justify="left")
    for heading in ("recall", "images", "contains truth", "lowest at", "lower end holds"):
        table.add_column(heading)
    for found in OTHER_RECALLS:
        for images in OTHER_SIZES:
            part = dataset_coverage_map(loss, np.linspace(0, found, points), images=images, found=found)
            row, column = np.unravel_index(part.contained.argmin(), part.contained.shape)
            place = f"x = {part.x[column]:.3g}, y = {part.y[row]:.3g}"
            held = f">= {part.not_above.min():.3f}"
            table.add_row(f"{found:g}", f"{images}", f">= {part.contained.min():.3f}", place, held)
    console.print(table, highlight=False)


def _masses(opinion: Opinion) -> str:
    return f"({opinion.belief:.4f}, {opinion.disbelief:.4f}, {opinion.uncertainty:.4f})"


def _share(coverage: CombinationCoverage) -> str:
    return f"{coverage.covered} of {coverage.total} ({coverage.share:.3f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/traffic_sign_trust"), help="folder of the figures")
    parser.add_argument("--quick", action="store_true", help="few images, two epochs, coarse maps")
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training images")
    parser.add_argument("--seed", type=int, default=0, help="seed of the training")
    return parser.parse_args()


if __name__ == "__main__":
    main()
