"""Fault trees of the Aralia set against SCRAM: exact probability, cut set counts, uncertainty."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Row, best_of
from surefoot.core.errors import MissingData
from surefoot.datasets.location import locate
from surefoot.faulttree import Budget, FaultTree
from surefoot.faulttree.quantities import Fixed, LogNormal

SLOW = 5.0
SCRAM_SECONDS = 60.0
ENCLOSURE_SECONDS = 60.0
DRAWS = 100_000
COUNTED = ("isp9601", "edf9201", "das9201")
UNSOLVED = "nus9601"
PROBABILITY_ONLY = ("--cut-sets", "0", "--importance", "0")


def measure() -> list[Row]:
    """Rows for each model, the counts and the draws; nothing where the models or SCRAM are missing."""
    try:
        folder = locate("aralia")
    except MissingData:
        return []
    if shutil.which("scram") is None:
        return []
    with (folder / "reference.csv").open() as file:
        known = {row["model"]: row for row in csv.DictReader(file)}
    FaultTree.read(folder / "chinese.xml").probability()  # the libraries are imported, as in a running Python
    exact = [_exact(folder / f"{name}.xml", row) for name, row in known.items() if name != UNSOLVED]
    counts = [_count(folder / f"{name}.xml", known[name]) for name in COUNTED]
    others = [name for name in known if name not in (*COUNTED, UNSOLVED)]
    return [*exact, _enclosed(folder / f"{UNSOLVED}.xml"), *counts, _all_counts(folder, others, known), _draws(folder)]


def _exact(path: Path, known: dict[str, str]) -> Row:
    ours = _timed_reads(path)
    found = FaultTree.read(path).probability()
    peer = _scram(path, "-l", "1")
    equal = f"{found:.5E}" == known["top_probability"]
    note = f"{found:.6g}, {'as published' if equal else 'PUBLISHED: ' + known['top_probability']}"
    command = best_of(lambda: _command(path), repeats=1)
    return Row(f"{path.stem}: file to exact probability", ours, "scram --bdd", peer, f"{note}; command {command:.2f} s")


def _timed_reads(path: Path) -> float:
    once = best_of(lambda: FaultTree.read(path).probability(), repeats=1)
    return once if once > SLOW else min(once, best_of(lambda: FaultTree.read(path).probability()))


def _command(path: Path) -> None:
    command = [sys.executable, "-m", "surefoot.cli", "tree", str(path), *PROBABILITY_ONLY]
    subprocess.run(command, check=True, capture_output=True)


def _scram(path: Path, *options: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        command = ["scram", "--bdd", "--probability", "1", *options, str(path), "-o", os.fspath(Path(folder) / "out")]
        runs = [_wall(command)]
        runs += [_wall(command) for _ in range(2) if runs[0] < SLOW]
    return min(runs)


def _wall(command: list[str]) -> float:
    start = time.perf_counter()
    try:
        subprocess.run(command, capture_output=True, timeout=SCRAM_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return float("inf")
    return time.perf_counter() - start


def _enclosed(path: Path) -> Row:
    start = time.perf_counter()
    low, high = FaultTree.read(path).interval(budget=Budget(seconds=ENCLOSURE_SECONDS))
    ours = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        repaired = Path(folder) / path.name
        repaired.write_text(_without_repeated_inputs(path.read_text()))
        peer = _scram(repaired, "-l", "1")
    width = f"width {(high - low) / low:.1%} of it" if high > low else "exact"
    note = f"{low:.5g} to {high:.5g}, {width}; SCRAM refuses the file (inputs stand twice) and was given it without"
    return Row(f"{path.stem}: certified interval", ours, "scram --bdd, stopped", min(peer, SCRAM_SECONDS), note)


def _without_repeated_inputs(text: str) -> str:
    """SCRAM does not take a gate that names an input twice."""
    return re.sub(r"<or>\n(.*?)</or>", lambda found: f"<or>\n{_once(found[1])}</or>", text, flags=re.DOTALL)


def _once(lines: str) -> str:
    return "".join(dict.fromkeys(lines.splitlines(keepends=True)))


def _count(path: Path, known: dict[str, str]) -> Row:
    def ours() -> int:
        return FaultTree.read(path).cut_set_count()

    equal = "as published" if ours() == int(known["minimal_cut_sets"]) else f"PUBLISHED: {known['minimal_cut_sets']}"
    note = f"{ours():,}, {equal}"
    return Row(f"{path.stem}: file to number of cut sets", best_of(ours), "scram --bdd, lists them", _scram(path), note)


def _all_counts(folder: Path, names: list[str], known: dict[str, dict[str, str]]) -> Row:
    seconds, wrong = {}, []
    for name in names:
        start = time.perf_counter()
        found = FaultTree.read(folder / f"{name}.xml").cut_set_count()
        seconds[name] = time.perf_counter() - start
        wrong += [name] if found != int(known[name]["minimal_cut_sets"]) else []
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:3]
    told = ", ".join(f"{name} {seconds[name]:.3g} s" for name in slowest)
    note = f"{'all as published' if not wrong else 'WRONG: ' + ', '.join(wrong)}; slowest {told}"
    total = sum(seconds.values())
    return Row(f"number of cut sets of the other {len(names)} models", total, "itself", total, note)


def _draws(folder: Path) -> Row:
    tree = FaultTree.read(folder / "baobab1.xml")
    known = {name: LogNormal(event.value, 3.0) for name, event in tree.events.items() if isinstance(event, Fixed)}
    uncertain = tree.with_events(known)
    ours = best_of(lambda: uncertain.analyse(draws=DRAWS))
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "tree.xml"
        uncertain.write(path)
        peer = _scram(path, "--uncertainty", "1", "--num-trials", str(DRAWS))
    note = f"61 lognormal events; mean {uncertain.analyse(draws=DRAWS).top.value:.4g}"
    return Row(f"baobab1: {DRAWS:,} draws", ours, "scram --bdd --uncertainty", peer, note)
