"""Reliability in cells: Table 1 of RAM as printed and as corrected, sets whose truth is known, and your own data.

RAM: Dong, Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning Components in System
Assurance". Without ``--data`` the paper's example and the known sets are run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import choices
import own_data
import own_sets
import pictures
import published
import tables
from rich.console import Console, RenderableType

from surefoot import MissingData, SurefootError
from surefoot.profile import separation
from surefoot.reliability import Reliability

console = Console(width=146)


def main() -> int:
    """Print every table and save every figure."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        if options.data:
            own_points(options)
        else:
            running_example(options.out)
            known_sets(options.out, quick=options.quick)
            if not options.quick:
                _show(tables.by_choice(choices.choices(), choices.truth()))
    except SurefootError as error:
        _say(f"error: {error}")
        return 2
    _say(f"\nFigures are in {options.out}")
    return 0


def running_example(out: Path) -> None:
    """Table 1 of the paper, and what 1,000 tests say about it."""
    try:
        example = published.load()
    except MissingData as missing:
        _say(f"The running example is left out: {missing}\n")
        return
    printed, corrected = (published.assess(example, as_published=flag) for flag in (True, False))
    _show(tables.table_1(published.table_1(example, printed)))
    _show(tables.beside_tests(printed, corrected))
    _say(_reasons(printed, corrected))
    _show(tables.checks({"running example": corrected}))
    pictures.data_beside_profile(printed, *example.whole, out / "figure_5.png")
    pictures.where_and_how_much(corrected, out, "running_example")
    pictures.settling(corrected, out / "growth_by_k.png")
    pictures.separation_of(*example.whole, published.SIDE, out / "separation.png")


def known_sets(out: Path, *, quick: bool) -> None:
    """Two sets of our own, with the truth beside every answer."""
    assessed = {
        name: own_sets.assess(make()) for name, make in own_sets.SETS.items() if not (quick and name == "dense")
    }
    _show(tables.known(assessed))
    for name, one in assessed.items():
        against = tables.objection(one.found.by_cells)
        _say(f"{name}: {against or 'The tests do not object to the limit of the cells alone.'}")
    _say(f"Memory at its highest: {tables.peak_memory()}.\n")
    _show(tables.checks({name: one.found for name, one in assessed.items()}))
    shown = {name: (one.found, one.known.inputs, one.known.labels) for name, one in assessed.items()}
    if len(shown) > 1:
        pictures.sets_side_by_side(shown, out / "figure_6.png")
    for name, one in assessed.items():
        pictures.where_and_how_much(one.found, out, name)


def own_points(options: argparse.Namespace) -> None:
    """A forest on the points of a file."""
    points = own_data.read(options.data, options.domain)
    found = own_data.assess(points, options.side, seed=options.seed)
    side, distance = found.cells.grid.side, separation(points.inputs, points.labels)
    rows = {
        "points": f"{len(points.inputs):,}",
        "features": f"{points.inputs.shape[1]}",
        "classes": f"{len(points.classes)}",
        "domain": ", ".join(f"{low:g} to {high:g}" for low, high in points.domain) + f" ({points.domain_from})",
        "cells": f"{len(found.cells):,} ({tables.shape(found)})",
        "separation": f"{distance:.6g}, {'above' if distance > side else 'NOT above'} the side {side:g}",
    }
    _show(tables.own(options.data.name, found, rows))
    against = tables.objection(found.by_cells)
    if against:
        _say(f"Cells alone: {against}\n")
    _show(tables.checks({options.data.name: found}))
    pictures.data_beside_profile(found, points.inputs, points.labels, options.out / "data.png")
    pictures.where_and_how_much(found, options.out, "data")


def _reasons(printed: Reliability, corrected: Reliability) -> str:
    voted = corrected.by_cells.details["voted_share_of_operation"]
    chance = next(a.check for a in corrected.assumptions if a.id == "better-than-chance")
    assert chance is not None
    return (
        f"Why they differ: {voted:.0%} of operation lies in cells without a labelled point. There the model's own "
        "majority is taken for the truth, so a cell that is wrong throughout looks perfect, and the model certifies "
        f"itself (errata RAM 10). The tests show it: {chance.method}.\n"
        f"The printed standard deviation, {printed.pmi.details['sd']:.3g}, takes all cells for independent; with their "
        f"covariances it is {published.joint_sd(printed):.3g} (errata RAM 4). Neither contains what votes hide.\n"
    )


def _show(what: RenderableType) -> None:
    console.print(what, "", highlight=False)


def _say(text: str) -> None:
    console.print(text, highlight=False, markup=False)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the dense set and other choices")
    parser.add_argument("--data", type=Path, help="npz file with arrays x (n, features) and y (n): assess this instead")
    parser.add_argument("--side", type=float, help="side of a cell, for --data")
    parser.add_argument("--domain", type=float, nargs="+", metavar="END", help="low and high end of the features")
    parser.add_argument("--seed", type=int, default=0, help="of the split and the forest, for --data")
    parser.add_argument("--out", type=Path, default=Path("out/reliability_cells"), help="folder of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
