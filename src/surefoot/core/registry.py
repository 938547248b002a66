"""``Registry``: one definition in one file adds a detector, a corruption, a step, a bound and so on.

A decorator, or a base class that takes ``name=``, marks the definition where it stands. What our own packages define
is found without importing it, by reading the headers of the definitions in their files, which takes a millisecond or
two; other distributions are found through entry points; what a notebook defines is known once it has run. So names,
exports, schema and reference follow from the definition, and nothing is loaded before it is used.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar, overload

from surefoot.core import validate
from surefoot.core.errors import InvalidInput, SurefootError

T = TypeVar("T")
Made = TypeVar("Made", bound=Callable[..., Any])
_HEADER = re.compile(r"^((?:@.*\n(?:[ )].*\n)*)*)(?:def (\w+)|class (\w+)(?:\(([^:]*)\))?:)", re.MULTILINE)
"""Decorators and the name of a definition at the left margin of a file; of a class also what it derives from."""


class Unloadable(SurefootError, ImportError):
    """What another distribution registers cannot be loaded, or is registered twice.

    See Also
    --------
    SurefootError

    """


@dataclass(frozen=True)
class Entry(Generic[T]):
    """Something registered: its name, where it is defined, and what its definition says about it."""

    name: str
    module: str
    attribute: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    distribution: str = ""
    """Name and version of the distribution that brings it; empty for our own and for what was defined here."""
    found: Callable[[], T] | None = field(default=None, repr=False, compare=False)

    def load(self) -> T:
        """The thing itself."""
        if self.found is not None:
            return self.found()
        thing: T = getattr(import_module(self.module), self.attribute)
        return thing

    @property
    def summary(self) -> str:
        """First line of its docstring."""
        return (inspect.getdoc(self.load()) or "").partition("\n")[0]


class Registry(Generic[T]):
    """All things of one kind, by name.

    Parameters
    ----------
    kind
        What one of them is called, such as ``"cell estimator"``. The decorator of that name (``@cell_estimator``) marks
        definitions, and the entry point group (``surefoot.cell_estimators``) is that of other distributions.
    *packages
        Where ours are defined: the files of these packages are read, not those of packages inside them.
    facts
        What a definition may say beside its name, as plain values: ``@corruption(domain="image")``. All may say
        ``public=False``: known by name, and not shown at the front door.
    first
        Modules whose things are listed first, in this order, and then as their files have them; by name if None.

    Examples
    --------
    >>> import surefoot as sf
    >>> shape = sf.core.Registry("shape")
    >>> @shape
    ... def square():
    ...     return 4
    >>> shape.get("square")()
    4

    """

    @validate.arguments
    def __init__(
        self, kind: str, *packages: str, facts: Sequence[str] = (), first: Sequence[str] | None = None
    ) -> None:
        self.kind, self.packages, self.facts, self.first = kind, packages, (*facts, "public"), first
        self.mark = kind.replace(" ", "_")
        self.group = f"surefoot.{self.mark}s"
        self._here: dict[str, Entry[T]] = {}
        self._facts: dict[Any, Mapping[str, Any]] = {}

    @overload
    def __call__(self, name: Made, /) -> Made: ...
    @overload
    def __call__(self, name: str | None = None, /, **facts: Any) -> Callable[[Made], Made]: ...
    def __call__(self, name: Any = None, /, **facts: Any) -> Any:
        """Register what is defined below: ``@bound``, ``@bound("name")`` or ``@bound("name", fact=...)``."""
        if callable(name):
            return self.add(name)
        return lambda thing: self.add(thing, name, **facts)

    def add(self, thing: Made, name: str | None = None, **facts: Any) -> Made:
        """Register a function or class under its own name, or another one."""
        called = name or thing.__name__
        for fact in facts:
            validate.choice(fact, self.facts, where=f"{self.kind} {called}", name="fact")
        self._facts[thing] = facts
        found: Any = thing
        self._here[called] = Entry(called, thing.__module__, thing.__qualname__, facts, found=lambda: found)
        return thing

    def names(self, **facts: Any) -> tuple[str, ...]:
        """The names of ``entries``."""
        return tuple(self.entries(**facts))

    def entries(self, **facts: Any) -> dict[str, Entry[T]]:
        """Ours in the order of listings, then those of other distributions, by name.

        With facts, those of which they are true: ``fact=...`` asks whether it is said at all. One that cannot be loaded
        stays, so that whoever uses it hears why.
        """
        others = {name: self._other(name) for name in sorted(self._others) if name not in self.own}
        return {name: entry for name, entry in (self.own | others).items() if self._is(entry, facts)}

    @property
    def here(self) -> dict[str, Entry[T]]:
        """What was defined in this process, such as in a notebook; found by name, and in no listing."""
        return {name: entry for name, entry in self._here.items() if name not in self.own and name not in self._others}

    def knows(self, name: str, **facts: Any) -> bool:
        """Whether there is one of that name, of which the facts are true."""
        known = name in self.own or name in self._others or name in self._here
        return known and self._is(self.find(name), facts)

    def find(self, name: str, *, where: str = "") -> Entry[T]:
        """The entry of that name; a misspelling gets a suggestion."""
        if name in self.own:
            return self.own[name]
        if name in self._others:
            return self._other(name)
        if name in self._here:
            return self._here[name]
        validate.choice(name, self.names(), where=where or self.kind, name=self.kind)
        raise AssertionError

    def get(self, name: str) -> T:
        """The thing of that name, loaded."""
        return self.find(name).load()

    def facts_of(self, entry: Entry[T]) -> Mapping[str, Any]:
        """What the definition says beside the name; one of another distribution is loaded for that."""
        return self._facts.get(entry.load(), {}) if entry.distribution else entry.facts

    def exports(self) -> dict[str, Entry[T]]:
        """What the front door of the package shows, by the name of the function or class; our own come first."""
        shown: dict[str, Entry[T]] = {}
        for entry in self.entries().values():
            if entry.facts.get("public", True):
                shown.setdefault(entry.attribute, entry)
        return shown

    def exported(self, attribute: str, door: str) -> T:
        """What ``__getattr__`` of a front door answers."""
        entry = None if attribute.startswith("_") else self.exports().get(attribute)
        if entry is None:
            raise AttributeError(f"module {door!r} has no attribute {attribute!r}")
        # A module that is called like its function would take its place in the package.
        thing = vars(sys.modules[door])[attribute] = entry.load()
        return thing

    def show(self, door: str) -> None:
        """Let a front door have all of ours at once, and find those of other distributions when they are asked for."""
        names = vars(sys.modules[door])
        ours = {entry.attribute: entry.load() for entry in self.own.values() if entry.facts.get("public", True)}
        names.update(ours)
        otherwise = names.get("__getattr__")

        def found(attribute: str) -> Any:
            try:
                return self.exported(attribute, door)
            except AttributeError:
                if otherwise is None:
                    raise
                return otherwise(attribute)

        names["__getattr__"] = found

    @cached_property
    def own(self) -> dict[str, Entry[T]]:
        """Those that our packages define, found by reading their files."""
        found = [entry for package in self.packages for entry in self._defined(package)]
        if self.first is None:
            found.sort(key=lambda entry: entry.name)
        else:
            ranks = {module: rank for rank, module in enumerate(self.first)}
            found.sort(key=lambda entry: (ranks.get(self._inside(entry.module), len(ranks)), entry.module))
        known: dict[str, Entry[T]] = {}
        for entry in found:
            if known.setdefault(entry.name, entry) is not entry:
                places = f"{known[entry.name].module} and {entry.module}"
                raise InvalidInput(f"two definitions register the {self.kind} {entry.name!r}", where=places)
        return known

    def rivals(self, name: str) -> tuple[str, ...]:
        """Distributions that register something under the name of one of ours, which stays."""
        return tuple(self._others.get(name, ())) if name in self.own else ()

    def _defined(self, package: str) -> Iterator[Entry[T]]:
        for module in iter_modules(import_module(package).__path__):
            name = f"{package}.{module.name}"
            spec = None if module.ispkg else module.module_finder.find_spec(name, None)
            read = getattr(spec.loader if spec else None, "get_source", None)
            source = read(name) if read else None
            if source and (f"@{self.mark}" in source or "name=" in source):
                for header in _HEADER.finditer(source):
                    yield from self._registered(name, *header.groups(""))

    def _registered(self, module: str, decorators: str, function: str, kind: str, bases: str) -> Iterator[Entry[T]]:
        """What a header registers: by a decorator, or by what a class says beside the classes it derives from."""
        attribute = function or kind
        if f"@{self.mark}" in decorators:
            (definition,) = ast.parse(f"{decorators}def {attribute}(): ...").body
            assert isinstance(definition, ast.FunctionDef)
            marks = [each for each in definition.decorator_list if _called(each) == self.mark]
        else:
            marks = [ast.parse(f"{self.mark}({bases})", mode="eval").body] if "name=" in bases else []
        for mark in marks:
            call = mark if isinstance(mark, ast.Call) else ast.Call(mark, [], [])
            try:
                facts = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg}
                stated = [] if "name" in facts else [ast.literal_eval(each) for each in call.args]
            except ValueError as error:
                problem = f"name and facts of a {self.kind} must be plain values"
                raise InvalidInput(problem, where=f"{module}: {attribute}", found=ast.unparse(mark)) from error
            yield Entry(facts.pop("name", None) or next(iter(stated), attribute), module, attribute, facts)

    def _inside(self, module: str) -> str:
        """The name of a module without what comes before the last package that all of ours share."""
        shared = self.packages[0] if len(self.packages) == 1 else self.packages[0].rpartition(".")[0]
        return module.removeprefix(f"{shared}.")

    def _is(self, entry: Entry[T], facts: Mapping[str, Any]) -> bool:
        if not facts:
            return True
        try:
            told = self.facts_of(entry)
        except Unloadable:
            return True
        return all(fact in told if value is ... else told.get(fact) == value for fact, value in facts.items())

    @cached_property
    def _others(self) -> dict[str, dict[str, EntryPoint]]:
        """Those of other distributions: by name, then by distribution."""
        found: dict[str, dict[str, EntryPoint]] = {}
        for point in entry_points(group=self.group):
            found.setdefault(point.name, {})[_distribution(point)] = point
        return found

    def _other(self, name: str) -> Entry[T]:
        points = self._others[name]
        (distribution, point), *more = points.items()
        module, _, attribute = point.value.partition(":")

        def found() -> T:
            if more:
                problem = f"the {self.kind} {name!r} is registered by {' and by '.join(points)}"
                raise Unloadable(problem, remedy="Uninstall all but one.")
            return self._loaded(name, distribution, point)

        return Entry(name, module.strip(), attribute.strip(), distribution=distribution, found=found)

    def _loaded(self, name: str, distribution: str, point: EntryPoint) -> T:
        try:
            thing: T = point.load()
            return thing
        except (Exception, SystemExit) as error:
            raise Unloadable(
                f"the {self.kind} {name!r} of the distribution {distribution} cannot be loaded",
                found=str(error) if isinstance(error, SurefootError) else f"{type(error).__name__}: {error}",
                remedy=f"Mend or uninstall {distribution}.",
            ) from error


def _called(decorator: ast.expr) -> str:
    inner = decorator.func if isinstance(decorator, ast.Call) else decorator
    return inner.id if isinstance(inner, ast.Name) else ""


def _distribution(point: EntryPoint) -> str:
    """Name and version; what is registered where the metadata are damaged."""
    try:
        name = point.dist.name if point.dist else None
    except Exception:
        name = None
    return f"{name} {point.dist.version}" if name and point.dist else point.value
