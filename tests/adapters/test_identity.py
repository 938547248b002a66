"""A model's identity is told by its files and its source."""

import hashlib

import pytest

from surefoot.adapters import model_identity
from tests.adapters.problems import problem


@pytest.fixture
def project(write, tmp_path):
    write(
        "model.py", "import numpy as np\nfrom helper import scale\nimport sklearn.linear_model\ndef predict(x): ...\n"
    )
    write("helper.py", "def scale(x):\n    import late\n    from parts.deep import deeper\n")
    write("late.py", "import model\n")
    write("parts/__init__.py", "")
    write("parts/deep.py", "from . import other\n")
    write("parts/other.py", "")
    write("unrelated.py", "")
    write("table.json", "{}")
    return tmp_path


def identity(folder, **source):
    return model_identity(**({"callable": "model:predict"} | source), folder=folder)


def test_a_file_alone_has_its_own_sha256(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"graph")
    assert model_identity(path="m.onnx", folder=tmp_path).digest == hashlib.sha256(b"graph").hexdigest()


@pytest.mark.parametrize(
    "name", ["model.py", "helper.py", "late.py", "parts/__init__.py", "parts/deep.py", "parts/other.py"]
)
def test_a_change_of_any_source_in_use_is_noticed(project, name):
    before = identity(project)
    with (project / name).open("a") as stream:
        stream.write("# changed\n")
    assert identity(project).digest != before.digest


def test_code_that_is_imported_by_a_computed_name_is_noticed(project, write):
    write("model.py", "import importlib\ndef predict(x):\n    return importlib.import_module('unrel' + 'ated').f(x)\n")
    before = identity(project)
    write("unrelated.py", "# changed\n")
    assert identity(project).digest != before.digest


@pytest.mark.parametrize(
    "name", [".hidden/a.py", "__pycache__/a.cpython-311.pyc", "env/lib/a.py", "lib/site-packages/a.py", "notes.txt"]
)
def test_what_is_no_code_of_the_project_does_not_count(project, write, name):
    write("env/pyvenv.cfg", "")
    before = identity(project)
    write(name, "")
    assert identity(project).digest == before.digest


def test_a_linked_folder_counts_and_a_circle_of_links_ends(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "shared.py").write_text("")
    (project / "linked").symlink_to(elsewhere)
    (project / "circle").symlink_to(project)
    before = identity(project)
    (elsewhere / "shared.py").write_text("# changed\n")
    assert identity(project).digest != before.digest


def test_too_much_code_is_followed_by_name_and_said_so(project, write):
    (project / "many").mkdir()
    for number in range(10_000):
        (project / "many" / f"file{number}.py").touch()
    before = identity(project)
    assert [caveat.code for caveat in before.caveats] == ["partial-identity"] * 2
    write("unrelated.py", "# changed\n")
    assert identity(project).digest == before.digest
    write("late.py", "# changed\n")
    assert identity(project).digest != before.digest


def test_a_change_of_other_files_is_noticed_only_when_they_are_listed(project):
    before, listed = identity(project), identity(project, files=["table.json"])
    (project / "table.json").write_text("[]")
    assert identity(project).digest == before.digest
    assert identity(project, files=["table.json"]).digest != listed.digest


def test_the_name_in_the_module_counts(project):
    assert identity(project, callable="model:other").digest != identity(project).digest


def test_where_the_project_lies_does_not_count(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "copy"
    project.rename(elsewhere)
    moved = identity(elsewhere).digest
    elsewhere.rename(project)
    assert identity(project).digest == moved


def test_libraries_that_the_source_imports_are_named_with_their_versions(project):
    found = identity(project)
    assert {"numpy", "scikit-learn"} == set(found.versions)
    assert [caveat.code for caveat in found.caveats] == ["partial-identity"]
    assert found.caveats[0].severity == "note"


def test_nothing_is_imported_or_run(project, write):
    write("model.py", "raise RuntimeError('run')\n")
    assert len(identity(project).digest) == 64
    write("model.py", "this is no python")
    assert len(identity(project).digest) == 64


def test_an_installed_module_is_one_unit_with_its_version(tmp_path):
    found = model_identity(callable="joblib.parallel:Parallel", folder=tmp_path)
    assert "joblib" in found.versions
    assert found.digest == model_identity(callable="joblib.parallel:Parallel", folder=tmp_path).digest


def test_problems_are_told_before_any_work(project):
    with problem("model-unreadable", "Did you mean 'model'"):
        identity(project, callable="modle:predict")
    with problem("file-missing", r"Did you mean 'table\.json'"):
        identity(project, files=["tabel.json"])
    (project / "m.pkl").write_bytes(b"")
    with problem("model-untrusted"):
        model_identity(path="m.pkl", folder=project)
