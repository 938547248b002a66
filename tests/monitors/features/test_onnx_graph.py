"""Features of ONNX graphs, against the torch module from which the graph was written node by node."""

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, external_data_helper, helper, numpy_helper
from torch import nn

from surefoot.adapters import load_model
from surefoot.core import DiagnosticsError, InvalidInput, MissingExtra
from surefoot.monitors import OnnxFeatures, TorchFeatures, features

layer_features = features.layer_features

IMAGES = np.random.default_rng(0).random((11, 1, 6, 6)).astype(np.float32)


def network():
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 3))


def save_graph(module, path, *, batch=None, **options):
    weights = {name: value.numpy() for name, value in module.state_dict().items()}
    nodes = [
        helper.make_node("Conv", ["images", "0.weight", "0.bias"], ["map"], name="convolution"),
        helper.make_node("Relu", ["map"], ["positive"], name="activation"),
        helper.make_node("Flatten", ["positive"], ["flat"]),
        helper.make_node("Gemm", ["flat", "3.weight", "3.bias"], ["inner"], name="hidden", transB=1),
        helper.make_node("Relu", ["inner"], ["active"]),
        helper.make_node("Gemm", ["active", "5.weight", "5.bias"], ["logits"], name="head", transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [batch, 1, 6, 6])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [batch, 3])],
        initializer=[numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path, **options)
    return path


@pytest.fixture
def net():
    return network()


@pytest.fixture
def path(tmp_path, net):
    return save_graph(net, tmp_path / "net.onnx")


def test_a_graph_that_ends_in_a_softmax_answers_with_probabilities(path, tmp_path):
    assert OnnxFeatures(path, "hidden").forward_pass(IMAGES).logits.shape == (11, 3)
    model = onnx.load(path)
    model.graph.node.append(helper.make_node("Softmax", ["logits"], ["shares"], axis=1))
    model.graph.output[0].name = "shares"
    onnx.save(model, tmp_path / "soft.onnx")
    seen = OnnxFeatures(tmp_path / "soft.onnx", "hidden").forward_pass(IMAGES)
    assert seen.logits is None
    np.testing.assert_allclose(seen.probabilities.sum(axis=1), 1, atol=1e-6)


def test_features_equal_those_of_the_torch_layer(path, net):
    for node, layer in [
        ("convolution", "0"),
        ("map", "0"),
        ("positive", "1"),
        ("flat", "2"),
        ("hidden", "3"),
        ("logits", "5"),
    ]:
        for pool in ["flatten", "mean"]:
            features, predictions = OnnxFeatures(path, node, pool=pool)(IMAGES)
            expected, answers = TorchFeatures(net, layer, pool=pool)(IMAGES)
            np.testing.assert_allclose(features, expected, atol=1e-5, err_msg=repr((node, layer, pool)))
            np.testing.assert_array_equal(predictions, answers, err_msg=repr((node, layer, pool)))


@pytest.mark.parametrize("batch", [1, 4, 11])
def test_chunks_give_the_same_rows(path, net, batch):
    found = OnnxFeatures(path, "hidden", batch=batch)
    np.testing.assert_allclose(found.features(IMAGES), TorchFeatures(net, "3").features(IMAGES), atol=1e-5)
    np.testing.assert_allclose(found.scores(IMAGES), TorchFeatures(net, "3").scores(IMAGES), atol=1e-5)


@pytest.mark.parametrize("batch", [1, 4])
def test_graphs_for_a_fixed_number_of_rows_are_given_that_many(tmp_path, net, batch):
    fixed = OnnxFeatures(save_graph(net, tmp_path / "fixed.onnx", batch=batch), "hidden")
    features, predictions = fixed(IMAGES)
    np.testing.assert_allclose(features, TorchFeatures(net, "3").features(IMAGES), atol=1e-5)
    assert predictions.shape == (11,)


def test_weights_in_a_second_file_are_found(tmp_path, net):
    path = save_graph(net, tmp_path / "net.onnx", save_as_external_data=True, location="net.bin", size_threshold=0)
    assert external_data_helper.uses_external_data(onnx.load(path, load_external_data=False).graph.initializer[0])
    features = OnnxFeatures(path, "hidden").features(IMAGES)
    np.testing.assert_allclose(features, TorchFeatures(net, "3").features(IMAGES), atol=1e-5)


def test_the_file_stays_as_it_is(path):
    before = path.read_bytes()
    OnnxFeatures(path, "hidden")(IMAGES)
    assert path.read_bytes() == before


def test_inputs_without_the_axis_of_channels_fit(path):
    np.testing.assert_array_equal(
        OnnxFeatures(path, "hidden").features(IMAGES[:, 0].astype(np.float64)),
        OnnxFeatures(path, "hidden").features(IMAGES),
    )


def test_tensors_are_listed_in_their_order(path):
    assert OnnxFeatures.nodes(path) == ["map", "positive", "flat", "inner", "active", "logits"]


def test_classes_name_the_columns(path, net):
    names = OnnxFeatures(path, "hidden", classes=["a", "b", "c"])(IMAGES)[1]
    assert names.tolist() == np.array(["a", "b", "c"])[TorchFeatures(net, "3")(IMAGES)[1]].tolist()


def test_layer_features_looks_into_a_loaded_graph(tmp_path, path, net):
    view = layer_features(load_model(path="net.onnx", folder=tmp_path), "hidden", pool="mean")
    np.testing.assert_allclose(view(IMAGES), TorchFeatures(net, "3").features(IMAGES), atol=1e-5)


def test_unknown_nodes_get_a_suggestion(path):
    with pytest.raises(InvalidInput, match="Did you mean 'hidden'"):
        OnnxFeatures(path, "hiden")


def test_a_missing_onnx_names_the_extra(path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"surefoot\[onnx\]"):
        OnnxFeatures(path, "hidden")


def test_what_is_no_graph_is_refused(tmp_path):
    place = tmp_path / "no.onnx"
    place.write_bytes(b"no graph")
    with pytest.raises(DiagnosticsError, match="could not be loaded"):
        OnnxFeatures(place, "hidden")
    with pytest.raises(DiagnosticsError, match="could not be loaded"):
        OnnxFeatures(tmp_path / "missing.onnx", "hidden")


def test_inputs_of_another_shape_are_refused(path):
    with pytest.raises(DiagnosticsError, match="rows of shape"):
        OnnxFeatures(path, "hidden")(IMAGES[:, :, :3])
