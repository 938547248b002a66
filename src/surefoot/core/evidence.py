"""What a step hands back: estimates to compute with, tables and artefacts to look at.

At the end stand the protocols of what others bring: a model, an executor, a detector.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core.assumption import Assumption, union
from surefoot.core.canonical import FrozenMap, digest, freeze, reading, thaw, unthaw
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate, Provenance, table_html

MOST_PRINTED = 100
Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Table:
    """Named columns of plain values.

    Parameters
    ----------
    columns
        Their names.
    rows
        One value a column each.

    Examples
    --------
    >>> import surefoot as sf
    >>> print(sf.core.Table(("class", "failures"), (("car", 3), ("tree", 0))))
    class  failures
    car    3
    tree   0

    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", freeze(tuple(tuple(row) for row in self.rows)))
        uneven = [row for row in self.rows if len(row) != len(self.columns)]
        if uneven:
            raise InvalidInput(f"each row needs {len(self.columns)} values", where="Table", found=uneven[0])

    def __str__(self) -> str:
        shown = [self.columns, *([_plain(value) for value in row] for row in self.rows[:MOST_PRINTED])]
        widths = [max(len(row[column]) for row in shown) for column in range(len(self.columns))]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in shown
        ]
        more = len(self.rows) - MOST_PRINTED
        return "\n".join([*lines, *([f"and {more:,} more"] if more > 0 else [])])

    def _repr_html_(self) -> str:
        rows = [[_plain(value) for value in row] for row in self.rows[:MOST_PRINTED]]
        more = len(self.rows) - MOST_PRINTED
        return table_html("", self.columns, rows, [f"and {more:,} more"] if more > 0 else [])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"columns": list(self.columns), "rows": thaw(self.rows)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("table"):
            return cls(tuple(data["columns"]), unthaw(data["rows"]))


@dataclass(frozen=True)
class Artefact:
    """Something to look at, as bytes with their media type.

    Parameters
    ----------
    media_type
        Such as ``image/svg+xml``.
    content
        The bytes.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Artefact("text/plain", b"seen").to_dict()
    {'media_type': 'text/plain', 'content': 'c2Vlbg=='}

    """

    media_type: str
    content: bytes = field(repr=False)

    def to_dict(self) -> dict[str, str]:
        """Plain data for JSON."""
        return {"media_type": self.media_type, "content": base64.b64encode(self.content).decode()}

    @classmethod
    def from_dict(cls, data: Mapping[str, str]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("artefact"):
            return cls(data["media_type"], base64.b64decode(data["content"], validate=True))


@dataclass(frozen=True)
class Evidence:
    """Estimates plus what people look at; nothing computes with the latter.

    Parameters
    ----------
    estimates
        Each with another quantity or scope; found by ``evidence["quantity"]`` or ``evidence["quantity[scope]"]``.
    tables, artefacts
        What people look at, by name.
    assumptions
        Those of the estimates are among them whether stated again or not.
    provenance
        What determines all of it.

    Examples
    --------
    >>> import surefoot as sf
    >>> evidence = sf.core.Evidence((sf.bounds.clopper_pearson(2, 1000, level=0.95),))
    >>> evidence["failure probability"].value
    0.002

    """

    estimates: tuple[Estimate, ...]
    tables: Mapping[str, Table] = field(default_factory=FrozenMap)
    artefacts: Mapping[str, Artefact] = field(default_factory=FrozenMap)
    assumptions: tuple[Assumption, ...] = ()
    provenance: Provenance = field(default_factory=lambda: Provenance("stated"))

    def __post_init__(self) -> None:
        estimates = tuple(self.estimates)
        names = [(e.quantity, e.scope) for e in estimates]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise InvalidInput("two estimates have the same quantity and scope", where="Evidence", found=twice)
        object.__setattr__(self, "estimates", estimates)
        object.__setattr__(self, "tables", FrozenMap(self.tables))
        object.__setattr__(self, "artefacts", FrozenMap(self.artefacts))
        object.__setattr__(self, "assumptions", union(self.assumptions, *(e.assumptions for e in estimates)))

    def __getitem__(self, quantity: str) -> Estimate:
        exactly = [e for e in self.estimates if quantity == e.reference]
        found = exactly or [e for e in self.estimates if quantity == e.quantity]
        if len(found) != 1:
            known = ", ".join(e.reference for e in self.estimates)
            problem = f"no estimate {quantity!r}" if not found else f"{quantity!r} exists for several scopes"
            raise InvalidInput(problem, where="Evidence", found=known or "no estimates")
        return found[0]

    @property
    def key(self) -> str:
        """Hash of what determines this evidence; known before the work."""
        return self.provenance.key

    @cached_property
    def digest(self) -> str:
        """Hash of all results, without provenance."""
        return digest(
            {
                "estimates": [estimate.digest for estimate in self.estimates],
                "tables": {name: digest(table.to_dict()) for name, table in self.tables.items()},
                "artefacts": {name: digest(item.to_dict()) for name, item in self.artefacts.items()},
                "assumptions": [assumption.to_dict() for assumption in self.assumptions],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "estimates": [estimate.to_dict() for estimate in self.estimates],
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "artefacts": {name: item.to_dict() for name, item in self.artefacts.items()},
            "assumptions": [assumption.to_dict() for assumption in self.assumptions],
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        expected = set(cls.__dataclass_fields__)
        with reading("evidence"):
            if set(data) != expected:
                raise InvalidInput(f"evidence has the fields {sorted(expected)}", found=sorted(map(str, data)))
            return cls(
                estimates=tuple(Estimate.from_dict(item) for item in data["estimates"]),
                tables={name: Table.from_dict(item) for name, item in data["tables"].items()},
                artefacts={name: Artefact.from_dict(item) for name, item in data["artefacts"].items()},
                assumptions=tuple(Assumption.from_dict(item) for item in data["assumptions"]),
                provenance=Provenance.from_dict(data["provenance"]),
            )


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@runtime_checkable
class Model(Protocol):
    """Anything that maps a batch of inputs to a batch of scores or labels.

    See Also
    --------
    surefoot.adapters.as_model

    """

    def __call__(self, inputs: NDArray[Any], /) -> NDArray[Any]:
        """One row of output for each row of input."""
        ...


@runtime_checkable
class Executor(Protocol):
    """Runs a function over tasks, somewhere, with results that do not depend on where.

    See Also
    --------
    surefoot.executors.Serial, surefoot.executors.Processes, surefoot.executors.Dask

    """

    def map(
        self,
        function: Callable[[Task, np.random.Generator], Result],
        tasks: Sequence[Task],
        *,
        seed: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks.

        Task i gets the generator of the i-th child of ``seed``. ``progress`` is called with the
        number of finished tasks and of all tasks.
        """
        ...


@runtime_checkable
class Detector(Protocol):
    """Scores how far inputs are out of distribution; higher is farther, as in PyOD.

    See Also
    --------
    surefoot.testing.check_detector

    """

    def fit(self, features: NDArray[Any], labels: NDArray[Any], /) -> Detector:
        """Learn what is usual."""
        ...

    def decision_function(self, features: NDArray[Any], predictions: NDArray[Any], /) -> NDArray[np.float64]:
        """One score for each row of features."""
        ...
