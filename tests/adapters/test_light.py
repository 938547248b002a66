"""The adapters load no library before it is used, and say which extra brings a missing one."""

import subprocess
import sys

import pytest

from surefoot.adapters import load_data, load_model
from surefoot.core import MissingExtra

HEAVY = (
    "torch",
    "sklearn",
    "skops",
    "onnxruntime",
    "pyarrow",
    "PIL",
    "ai_edge_litert",
    "joblib",
    "pandas",
    "scipy.stats",
)


def test_importing_the_adapters_loads_no_library():
    check = f"import sys, surefoot.adapters; print([name for name in {HEAVY} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.parametrize(
    ("library", "source", "extra"),
    [
        ("onnxruntime", {"path": "m.onnx"}, "onnx"),
        ("ai_edge_litert.interpreter", {"path": "m.tflite"}, "tflite"),
        ("safetensors.torch", {"factory": "m:build", "weights": "m.safetensors"}, "torch"),
    ],
)
def test_a_missing_library_of_a_model_names_its_extra(tmp_path, monkeypatch, library, source, extra):
    monkeypatch.setitem(sys.modules, library, None)
    for name in ("m.onnx", "m.tflite", "m.safetensors"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(MissingExtra, match=rf"surefoot\[{extra}\]"):
        load_model(**source, folder=tmp_path)


def test_a_missing_library_of_data_names_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "d.parquet").write_bytes(b"x")
    with pytest.raises(MissingExtra, match=r"surefoot\[parquet\]"):
        load_data(path="d.parquet", folder=tmp_path)
