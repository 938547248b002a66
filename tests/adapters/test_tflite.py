"""Real tflite models: keyword spotting and CIFAR-10 of MLPerf Tiny."""

import os
from pathlib import Path

import numpy as np
import pytest

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
