"""Models from a project file: which adapter opens which source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from surefoot.adapters import onnx_model, stored, tflite_model, torch_model
from surefoot.adapters.files import locate_file
from surefoot.adapters.identity import LIBRARIES, partial_identity
from surefoot.adapters.model import LoadedModel
from surefoot.adapters.modules import ProjectModules
from surefoot.adapters.objects import adapted, checked_output
from surefoot.adapters.outputs import Returned
from surefoot.adapters.trust import PICKLED
from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.documents import listed, printable, quoted

HINTS = {
    ".safetensors": "Name the function that builds the torch module as factory, and this file as weights.",
    ".pt": "Store the weights with safetensors, and name the function that builds the module as factory.",
    ".pth": "Store the weights with safetensors, and name the function that builds the module as factory.",
    ".h5": "Convert the model to tflite or ONNX.",
    ".keras": "Convert the model to tflite or ONNX.",
}


def load_model(
    *,
    path: str | None = None,
    callable: str | None = None,
    factory: str | None = None,
    weights: str | None = None,
    method: str | None = None,
    output: Returned | None = None,
    trust: str | Iterable[str] | None = None,
    folder: Path,
) -> LoadedModel:
    """Load a model from a file (``path``), from ``module:name`` (``callable``) or from ``factory`` and ``weights``."""
    if sum(source is not None for source in (path, callable, factory)) != 1:
        raise InvalidInput("a model needs exactly one of path, callable and factory", where="load_model")
    modules = ProjectModules(Path(folder))
    if path is not None:
        model = _from_file(locate_file(path, folder, what="model"), modules, method, trust)
    elif callable is not None:
        model = _from_code(callable, modules, method)
    else:
        model = _from_factory(factory or "", weights, modules)
    active = replace(model, function=_within(modules, model.function))
    return active if output is None else replace(active, returns=checked_output(output))


def import_libraries(path: str | None = None, weights: str | None = None, **_: Any) -> None:
    """Import what a model file will need, so that its loading can be timed by itself."""
    for name in LIBRARIES.get(Path(path or weights or "").suffix.lower(), ()):
        with suppress(ImportError):
            import_module(name)


def _from_file(
    place: Path, modules: ProjectModules, method: str | None, trust: str | Iterable[str] | None
) -> LoadedModel:
    suffix = place.suffix.lower()
    if suffix == ".skops":
        types = () if trust is None or isinstance(trust, str) else trust
        return stored.load_skops(place, modules, method=method, trust=types)
    if suffix in PICKLED:
        return stored.load_pickle(place, modules, method=method, trust=trust)
    if suffix == ".onnx":
        return onnx_model.load(place)
    if suffix == ".tflite":
        return tflite_model.load(place)
    known = listed([".skops", ".onnx", ".tflite", *PICKLED])
    text = f"{quoted(place.name)} is none of the model files that can be read ({known})."
    raise DiagnosticsError.of("model-unreadable", text, where=printable(place.name), hint=HINTS.get(suffix, ""))


def _from_code(reference: str, modules: ProjectModules, method: str | None) -> LoadedModel:
    found = modules.find(reference, code="model-unreadable")
    model = adapted(found, method=method, name=reference)
    return replace(model, name=reference, caveats=partial_identity(reference), folder=modules.folder)


def _from_factory(factory: str, weights: str | None, modules: ProjectModules) -> LoadedModel:
    if weights is None:
        raise InvalidInput("factory and weights belong together", where="load_model", found=repr(factory))
    place = locate_file(weights, modules.folder, what="weights")
    model = torch_model.load(factory, place, modules)
    return replace(model, caveats=partial_identity(factory))


def _within(modules: ProjectModules, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, able to import from the project's folder while it runs."""

    def run(inputs: Any) -> Any:
        with modules.active():
            return function(inputs)

    return run
