"""Whether an estimator answers as its class of scikit-learn does, or with code of its own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from surefoot.adapters import LoadedModel
from surefoot.core import InvalidInput

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "inverse_transform")
SHAPES_ANSWERS = re.compile(
    r"^(?!set_|fit)\w*(predict|decision|apply|transform|_validate_X|_validate_data|_preprocess_X|__getattr)"
)
"""Names of methods that an answer may go through; scikit-learn makes new setters for every derived class."""


def steps_behind(model: Any, *, where: str) -> list[Any]:
    """The steps of a pipeline, or one estimator: behind what was loaded, a method or a search for the best.

    Everything on the way answers as scikit-learn wrote it.
    """
    estimator = _owner(model, where=where)
    if own_kinds(estimator) and hasattr(estimator, "best_estimator_"):
        require_plain(estimator, where=where)
        estimator = estimator.best_estimator_
    if not own_kinds(estimator):
        return [estimator]
    *others, last = [step for _, step in getattr(estimator, "steps", [("", estimator)])]
    steps = [*(step for step in others if step not in (None, "passthrough")), last]
    for part in (estimator, *steps):
        require_plain(part, where=where)
    return steps


def own_kinds(estimator: Any) -> tuple[type, ...]:
    """The class of scikit-learn that an estimator is of or derives from, with its bases; none for others."""
    known = _own_class(type(estimator))
    return known.__mro__ if known else ()


def require_plain(estimator: Any, *, where: str) -> None:
    """Neither a derived class nor the object itself changes how the class of scikit-learn answers."""
    known = _own_class(type(estimator))
    if known is None:
        raise _own_code(f"a {type(estimator).__name__}, which is not of scikit-learn", where)
    changed = next(_changed(estimator, known), None)
    if changed:
        raise _own_code(f"{changed} of {type(estimator).__name__}, which is not that of scikit-learn", where)


def _owner(model: Any, *, where: str) -> Any:
    """The object behind a loaded model or a method that answers."""
    if isinstance(model, LoadedModel):
        own = model.source is None or hasattr(model.function, "__self__")
        return _owner(model.function if own else model.source, where=where)
    owner = getattr(model, "__self__", model)
    name = getattr(model, "__name__", "")
    if owner is not model and name not in ANSWERS:
        raise _own_code(f"the method {name} of a {type(owner).__name__}", where)
    return owner


def _own_code(found: str, where: str) -> InvalidInput:
    return InvalidInput(
        "the model has code of its own for its answers, so they cannot be read from its parts",
        where=where,
        found=found,
        remedy="Use MonteCarlo(), which asks any model, or give the fitted estimator of scikit-learn itself.",
    )


def _changed(estimator: Any, known: type) -> Iterator[str]:
    names = _names(known)
    yield from (name for name, value in vars(estimator).items() if name in names and callable(value))
    if type(estimator) is not known:
        yield from (name for name in sorted(names) if _is_overridden(name, type(estimator), known))


def _is_overridden(name: str, kind: type, known: type) -> bool:
    """Static, as some methods are made anew whenever they are looked up."""
    return inspect.getattr_static(kind, name, None) is not inspect.getattr_static(known, name, None)


def _own_class(kind: type) -> type | None:
    return next((base for base in kind.__mro__ if base.__module__.split(".")[0] == "sklearn"), None)


@cache
def _names(known: type) -> frozenset[str]:
    return frozenset({*ANSWERS, "__getattr__", *filter(SHAPES_ANSWERS.search, dir(known))})
