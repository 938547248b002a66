"""A frame of 1,000,000 rows and 30 mixed columns through a pipeline, whole process against reading and predicting."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.harness import Row
from benchmarks.skeleton import SUREFOOT, Spent, _spent

ROWS = 1_000_000
FIT = 20_000
NUMBERS, TEXTS, CATEGORIES, TRUTHS = 16, 7, 4, 3
PROJECT = """\
version: 1
system: {{name: A million rows}}
components:
  scored:
    model: {{path: model.joblib, trust: pickle}}
    data: {{test: {{path: {file}, labels: kind}}}}
evidence:
  counted: {{step: binomial_bound}}
targets:
  risk: {{estimate: counted.failure probability, at_most: 0.5}}
"""
BARE = """
import sys
import joblib, pandas as pd
table = pd.{read}({file!r})
model = joblib.load("model.joblib")
answers = model.predict(table.drop(columns="kind"))
print((answers != table["kind"]).mean())
"""


def measure() -> list[Row]:
    """Rows for Parquet and for CSV, and how memory grows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = mixed(ROWS)
        joblib.dump(fitted(table[:FIT]), folder / "model.joblib")
        found = []
        for file, read in (("rows.parquet", "read_parquet"), ("rows.csv", "read_csv")):
            _written(table, folder / file)
            ours, bare = _best(folder, file, read)
            _written(table[: ROWS // 4], folder / file)
            quarter = _assessed(folder)
            note = (
                f"{ours.seconds / bare.seconds:.2f} times the bare work; peak {ours.megabytes:.0f} MB, bare "
                f"{bare.megabytes:.0f} MB, a quarter of the rows {quarter.megabytes:.0f} MB"
            )
            task = f"assess, {ROWS:,} rows of 30 mixed columns, {Path(file).suffix[1:]}"
            found.append(Row(task, ours.seconds, f"pandas {read} and predict", bare.seconds, note))
        return found


def mixed(rows: int, seed: int = 0) -> pd.DataFrame:
    """Numbers with gaps, text, categories and truth values, and a label that depends on some of them."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {f"number_{place}": rng.normal(size=rows).round(4) for place in range(NUMBERS)}
    for place in range(0, NUMBERS, 4):
        columns[f"number_{place}"][rng.random(rows) < 0.05] = np.nan
    for place in range(TEXTS):
        words = np.array([f"word {number}" for number in range(3 + 3 * place)], dtype=object)
        columns[f"text_{place}"] = words[rng.integers(0, len(words), rows)]
    for place in range(CATEGORIES):
        columns[f"category_{place}"] = pd.Categorical.from_codes(rng.integers(0, 4, rows), ["a", "b", "c", "d"])
    columns |= {f"truth_{place}": rng.random(rows) < 0.5 for place in range(TRUTHS)}
    score = columns["number_1"] + (columns["text_0"] == "word 0") + columns["truth_0"] + rng.normal(size=rows)
    return pd.DataFrame(columns).assign(kind=np.where(score > 1, "yes", "no"))


def fitted(table: pd.DataFrame) -> Pipeline:
    """A usual pipeline."""
    texts = [name for name in table if str(name).startswith(("text", "category"))]
    numbers = [name for name in table if str(name).startswith("number")]
    parts = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts),
        remainder="passthrough",
    )
    return make_pipeline(parts, HistGradientBoostingClassifier()).fit(table.drop(columns="kind"), table["kind"])


def _written(table: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path, index=False)
    (path.parent / "surefoot.yaml").write_text(PROJECT.format(file=path.name))


def _best(folder: Path, file: str, read: str) -> tuple[Spent, Spent]:
    """The shorter of two runs of each, in turn."""
    code = BARE.format(file=file, read=read)
    both = [(_assessed(folder), _spent(sys.executable, "-c", code, folder=folder)) for _ in range(2)]
    ours, bare = zip(*both, strict=True)
    return min(ours, key=lambda spent: spent.seconds), min(bare, key=lambda spent: spent.seconds)


def _assessed(folder: Path) -> Spent:
    shutil.rmtree(folder / ".surefoot", ignore_errors=True)
    return _spent(SUREFOOT, "assess", "--json", "result.json", folder=folder)
