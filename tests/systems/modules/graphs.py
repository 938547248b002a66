"""A small ONNX graph: two dense layers, the first with a ReLU."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEIGHTS = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
HEAD = np.random.default_rng(1).normal(size=(4, 2)).astype(np.float32)
ROWS = np.random.default_rng(2).normal(size=(5, 3)).astype(np.float32)


def save_graph(path, *, batch=None, head=HEAD, **options):
    """Write the graph, for any number of rows or for a fixed one."""
    nodes = [
        helper.make_node("MatMul", ["rows", "weights"], ["inner"], name="hidden"),
        helper.make_node("Relu", ["inner"], ["active"], name="activation"),
        helper.make_node("MatMul", ["active", "head"], ["scores"], name="last"),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [batch, 3])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [batch, head.shape[1]])],
        initializer=[numpy_helper.from_array(WEIGHTS, "weights"), numpy_helper.from_array(head, "head")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path, **options)
    return path


def features(rows=ROWS):
    return np.maximum(rows @ WEIGHTS, 0)
