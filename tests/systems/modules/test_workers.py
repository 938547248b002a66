"""Modules of every kind in worker processes."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch
from tests.systems.modules.graphs import ROWS, save_graph

from surefoot.executors import Processes
from surefoot.systems import Module, System, onnx_module, process_module, torch_module


def test_modules_of_every_kind_give_in_worker_processes_what_they_give_here(tmp_path):
    pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")
    code = "import sys, json\nfor line in sys.stdin: print(json.dumps(sum(json.loads(line)['v'])))"
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Dropout(0.5))
    system = System(
        [
            Module("function", lambda v: [row.sum() for row in v], {"v": "x"}, gives="number"),
            torch_module("torch", net, {"v": "x"}, layer="0"),
            onnx_module("onnx", save_graph(tmp_path / "net.onnx"), {"v": "x"}, layer="active"),
            process_module("process", [sys.executable, "-c", code], {"v": "x"}, gives="number"),
        ],
        inputs={"x": "vector"},
    )

    def trace(noise, rng):
        found = system.run({"x": ROWS}, noise=noise)
        return {name: np.array(values) for name, values in (found.outputs | found.features).items()}, found.faults

    ((there, faults),) = Processes(2).map(trace, [3], seed=0)
    here, none = trace(3, None)
    assert faults == none == {}
    for name, values in here.items():
        np.testing.assert_allclose(there[name], values, rtol=1e-6)
