"""Files and modules that a project names are looked for, without running any of its code."""

import sys

import numpy as np
import pytest

from surefoot.project import load
from tests.project.sample_steps import register
from tests.project.writing import ABSENT, problems, write
from tests.refusals import told

MODEL = "components__linear__model"
DATA = "components__linear__data__test"


@pytest.fixture(autouse=True)
def _steps(monkeypatch):
    register(monkeypatch)


def touch(small, *names):
    for name in names:
        path = small.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


def test_model_files_of_every_kind_are_accepted(small):
    for name in ["m.skops", "m.onnx", "m.tflite", "M.ONNX", "sub folder/m.onnx"]:
        with told(name):
            touch(small, name)
            assert load(write(small, **{MODEL: name})).definition.components["linear"].model.path == name


def test_a_pickle_needs_trust_in_words(small):
    for suffix in [".pkl", ".pickle", ".joblib"]:
        with told(suffix):
            touch(small, f"m{suffix}")
            (found,) = problems(small, **{MODEL: f"m{suffix}"})
            assert found.startswith("model-untrusted: components.linear.model is a pickled model")
            assert "trust: pickle" in found
            load(write(small, **{MODEL: {"path": f"m{suffix}", "trust": "pickle"}}))


def test_files_that_are_missing_or_of_another_kind(small):
    for change, expected in [
        ({MODEL: "modle.onnx"}, "file-missing: components.linear.model names a file that is not there: modle.onnx."),
        ({MODEL: {"path": "gone/model.onnx"}}, "file-missing: components.linear.model.path names a file that is not"),
        ({MODEL: "x" * 5000 + ".onnx"}, "file-missing: components.linear.model names"),
        ({MODEL: "notes.txt"}, "wrong-value: components.linear.model must end in .skops, .onnx, .tflite, .pkl"),
        ({MODEL: "folder"}, "wrong-value: components.linear.model must be a file; found the folder folder."),
        (
            {MODEL: {"factory": "linear:predict", "weights": "model.onnx"}},
            "wrong-value: components.linear.model.weights must end in .safetensors; found model.onnx.",
        ),
        (
            {MODEL: {"path": "model.onnx", "files": ["model.onnx", "gone.bin"]}},
            "file-missing: components.linear.model.files[1] names a file that is not there: gone.bin.",
        ),
        ({f"{DATA}__path": "tset.npz"}, "file-missing: components.linear.data.test.path names a file"),
        ({DATA: "notes.txt"}, "wrong-value: components.linear.data.test must end in .npz, .csv, .parquet or .jsonl;"),
    ]:
        with told(change):
            touch(small, "model.onnx", "notes.txt", "folder/x")
            (found,) = problems(small, **change)
            assert found.startswith(expected)


def test_a_misspelt_file_gets_a_suggestion(small):
    touch(small, "model.onnx")
    assert problems(small, **{MODEL: "modle.onnx"})[0].endswith("Did you mean 'model.onnx'?")


def test_a_misspelt_column_is_found_before_anything_is_run(small):
    for change, key in [
        ({"labels": "lable"}, "labels"),
        ({"inputs": ["force", "lable"]}, "inputs[1]"),
        ({"groups": "lable"}, "groups"),
        ({"attributes": ["lable"]}, "attributes[0]"),
    ]:
        for suffix in [".npz", ".csv", ".parquet"]:
            with told((suffix, change)):
                columns_file(small.folder / f"rows{suffix}")
                at = {"conditions": {}, DATA: {"path": f"rows{suffix}", **change}}
                assert problems(small, **at) == [
                    f"data-column: components.linear.data.test.{key} names 'lable', which is not in rows{suffix}."
                    " Did you mean 'label'?"
                ]


def columns_file(path):
    columns = {"force": [1.0, 2.0], "label": [0, 1]}
    if path.suffix == ".npz":
        np.savez(path, **columns)
    elif path.suffix == ".csv":
        path.write_text("force,label\n1,0\n2,1\n")
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pytest.importorskip("pyarrow").table(columns), path)


def test_a_file_whose_head_cannot_be_read_is_left_to_the_run(small):
    for suffix in [".npz", ".csv", ".parquet"]:
        for content in [b"", b"\xff\xfe"]:
            with told((content, suffix)):
                (small.folder / f"rows{suffix}").write_bytes(content)
                load(write(small, **{f"{DATA}__path": f"rows{suffix}"}))


def test_a_folder_of_images_is_data(small):
    touch(small, "images/cat/1.png")
    load(write(small, **{DATA: "images"}))


def test_a_component_needs_a_model_or_scores(small):
    (found,) = problems(small, **{MODEL: ABSENT})
    assert found.startswith("missing-key: components.linear.model is missing, and no data set has scores.")
    load(write(small, **{MODEL: ABSENT, f"{DATA}__scores": "X"}))


def test_callables_that_lead_nowhere(small):
    for callable, expected in [
        ("linaer:predict", "unknown-reference: components.linear.model.callable names the module 'linaer', which is"),
        ("linear:predcit", "unknown-reference: components.linear.model.callable names 'predcit', which the module"),
        ("linear.sub:predict", "unknown-reference: components.linear.model.callable names the module 'linear.sub'"),
        (
            "linear",
            "wrong-value: components.linear.model.callable cannot be used: 'linear' is not of the form module:name",
        ),
        ("a b:c", "wrong-value"),
        ("linear:predict()", "wrong-value"),
        ("<memory>:Model", "file-missing: components.linear.model.callable was an object in memory"),
        ("broken:predict", "file-unreadable: components.linear.model.callable names the module 'broken', which is not"),
        ("package.gone:f", "unknown-reference: components.linear.model.callable names the module 'package.gone'"),
        ("package.inner:g", "unknown-reference: components.linear.model.callable names 'g', which the module"),
    ]:
        with told(callable):
            touch(small, "package/__init__.py")
            (small.folder / "package/inner.py").write_text("def f(x):\n    g = x\n    return g\n")
            (small.folder / "broken.py").write_text("def predict(:\n")
            (found,) = problems(small, **{f"{MODEL}__callable": callable})
            assert found.startswith(expected)


def test_misspelt_callables_get_suggestions(small):
    assert problems(small, **{f"{MODEL}__callable": "linaer:predict"})[0].endswith("Did you mean 'linear'?")
    assert problems(small, **{f"{MODEL}__callable": "linear:predcit"})[0].endswith("Did you mean 'predict'?")


def test_names_are_found_however_a_module_binds_them(small):
    for source in [
        "predict = print",
        "def predict(x): ...",
        "async def predict(x): ...",
        "class predict: ...",
        "from math import sin as predict",
        "import math as predict",
        "if True:\n    predict = 1",
        "try:\n    predict = 1\nexcept ImportError:\n    pass",
        "with open(__file__) as predict: ...",
        "(predict := 3)",
        "a, *predict = 1, 2, 3",
        "predict: int = 3",
        "from math import *",
        "def __getattr__(name): ...",
        "text = '\\d'\npredict = 1",
    ]:
        with told(source):
            (small.folder / "bound.py").write_text(source)
            load(write(small, **{f"{MODEL}__callable": "bound:predict"}))


def test_installed_modules_packages_and_attributes_are_accepted(small):
    for callable in [
        "math:sin",
        "json:dumps",
        "os.path:join",
        "numpy.linalg:norm",
        "package.inner:f",
        "space.inner:f",
        "linear:predict.x",
    ]:
        with told(callable):
            touch(small, "package/__init__.py")
            for folder in ("package", "space"):
                (small.folder / folder).mkdir(exist_ok=True)
                (small.folder / folder / "inner.py").write_text("def f(x): ...\n")
            load(write(small, **{f"{MODEL}__callable": callable}))


def test_checking_runs_nothing_of_the_project_and_leaves_no_trace(small):
    (small.folder / "loud.py").write_text("open('ran', 'w')\nraise SystemExit(3)\npredict = 1\n")
    before, path = set(sys.modules), list(sys.path)
    load(write(small, **{f"{MODEL}__callable": "loud:predict", DATA: "loud:predict"}))
    assert sys.path == path
    assert "loud" not in set(sys.modules) - before
    assert sorted(p.name for p in small.folder.iterdir()) == ["linear.py", "loud.py", "surefoot.yaml", "test.npz"]
