import sys
from importlib import import_module
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="module")
def example(request):
    """The MODULES of the example in FOLDER, under their own names only while the file that names both is tested."""
    torch = pytest.importorskip("torch")
    folder, modules = str(request.module.FOLDER), request.module.MODULES
    before = {name: sys.modules.pop(name, None) for name in modules}
    sys.path.insert(0, folder)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield SimpleNamespace(**{name: import_module(name) for name in modules})
    torch.set_num_threads(threads)
    sys.path.remove(folder)
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module
