"""Models that are in memory already: functions, estimators, torch modules, MAITE-shaped models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.model import LoadedModel
from surefoot.adapters.outputs import Returned
from surefoot.core import DiagnosticsError, validate
from surefoot.documents import listed, printable

METHODS: dict[str, Returned] = {"predict_proba": "probability", "decision_function": "score", "predict": "label"}


def as_model(obj: Any, *, method: str | None = None, output: Returned | None = None) -> LoadedModel:
    """Take a function, an estimator, a torch module or a MAITE-shaped model for what it is.

    ``method`` names the method of an estimator that answers; ``output`` says what is returned where that
    cannot be seen.
    """
    model = adapted(obj, method=method)
    return model if output is None else replace(model, returns=checked_output(output))


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
        return LoadedModel(lambda inputs: obj(list(inputs)), named, classes=index_names(obj.metadata))
    if method is None and _is_torch(obj):
        from surefoot.adapters.torch_model import forward

        return LoadedModel(forward(obj), named, usual="logit", source=obj)
    answering = method or next((known for known in METHODS if callable(getattr(obj, known, None))), None)
    if answering is not None:
        return _estimator(obj, answering, named)
    if callable(obj):
        return LoadedModel(obj, named)
    raise _no_model(f"a {type(obj).__name__}", named, "Give a function, or an object with predict_proba or predict.")


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
    labels = getattr(obj, "classes_", None)
    known = method != "predict" or labels is not None
    returns = METHODS.get(method) if known else None
    return LoadedModel(function, name, returns, classes=class_names(labels), source=obj)


def _is_maite(obj: Any) -> bool:
    metadata = getattr(obj, "metadata", None)
    return callable(obj) and isinstance(metadata, Mapping) and "id" in metadata


def _is_torch(obj: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(obj, torch.nn.Module)


def _no_model(found: str, name: str, hint: str) -> DiagnosticsError:
    text = f"{printable(name)} cannot be used as a model: found {found}."
    return DiagnosticsError.of("model-unreadable", text, where=printable(name), hint=hint)
