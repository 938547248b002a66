"""From a clone to a report: installation, start-up, the demo, and assessments of many rows, steps and targets."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import Row, best_of

ROOT = Path(__file__).parents[1]
SUREFOOT = Path(sys.executable).with_name("surefoot")
ROWS = 10_000_000
FEW = 1_000
STEPS, TARGETS = 500, 2_000
PROJECT = """\
version: 1
system: {name: Ten million rows}
components:
  scored:
    data: {test: {path: rows.parquet, labels: label, scores: [negative, positive], output: score}}
    classes: [negative, positive]
evidence:
  counted: {step: binomial_bound}
  normal: {step: normal_bound}
  mean: {step: normal_score}
  recall: {step: metric_opinion, metric: recall, positive: positive, calibration: false}
targets:
  risk: {estimate: counted.failure probability, at_most: 0.03}
"""


@dataclass(frozen=True)
class Spent:
    """What a command took."""

    seconds: float
    megabytes: float


def measure() -> list[Row]:
    """All rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        core = folder / "ours" / "bin"
        many = (*_many_rows(folder), _many_steps(folder), _many_targets(folder))
        return [_installation(folder), _demo(folder, core), _help(core), *many]


def _spent(*command: str | Path, folder: Path = ROOT) -> Spent:
    """Wall-clock time and the largest resident size of the command or a child of it."""
    timed = ["/usr/bin/env", "python3", "-c", _TIMER, *map(str, command)]
    start = time.perf_counter()
    output = subprocess.run(timed, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if not output.stdout.strip():
        raise RuntimeError(output.stderr)
    return Spent(seconds, float(output.stdout.splitlines()[-1]) / 1024)


_TIMER = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
if code > 1:
    sys.exit(f"{sys.argv[1:]} ended with {code}")
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def _installation(folder: Path) -> Row:
    ours = _installed(folder / "ours", str(ROOT), used="from surefoot.cli import warmup; warmup.main()")
    peer = _installed(folder / "peer", "scikit-learn", "matplotlib", used="import sklearn.svm, matplotlib.pyplot")
    note = f"{ours.megabytes:.0f} MB with pip and what was compiled, against {peer.megabytes:.0f} MB"
    return Row("core install", ours.seconds, "pip install scikit-learn matplotlib", peer.seconds, note)


def _installed(folder: Path, *what: str, used: str) -> Spent:
    """As the Makefile does it: only modules that are used get compiled."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile", *what], check=True)
    caching = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([folder / "bin" / "python", "-c", used], check=True, env=caching)
    seconds = time.perf_counter() - start
    size = sum(path.lstat().st_size for path in folder.rglob("*"))
    return Spent(seconds, size / 1e6)


def _help(core: Path) -> Row:
    ours = best_of(lambda: _spent(core / "surefoot", "--help"))
    peer = best_of(lambda: _spent(core / "python", "-c", "import typer, rich.console"))
    return Row("surefoot --help", ours, "import typer, rich", peer)


def _demo(folder: Path, core: Path) -> Row:
    ours = _spent(core / "surefoot", "demo", folder=folder)
    peer = best_of(lambda: _spent(core / "python", "-c", "import sklearn.svm, skops.io, matplotlib.pyplot"))
    size = (folder / "report.html").stat().st_size / 1000
    return Row("surefoot demo", ours.seconds, "import sklearn, skops, matplotlib", peer, f"report {size:.0f} KB")


def _many_rows(folder: Path) -> list[Row]:
    few, tenth, many = (_assessed(folder / str(rows), rows) for rows in (FEW, ROWS // 10, ROWS))
    sizes = [(folder / str(rows) / "report.html").stat().st_size / 1000 for rows in (FEW, ROWS)]
    note = f"peak {many.megabytes:.0f} MB; report {sizes[1]:.0f} KB, {sizes[0]:.0f} KB for {FEW:,} rows"
    by_hand = _spent(sys.executable, "-c", _BY_HAND, folder=folder / str(ROWS))
    linear = 10 * (tenth.seconds - few.seconds) + few.seconds
    return [
        Row(f"assess, {ROWS:,} rows", many.seconds, "10 times the work of a tenth", linear, note),
        Row(
            f"assess, {ROWS:,} rows",
            many.seconds,
            "pandas, scipy, statsmodels by hand",
            by_hand.seconds,
            f"peak by hand {by_hand.megabytes:.0f} MB",
        ),
    ]


def _many_steps(folder: Path) -> Row:
    """In processor time: what a step costs beside its own function, which is timed by itself."""
    steps = {f"counted{place}": f"{{step: binomial_bound, level: {0.9 + place * 1e-4:.4f}}}" for place in range(STEPS)}
    targets = {"risk": "{estimate: counted0.failure probability, at_most: 0.03}"}
    whole, own, _ = _of_small_rows(folder / "steps", steps, targets)
    note = f"{1000 * (whole - own) / STEPS:.1f} ms a step beside its function, processor time"
    return Row(f"run, {STEPS} steps", whole, "the functions of the steps alone", own, note)


def _many_targets(folder: Path) -> Row:
    limits = {f"risk{place}": 0.02 if place % 10 == 0 else 0.028 + 1e-5 * (place % 1000) for place in range(TARGETS)}
    targets = {
        name: f"{{estimate: counted.failure probability, at_most: {limit:.5f}, claim: Situation {name} is handled}}"
        for name, limit in limits.items()
    }
    steps = {"counted": "{step: binomial_bound}"}
    whole, _, page = _of_small_rows(folder / "targets", steps, targets)
    few, _, small = _of_small_rows(folder / "few", steps, dict(list(targets.items())[:20]))
    note = f"processor time; page {page / 1e6:.2f} MB, {small / 1e6:.2f} MB for 20"
    return Row(f"run and page, {TARGETS:,} targets", whole, "100 times those of 20", 100 * few, note)


def _of_small_rows(folder: Path, steps: dict[str, str], targets: dict[str, str]) -> tuple[float, float, float]:
    """Processor seconds of run and page, those of the steps' own functions, and bytes of the page."""
    folder.mkdir()
    _write_rows(folder / "rows.parquet", 4_000)
    head = PROJECT.partition("evidence:")[0]
    lines = ["evidence:", *(f"  {name}: {said}" for name, said in steps.items())]
    lines += ["targets:", *(f"  {name}: {said}" for name, said in targets.items())]
    (folder / "surefoot.yaml").write_text(head + "\n".join(lines))
    found = subprocess.run([sys.executable, "-c", _RUN], cwd=folder, capture_output=True, text=True, check=True)
    whole, own, size = map(float, found.stdout.split())
    return whole, own, size


_RUN = """
from types import SimpleNamespace
from time import process_time
import surefoot as sf
import surefoot.project.runner as runner
found, own = runner.find, [0.0]
def timed(name):
    def function(**given):
        start = process_time()
        result = found(name).function(**given)
        own[0] += process_time() - start
        return result
    return SimpleNamespace(function=function)
runner.find = timed
project = sf.load(".")
start = process_time()
page = sf.report.html(sf.run(project)) if len(project.definition.targets) > 1 else ""
if not page:
    sf.run(project)
print(process_time() - start, own[0], len(page.encode()))
"""

_BY_HAND = """
import numpy as np, pandas as pd
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
rows = pd.read_parquet("rows.parquet")
scores = rows[["negative", "positive"]].to_numpy()
right = scores[np.arange(len(rows)), rows["label"]]
margins = right - scores[np.arange(len(rows)), 1 - rows["label"]]
wrong = margins <= 0
proportion_confint(int(wrong.sum()), len(rows), method="beta")
stats.anderson(margins); stats.jarque_bera(margins); stats.ks_2samp(margins[::2], margins[1::2])
len(np.unique(margins))
"""


def _assessed(folder: Path, rows: int) -> Spent:
    folder.mkdir()
    _write_rows(folder / "rows.parquet", rows)
    (folder / "surefoot.yaml").write_text(PROJECT)
    return _spent(SUREFOOT, "assess", "--quiet", "--html", "report.html", folder=folder)


def _write_rows(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(rows)
    labels = rng.integers(0, 2, rows)
    half = rng.normal(1.0, 0.5, rows) * np.where(labels == 1, 1, -1)
    pq.write_table(pa.table({"label": labels, "negative": -half, "positive": half}), path)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    for row in measure():
        print(row)
