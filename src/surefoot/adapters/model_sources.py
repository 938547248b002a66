"""What a model is, told without loading it: a digest of its files and the libraries that will run it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from surefoot.adapters import exported_models, python_models
from surefoot.adapters.answers import Returned
from surefoot.adapters.exported_models import weight_files
from surefoot.adapters.model import LoadedModel
from surefoot.adapters.project_code import (
    MOST_FILES,
    ProjectModules,
    Sources,
    file_digest,
    folder_sources,
    locate_file,
    module_sources,
    type_sources,
    versions,
)
from surefoot.adapters.python_models import PICKLED, adapted, checked_output, pickle_caveats
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.core.canonical import FrozenDict, digest
from surefoot.documents import listed, printable, quoted

LIBRARIES = {
    ".skops": ("skops", "sklearn", "scipy"),
    ".onnx": ("onnxruntime",),
    ".tflite": ("ai_edge_litert",),
    ".safetensors": ("torch", "safetensors"),
    ".pkl": ("joblib", "sklearn", "scipy"),
    ".pickle": ("joblib", "sklearn", "scipy"),
    ".joblib": ("joblib", "sklearn", "scipy"),
}


@dataclass(frozen=True)
class Identity:
    """A model's digest, the versions of the libraries that run it, and what the digest leaves out."""

    digest: str
    versions: Mapping[str, str] = field(default_factory=FrozenDict)
    caveats: tuple[Diagnostic, ...] = ()


def model_identity(
    *,
    path: str | None = None,
    callable: str | None = None,
    factory: str | None = None,
    weights: str | None = None,
    files: Iterable[str] = (),
    trust: str | Iterable[str] | None = None,
    folder: Path,
) -> Identity:
    """Identify a model by the content of its files and the source of its code."""
    stored = [name for name in (path, weights, *files) if name is not None]
    digests = {printable(name): file_digest(locate_file(name, folder, what="file")) for name in stored}
    if path is not None:
        digests |= _weights(locate_file(path, folder, what="file"))
    reference = callable or factory
    if reference:
        code = module_sources(reference, folder, code="model-unreadable")
    else:
        code = _stored_code(path or "", trust, folder)
    whole = {"code": reference, "sources": code.digests, "files": digests}
    only_file = path is not None and len(digests) == 1 and not code.digests
    libraries = ["numpy", *LIBRARIES.get(Path(path or weights or "").suffix.lower(), ())]
    return Identity(
        next(iter(digests.values())) if only_file else digest(whole),
        FrozenDict(code.versions | versions(libraries)),
        (*_caveats(code, reference, path or weights or "model"), *pickle_caveats(path, trust)),
    )


def partial_identity(name: str) -> tuple[Diagnostic, ...]:
    """The note that a digest of source code cannot cover everything the code uses."""
    text = f"The digest of {printable(name)} covers the Python code in the project's folder, no other code."
    hint = "List files that it reads under files."
    return (Diagnostic("partial-identity", text, "note", printable(name), hint),)


def _caveats(code: Sources, reference: str | None, name: str) -> tuple[Diagnostic, ...]:
    """What the digest leaves out; a pickle says so itself."""
    if not reference and (not code.digests or Path(name).suffix.lower() in PICKLED):
        partial: tuple[Diagnostic, ...] = ()
    else:
        partial = partial_identity(reference or name)
    if code.whole:
        return partial
    text = f"The project's folder holds too much code (more than {MOST_FILES} files or 1 GiB): "
    text += f"of it, the digest of {printable(reference or name)} covers only what is imported by name."
    return (*partial, Diagnostic("partial-identity", text, "note", printable(reference or name)))


def _stored_code(path: str, trust: str | Iterable[str] | None, folder: Path) -> Sources:
    """Code of the project that a model file may refer to."""
    suffix = Path(path).suffix.lower()
    if suffix in PICKLED and trust == "pickle":
        return folder_sources(folder)
    if suffix == ".skops" and trust is not None and not isinstance(trust, str):
        return type_sources(trust, folder)
    return Sources({}, {})


def _weights(path: Path) -> dict[str, str]:
    """Digests of files in which an ONNX model keeps its weights, whatever their names."""
    if path.suffix.lower() != ".onnx":
        return {}
    names = weight_files(path)
    return {f"weights {printable(name)}": file_digest(locate_file(name, path.parent, what="weights")) for name in names}


# Models from a project file: which adapter opens which source.

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
        return python_models.load_skops(place, modules, method=method, trust=types)
    if suffix in PICKLED:
        return python_models.load_pickle(place, modules, method=method, trust=trust)
    if suffix == ".onnx":
        return exported_models.load(place)
    if suffix == ".tflite":
        return exported_models.tflite_model_load(place)
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
    model = python_models.load(factory, place, modules)
    return replace(model, caveats=partial_identity(factory))


def _within(modules: ProjectModules, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, able to import from the project's folder while it runs."""

    def run(inputs: Any) -> Any:
        with modules.active():
            return function(inputs)

    return run
