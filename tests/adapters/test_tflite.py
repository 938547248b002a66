"""tflite models: written field by field, and the keyword spotting and CIFAR-10 models of MLPerf Tiny."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.special import softmax

from surefoot.adapters import load_data, load_model, model_identity, scored
from tests.adapters.problems import problem

litert = pytest.importorskip("ai_edge_litert.interpreter", reason="the tflite extra is not installed")


@pytest.fixture(scope="module")
def shelf():
    folder = Path(os.environ.get("SUREFOOT_DATA", ""))
    if not os.environ.get("SUREFOOT_DATA") or not (folder / "models" / "mlperf_tiny").is_dir():
        pytest.skip("SUREFOOT_DATA names no folder with models/mlperf_tiny")
    return folder


def reference(path, rows):
    """One row after another, by hand."""
    interpreter = litert.Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    taken, given = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    found = []
    for row in rows:
        interpreter.set_tensor(taken["index"], row.reshape(taken["shape"]))
        interpreter.invoke()
        found.append(interpreter.get_tensor(given["index"])[0])
    return np.asarray(found), given["quantization"]


def save_softmax(path, *, batch, signature=None, inputs=1):
    """A graph of one softmax over three columns, written field by field."""
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated", reason="this LiteRT brings no schema")
    flatbuffers = pytest.importorskip("flatbuffers", reason="flatbuffers is not installed")
    tensors = []
    for name in [*(f"x{number}" for number in range(inputs)), "y"]:
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.shapeSignature, tensor.buffer = name, [batch, 3], signature, 0
        tensors.append(tensor)
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0], [inputs]
    operator.builtinOptionsType, operator.builtinOptions = (
        schema.BuiltinOptions.SoftmaxOptions,
        schema.SoftmaxOptionsT(),
    )
    operator.builtinOptions.beta = 1.0
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.SOFTMAX
    code.version = 1
    graph = schema.SubGraphT()
    graph.tensors, graph.operators = tensors, [operator]
    graph.inputs, graph.outputs = list(range(inputs)), [inputs]
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    path.write_bytes(bytes(builder.Output()))


@pytest.mark.parametrize(("batch", "signature"), [(1, None), (4, None), (4, [4, 3]), (1, [-1, 3])])
def test_every_kind_of_batch_dimension_gives_the_same_rows(tmp_path, batch, signature):
    save_softmax(tmp_path / "m.tflite", batch=batch, signature=signature)
    rows = np.random.default_rng(0).normal(size=(10, 3))
    found = load_model(path="m.tflite", folder=tmp_path)(rows)
    np.testing.assert_allclose(found, softmax(rows, axis=1), atol=1e-6)


def test_a_graph_of_several_inputs_is_refused(tmp_path):
    save_softmax(tmp_path / "m.tflite", batch=1, inputs=2)
    with problem("model-unreadable", "2 inputs"):
        load_model(path="m.tflite", folder=tmp_path)


def test_a_path_that_is_not_utf8_is_opened(tmp_path):
    save_softmax(tmp_path / "caf\udce9.tflite", batch=1)
    assert load_model(path="caf\udce9.tflite", folder=tmp_path)(np.zeros((2, 3))).shape == (2, 3)


def test_keyword_spotting_is_as_accurate_as_published(shelf):
    """MLPerf Tiny asks for 90% on these thousand words."""
    data = load_data(path="kws01_mfcc/kws01.npz", folder=shelf)
    model = load_model(path="models/mlperf_tiny/kws_ref_model.tflite", folder=shelf)
    found = scored(model, data, batch_size=300)
    assert found.output == "probability"
    np.testing.assert_allclose(found.scores.sum(axis=1), 1, atol=1e-6)
    accuracy = (found.scores.argmax(axis=1) == data.labels).mean()
    assert 0.90 <= accuracy <= 0.95


def test_a_quantised_model_gives_what_the_interpreter_gives_row_by_row(shelf):
    path = shelf / "models" / "mlperf_tiny" / "kws_ref_model.tflite"
    rows = load_data(path="kws01_mfcc/kws01.npz", folder=shelf).inputs[:40]
    raw, (scale, zero) = reference(path, rows)
    expected = (raw.astype(float) - zero) * scale
    found = load_model(path=str(path), folder=shelf)(rows)
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), atol=1e-6)


def test_plain_numbers_are_quantised(shelf):
    path = "models/mlperf_tiny/pretrainedResnet_quant.tflite"
    model = load_model(path=path, folder=shelf)
    pixels = np.random.default_rng(0).integers(0, 256, (5, 32, 32, 3), dtype=np.uint8)
    already = (pixels.astype(int) - 128).astype(np.int8)
    assert np.array_equal(model(pixels), model(already))
    assert np.array_equal(model(pixels.astype(float)), model(already))


def test_a_float_model_gives_probabilities_in_any_batch(shelf):
    path = shelf / "models" / "mlperf_tiny" / "kws_ref_model_float32.tflite"
    rows = np.random.default_rng(0).normal(size=(7, 49, 10))
    model = load_model(path=str(path), folder=shelf)
    expected, _ = reference(path, rows.astype(np.float32))
    np.testing.assert_allclose(model(rows), expected, atol=1e-5)
    np.testing.assert_allclose(np.concatenate([model(rows[:3]), model(rows[3:])]), expected, atol=1e-5)


def test_rows_of_another_shape_are_refused(shelf):
    model = load_model(path="models/mlperf_tiny/kws_ref_model.tflite", folder=shelf)
    with problem("data-type", r"\(49, 10, 1\).*\(49, 11\)"):
        model(np.zeros((2, 49, 11)))


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x1c\x00\x00\x00TFL3" + bytes(40)])
def test_a_damaged_model_is_unreadable(tmp_path, content):
    (tmp_path / "m.tflite").write_bytes(content)
    with problem("model-unreadable", r"m\.tflite"):
        load_model(path="m.tflite", folder=tmp_path)


def test_identity_names_the_library(tmp_path):
    (tmp_path / "m.tflite").write_bytes(b"anything")
    assert set(model_identity(path="m.tflite", folder=tmp_path).versions) == {"numpy", "ai-edge-litert"}
