"""A project with small pictures and a linear torch model, whose failures in balls are known by simulation."""

from pathlib import Path

import numpy as np
import yaml

import surefoot as sf

SHAPE = (1, 6, 6)
PARTICLES = 71
"""No other batch has a multiple of so many rows: those that are tried beforehand have other numbers."""
NETWORK = """
import torch
from pathlib import Path

HERE = Path(__file__).parent
PARTICLES = {particles}


class Bars(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.nn.Linear(36, 2)

    def forward(self, inputs):
        if inputs.shape[0] % PARTICLES == 0:
            with (HERE / "batches.txt").open("a") as stream:
                stream.write("x")
            stop = HERE / "stop.txt"
            if stop.exists() and (HERE / "batches.txt").stat().st_size >= int(stop.read_text()):
                stop.unlink()
                raise KeyboardInterrupt
        return self.last(inputs.flatten(1))


def build():
    return Bars()
"""
DEFINITION = {
    "version": 1,
    "system": {"name": "Bars"},
    "components": {
        "bars": {
            "model": {"factory": "network:build", "weights": "network.safetensors"},
            "data": {name: {"path": f"{name}.npz", "inputs": "X", "labels": "y"} for name in ("test", "field")},
            "classes": ["upright", "flat"],
        }
    },
    "evidence": {
        "balls": {
            "step": "reliability_balls",
            "radius": 0.2,
            "budget": 20,
            "estimator": "splitting",
            "particles": PARTICLES,
            "moves": 4,
        }
    },
}


def weights():
    """Columns against rows of a picture."""
    upright = np.zeros((6, 6))
    upright[:, 2:4] = 1
    return np.stack([upright.ravel(), upright.T.ravel()])


def pictures(count, seed, noise=0.15):
    """Grey pictures with an upright or a flat bar, and which of them it is; some are hard to tell."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=count)
    bars = weights()[labels] * rng.uniform(0.03, 0.4, (count, 1))
    return np.clip(bars + rng.uniform(0, noise, bars.shape), 0, 1).astype(np.float32).reshape(-1, *SHAPE), labels


class BallProject:
    """The project's folder, and the ways to change it."""

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import save_file

        self.folder, self.file = folder, folder / "surefoot.yaml"
        (folder / "network.py").write_text(NETWORK.replace("{particles}", str(PARTICLES)))
        save_file(
            {"last.weight": weights().astype(np.float32), "last.bias": np.zeros(2, np.float32)},
            folder / "network.safetensors",
        )
        for name, count, seed in (("test", 60, 1), ("field", 80, 2)):
            self.set_rows(name, *pictures(count, seed))
        self.set_evidence()

    def set_rows(self, name, inputs, labels):
        np.savez(self.folder / f"{name}.npz", X=inputs, y=labels)

    def set_brittle(self, rows=400, wrong=0.12):
        """A model that a spot of noise misleads, where no picture has any, on rows of which some are answered wrong."""
        from safetensors.numpy import save_file

        misled = weights().astype(np.float32)
        misled[1, 0] = 120
        save_file({"last.weight": misled, "last.bias": np.zeros(2, np.float32)}, self.folder / "network.safetensors")
        inputs, labels = pictures(rows, 1)
        turned = np.arange(rows) < wrong * rows
        inputs[turned] = inputs[turned].transpose(0, 1, 3, 2)
        inputs[..., 0, 0] = 0
        order = np.random.default_rng(0).permutation(rows)
        self.set_rows("test", inputs[order], labels[order])

    def set_onnx(self):
        """The same model as an ONNX file."""
        from onnx import TensorProto, helper, numpy_helper, save

        nodes = [helper.make_node("Flatten", ["x"], ["row"]), helper.make_node("MatMul", ["row", "w"], ["y"])]
        taken, given = (
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, *shape])
            for name, shape in (("x", SHAPE), ("y", [2]))
        )
        stored = numpy_helper.from_array(weights().T.astype(np.float32), "w")
        graph = helper.make_graph(nodes, "graph", [taken], [given], [stored])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        save(model, self.folder / "network.onnx")
        parts = yaml.safe_load(self.file.read_text())
        parts["components"]["bars"]["model"] = {"path": "network.onnx", "output": "score"}
        self.file.write_text(yaml.safe_dump(parts, sort_keys=False))

    def set_evidence(self, targets=None, more=None, **changes):
        entry = {**DEFINITION["evidence"]["balls"], **changes}
        kept = {key: value for key, value in entry.items() if value is not None}
        parts = {**DEFINITION, "evidence": {"balls": kept, **(more or {})}, "targets": targets or {}}
        self.file.write_text(yaml.safe_dump(parts, sort_keys=False))

    def stop_after(self, batches):
        (self.folder / "stop.txt").write_text(str(batches))

    @property
    def batches(self):
        """How many batches of particles the model has answered, in whatever process."""
        path = self.folder / "batches.txt"
        return path.stat().st_size if path.exists() else 0

    def run(self, **options):
        return sf.run(sf.load(self.file), **options)
