"""Models that a project names: loaded by the adapter of their format, and identified without loading them.

An identity is a digest of files and code, with the versions of the libraries that will run the model.
"""

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
from surefoot.adapters.model import LoadedModel, Takes
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
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, validate
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
HINTS = {
    ".safetensors": "Name the function that builds the torch module as factory, and this file as weights.",
    ".pt": "Store the weights with safetensors, and name the function that builds the module as factory.",
    ".pth": "Store the weights with safetensors, and name the function that builds the module as factory.",
    ".h5": "Convert the model to tflite or ONNX.",
    ".keras": "Convert the model to tflite or ONNX.",
}


@validate.arguments
def load_model(
    *,
    path: str | None = None,
    callable: str | None = None,
    factory: str | None = None,
    weights: str | None = None,
    method: str | None = None,
    output: Returned | None = None,
    trust: str | Iterable[str] | None = None,
    detector: Mapping[str, Any] | None = None,
    takes: Takes | None = None,
    folder: Path,
) -> LoadedModel:
    r"""Load a model from a file, from code, or from weights and the function that builds the module.

    Parameters
    ----------
    path
        A skops, ONNX or tflite file, or a pickle that is trusted.
    callable
        ``module:name`` of a function or an estimator.
    factory, weights
        ``module:name`` of the function that builds a torch module, and its safetensors file.
    method
        The method of an estimator that answers.
    output
        What is returned, where that cannot be seen.
    trust
        Types of a skops file that are trusted, or ``pickle``.
    detector
        What goes into an ONNX detector and what comes out; ``decode`` is ``module:name``.
    takes
        ``array``, or the library of the frames that it takes; by default a frame of pandas for what was fitted on one.
    folder
        The project's folder.

    Returns
    -------
    LoadedModel
        One interface for all.

    Raises
    ------
    DiagnosticsError
        Where it cannot be loaded.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "model.py").write_text("def predict(x):\n    return (x[:, 0] > 0.5).astype(int)\n")
    ...     model = sf.adapters.load_model(callable="model:predict", folder=Path(folder))
    ...     model(np.array([[0.1], [0.9]])).tolist()
    [0, 1]

    """
    if sum(source is not None for source in (path, callable, factory)) != 1:
        raise InvalidInput("a model needs exactly one of path, callable and factory", where="load_model")
    modules = ProjectModules(Path(folder))
    if detector is not None:
        model = _detector(locate_file(path or "", folder, what="model"), detector, modules)
    elif path is not None:
        model = _from_file(locate_file(path, folder, what="model"), modules, method, trust)
    elif callable is not None:
        model = _from_code(callable, modules, method)
    else:
        model = _from_factory(factory or "", weights, modules)
    active = replace(model, function=_within(modules, model.function))
    said = active if takes is None else replace(active, takes=takes)
    return said if output is None else replace(said, returns=checked_output(output))


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
        return exported_models.load_onnx(place)
    if suffix == ".tflite":
        return exported_models.load_tflite(place)
    known = listed([".skops", ".onnx", ".tflite", *PICKLED])
    text = f"{quoted(place.name)} is none of the model files that can be read ({known})."
    raise DiagnosticsError.of("model-unreadable", text, where=printable(place.name), hint=HINTS.get(suffix, ""))


def _detector(place: Path, said: Mapping[str, Any], modules: ProjectModules) -> LoadedModel:
    from surefoot.adapters.scenes.detectors import Detector, onnx_detector

    if place.suffix.lower() != ".onnx":
        text = f"{quoted(place.name)} is no ONNX file, and detector: is about one."
        hint = "Name a function that returns boxes, scores and labels of each picture."
        raise DiagnosticsError.of("model-unreadable", text, where=printable(place.name), hint=hint)
    code = said.get("decode")
    decode = None if code is None else modules.find(code, code="model-unreadable")
    given = {key: value for key, value in said.items() if value is not None}
    return replace(onnx_detector(place, Detector(**(given | {"decode": decode}))), folder=modules.folder)


def _from_code(reference: str, modules: ProjectModules, method: str | None) -> LoadedModel:
    found = modules.find(reference, code="model-unreadable")
    model = adapted(found, method=method, name=reference)
    return replace(model, name=reference, caveats=partial_identity(reference), folder=modules.folder)


def _from_factory(factory: str, weights: str | None, modules: ProjectModules) -> LoadedModel:
    if weights is None:
        raise InvalidInput("factory and weights belong together", where="load_model", found=repr(factory))
    place = locate_file(weights, modules.folder, what="weights")
    model = python_models.load_torch(factory, place, modules)
    return replace(model, caveats=partial_identity(factory))


def _within(modules: ProjectModules, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, able to import from the project's folder while it runs."""

    def run(inputs: Any) -> Any:
        with modules.active():
            return function(inputs)

    return run


def import_libraries(path: str | None = None, weights: str | None = None, **_: Any) -> None:
    """Import what a model file will need, so that its loading can be timed by itself."""
    for name in LIBRARIES.get(Path(path or weights or "").suffix.lower(), ()):
        with suppress(ImportError):
            import_module(name)


@dataclass(frozen=True)
class Identity:
    """A model's digest, the versions of the libraries that run it, and what the digest leaves out.

    See Also
    --------
    model_identity

    """

    digest: str
    versions: Mapping[str, str] = field(default_factory=FrozenDict)
    caveats: tuple[Diagnostic, ...] = ()


@validate.arguments
def model_identity(
    *,
    path: str | None = None,
    callable: str | None = None,
    factory: str | None = None,
    weights: str | None = None,
    files: Iterable[str] = (),
    trust: str | Iterable[str] | None = None,
    decode: str | None = None,
    folder: Path,
) -> Identity:
    r"""Identify a model by the content of its files and the source of its code, without loading it.

    Parameters
    ----------
    path, callable, factory, weights, trust, folder
        As for ``load_model``.
    files
        Further files that it reads.
    decode
        ``module:name`` of what makes boxes of its outputs.

    Returns
    -------
    Identity
        Equal digests mean the same model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "model.py").write_text("def predict(x):\n    return x[:, 0] > 0.5\n")
    ...     identity = sf.adapters.model_identity(callable="model:predict", folder=Path(folder))
    >>> [caveat.code for caveat in identity.caveats]
    ['partial-identity']

    """
    stored = [name for name in (path, weights, *files) if name is not None]
    digests = {printable(name): file_digest(locate_file(name, folder, what="file")) for name in stored}
    if path is not None:
        digests |= _weights(locate_file(path, folder, what="file"))
    reference = callable or factory or decode
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
