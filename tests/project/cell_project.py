"""A project with two features, whose model is wrong in a known part of the domain."""

from pathlib import Path

import numpy as np
import yaml

import surefoot as sf

MODEL = """
import os
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
{extra}

def predict(inputs):
    {use}
    if len(inputs) > 10_000:
        with (HERE / "batches.txt").open("a") as stream:
            stream.write("x")
        stop = HERE / "stop.txt"
        if stop.exists() and (HERE / "batches.txt").stat().st_size >= int(stop.read_text()):
            stop.unlink()
            {stop}
    score = inputs[:, 0] - 0.55
    return np.column_stack([-score, score])
"""
DEFINITION = {
    "version": 1,
    "system": {"name": "Two features"},
    "components": {
        "side": {
            "model": {"callable": "model:predict", "output": "score"},
            "data": {name: {"path": f"{name}.npz", "inputs": "X", "labels": "y"} for name in ("test", "train")},
            "classes": ["left", "right"],
        }
    },
    "evidence": {"cells": {"step": "reliability_cells", "labelled": "train", "side": 0.05, "domain": [0, 1]}},
}


def rows(count, seed):
    """Inputs with a gap at 0.5 between the classes; the model answers wrongly between 0.5 and 0.55."""
    inputs = np.random.default_rng(seed).random((count, 2))
    inputs = inputs[np.abs(inputs[:, 0] - 0.5) > 0.005]
    return inputs, (inputs[:, 0] > 0.5).astype(int)


class CellProject:
    """The project's folder, and the ways to change it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "surefoot.yaml"
        for name, count, seed in (("train", 300, 1), ("test", 200, 2), ("field", 500, 3)):
            self.set_rows(name, *rows(count, seed))
        self.set_model()
        self.set_evidence()

    def set_rows(self, name, inputs, labels):
        np.savez(self.folder / f"{name}.npz", X=inputs, y=labels)

    def set_model(self, *, extra="", use="pass", stop="raise KeyboardInterrupt"):
        text = MODEL.replace("{extra}", extra).replace("{use}", use).replace("{stop}", stop)
        (self.folder / "model.py").write_text(text)

    def set_forest(self):
        """A forest in place of the callable, with classes that are numbers."""
        import skops.io
        from sklearn.ensemble import RandomForestClassifier

        with np.load(self.folder / "train.npz") as train:
            model = RandomForestClassifier(7, random_state=0).fit(train["X"], train["y"])
        skops.io.dump(model, self.folder / "forest.skops")
        self.set_component(model={"path": "forest.skops", "trust": ["sklearn.tree._tree.Tree"]})
        return model

    def set_component(self, **changes):
        self._write(components={"side": {**DEFINITION["components"]["side"], **changes}})

    def set_evidence(self, targets=None, **changes):
        entry = {**DEFINITION["evidence"]["cells"], **changes}
        kept = {key: value for key, value in entry.items() if value is not None}
        self._write(evidence={"cells": kept}, targets=targets or {})

    def _write(self, **changes):
        before = yaml.safe_load(self.file.read_text()) if self.file.exists() else DEFINITION
        self.file.write_text(yaml.safe_dump({**before, **changes}, sort_keys=False))

    def stop_after(self, batches):
        (self.folder / "stop.txt").write_text(str(batches))

    @property
    def batches(self):
        """How many large batches the model has answered, in whatever process."""
        path = self.folder / "batches.txt"
        return path.stat().st_size if path.exists() else 0

    def run(self, **options):
        return sf.run(sf.load(self.file), **options)

    def arrays(self, name):
        with np.load(self.folder / f"{name}.npz") as data:
            return data["X"], data["y"]


def digests(result):
    return {name: item.digest for name, item in result.evidence.items()}
