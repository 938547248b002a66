"""``import surefoot`` is light."""

import json
import subprocess
import sys

import pytest

LOADED = "import sys, json; {}; print(json.dumps(sorted(sys.modules)))"


def modules_after(statement):
    output = subprocess.run(
        [sys.executable, "-c", LOADED.format(statement)], capture_output=True, text=True, check=True
    ).stdout
    return set(json.loads(output))


def foreign_to(statement, allowed):
    extra = modules_after(statement) - modules_after(allowed)
    return {name for name in extra if name.split(".")[0] not in {"surefoot", *sys.stdlib_module_names}}


def test_import_loads_nothing_but_itself():
    assert foreign_to("import surefoot", "pass") == set()


def test_computing_loads_numpy_and_scipy_special_at_most():
    statement = "import surefoot as sf; sf.bounds, sf.opinions, sf.Estimate"
    assert foreign_to(statement, "import numpy, scipy.special") == set()


def test_the_command_line_loads_numpy_only_when_something_is_computed():
    loaded = modules_after("from surefoot.cli import app")
    assert not {"numpy", "yaml", "matplotlib", "pydantic"} & loaded


def test_everything_promised_is_there():
    import surefoot as sf

    for name in [*sf.__all__, *dir(sf)]:
        assert getattr(sf, name) is not None
    for package in (sf.bounds, sf.hazards, sf.opinions):
        for name in package.__all__:
            assert getattr(package, name) is not None


def test_hazards_load_no_more_than_numpy_and_scipy_special_and_the_rest_of_them_later():
    statement = "import surefoot as sf; sf.hazards.Hazop"
    assert foreign_to(statement, "import numpy, scipy.special") == set()
    late = {f"surefoot.hazards.{name}" for name in ("drawing", "improvement", "labels", "targets")}
    assert not late & modules_after(statement)
    assert "surefoot.hazards.targets" in modules_after("import surefoot as sf; sf.hazards.targets.gale")


def test_what_hazards_lack_is_an_attribute_error():
    import surefoot as sf

    assert "targets" in dir(sf.hazards)
    with pytest.raises(AttributeError, match="has no attribute 'risks'"):
        sf.hazards.risks()
