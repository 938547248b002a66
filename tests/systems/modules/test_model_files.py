"""ONNX and tflite files as parts of a system, against the arithmetic of their graphs."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import told
from tests.systems.modules.graphs import HEAD, ROWS, features, save_graph

from surefoot import SurefootError
from surefoot.systems import Answer, System, onnx_module, tflite_module


@pytest.fixture
def path(tmp_path):
    return save_graph(tmp_path / "net.onnx")


def test_onnx_outputs_and_features_are_those_of_the_graph(tmp_path):
    for layer in [None, "activation", "active"]:
        for batch in [None, 1, 2]:
            with told((batch, layer)):
                module = onnx_module("m", save_graph(tmp_path / "net.onnx", batch=batch), {"v": "x"}, layer=layer)
                trace = System([module], inputs={"x": "vector"}).run({"x": ROWS})
                np.testing.assert_allclose(trace.outputs["m"], features() @ HEAD, rtol=1e-5)
                assert (layer is None) == (trace.features == {})
                if layer:
                    np.testing.assert_allclose(trace.features["m"], features(), rtol=1e-5)


def test_decode_makes_answers_of_what_the_model_gives(path):
    module = onnx_module("m", path, {"v": "x"}, gives="label", decode=lambda scores: scores.argmax(axis=1))
    trace = System([module], inputs={"x": "vector"}).run({"x": ROWS})
    assert trace.outputs["m"] == (features() @ HEAD).argmax(axis=1).tolist()


@pytest.mark.parametrize("gives", ["number", "vector"])
def test_a_model_of_one_column_gives_numbers_or_vectors(tmp_path, gives):
    module = onnx_module("m", save_graph(tmp_path / "net.onnx", head=HEAD[:, :1]), {"v": "x"}, gives=gives)
    trace = System([module], inputs={"x": "vector"}).run({"x": ROWS})
    assert trace.faults == {}
    np.testing.assert_allclose(np.ravel(trace.outputs["m"]), (features() @ HEAD)[:, 0], rtol=1e-5)


def test_rows_that_the_model_does_not_take_are_faults(path):
    system = System([onnx_module("m", path, {"v": "x"})], inputs={"x": "any"})
    trace = system.run({"x": [ROWS[0], np.zeros(7, np.float32)]})
    assert list(trace.faults) == [1]
    assert "rows of shape" in trace.faults[1].text


def test_a_pickled_file_is_opened_anew_from_anywhere(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    module = onnx_module("m", "net.onnx", {"v": "x"}, layer="active")
    content = pickle.dumps(module)
    monkeypatch.chdir("/")
    again = pickle.loads(content)
    np.testing.assert_array_equal(again.run(v=ROWS).outputs, module.run(v=ROWS).outputs)
    assert isinstance(again.run(v=ROWS), Answer)


def test_the_version_follows_the_file_and_what_is_read_from_it(tmp_path, path):
    other = save_graph(tmp_path / "other.onnx", head=2 * HEAD)
    copy = save_graph(tmp_path / "copy.onnx")
    apart = save_graph(tmp_path / "apart.onnx", save_as_external_data=True, size_threshold=0, location="weights.bin")
    options = [{}, {"layer": "active"}, {"layer": "inner"}, {"layer": "active", "pool": "mean"}, {"decode": np.argmax}]
    versions = [onnx_module("m", path, {"v": "x"}, **each).version for each in options]
    versions += [onnx_module("m", each, {"v": "x"}).version for each in (other, apart)]
    save_graph(apart, head=3 * HEAD, save_as_external_data=True, size_threshold=0, location="weights.bin")
    versions.append(onnx_module("m", apart, {"v": "x"}).version)
    assert len(set(versions)) == len(versions)
    assert onnx_module("m", copy, {"v": "x"}).version == versions[0]


@pytest.mark.parametrize("make", [onnx_module, tflite_module])
def test_a_wrong_file_is_told_when_the_module_is_made(make, tmp_path):
    (tmp_path / "bad").write_bytes(b"no model")
    with pytest.raises(SurefootError, match="model file is missing"):
        make("m", tmp_path / "none", {"v": "x"})
    with pytest.raises(SurefootError, match="could not be loaded"):
        make("m", tmp_path / "bad", {"v": "x"})
    with pytest.raises(SurefootError, match="takes one input; found v, w"):
        make("m", tmp_path / "bad", {"v": "x", "w": "y"})


@pytest.fixture
def resnet():
    pytest.importorskip("ai_edge_litert", reason="the tflite extra is not installed")
    path = Path(os.environ.get("SUREFOOT_DATA", "")) / "models" / "mlperf_tiny" / "pretrainedResnet.tflite"
    if not os.environ.get("SUREFOOT_DATA") or not path.is_file():
        pytest.skip("SUREFOOT_DATA names no folder with models/mlperf_tiny")
    return path


def test_tflite_outputs_are_those_of_the_interpreter_in_any_thread(resnet):
    from ai_edge_litert.interpreter import Interpreter

    images = np.random.default_rng(0).uniform(0, 255, (6, 32, 32, 3)).astype(np.float32)
    module = tflite_module("m", resnet, {"v": "x"})
    trace = System([module], inputs={"x": "image"}).run({"x": images})
    interpreter = Interpreter(model_path=str(resnet))
    interpreter.allocate_tensors()
    expected = []
    for image in images:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], image[None])
        interpreter.invoke()
        expected.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0])
    np.testing.assert_allclose(trace.outputs["m"], expected, atol=1e-5)
    again = pickle.loads(pickle.dumps(module))
    np.testing.assert_array_equal(again.run(v=images), module.run(v=images))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: module.run(v=images[i % 6][None])[0], range(24)))
    np.testing.assert_allclose(found, [expected[i % 6] for i in range(24)], atol=1e-5)
