"""Fault trees of the Aralia set against SCRAM, process against process: probability, cut set counts, uncertainty.

Usage: python -m benchmarks.fault_trees [MODEL ...]
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness import Row, in_turn
from surefoot.core.errors import MissingData
from surefoot.datasets.storage import locate
from surefoot.faulttree import Budget, FaultTree
from surefoot.faulttree.quantities import Fixed, LogNormal

SCRAM_SECONDS = 60.0
ENCLOSURE_SECONDS = 60.0
DRAWS = 100_000
COUNTED = ("isp9601", "edf9201", "das9201")
UNSOLVED = "nus9601"
PROBABILITY_ONLY = ("--cut-sets", "0", "--importance", "0")
COUNT = ("--cut-sets", "1", "--importance", "0")


def measure(models: Sequence[str] = ()) -> list[Row]:
    """Rows for each model, the counts and the draws, or for some models; none where these or SCRAM are missing.

    A process is compared with a process, both from start to end; what the library takes in a running Python stands in
    the note, because Debian's SCRAM is a program alone.
    """
    try:
        folder = locate("aralia")
    except MissingData:
        return []
    if shutil.which("scram") is None:
        return []
    with (folder / "reference.csv").open() as file:
        known = {row["model"]: row for row in csv.DictReader(file)}
    FaultTree.read(folder / "chinese.xml").probability()  # the libraries are imported, as in a running Python
    exact = [_exact(folder / f"{name}.xml", known[name]) for name in models or known if name != UNSOLVED]
    if models:
        return exact
    counts = [_count(folder / f"{name}.xml", known[name]) for name in COUNTED]
    others = [name for name in known if name not in (*COUNTED, UNSOLVED)]
    return [*exact, _enclosed(folder / f"{UNSOLVED}.xml"), *counts, _all_counts(folder, others, known), _draws(folder)]


def _exact(path: Path, known: dict[str, str]) -> Row:
    timed = in_turn(
        lambda: _surefoot(path, *PROBABILITY_ONLY),
        lambda: _scram(path, "-l", "1"),
        lambda: FaultTree.read(path).probability(),
    )
    found = FaultTree.read(path).probability()
    equal = f"{found:.5E}" == known["top_probability"]
    value = f"{found:.6g}, {'as published' if equal else 'PUBLISHED: ' + known['top_probability']}"
    note = f"{value}; in a running Python {timed.seconds[2]:.3g} s; {timed}"
    return Row(f"{path.stem}: exact probability, process", timed.seconds[0], "scram --bdd", timed.seconds[1], note)


def _surefoot(path: Path, *options: str) -> None:
    subprocess.run([sys.executable, "-m", "surefoot", "tree", str(path), *options], check=True, capture_output=True)


def _scram(path: Path, *options: str) -> bool:
    """Whether it ended in time."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["scram", "--bdd", "--probability", "1", *options, str(path), "-o", os.fspath(Path(folder) / "out")]
        try:
            subprocess.run(command, capture_output=True, timeout=SCRAM_SECONDS, check=True)
        except subprocess.TimeoutExpired:
            return False
    return True


def _enclosed(path: Path) -> Row:
    start = time.perf_counter()
    low, high = FaultTree.read(path).interval(budget=Budget(seconds=ENCLOSURE_SECONDS))
    ours = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        repaired = Path(folder) / path.name
        repaired.write_text(_without_repeated_inputs(path.read_text()))
        start = time.perf_counter()
        peer = "scram --bdd, ended" if _scram(repaired, "-l", "1") else "scram --bdd, stopped"
        peer_seconds = time.perf_counter() - start
    width = f"width {(high - low) / low:.1%} of it" if high > low else "exact"
    note = f"{low:.5g} to {high:.5g}, {width}; SCRAM refuses the file (inputs stand twice) and was given it without"
    return Row(f"{path.stem}: certified interval", ours, peer, peer_seconds, note)


def _without_repeated_inputs(text: str) -> str:
    """SCRAM does not take a gate that names an input twice."""
    return re.sub(r"<or>\n(.*?)</or>", lambda found: f"<or>\n{_once(found[1])}</or>", text, flags=re.DOTALL)


def _once(lines: str) -> str:
    return "".join(dict.fromkeys(lines.splitlines(keepends=True)))


def _count(path: Path, known: dict[str, str]) -> Row:
    timed = in_turn(lambda: _surefoot(path, *COUNT), lambda: _scram(path), lambda: FaultTree.read(path).cut_set_count())
    found = FaultTree.read(path).cut_set_count()
    equal = "as published" if found == int(known["minimal_cut_sets"]) else f"PUBLISHED: {known['minimal_cut_sets']}"
    note = f"{found:,}, {equal}; ours lists the largest; in a running Python {timed.seconds[2]:.3g} s; {timed}"
    peer = "scram --bdd, lists all"
    return Row(f"{path.stem}: number of cut sets, process", timed.seconds[0], peer, timed.seconds[1], note)


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
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "tree.xml"
        uncertain.write(path)
        timed = in_turn(
            lambda: _surefoot(path, "--draws", str(DRAWS), *PROBABILITY_ONLY),
            lambda: _scram(path, "--uncertainty", "1", "--num-trials", str(DRAWS), "-l", "1"),
            lambda: uncertain.analyse(draws=DRAWS),
        )
    mean = uncertain.analyse(draws=DRAWS).top.value
    note = f"61 lognormal events; mean {mean:.4g}; in a running Python {timed.seconds[2]:.3g} s; {timed}"
    peer = "scram --bdd --uncertainty"
    return Row(f"baobab1: {DRAWS:,} draws, process", timed.seconds[0], peer, timed.seconds[1], note)


if __name__ == "__main__":
    for row in measure(sys.argv[1:]):
        print(f"{row.task:45} {row.seconds:8.3f} s  {row.ratio:8.2f} times {row.peer}  {row.note}")
