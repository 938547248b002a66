"""What the network of ``run.py`` answered, kept in ``scores.npz``: the data that ``surefoot.yaml`` assesses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from domain import QUARTERS, ImageDomain
from numpy.typing import NDArray

from surefoot.core import DiagnosticsError

if TYPE_CHECKING:
    from signs import Answers

    from surefoot.datasets import TrafficSigns

FILE = Path(__file__).with_name("scores.npz")
ROAD_WORK = 25
Rows = dict[str, Any]


def keep(signs: TrafficSigns, answers: Answers, domain: ImageDomain, path: Path = FILE) -> Path:
    """Keep scores, true classes and quarters of test images of road-work signs and of all held-out images.

    Held-out images are of tracks that are known; those of test images the benchmark does not publish.
    """
    ours, held = signs.test_labels == ROAD_WORK, answers.held
    test = domain.quarters(signs.test_images[ours], signs.test_box[ours])
    held_out = domain.quarters(signs.train_images[held], signs.train_box[held])
    parts = {
        "test": _part(answers.test[ours], signs.test_labels[ours], test),
        "held_out": _part(answers.held_out, signs.train_labels[held], held_out) | {"track": answers.track},
    }
    arrays = {f"{part}/{name}": values for part, columns in parts.items() for name, values in columns.items()}
    np.savez_compressed(path, **arrays)
    return path


def test_rows() -> Rows:
    """Test images of road-work signs: their calibration and coverage are those of the class, as in the paper."""
    return _rows("test")


def held_out_rows() -> Rows:
    """Images of training tracks that the network never saw, of all classes; frames of one track are a group."""
    return _rows("held_out")


def _part(
    scores: NDArray[np.float64], labels: NDArray[np.int64], quarters: dict[str, NDArray[np.intp]]
) -> dict[str, NDArray[Any]]:
    small = {name: which.astype(np.uint8) for name, which in quarters.items()}
    return {"scores": scores.astype(np.float32), "labels": labels, **small}


def _rows(part: str) -> Rows:
    if not FILE.exists():
        text = "there are no scores to assess, because no network has been trained yet."
        hint = f"Run python {FILE.with_name('run.py')} first; it trains one and keeps its scores in {FILE.name}."
        raise DiagnosticsError.of("file-missing", text, where=FILE.name, hint=hint)
    with np.load(FILE) as arrays:
        columns = {name.partition("/")[2]: arrays[name] for name in arrays.files if name.startswith(f"{part}/")}
    return {name: _named(name, values) for name, values in columns.items()}


def _named(name: str, values: NDArray[Any]) -> NDArray[Any]:
    return values if name in ("scores", "labels", "track") else np.asarray(QUARTERS)[values]
