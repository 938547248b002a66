"""Models named as module:name."""

import sys

import numpy as np
import pytest

from surefoot.adapters import LoadedModel, as_model, load_model
from tests.adapters.problems import problem

ROWS = np.linspace(0, 1, 10).reshape(5, 2)
FUNCTION = "import numpy as np\n\ndef predict(x):\n    return np.column_stack([1 - x[:, 0], x[:, 0]])\n"


def test_a_function_of_the_project_folder_is_called(write, tmp_path):
    write("model.py", FUNCTION)
    model = load_model(callable="model:predict", folder=tmp_path)
    assert model(ROWS)[:, 1].tolist() == ROWS[:, 0].tolist()
    assert [caveat.code for caveat in model.caveats] == ["partial-identity"]


def test_importing_leaves_no_trace(write, tmp_path):
    write(
        "model.py", "import helper\nimport sys\nsys.path.append('extra')\ndef predict(x):\n    return helper.half(x)\n"
    )
    write("helper.py", "def half(x):\n    return x[:, 0] / 2\n")
    before = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    load_model(callable="model:predict", folder=tmp_path)(ROWS)
    assert (set(sys.modules), list(sys.path), sys.dont_write_bytecode) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["helper.py", "model.py"]


def test_two_projects_may_have_modules_of_one_name(write, tmp_path):
    write("a/model.py", "from helper import p\npredict = lambda x: x[:, 0] * 0 + p\n")
    write("a/helper.py", "p = 0.25\n")
    write("b/model.py", "from helper import p\npredict = lambda x: x[:, 0] * 0 + p\n")
    write("b/helper.py", "p = 0.75\n")
    models = [load_model(callable="model:predict", folder=tmp_path / name) for name in "ab"]
    assert [model(ROWS)[0, 1] for model in models] == [0.25, 0.75]


def test_a_module_of_the_caller_with_the_same_name_is_left_alone(write, tmp_path, monkeypatch):
    theirs = type(sys)("model")
    monkeypatch.setitem(sys.modules, "model", theirs)
    write("model.py", FUNCTION)
    load_model(callable="model:predict", folder=tmp_path)(ROWS)
    assert sys.modules["model"] is theirs


def test_a_changed_file_is_read_again(write, tmp_path):
    write("model.py", "predict = lambda x: x[:, 0] * 0 + 0.25\n")
    load_model(callable="model:predict", folder=tmp_path)
    write("model.py", "predict = lambda x: x[:, 0] * 0 + 0.75\n")
    assert load_model(callable="model:predict", folder=tmp_path)(ROWS)[0, 1] == 0.75


def test_an_import_within_the_function_finds_the_project_folder(write, tmp_path):
    write("model.py", "def predict(x):\n    from late import value\n    return x[:, 0] * 0 + value\n")
    write("late.py", "value = 0.5\n")
    assert load_model(callable="model:predict", folder=tmp_path)(ROWS)[0].tolist() == [0.5, 0.5]


def test_an_object_in_a_package_answers_by_its_method(write, tmp_path):
    write("parts/__init__.py", "")
    write(
        "parts/net.py",
        "class Net:\n    classes_ = ['no', 'yes']\n    def predict(self, x):\n        return ['yes'] * len(x)\n"
        "net = Net()\n",
    )
    model = load_model(callable="parts.net:net", folder=tmp_path)
    assert (model.output, model.classes) == ("label", ("no", "yes"))
    assert model(ROWS).tolist() == ["yes"] * 5


@pytest.mark.parametrize(
    ("reference", "code", "match"),
    [
        ("modle:predict", "model-unreadable", "no module 'modle'.*Did you mean 'model'"),
        ("model:predcit", "model-unreadable", "Did you mean 'predict'"),
        ("needs:predict", "model-unreadable", "no module 'no_such_package'.*Install"),
        ("broken:predict", "model-unreadable", r"SyntaxError.*broken\.py:2"),
        ("raises:predict", "model-unreadable", r"RuntimeError: no licence \(raises\.py:2 in <module>\)"),
        ("leaves:predict", "model-unreadable", "SystemExit: 3"),
        ("model:Net", "model-unreadable", "a class"),
        ("model:constant", "model-unreadable", "a int"),
        ("model.py:predict", "wrong-value", "model:predict"),
        ("random:predict", "model-unreadable", "Rename random"),
        ("model", "wrong-value", "module:name"),
        ("../model:predict", "wrong-value", "module:name"),
    ],
)
def test_what_cannot_be_imported_is_explained(write, tmp_path, reference, code, match):
    write("model.py", FUNCTION + "class Net:\n    pass\nconstant = 5\n")
    write("needs.py", "import no_such_package\n")
    write("broken.py", "x = 1\ndef predict(:\n")
    write("raises.py", "x = 1\nraise RuntimeError('no licence')\n")
    write("leaves.py", "raise SystemExit(3)\n")
    write("random.py", FUNCTION)
    with problem(code, match):
        load_model(callable=reference, folder=tmp_path)
    assert "raises" not in sys.modules


def test_an_error_of_the_model_names_the_line_in_the_users_file(write, tmp_path):
    write("model.py", "import numpy as np\n\ndef predict(x):\n    return np.linalg.inv(x)\n")
    model = load_model(callable="model:predict", folder=tmp_path)
    with problem("model-raised", r"LinAlgError: .*\(model\.py:4 in predict\)"):
        model(ROWS)


def test_sys_exit_in_the_model_is_an_error_of_the_model():
    def leave(x):
        raise SystemExit("done")

    with problem("model-raised", "SystemExit: done"):
        as_model(leave)(ROWS)


def test_an_error_that_cannot_be_printed_is_an_error_of_the_model():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def fail(x):
        raise Mute

    with problem("model-raised", "Mute"):
        as_model(fail)(ROWS)


def test_a_model_that_writes_into_its_inputs_changes_no_data():
    def predict(x):
        x *= 0
        return x[:, 0]

    rows = ROWS.copy()
    as_model(predict)(rows)
    assert np.array_equal(rows, ROWS)


def test_a_loaded_model_passes_through():
    model = as_model(lambda x: x)
    assert isinstance(model, LoadedModel)
    assert as_model(model) is model
    assert as_model(model, output="logit").output == "probability"


def test_estimators_answer_by_the_first_method_they_have_or_the_one_named(classifier, inputs):
    assert as_model(classifier).output == "probability"
    assert np.array_equal(as_model(classifier)(inputs), classifier.predict_proba(inputs))
    decision = as_model(classifier, method="decision_function")
    assert decision.output == "score"
    np.testing.assert_allclose(np.diff(decision(inputs)).ravel(), classifier.decision_function(inputs))
    assert as_model(classifier, method="predict")(inputs).tolist() == classifier.predict(inputs).tolist()
    with problem("model-unreadable", "It has: predict"):
        as_model(type("Only", (), {"predict": lambda self, x: x})(), method="predict_proba")
