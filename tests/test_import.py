"""``import surefoot`` is light."""

import json
import subprocess
import sys

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


def test_everything_promised_is_there():
    import surefoot as sf

    for name in [*sf.__all__, *dir(sf)]:
        assert getattr(sf, name) is not None
    for name in sf.bounds.__all__:
        assert getattr(sf.bounds, name) is not None
    for name in sf.opinions.__all__:
        assert getattr(sf.opinions, name) is not None
