"""Steps for tests: one of each kind of parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import wraps
from typing import Annotated, Literal

from pydantic import Field

from surefoot.adapters import Data, Tested
from surefoot.core import Estimate, Executor, Model
from surefoot.project import Conditions, definition, find_step, step


def tallied(
    tested: Tested,
    *,
    level: Annotated[float, Field(gt=0, lt=1, description="How sure to be.")] = 0.95,
    of: definition.ClassName | None = None,
    among: list[definition.ClassName] = [],  # noqa: B006
) -> Estimate:
    """Count failures.

    Of one class, or of all.
    """


def combined(
    factors: Mapping[str, Estimate], *, extra: Estimate | None = None, others: list[Estimate] | None = None
) -> Estimate:
    """Combine results."""


def guessed(
    value: float,
    *,
    how: Literal["boldly", "timidly"] = "timidly",
    at: list[tuple[int, float]] | None = None,
    bins: Annotated[int, Field(ge=2)] = 10,
) -> Estimate:
    """Guess a number."""


def everything(
    tested: Tested, data: Data, model: Model, executor: Executor, conditions: Conditions, seed: int, free
) -> Estimate:
    """Take whatever there is."""


def _traced(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@_traced
def decorated(tested: Tested, *, level: float) -> Estimate:
    """Hide behind a decorator."""


def rows(data: Data) -> Estimate:
    """Look at rows only."""


def asked(model: Model) -> Estimate:
    """Ask the model itself."""


def register(monkeypatch):
    """Register the steps of this file for one test."""
    for function in (tallied, combined, guessed, everything, decorated, rows, asked):
        name = function.__name__
        monkeypatch.setitem(step.own, name, replace(step.own["stated"], name=name, module=__name__, attribute=name))
    find_step.cache_clear()
