"""The registry of evidence steps: plain functions whose signature is their schema.

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
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from surefoot.adapters import Data, Tested
from surefoot.core import (
    DiagnosticsError,
    Estimate,
    Executor,
    InvalidInput,
    Model,
    SurefootError,
    Target,
    digest,
    validate,
)
from surefoot.core.registry import Registry, Unloadable
from surefoot.documents import Keys, did_you_mean, printable
from surefoot.project.definition import Conditions, Definition, EvidenceSource

VERSION = "__surefoot_meaning__"
WHEN = "__surefoot_meaning_when__"
F = TypeVar("F", bound=Callable[..., Any])
COMPONENT_KEYS: tuple[str, ...] = ("component", "on")
step: Registry[Callable[..., Any]] = Registry("step", "surefoot.project.steps")
"""Registers a step of ours under the name of its function."""


@dataclass(frozen=True)
class Step:
    """A registered evidence step: a function, and what its signature says.

    See Also
    --------
    find_step : The step of a name.

    Examples
    --------
    >>> import surefoot as sf
    >>> step = sf.project.find_step("binomial_bound")
    >>> step.roles, "method" in step.fields
    ({'tested': 'tested', 'seed': 'seed'}, True)

    """

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
    when: Callable[[Mapping[str, Any]], bool] | None = None
    """Of which inputs the version was raised last; all of them where None."""

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
        return cls(name, function, roles, data_sets, model_of(name, fields), distribution, *meaning_of(function))

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


def meaning(version: int, *, when: Callable[[Mapping[str, Any]], bool] | None = None) -> Callable[[F], F]:
    """State the version of what a step means; raise it when the same input gives another result.

    Evidence is found again as long as the version stays, however the code moves. A step of another distribution that
    states no version is known by all sources of its package, so that any change of these asks for its evidence again.

    Parameters
    ----------
    version
        A whole number from 1.
    when
        Says of what the key is made of (parameters, how data are read) whether these results changed; others keep the
        version before.

    Returns
    -------
    decorator
        For the function of the step.

    Examples
    --------
    >>> from surefoot import Estimate
    >>> from surefoot.project import meaning
    >>> @meaning(2)
    ... def supplier_figure(*, value: float) -> Estimate:
    ...     return Estimate.known("failure probability", value, source="data sheet")

    """
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InvalidInput("a version of meaning is a whole number from 1", where="meaning", found=repr(version))

    def stated(function: F) -> F:
        setattr(function, VERSION, version)
        setattr(function, WHEN, when)
        return function

    return stated


def version_of(function: Any) -> int | None:
    """The version that ``meaning`` states; None where none is stated."""
    stated: int | None = getattr(inspect.unwrap(function), VERSION, None)
    return stated


def meaning_of(function: Any) -> tuple[int | None, Callable[[Mapping[str, Any]], bool] | None]:
    """The version that ``meaning`` states, and of which inputs it was raised last."""
    return version_of(function), getattr(inspect.unwrap(function), WHEN, None)


def built_in() -> tuple[str, ...]:
    """Names of our own steps.

    Returns
    -------
    tuple of str
        As ``surefoot steps`` lists them.

    Examples
    --------
    >>> import surefoot as sf
    >>> "fault_tree" in sf.project.built_in_steps()
    True

    """
    return tuple(step.own)


def names() -> tuple[str, ...]:
    """Names of all registered steps, those of other distributions too.

    Returns
    -------
    tuple of str
        Sorted.

    Examples
    --------
    >>> import surefoot as sf
    >>> set(sf.project.built_in_steps()) <= set(sf.project.step_names())
    True

    """
    return tuple(sorted(step.names()))


def rivals(name: str) -> tuple[str, ...]:
    """Distributions that register a step under the name of one of ours, which stays."""
    return step.rivals(name)


@cache
@validate.arguments
def find(name: str) -> Step:
    """The step of that name; a misspelling gets a suggestion.

    Parameters
    ----------
    name
        As a project file writes it.

    Returns
    -------
    Step
        Loaded; it may be called like its function.

    Raises
    ------
    DiagnosticsError
        Where there is no such step, or it cannot be loaded.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.project.find_step("product").summary
    'Product of results of earlier steps, such as exposure times failure probability.'

    """
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


# Read the signature of a step, and refuse what a project file could not fill in.


def parameters_of(name: str, function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a step, each with its annotation as an object."""
    where = f"step {name!r}"
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except Exception as error:
        raise InvalidInput(
            "the signature of the step cannot be read",
            where=where,
            found=f"{type(error).__name__}: {error}",
            remedy="Import what the annotations name where the function is defined.",
        ) from error
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidInput(
                "a step names each of its parameters",
                where=where,
                found=str(parameter),
                remedy="A decorator keeps the names with functools.wraps.",
            )
        if parameter.name in EvidenceSource.model_fields or parameter.name.startswith("_"):
            raise InvalidInput("a parameter of a step needs another name", where=where, found=repr(parameter.name))
    return parameters


def field_of(parameter: inspect.Parameter) -> tuple[Any, Any]:
    """Annotation and default, as pydantic takes them."""
    annotation = Any if parameter.annotation is parameter.empty else parameter.annotation
    return annotation, ... if parameter.default is parameter.empty else parameter.default


def model_of(name: str, fields: Mapping[str, tuple[Any, Any]]) -> type[BaseModel]:
    """A pydantic model whose schema exists, because whatever a file can say has one."""
    config = ConfigDict(extra="forbid", allow_inf_nan=False, protected_namespaces=())
    try:
        with warnings.catch_warnings():
            # A parameter may be called like a method of pydantic's, such as copy.
            warnings.simplefilter("ignore")
            model = create_model(name, __config__=config, **fields)  # type: ignore[call-overload]
            model.model_json_schema()
    except Exception as error:
        raise InvalidInput(
            "a parameter of the step has a type that no project file can write",
            where=f"step {name!r}",
            found=str(error).partition("\n")[0],
            remedy="Use numbers, texts, lists, mappings, Literal or pydantic models.",
        ) from error
    return model


# Parameters of steps that take a data set of their component, which a project file may name.

OF_ON = "A data set of the component; by default that of `on`."
NONE = "A data set of the component; by default none."


class WithScores:
    """Marks a data set whose rows come with the component's scores, computed where the file does not bring them."""


class AnotherDataSet:
    """Marks a data set that the project file must name, because it has to differ from that of ``on``.

    Examples
    --------
    >>> from typing import Annotated
    >>> from surefoot.adapters import Data
    >>> from surefoot.project import AnotherDataSet
    >>> TrainingData = Annotated[Data, AnotherDataSet]

    """


@dataclass(frozen=True)
class DataParameter:
    """What the annotation of a ``Data`` parameter says."""

    required: bool
    """Gets the data set of ``on`` where none is named; without it, nothing."""
    another: bool
    """Must be named, and be another one than that of ``on``."""
    scored: bool
    """Comes with the component's scores."""
    description: str

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> DataParameter:
        """Read an annotation, such as ``Annotated[Data, Field(description="..."), AnotherDataSet]``."""
        required = parameter.default is parameter.empty
        notes = get_args(parameter.annotation)[1:]
        described = next((note.description for note in notes if isinstance(note, FieldInfo)), None)
        return cls(required, AnotherDataSet in notes, WithScores in notes, described or (OF_ON if required else NONE))


# The keys that a model knows at each place, for suggestions.

_COLLECTIONS = (dict, list, tuple, Mapping, Sequence)


def keys_at(model: type[BaseModel], path: Keys) -> tuple[str, ...]:
    """The keys that are known where ``path`` leads.

    >>> from surefoot.project.definition import Definition
    >>> keys_at(Definition, ("system",))
    ('name', 'description', 'hazard')
    """
    kind: Any = model
    for key in path:
        kind = _inside(kind, key)
    found = _model_in(kind)
    return tuple(found.model_fields) if found else ()


def bare(kind: Any) -> Iterator[Any]:
    """The members of a union, or the type itself, without annotations."""
    if get_origin(kind) is Annotated:
        yield from bare(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        for member in get_args(kind):
            yield from bare(member)
    else:
        yield kind


def _inside(kind: Any, key: str | int) -> Any:
    model = _model_in(kind)
    if model and key in model.model_fields:
        return model.model_fields[str(key)].annotation
    return next((get_args(option)[-1] for option in bare(kind) if get_origin(option) in _COLLECTIONS), None)


def _model_in(kind: Any) -> type[BaseModel] | None:
    return next((option for option in bare(kind) if isinstance(option, type) and issubclass(option, BaseModel)), None)


# What the targets of a project ask of the results of one step, for steps that show or use it.


@dataclass(frozen=True)
class Asked:
    """What targets ask of the results of a step, for steps that take a parameter of this type.

    Parameters
    ----------
    targets
        By name, each with the quantity it asks about, as ``quantity`` or ``quantity[scope]``.

    Examples
    --------
    >>> import surefoot as sf
    >>> asked = sf.project.Asked({"rare": ("failure probability", sf.Target(at_most=0.01))})
    >>> asked.of("failure probability").limit
    0.01

    """

    targets: Mapping[str, tuple[str, Target]]

    @classmethod
    def of_step(cls, definition: Definition, step: str) -> Asked:
        """The targets that refer to results of a step."""
        found = {
            name: (source.estimate.partition("."), source.target) for name, source in definition.all_targets.items()
        }
        return cls({name: (parts[2], target) for name, (parts, target) in found.items() if parts[0] == step})

    def of(self, quantity: str) -> Target | None:
        """The target of a quantity, whatever its scope; of several that keep it low the strictest."""
        found = (target for name, target in self.targets.values() if name.partition("[")[0] == quantity)
        return min(found, key=_leniency, default=None)

    @property
    def content(self) -> list[list[Any]]:
        """What a result that uses targets depends on, whatever the targets are called."""
        return sorted([quantity, *_content(target)] for quantity, target in self.targets.values())


def _leniency(target: Target) -> tuple[bool, float, float]:
    return target.at_most is None, target.cautious_limit(target.alpha), -target.level


def _content(target: Target) -> list[Any]:
    unsure = [] if target.uncertainty is None else [digest(target.uncertainty.to_dict())]
    return [target.relation, target.limit, target.level, list(target.kinds), *unsure]


# Where the value of a step's parameter comes from, read from its annotation.

PROVIDED = {
    Tested: "tested",
    Data: "data",
    Model: "model",
    Executor: "executor",
    Conditions: "conditions",
    Asked: "asked",
    Estimate: "one",
}
COMPONENT_ROLES = ("tested", "data", "model")
ESTIMATE_ROLES = ("one", "many", "list")
_MAPPINGS = (Mapping, dict)
_LISTS = (Sequence, Iterable, list, tuple)


def role_of(parameter: inspect.Parameter, *, where: str) -> str | None:
    """The role of a parameter; None for what the project file says in full."""
    if parameter.name == "seed":
        return "seed"
    options = [option for option in bare(parameter.annotation) if option is not NoneType]
    role = _role(options[0]) if len(options) == 1 else None
    if role is None and any(leaf is kind for leaf in _leaves(parameter.annotation) for kind in PROVIDED):
        raise InvalidInput(
            "a parameter of the step mixes what a project file says with what Surefoot provides",
            where=where,
            found=str(parameter),
            remedy="Annotate it as Estimate, Mapping[str, Estimate], list[Estimate], Tested, Data, Model or Executor.",
        )
    return role


def _role(kind: Any) -> str | None:
    provided = next((role for known, role in PROVIDED.items() if kind is known), None)
    inner = get_args(kind)
    if provided or Estimate not in inner:
        return provided
    if get_origin(kind) in _MAPPINGS and inner == (str, Estimate):
        return "many"
    return "list" if get_origin(kind) in _LISTS and inner in ((Estimate,), (Estimate, ...)) else None


def _leaves(kind: Any) -> Iterator[Any]:
    inner = get_args(kind)
    if not inner:
        yield kind
    for part in inner:
        yield from _leaves(part)
