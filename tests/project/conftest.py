"""A small real project: a linear model in a Python file, its test data, and a project file."""

from pathlib import Path

import numpy as np
import pytest
import yaml

MODEL = """
from pathlib import Path

import numpy as np

CALLS = Path(__file__).with_name("calls.txt")


def predict(inputs):
    with CALLS.open("a") as stream:
        stream.write("x")
    score = inputs @ np.array([1.0, -0.5]) + {bias}
    return np.column_stack([-score, score]) / 2
"""

ANSWERED = {"name": "A. Berg", "date": "2026-05-01", "reason": "Nobody ever saw more."}
"""Who answers for what a project states."""
DEFINITION = {
    "version": 1,
    "system": {"name": "Small", "hazard": "A wrong answer."},
    "components": {
        "linear": {
            "model": {"callable": "linear:predict", "output": "score", "batch_size": 100},
            "data": {"test": {"path": "test.npz", "inputs": "X", "labels": "y", "attributes": ["age"]}},
            "classes": ["no", "yes"],
        }
    },
    "evidence": {
        "counted": {"step": "binomial_bound", "level": 0.95},
        "missed": {"step": "binomial_bound", "of": "yes", "level": 0.95},
        "exposure": {
            "step": "stated",
            "quantity": "exposure",
            "value": 0.01,
            "source": "a guess",
            "answered_by": {**ANSWERED},
        },
        "hazard": {
            "step": "product",
            "factors": {"miss": "missed.failure probability", "exposure": "exposure.exposure"},
        },
    },
    "targets": {
        "risk": {"estimate": "counted.failure probability", "at_most": 0.2, "source": "contract"},
        "rare": {"estimate": "hazard.hazard probability", "at_most": 1e-6},
    },
}


class Small:
    """The project's folder, and the ways to change it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "surefoot.yaml"
        self.set_model()
        self.set_data()
        self.set_definition()

    def set_model(self, bias=0.0):
        (self.folder / "linear.py").write_text(MODEL.replace("{bias}", str(bias)))

    def set_data(self, seed=0, rows=400):
        rng = np.random.default_rng(seed)
        inputs = rng.normal(size=(rows, 2))
        labels = (inputs @ [1.0, -0.5] + rng.normal(0, 0.2, rows) > 0).astype(int)
        np.savez(self.folder / "test.npz", X=inputs, y=labels, age=rng.integers(18, 90, rows))

    def set_definition(self, **changes):
        self.file.write_text(yaml.safe_dump({**DEFINITION, **changes}, sort_keys=False))

    @property
    def calls(self):
        """How many batches the model has answered."""
        path = self.folder / "calls.txt"
        return len(path.read_text()) if path.exists() else 0


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path)
