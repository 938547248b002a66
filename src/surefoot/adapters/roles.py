"""Which column means what: as the project says, or by the usual names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from surefoot.adapters.classes import Coded
from surefoot.adapters.outputs import Returned
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import did_you_mean, quoted

LABEL_NAMES = ("labels", "label", "y")
INPUT_NAMES = ("inputs", "X", "x")
Column = NDArray[Any] | Coded


class Source(Protocol):
    """Named columns, of which only those asked for are read."""

    @property
    def where(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def tabular(self) -> bool: ...
    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Wanted:
    """What a project says of its columns; None where it says nothing."""

    inputs: str | Sequence[str] | None = None
    labels: str | None = None
    scores: str | Sequence[str] | None = None
    output: Returned | None = None
    groups: str | None = None
    attributes: Sequence[str] = ()


@dataclass(frozen=True)
class Roles:
    """Names of the columns that play each part."""

    inputs: tuple[str, ...]
    labels: str | None
    scores: tuple[str, ...]
    groups: str | None
    attributes: tuple[str, ...]
    numeric: frozenset[str]
    """Columns that must be numbers; others may be text."""
    inputs_guessed: bool = False
    """Whether columns are inputs only because they are nothing else."""

    @property
    def names(self) -> list[str]:
        """All columns that are needed, each once."""
        single = [name for name in (self.labels, self.groups) if name is not None]
        return list(dict.fromkeys([*self.inputs, *single, *self.scores, *self.attributes]))


def roles_in(source: Source, wanted: Wanted, *, with_inputs: bool) -> Roles:
    """The part of each column; every name that is not there is a problem, and all are shown together."""
    stated = {*_names(wanted.inputs), *_names(wanted.scores), *wanted.attributes, *_names(wanted.groups)}
    labels = wanted.labels or _first(LABEL_NAMES, source, stated)
    taken = stated | set(_names(labels))
    inputs = (_names(wanted.inputs) or _default_inputs(source, wanted, taken)) if with_inputs else ()
    many = [names for names in (wanted.inputs, wanted.scores) if not isinstance(names, str)]
    numeric = {name for names in many for name in _names(names)} | (set() if wanted.inputs else set(inputs))
    roles = Roles(
        inputs,
        labels,
        _names(wanted.scores),
        wanted.groups,
        tuple(wanted.attributes),
        frozenset(numeric),
        inputs_guessed=source.tabular and not wanted.inputs,
    )
    _check_present(roles, source)
    return roles


def _default_inputs(source: Source, wanted: Wanted, taken: Collection[str]) -> tuple[str, ...]:
    """By the usual names; in a table, every column that is nothing else."""
    if source.tabular:
        return () if wanted.scores else tuple(name for name in source.names if name not in taken)
    return _names(_first(INPUT_NAMES, source, taken))


def _first(usual: Sequence[str], source: Source, taken: Collection[str]) -> str | None:
    return next((name for name in usual if name in source.names and name not in taken), None)


def _names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def _check_present(roles: Roles, source: Source) -> None:
    DiagnosticsError.raise_if_any(
        Diagnostic(
            "data-column", f"there is no {quoted(name)}.", "error", source.where, did_you_mean(name, source.names)
        )
        for name in roles.names
        if name not in source.names
    )
