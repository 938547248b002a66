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


def test_import_loads_numpy_and_scipy_special_at_most():
    extra = modules_after("import surefoot") - modules_after("import numpy, scipy.special")
    foreign = {name.split(".")[0] for name in extra} - {"surefoot"} - set(sys.stdlib_module_names)
    assert foreign == set()
    assert not {name for name in extra if name.startswith("scipy.")}


def test_everything_promised_is_there():
    import surefoot as sf

    for name in [*sf.__all__, *dir(sf)]:
        assert getattr(sf, name) is not None
    for name in sf.bounds.__all__:
        assert getattr(sf.bounds, name) is not None
    for name in sf.opinions.__all__:
        assert getattr(sf.opinions, name) is not None
