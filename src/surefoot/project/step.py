"""Evidence steps: plain functions whose signature is their schema.

The annotation of a parameter says where its value comes from:

- ``Tested``: a component's answers on the data set of ``on``; ``Model``: the component itself;
- ``Data``: rows of the data set that the project file names under the parameter's own name; of ``on`` where it names
  none, or None for ``Data | None = None``;
- ``Estimate``, ``Mapping[str, Estimate]``, ``list[Estimate]``: results of earlier steps, written ``step.quantity`` in
  the project file;
- ``Executor``: where to run tasks; ``Conditions``: the operating conditions;
- ``Asked``: what targets ask of the step's results;
- a parameter named ``seed``: the project's seed;
- everything else is written in the project file and validated by pydantic; ``ClassName`` is the name of a class.

A step returns an ``Estimate``, several, or ``Evidence``. Ours are marked ``@step`` in ``project.steps``; those of other
distributions are found through the entry point group ``surefoot.steps``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from surefoot.core import DiagnosticsError, InvalidInput, SurefootError
from surefoot.core.registry import Registry, Unloadable
from surefoot.documents import did_you_mean, printable
from surefoot.project.data_sets import DataParameter
from surefoot.project.roles import COMPONENT_ROLES, ESTIMATE_ROLES, role_of
from surefoot.project.signature import field_of, model_of, parameters_of

VERSION = "__surefoot_meaning__"
F = TypeVar("F", bound=Callable[..., Any])
COMPONENT_KEYS: tuple[str, ...] = ("component", "on")
step: Registry[Callable[..., Any]] = Registry("step", "surefoot.project.steps")
"""Registers a step of ours under the name of its function."""


@dataclass(frozen=True)
class Step:
    """A registered function and what its signature says."""

    name: str
    function: Callable[..., Any]
    roles: Mapping[str, str]
    """Where a value comes from: tested, data, model, executor, conditions, asked, seed; one, many, list (estimates)."""
    data_sets: Mapping[str, DataParameter]
    """Parameters that take a data set, which the project file may name."""
    parameters: type[BaseModel]
    """What else the project file may say."""
    distribution: str = ""
    """Name and version of the distribution that brings the step; empty for our own."""
    version: int | None = None
    """Version of what the step means: part of its key, raised when its results change; None where none is stated."""

    @classmethod
    def of(cls, name: str, function: Callable[..., Any], distribution: str = "") -> Step:
        """Read a function's signature."""
        roles, data_sets, fields = {}, {}, {}
        for parameter in parameters_of(name, function):
            role = role_of(parameter, where=f"step {name!r}")
            if role:
                roles[parameter.name] = role
            else:
                fields[parameter.name] = field_of(parameter)
            if role == "data":
                data_sets[parameter.name] = DataParameter.of(parameter)
        return cls(name, function, roles, data_sets, model_of(name, fields), distribution, version_of(function))

    def __call__(self, *args: Any, **parameters: Any) -> Any:
        """What the function returns: a step may be called like any other function, without a project."""
        return self.function(*args, **parameters)

    def read(self, parameters: Mapping[str, Any]) -> BaseModel:
        """What the project file says for the step, checked; values keep the type they were written with."""
        return self.parameters.model_validate_json(json.dumps(parameters), strict=True)

    @property
    def documentation(self) -> str:
        """The function's docstring."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return self.documentation.partition("\n")[0]

    @property
    def estimate_names(self) -> dict[str, str]:
        """Parameters that are results of earlier steps, each ``one``, ``many`` or ``list``."""
        return {name: role for name, role in self.roles.items() if role in ESTIMATE_ROLES}

    @property
    def uses_component(self) -> bool:
        """Whether the step needs a component."""
        return any(role in COMPONENT_ROLES for role in self.roles.values())

    def required(self, parameter: str) -> bool:
        """Whether the parameter has no default."""
        return inspect.signature(self.function).parameters[parameter].default is inspect.Parameter.empty

    @property
    def fields(self) -> Mapping[str, FieldInfo]:
        """The parameters a project file may set."""
        return self.parameters.model_fields

    @property
    def keys(self) -> tuple[str, ...]:
        """Everything that may stand in the evidence of a project file."""
        own = COMPONENT_KEYS if self.uses_component else ()
        return ("step", *own, *self.data_sets, *self.estimate_names, *self.fields)


def meaning(version: int) -> Callable[[F], F]:
    """State the version of what a step means; raise it when the same input gives another result.

    Evidence is found again as long as the version stays, however the code moves. A step of another distribution that
    states no version is known by all sources of its package, so that any change of these asks for its evidence again.
    """
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InvalidInput("a version of meaning is a whole number from 1", where="meaning", found=repr(version))

    def stated(function: F) -> F:
        setattr(function, VERSION, version)
        return function

    return stated


def version_of(function: Any) -> int | None:
    """The version that ``meaning`` states; None where none is stated."""
    stated: int | None = getattr(inspect.unwrap(function), VERSION, None)
    return stated


def built_in() -> tuple[str, ...]:
    """Our own steps, by name."""
    return tuple(step.own)


def names() -> tuple[str, ...]:
    """All registered steps, by name."""
    return tuple(sorted(step.names()))


def rivals(name: str) -> tuple[str, ...]:
    """Distributions that register a step under the name of one of ours, which stays."""
    return step.rivals(name)


@cache
def find(name: str) -> Step:
    """The step of that name; a misspelling gets a suggestion."""
    if not step.knows(name):
        raise DiagnosticsError.of("unknown-step", f"no step {name!r} is registered.", hint=did_you_mean(name, names()))
    entry = step.find(name)
    try:
        return Step.of(name, entry.load(), entry.distribution)
    except Unloadable as error:
        found = "" if error.found is None else f": {printable(error.found)}"
        raise DiagnosticsError.of("step-failed", f"{error.problem}{found}.", hint=error.remedy) from error
    except SurefootError as error:
        if not entry.distribution:
            raise
        text = f"the step {name!r} of the distribution {entry.distribution} cannot be loaded: {printable(error)}."
        hint = f"Mend or uninstall {entry.distribution}."
        raise DiagnosticsError.of("step-failed", text, hint=hint) from error
