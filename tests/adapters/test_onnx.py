"""ONNX models: converted from scikit-learn, and built node by node."""

import pickle
from contextlib import suppress

import numpy as np
import onnx
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, external_data_helper, helper, numpy_helper
from skl2onnx import convert_sklearn, to_onnx
from skl2onnx.common.data_types import BooleanTensorType, FloatTensorType, Int64TensorType, StringTensorType
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from surefoot.adapters import as_data, load_model, model_identity, score, scored
from surefoot.core import DiagnosticsError
from tests.adapters.problems import problem


def save_graph(path, *, batch, columns=3, dtype=TensorProto.FLOAT, outputs=("y",), inputs=("x",), node="Softmax"):
    nodes = [helper.make_node(node, [inputs[0]], [name]) for name in outputs]
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, dtype, [batch, columns]) for name in inputs],
        [helper.make_tensor_value_info(name, dtype, [batch, columns]) for name in outputs],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("zipmap", [True, False], ids=["list of mappings", "tensor"])
def test_skl2onnx_gives_the_probabilities_of_the_estimator(tmp_path, classifier, inputs, zipmap):
    converted = to_onnx(classifier, inputs[:1].astype(np.float32), options={"zipmap": zipmap}, target_opset=17)
    onnx.save(converted, tmp_path / "model.onnx")
    model = load_model(path="model.onnx", folder=tmp_path)
    np.testing.assert_allclose(model(inputs), classifier.predict_proba(inputs), atol=1e-5)
    assert model.classes == (("benign", "malignant") if zipmap else ())


def test_whole_number_classes_of_a_mapping_become_names(tmp_path, inputs):
    fitted = LogisticRegression().fit(inputs, np.arange(60) % 3 * 2)
    onnx.save(to_onnx(fitted, inputs[:1].astype(np.float32), target_opset=17), tmp_path / "model.onnx")
    assert load_model(path="model.onnx", folder=tmp_path).classes == ("0", "2", "4")


@pytest.mark.parametrize("batch", [None, "N", 1, 4, 7])
def test_every_kind_of_batch_dimension_gives_the_same_rows(tmp_path, batch):
    save_graph(tmp_path / "m.onnx", batch=batch)
    rows = np.random.default_rng(1).normal(size=(10, 3))
    data = as_data((rows, np.arange(10) % 3))
    scores = score(load_model(path="m.onnx", folder=tmp_path), data, batch_size=6)
    np.testing.assert_allclose(scores, softmax(rows), atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_inputs_are_cast_to_the_type_of_the_graph(tmp_path, dtype):
    save_graph(tmp_path / "m.onnx", batch=None)
    rows = np.arange(6).reshape(2, 3).astype(dtype)
    np.testing.assert_allclose(load_model(path="m.onnx", folder=tmp_path)(rows), softmax(rows.astype(float)), atol=1e-6)


def test_logits_become_probabilities_when_said_so(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None, node="Identity")
    rows = np.asarray([[0.2, 3.0, -1.0]])
    plain = load_model(path="m.onnx", folder=tmp_path)
    logits = load_model(path="m.onnx", output="logit", folder=tmp_path)
    np.testing.assert_allclose(plain(rows), rows, atol=1e-6)
    np.testing.assert_allclose(logits(rows), softmax(rows), atol=1e-6)
    assert (plain.output, logits.output) == ("score", "probability")


def test_numbers_too_large_for_the_graph_are_refused(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None)
    with problem("data-type", "float32"):
        load_model(path="m.onnx", folder=tmp_path)(np.full((1, 3), 1e300))


def test_integers_that_do_not_fit_are_refused(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None, dtype=TensorProto.INT32, node="Identity")
    model = load_model(path="m.onnx", output="score", folder=tmp_path)
    assert model(np.asarray([[1.0, 2.0, 3.0]])).tolist() == [[1, 2, 3]]
    for bad in (0.5, 2.0**40):
        with problem("data-type", "int32"):
            model(np.full((1, 3), bad))


def test_rows_of_another_shape_are_refused_and_axes_of_length_1_are_not(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None)
    model = load_model(path="m.onnx", folder=tmp_path)
    assert model(np.zeros((2, 1, 3, 1))).shape == (2, 3)
    with problem("data-type", r"shape \(3\).*shape \(4,\)"):
        model(np.zeros((2, 4)))
    with problem("data-type", "numbers"):
        model(np.asarray([["a", "b", "c"]]))


@pytest.mark.parametrize(
    ("options", "match"),
    [({"outputs": ("a", "b")}, "which output.*a, b"), ({"inputs": ("x", "z")}, "x tensor.*z tensor")],
)
def test_a_graph_that_cannot_be_used_alone_is_explained(tmp_path, options, match):
    save_graph(tmp_path / "m.onnx", batch=None, **options)
    with problem("model-unreadable", match):
        load_model(path="m.onnx", folder=tmp_path)


def test_among_several_outputs_the_probabilities_are_picked(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None, outputs=("hidden", "probabilities"))
    assert load_model(path="m.onnx", folder=tmp_path)(np.zeros((1, 3))).shape == (1, 3)


@pytest.mark.parametrize("content", [b"", b"no graph at all"])
def test_a_damaged_graph_is_unreadable(tmp_path, content):
    (tmp_path / "m.onnx").write_bytes(content)
    with problem("model-unreadable", r"m\.onnx"):
        load_model(path="m.onnx", folder=tmp_path)


def constant(name, values):
    return numpy_helper.from_array(np.asarray(values, np.float32), name)


def branch(name, values):
    output = helper.make_tensor_value_info(name, TensorProto.FLOAT, [3])
    return helper.make_graph([helper.make_node("Constant", [], [name], value=constant("", values))], name, [], [output])


def save_with_weights(path):
    """A graph with weights as an initializer and inside of a branch, each in a file of its own."""
    shape = [None, 3]
    graph = helper.make_graph(
        [
            helper.make_node(
                "If", ["yes"], ["b"], then_branch=branch("t", [1, 2, 3]), else_branch=branch("e", [0] * 3)
            ),
            helper.make_node("MatMul", ["x", "W"], ["h"]),
            helper.make_node("Add", ["h", "b"], ["y"]),
        ],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [constant("W", np.eye(3)), numpy_helper.from_array(np.asarray(True), "yes")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    taken = next(attribute.g for attribute in model.graph.node[0].attribute if attribute.name == "then_branch")
    for tensor, name in ((model.graph.initializer[0], "any.name"), (taken.node[0].attribute[0].t, "deep")):
        (path.parent / name).write_bytes(tensor.raw_data)
        external_data_helper.set_external_data(tensor, name)
        tensor.ClearField("raw_data")
    path.write_bytes(model.SerializeToString())


def test_weights_in_other_files_of_any_name_are_part_of_the_digest(tmp_path):
    save_with_weights(tmp_path / "m.onnx")
    assert load_model(path="m.onnx", output="score", folder=tmp_path)(np.zeros((1, 3))).tolist() == [[1, 2, 3]]
    digests = [model_identity(path="m.onnx", folder=tmp_path).digest]
    for name in ("any.name", "deep"):
        (tmp_path / name).write_bytes(bytes(len((tmp_path / name).read_bytes())))
        digests.append(model_identity(path="m.onnx", folder=tmp_path).digest)
    assert len(set(digests)) == 3
    (tmp_path / "deep").unlink()
    with problem("file-missing", "weights 'deep'"):
        model_identity(path="m.onnx", folder=tmp_path)


@given(st.binary(max_size=60), st.integers(0, 400))
@settings(deadline=None)
def test_whatever_bytes_a_graph_has_its_weights_are_looked_for_without_harm(tmp_path_factory, noise, place):
    path = tmp_path_factory.mktemp("noise") / "m.onnx"
    save_graph(path, batch=None)
    content = path.read_bytes()
    path.write_bytes(content[:place] + noise + content[place:])
    with suppress(DiagnosticsError):
        assert model_identity(path="m.onnx", folder=path.parent).digest


def test_a_graph_is_run_by_libraries_that_are_named(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None)
    assert set(model_identity(path="m.onnx", folder=tmp_path).versions) == {"numpy", "onnxruntime"}


def test_columns_without_names_are_not_guessed_for_labels_that_are_text(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None)
    model, rows = load_model(path="m.onnx", folder=tmp_path), np.eye(3)
    with problem("data-classes", r"text \(a, b, c\).*List classes in the order of the model's columns"):
        score(model, as_data((rows, ["c", "b", "a"])), batch_size=3)
    listed = score(model, as_data((rows, ["c", "b", "a"]), classes=["c", "b", "a"]), batch_size=3)
    assert listed.argmax(axis=1).tolist() == [0, 1, 2]
    assert score(model, as_data((rows, [2, 1, 0])), batch_size=3).shape == (3, 3)


def test_a_path_that_is_not_utf8_is_opened(tmp_path):
    save_graph(tmp_path / "m.onnx", batch=None)
    (tmp_path / "m.onnx").rename(tmp_path / "caf\udce9.onnx")
    assert load_model(path="caf\udce9.onnx", folder=tmp_path)(np.zeros((1, 3))).shape == (1, 3)


# Graphs with an input for each column of a table.

TABLE = pd.DataFrame(
    {
        "mass": np.random.default_rng(0).normal(size=60),
        "size": ["small", "large", "medium"] * 20,
        "year": np.arange(60) % 7,
        "tagged": np.arange(60) % 2 == 0,
    }
)
KINDS = {
    "mass": FloatTensorType([None, 1]),
    "size": StringTensorType([None, 1]),
    "year": Int64TensorType([None, 1]),
    "tagged": BooleanTensorType([None, 1]),
}


@pytest.fixture(scope="module", params=[True, False], ids=["list of mappings", "tensor"])
def of_columns(request, tmp_path_factory):
    """A pipeline over a frame, and the model that skl2onnx makes of it."""
    encoded = make_column_transformer((OneHotEncoder(), ["size"]), ("passthrough", ["mass", "year", "tagged"]))
    labels = np.where(TABLE["mass"] + (TABLE["size"] == "large") > 0, "keep", "drop")
    pipeline = make_pipeline(encoded, LogisticRegression()).fit(TABLE, labels)
    options = {id(pipeline): {"zipmap": request.param}}
    graph = convert_sklearn(pipeline, initial_types=[*KINDS.items()], options=options, target_opset=17)
    folder = tmp_path_factory.mktemp("columns")
    onnx.save(graph, folder / "pipeline.onnx")
    return pipeline, load_model(path="pipeline.onnx", folder=folder), labels


def test_columns_go_to_the_inputs_of_their_names(of_columns):
    pipeline, model, labels = of_columns
    assert (model.classes, model.features) == (("drop", "keep"), tuple(KINDS))
    expected = pipeline.predict_proba(TABLE)
    shuffled = TABLE.assign(note="x")[["note", "tagged", "year", "size", "mass"]]
    for rows in (TABLE, shuffled, pl.from_pandas(TABLE), TABLE.assign(size=TABLE["size"].astype("category"))):
        found = scored(model, as_data((rows, labels)), batch_size=7)
        np.testing.assert_allclose(found.scores, expected, atol=1e-5)
    again = pickle.loads(pickle.dumps(model.source))
    np.testing.assert_allclose(again(TABLE), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("change", "code", "match"),
    [
        ({"mass": None}, "data-column", "the column 'mass', which the inputs lack"),
        ({"mass": "heavy"}, "data-type", r"'mass' is String, and the input of this name takes numbers"),
        ({"size": 3}, "data-type", r"'size' is Int64, and the input of this name takes text.*types: {size: text}"),
        ({"size": ["small", None] * 30}, "data-missing-values", "'size' has no value in row 1"),
        ({"year": [2020.0, np.nan] * 30}, "data-missing-values", "'year' has no value in row 1"),
        ({"year": [1.0, 2.5] * 30}, "data-type", "'year' has 2.5 in row 1"),
        ({"tagged": 2}, "data-type", "'tagged' has 2 in row 0"),
    ],
)
def test_columns_that_do_not_fit_are_told_by_name_and_row(of_columns, change, code, match):
    _, model, labels = of_columns
    rows = TABLE.assign(**{name: value for name, value in change.items() if value is not None})
    rows = rows.drop(columns=[name for name, value in change.items() if value is None])
    with problem(code, match):
        scored(model, as_data((rows, labels)), batch_size=7)
    with problem("data-type", r"rows of shape \(2,\)"):
        model(np.zeros((3, 2)))
