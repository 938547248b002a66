"""Scikit-learn models from skops files, and pickles."""

import pickle
import subprocess
import sys
from importlib import import_module

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from surefoot.adapters import load_model, model_identity
from tests.adapters.problems import problem

TREE = "sklearn.tree._tree.Tree"


@pytest.fixture
def stored(tmp_path, classifier):
    skops.io.dump(classifier, tmp_path / "model.skops")
    return tmp_path


def test_a_skops_file_gives_the_probabilities_of_the_estimator(stored, classifier, inputs):
    model = load_model(path="model.skops", folder=stored)
    assert np.array_equal(model(inputs), classifier.predict_proba(inputs))
    assert (model.output, model.classes, model.caveats) == ("probability", ("benign", "malignant"), ())


def test_a_skops_file_answers_by_the_method_asked_for(stored, classifier, inputs):
    assert load_model(path="model.skops", method="predict", folder=stored)(inputs)[0] in classifier.classes_


def test_reading_a_skops_file_does_not_import_torch(stored):
    load = "import sys; from surefoot.adapters import load_model; load_model(path='model.skops', folder='.')"
    show = "print('sklearn' in sys.modules, 'torch' in sys.modules, None in sys.modules.values())"
    command = [sys.executable, "-c", f"{load}; {show}"]
    assert subprocess.run(command, cwd=stored, capture_output=True, text=True).stdout == "True False False\n"


def test_importing_skops_leaves_the_array_libraries_importable(stored, inputs, monkeypatch):
    monkeypatch.delitem(sys.modules, "skops.io")
    assert load_model(path="model.skops", folder=stored)(inputs).shape == (60, 2)
    assert None not in sys.modules.values()


def test_types_that_skops_does_not_trust_are_listed_and_can_be_trusted(tmp_path, inputs, labels):
    forest = RandomForestClassifier(3, random_state=0).fit(inputs, labels)
    skops.io.dump(forest, tmp_path / "forest.skops")
    with problem("model-untrusted", rf"{TREE}.*trust: \[{TREE}\]"):
        load_model(path="forest.skops", folder=tmp_path)
    model = load_model(path="forest.skops", trust=[TREE], folder=tmp_path)
    assert np.array_equal(model(inputs), forest.predict_proba(inputs))


def test_trusting_pickle_does_not_trust_types_in_a_skops_file(tmp_path, classifier):
    skops.io.dump(make_pipeline(FunctionTransformer(print), classifier), tmp_path / "model.skops")
    with problem("model-untrusted", "builtins.print"):
        load_model(path="model.skops", trust="pickle", folder=tmp_path)


@pytest.mark.parametrize("content", [b"", b"nothing", b"PK\x03\x04" + bytes(50)])
def test_a_damaged_skops_file_is_unreadable(tmp_path, content):
    (tmp_path / "model.skops").write_bytes(content)
    with problem("model-unreadable", r"model\.skops"):
        load_model(path="model.skops", folder=tmp_path)


def test_a_truncated_skops_file_is_unreadable(stored):
    content = (stored / "model.skops").read_bytes()
    (stored / "model.skops").write_bytes(content[: len(content) // 2])
    with problem("model-unreadable", r"model\.skops"):
        load_model(path="model.skops", folder=stored)


@pytest.mark.parametrize("name", ["model.pkl", "model.pickle", "model.joblib"])
def test_a_pickle_is_read_only_when_trusted_in_words(tmp_path, classifier, inputs, name):
    joblib.dump(classifier, tmp_path / name)
    for trust in (None, ["sklearn"]):
        with problem("model-untrusted", "trust: pickle"):
            load_model(path=name, trust=trust, folder=tmp_path)
    model = load_model(path=name, trust="pickle", folder=tmp_path)
    assert np.array_equal(model(inputs), classifier.predict_proba(inputs))
    assert model.caveats == model_identity(path=name, trust="pickle", folder=tmp_path).caveats
    assert model.caveats[0].code == "pickle-trusted"


OWN = """
from sklearn.linear_model import LogisticRegression
from rule import SIGN

class Own(LogisticRegression):
    def predict_proba(self, x):
        return super().predict_proba(SIGN * x)
"""


@pytest.fixture
def own(write, tmp_path, monkeypatch, inputs, labels):
    """An estimator whose class lies in the project's folder."""
    write("own_model.py", OWN)
    write("rule.py", "SIGN = 1\n")
    with monkeypatch.context() as here:
        here.syspath_prepend(tmp_path)
        estimator = import_module("own_model").Own().fit(inputs, labels)
        skops.io.dump(estimator, tmp_path / "own.skops")
        joblib.dump(estimator, tmp_path / "own.joblib")
    for name in ("own_model", "rule"):
        sys.modules.pop(name, None)
    return tmp_path


@pytest.mark.parametrize(("path", "trust"), [("own.skops", ["own_model.Own"]), ("own.joblib", "pickle")])
def test_types_of_the_project_belong_to_the_model(own, write, inputs, path, trust):
    source = {"path": path, "trust": trust, "folder": own}
    before, answers = model_identity(**source), load_model(**source)(inputs)
    write("rule.py", "SIGN = -1\n")
    assert not np.array_equal(load_model(**source)(inputs), answers)
    assert model_identity(**source).digest != before.digest
    assert "partial-identity" in [caveat.code for caveat in before.caveats]


def test_code_of_the_project_does_not_count_where_a_file_needs_none(stored, write):
    before = model_identity(path="model.skops", trust=[TREE], folder=stored)
    write("other.py", "")
    after = model_identity(path="model.skops", trust=[TREE], folder=stored)
    assert (after.digest, after.caveats) == (before.digest, ())


class Bomb:
    def __reduce__(self):
        return open, ("exploded", "w")


def test_an_untrusted_pickle_runs_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(Bomb()))
    with problem("model-untrusted"):
        load_model(path="model.pkl", folder=tmp_path)
    assert not (tmp_path / "exploded").exists()


def test_a_damaged_pickle_is_unreadable(tmp_path):
    (tmp_path / "model.pkl").write_bytes(b"\x80\x04nonsense")
    with problem("model-unreadable", r"model\.pkl"):
        load_model(path="model.pkl", trust="pickle", folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "match"),
    [("model.pt", "safetensors"), ("weights.safetensors", "factory"), ("model.h5", "ONNX"), ("model.bin", r"\.skops")],
)
def test_other_files_say_what_to_do(tmp_path, name, match):
    (tmp_path / name).write_bytes(b"x")
    with problem("model-unreadable", match):
        load_model(path=name, folder=tmp_path)


def test_a_missing_file_suggests_a_neighbour(stored):
    with problem("file-missing", r"Did you mean 'model\.skops'"):
        load_model(path="modle.skops", folder=stored)


def test_a_name_no_file_can_have_is_missing(stored):
    with problem("file-missing", r"'a\\x00b\.skops'"):
        load_model(path="a\0b.skops", folder=stored)


@pytest.mark.parametrize("path", [".", "/dev/null"])
def test_what_is_no_file_is_unreadable(stored, path):
    with problem("file-unreadable", "cannot be read"):
        load_model(path=path, folder=stored)
