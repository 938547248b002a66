"""Models of Python libraries, in memory and from files: functions, estimators, torch modules, MAITE-shaped models.

From files come scikit-learn models through skops, torch modules through safetensors, and pickles: reading one runs
whatever code it holds, so that it is read only where the project says so in words.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Lock, RLock
from typing import Any, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import Returned
from surefoot.adapters.labels import is_unicode
from surefoot.adapters.model import LoadedModel, loading
from surefoot.adapters.project_code import ProjectModules
from surefoot.core import Diagnostic, DiagnosticsError, validate
from surefoot.core.errors import require
from surefoot.documents import listed, printable, quoted

METHODS: dict[str, Returned] = {"predict_proba": "probability", "decision_function": "score", "predict": "label"}
PICKLED = (".pkl", ".pickle", ".joblib")
_LOCKS: WeakKeyDictionary[Any, RLock] = WeakKeyDictionary()
_LOCKING = Lock()


@validate.arguments
def as_model(obj: Any, *, method: str | None = None, output: Returned | None = None) -> LoadedModel:
    """Take a function, an estimator, a torch module or a MAITE-shaped model for what it is.

    Parameters
    ----------
    obj
        The model.
    method
        The method of an estimator that answers.
    output
        What is returned, where that cannot be seen.

    Returns
    -------
    LoadedModel
        One interface for all.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> model = sf.adapters.as_model(lambda x: 4 * x[:, 0] - 2, output="logit")
    >>> model(np.array([[0.5], [1.0]])).round(3).tolist()
    [[0.5, 0.5], [0.119, 0.881]]

    """
    model = adapted(obj, method=method)
    return model if output is None else replace(model, returns=checked_output(output))


def load_skops(path: Path, modules: ProjectModules, *, method: str | None, trust: Iterable[str]) -> LoadedModel:
    """Read a skops file, which may hold types that skops or the project trusts and no others."""
    name, trusted = printable(path.name), sorted(set(trust))
    with modules.active(), loading(name, modules.folder):
        skops = _skops()
        unknown = sorted(set(skops.get_untrusted_types(file=path)) - set(trusted))
        if unknown:
            raise _untrusted(name, unknown, trusted)
        estimator = skops.load(path, trusted=trusted)
    return replace(adapted(estimator, method=method, name=name), folder=modules.folder)


@validate.arguments
def types_to_trust(path: Path) -> tuple[str, ...]:
    """Types that a skops file holds and skops does not trust by itself; nothing of the file is run.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    tuple of str
        By their full names.

    Raises
    ------
    DiagnosticsError
        Where it is no skops file.

    """
    with loading(printable(path.name), None):
        return tuple(sorted(_skops().get_untrusted_types(file=path)))


def _skops() -> Any:
    """Import skops, and with it all of scikit-learn, but not the array libraries behind that: torch takes a second."""
    if "skops.io" in sys.modules:
        return sys.modules["skops.io"]
    modules: dict[str, Any] = sys.modules
    behind = {f"sklearn.externals.array_api_compat.{name}" for name in ("cupy", "dask", "torch")} - modules.keys()
    modules.update(dict.fromkeys(behind))
    try:
        return import_module("skops.io")
    finally:
        for name in behind:
            del modules[name]


def load_pickle(path: Path, modules: ProjectModules, *, method: str | None, trust: object) -> LoadedModel:
    """Read a pickle that the project trusts."""
    caveats = pickle_caveats(path.name, trust if isinstance(trust, str) else None)
    name = printable(path.name)
    with modules.active(), loading(name, modules.folder):
        import joblib

        found = joblib.load(path)
    return replace(adapted(found, method=method, name=name), caveats=caveats, folder=modules.folder)


def pickle_caveats(path: str | None, trust: str | Iterable[str] | None) -> tuple[Diagnostic, ...]:
    """What a report says of a model that is read by pickle; a pickle that is not trusted is refused."""
    if path is None or Path(path).suffix.lower() not in PICKLED:
        return ()
    if trust != "pickle":
        raise DiagnosticsError.of(
            "model-untrusted",
            f"{quoted(path)} is a pickle: reading it runs whatever code it holds.",
            where=printable(path),
            hint="Store the model with skops, or write `trust: pickle` where you trust its origin.",
        )
    text = f"{quoted(path)} was read by pickle, because the project trusts it."
    return (
        Diagnostic("pickle-trusted", text, "warning", printable(path), "Store the model with skops or ONNX instead."),
        Diagnostic(
            "partial-identity",
            f"Of the code that {quoted(path)} refers to, its digest covers what lies in the project's folder.",
            "note",
            printable(path),
        ),
    )


def load_torch(factory: str, weights: Path, modules: ProjectModules) -> LoadedModel:
    """Build a module by the project's own function and load its weights, all of them and no others."""
    torch = require("torch", extra="torch", purpose="A torch model")
    safetensors = require("safetensors.torch", extra="torch", purpose="A torch model")
    build = modules.find(factory, code="model-unreadable")
    with loading(factory, modules.folder), modules.active():
        module = build()
    if not isinstance(module, torch.nn.Module):
        text = f"{factory} returned a {type(module).__name__}, which is no torch module."
        raise DiagnosticsError.of("model-unreadable", text, where=factory)
    with loading(printable(weights.name), modules.folder):
        safetensors.load_model(module, _utf8(weights), strict=True)
    return LoadedModel(forward(module), factory, usual="logit", folder=modules.folder, source=module, takes="array")


def checked_output(output: str) -> Returned:
    """One of the words that say what is returned."""
    return validate.choice(output, get_args(Returned), where="model", name="output")  # type: ignore[return-value]


def adapted(obj: Any, *, method: str | None, name: str | None = None) -> LoadedModel:
    """``as_model`` under a name of the caller's choice."""
    if isinstance(obj, LoadedModel):
        return obj
    named = str(name or getattr(obj, "__name__", type(obj).__name__))
    if isinstance(obj, type):
        raise _no_model("a class", named, "Name an object of it, or a function.")
    if method is None and _is_maite(obj):
        known = index_names(obj.metadata)
        return LoadedModel(lambda inputs: obj(list(inputs)), named, classes=known, takes="array")
    if method is None and _is_torch(obj):
        return LoadedModel(forward(obj), named, usual="logit", source=obj, takes="array")
    usual = "predict" if _of_several_labels(obj) else None
    answering = method or usual or next((known for known in METHODS if callable(getattr(obj, known, None))), None)
    if answering is not None:
        return _estimator(obj, answering, named)
    owner = getattr(obj, "__self__", None)
    if callable(obj) and getattr(obj, "__name__", "") in METHODS and hasattr(owner, "classes_"):
        return replace(_estimator(owner, obj.__name__, named), name=named)
    if callable(obj):
        return LoadedModel(obj, named, features=feature_names(owner))
    raise _no_model(f"a {type(obj).__name__}", named, "Give a function, or an object with predict_proba or predict.")


def _of_several_labels(obj: Any) -> bool:
    """Whether an estimator answers several labels a row, of which each has classes of its own."""
    classes = getattr(obj, "classes_", None)
    return isinstance(classes, list) and all(np.ndim(each) == 1 for each in classes)


def class_names(labels: Iterable[Any] | None) -> tuple[str, ...]:
    """Names of an estimator's classes; whole numbers lose the decimals that arrays of floats give them."""
    if labels is None:
        return ()
    values = [label.item() if isinstance(label, np.generic) else label for label in labels]
    return tuple(str(int(v) if isinstance(v, bool) or (isinstance(v, float) and v.is_integer()) else v) for v in values)


def index_names(metadata: Any) -> tuple[str, ...]:
    """Class names of MAITE metadata, where ``index2label`` numbers them from 0."""
    names = metadata.get("index2label") if isinstance(metadata, Mapping) else None
    numbered = isinstance(names, Mapping) and set(names) == set(range(len(names)))
    return tuple(str(names[number]) for number in range(len(names))) if numbered and names else ()


def _estimator(obj: Any, method: str, name: str) -> LoadedModel:
    function: Callable[[NDArray[Any]], Any] | None = getattr(obj, method, None)
    if not callable(function):
        there = [known for known in METHODS if callable(getattr(obj, known, None))]
        raise _no_model(f"nothing called {method}", name, f"It has: {listed(there)}." if there else "")
    labels = None if _of_several_labels(obj) else getattr(obj, "classes_", None)
    known = method != "predict" or labels is not None
    returns = METHODS.get(method) if known else None
    features = feature_names(obj)
    return LoadedModel(function, name, returns, classes=class_names(labels), source=obj, features=features)


def feature_names(obj: Any) -> tuple[str, ...]:
    """Names of the columns of the frame that an estimator was fitted on; none where it was fitted on arrays."""
    for attribute in ("feature_names_in_", "feature_names_"):
        try:
            names = getattr(obj, attribute, None)
        except Exception:
            # Estimators that were not fitted say so in errors of their own.
            names = None
        if names is not None and len(names) and all(isinstance(name, str) for name in names):
            found = tuple(map(str, names))
            return () if any(found == made for made in _made_up(len(found))) else found
    return ()


def _made_up(count: int) -> Iterator[tuple[str, ...]]:
    """What libraries call columns that have no names."""
    for stem in ("Column_", "", "f"):
        yield tuple(f"{stem}{place}" for place in range(count))


def _is_maite(obj: Any) -> bool:
    metadata = getattr(obj, "metadata", None)
    return callable(obj) and isinstance(metadata, Mapping) and "id" in metadata


def _is_torch(obj: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(obj, torch.nn.Module)


def _no_model(found: str, name: str, hint: str) -> DiagnosticsError:
    text = f"{printable(name)} cannot be used as a model: found {found}."
    return DiagnosticsError.of("model-unreadable", text, where=printable(name), hint=hint)


def _untrusted(name: str, unknown: list[str], trusted: list[str]) -> DiagnosticsError:
    everything = ", ".join(printable(kind) for kind in [*trusted, *unknown])
    return DiagnosticsError.of(
        "model-untrusted",
        f"{name} holds types that skops does not trust: {listed(unknown)}.",
        where=name,
        hint=f"Where you trust the origin of the file, write `trust: [{everything}]`.",
    )


def forward(module: Any) -> Callable[[NDArray[Any]], Any]:
    """A function of arrays that runs a module in evaluation mode, without gradients."""
    import torch

    def run(inputs: NDArray[Any]) -> Any:
        with torch.no_grad(), evaluating(module):
            answer = module(as_tensor(inputs, module))
        return getattr(answer, "logits", answer)

    return run


@contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """Keep a module in evaluation mode for a while, to itself: other threads wait."""
    with alone_with(module):
        training = [part for part in module.modules() if part.training]
        if training:
            module.eval()
        try:
            yield
        finally:
            for part in training:
                part.training = True


def alone_with(module: Any) -> RLock:
    """The lock of a module: its mode, and hooks on its layers, belong to one thread at a time."""
    with _LOCKING:
        return _LOCKS.setdefault(module, RLock())


def as_tensor(inputs: NDArray[Any], module: Any) -> Any:
    """Inputs where the weights are; in their type, unless they are indices."""
    import torch

    tensor = torch.from_numpy(np.require(inputs, requirements=("C", "W")))
    weight = next((p for p in module.parameters() if p.is_floating_point()), None)
    if weight is None:
        return tensor
    is_index = tensor.dtype in (torch.int32, torch.int64)
    return tensor.to(device=weight.device, dtype=None if is_index else weight.dtype)


def _utf8(path: Path) -> str:
    if not is_unicode(str(path)):
        text = "safetensors cannot open a file whose path is not UTF-8."
        raise DiagnosticsError.of("model-unreadable", text, where=printable(path.name), hint="Rename it.")
    return str(path)
