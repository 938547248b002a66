"""What a step hands back: estimates to compute with, tables and artefacts to look at, and both as frames and files.

At the end stand the protocols of what others bring: a model, an executor, a detector.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.assumption import Assumption, union
from surefoot.core.bound import WITHOUT_LEVEL, Bound, Side
from surefoot.core.canonical import FrozenMap, canonical_json, digest, freeze, reading, thaw, unthaw
from surefoot.core.errors import InvalidInput, LevelUnavailable, require
from surefoot.core.estimate import Estimate, Provenance, table_html

if TYPE_CHECKING:
    import pandas
    import polars

MOST_PRINTED = 100
Backend = Literal["pandas", "polars"]
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet calculate (OWASP, CSV injection)."""
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$])")
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
    >>> table = sf.core.Table(("class", "failures"), (("car", 3), ("tree", 0)))
    >>> print(table)
    class  failures
    car    3
    tree   0
    >>> print(table.to_markdown(), end="")
    | class | failures |
    | --- | --- |
    | car | 3 |
    | tree | 0 |
    >>> int(table.to_pandas()["failures"].sum())
    3

    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        validate.fields(self)
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

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of pandas; nested values stay lists and mappings."""
        frames = require("pandas", extra="frames", purpose="A table as a frame of pandas")
        return frames.DataFrame.from_records(thaw_rows(self.rows), columns=list(self._names()))

    def to_polars(self) -> polars.DataFrame:
        """A data frame of polars; a column of several kinds of values, or of nested ones, becomes text."""
        frames = require("polars", extra="frames", purpose="A table as a frame of polars")
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return frames.DataFrame(
            {name: _of_one_kind(column) for name, column in zip(self._names(), columns, strict=True)}
        )

    def frame(self, *, backend: Backend = "pandas") -> Any:
        """A data frame of ``pandas`` or of ``polars``."""
        validate.choice(backend, get_args(Backend), where="frame", name="backend")
        return self.to_pandas() if backend == "pandas" else self.to_polars()

    def to_csv(self) -> str:
        """Text with commas, all digits of each number, and no cell that a spreadsheet takes for a formula."""
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(map(_csv_cell, row) for row in (self.columns, *self.rows))
        return text.getvalue()

    def to_markdown(self) -> str:
        """A table of Markdown, in which text of others stays text."""
        rows = [self.columns, *self.rows]
        first, *others = [f"| {' | '.join(map(_markdown_cell, row))} |" for row in rows]
        return "\n".join([first, f"|{' --- |' * len(self.columns)}", *others]) + "\n"

    def write(self, path: str | Path) -> Path:
        """Write the table as its suffix says: ``.csv`` or ``.md``."""
        target = Path(path)
        forms = {".csv": self.to_csv, ".md": self.to_markdown}
        form = forms.get(target.suffix.lower())
        if form is None:
            raise InvalidInput("a table is written as .csv or .md", where=str(path), found=target.suffix or "no suffix")
        try:
            target.write_text(form(), encoding="utf-8", newline="")
        except OSError as error:
            raise InvalidInput("the table cannot be written", where=str(path), found=error.strerror) from error
        return target

    def _names(self) -> Iterator[str]:
        """Names of the columns; of equal ones the later are numbered."""
        seen: Counter[str] = Counter()
        for name in self.columns:
            seen[name] += 1
            yield name if seen[name] == 1 else f"{name} {seen[name]}"

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

    def __post_init__(self) -> None:
        validate.fields(self)

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
        validate.fields(self)
        estimates = self.estimates
        names = [(e.quantity, e.scope) for e in estimates]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise InvalidInput("two estimates have the same quantity and scope", where="Evidence", found=twice)
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

    def table(self, *, level: float | None = None) -> Table:
        """A row for each estimate: its value, both bounds at a level, and what speaks against it.

        Parameters
        ----------
        level
            Of the bounds; by default that of the estimate, or 0.95. A bound without a level is shown as it is.
        """
        return Table(ESTIMATE_COLUMNS, tuple(_estimate_row(estimate, level) for estimate in self.estimates))

    def frame(self, *, level: float | None = None, backend: Backend = "pandas") -> Any:
        """``table`` as a data frame of ``pandas`` or ``polars``."""
        return self.table(level=level).frame(backend=backend)

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


ESTIMATE_COLUMNS = (
    *("quantity", "scope", "value", "unit", "lower", "lower kind", "upper", "upper kind", "level"),
    *("failures", "trials", "contradicted", "caveats", "method", "key"),
)
"""Of the table of an evidence, one row an estimate."""


def _estimate_row(estimate: Estimate, level: float | None) -> tuple[Any, ...]:
    asked = level or estimate.details.get("level", 0.95)
    ends = (*_end(estimate, "lower", asked), *_end(estimate, "upper", asked))
    broken = ", ".join(dict.fromkeys(a.id for a in estimate.assumptions if a.status == "contradicted"))
    warned = ", ".join(dict.fromkeys(caveat.code for caveat in estimate.caveats))
    counts = [estimate.details.get(name) for name in ("failures", "trials")]
    known = [count if isinstance(count, int) else None for count in counts]
    about = (estimate.quantity, estimate.scope, estimate.value, estimate.unit)
    return (*about, *ends, asked, *known, broken, warned, estimate.provenance.method, estimate.key)


def _end(estimate: Estimate, side: Side, level: float) -> tuple[float | None, str | None]:
    """The limit of the first kind of bound that has one at this level, or that knows no level."""
    families = [family for family in estimate.bounds if family.side == side]
    for kind in dict.fromkeys(family.kind for family in families):
        try:
            bound = estimate.bound(side, level, kind=kind)
        except LevelUnavailable:
            continue
        return bound.limit, estimate.kind_of(bound)
    alone = next((each for each in families if isinstance(each, Bound) and each.kind in WITHOUT_LEVEL), None)
    return (None, None) if alone is None else (alone.limit, estimate.kind_of(alone))


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def guarded(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet takes for a formula, and before such an apostrophe.

    >>> guarded("=A1"), guarded("'=A1"), guarded("'tis")
    ("'=A1", "''=A1", "'tis")
    """
    return f"'{cell}" if cell.lstrip("'").startswith(FORMULA_STARTS) else cell


def _csv_cell(value: Any) -> Any:
    if isinstance(value, str):
        return guarded(value) if len(value) > 1 else value
    return canonical_json(value) if isinstance(value, Mapping | tuple) else value


def _markdown_cell(value: Any) -> str:
    text = "" if value is None else _plain(value) if not isinstance(value, Mapping | tuple) else canonical_json(value)
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def thaw_rows(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Rows whose nested values are lists and dictionaries, and whose infinities stay numbers."""
    return [tuple(thaw(value) if isinstance(value, Mapping | tuple) else value for value in row) for row in rows]


def _of_one_kind(column: Sequence[Any]) -> list[Any]:
    """Values as they are where all are of one kind or missing; numbers as floats, everything else as text."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) <= 1 and not kinds & {tuple} and not any(issubclass(kind, Mapping) for kind in kinds):
        return list(column)
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in column]
    return [None if value is None else value if isinstance(value, str) else canonical_json(value) for value in column]


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
