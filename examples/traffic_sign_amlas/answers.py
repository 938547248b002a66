"""What the network of the example traffic_sign_trust answered: its run.py trains it and keeps ``scores.npz``."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import DiagnosticsError

FILE = Path(__file__).parents[1] / "traffic_sign_trust" / "scores.npz"
QUARTERS = np.asarray(["lowest quarter", "second quarter", "third quarter", "highest quarter"])
Rows = dict[str, NDArray[Any]]


def verification_rows() -> Rows:
    """Artefact P: test pictures of road-work signs."""
    return _rows("test")


def internal_test_rows() -> Rows:
    """Artefact O: pictures of training tracks that the network never saw, of all classes; a track is a group."""
    return _rows("held_out")


def _rows(part: str) -> Rows:
    if not FILE.exists():
        text = "there are no answers to assess, because no network has been trained yet."
        hint = "Run python examples/traffic_sign_trust/run.py first; it trains one and keeps what it answers."
        raise DiagnosticsError.of("file-missing", text, where=FILE.name, hint=hint)
    with np.load(FILE) as arrays:
        columns = {name.partition("/")[2]: arrays[name] for name in arrays.files if name.startswith(f"{part}/")}
    plain = ("scores", "labels", "track")
    return {name: values if name in plain else QUARTERS[values] for name, values in columns.items()}
