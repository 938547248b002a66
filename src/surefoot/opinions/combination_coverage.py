"""Coverage of an operational design domain by t-way combinations.

An ODD table names dimensions and the values of each, as in Table 1 of Herd & Burton (SAC 2024), adapted there from
Gladisch et al. (CVPR workshops 2020). A data set covers a combination of values of t dimensions when one of its rows
shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from surefoot.core import validate
from surefoot.core.canonical import FrozenDict
from surefoot.core.errors import InvalidInput
from surefoot.opinions import checks
from surefoot.opinions.metrics import BASE_RATE, coverage
from surefoot.opinions.opinion import DEFAULT_PRIOR_WEIGHT, Opinion

Value = str | int | float | bool
Scalar = str | int | float | np.generic
Table = Mapping[str, Sequence[Value]]
Row = Mapping[str, Value]
Cell = tuple[tuple[int, int], ...]

EXAMPLE_ODD: Table = FrozenDict(
    {
        "daytime": ("morning", "day", "evening", "night"),
        "haze or fog": ("no", "yes"),
        "street condition": ("dry", "wet", "icy", "snow", "broken"),
        "sky": ("cloudy", "clear"),
        "rain": ("no", "yes"),
        "reflection on road": ("no", "yes"),
        "shadow on road": ("no", "yes"),
    }
)
"""Table 1 of Herd & Burton (2024), with the sky read as cloudy or clear."""


@dataclass(frozen=True)
class CombinationCoverage:
    """How many of the possible t-way combinations a data set shows, and which it does not.

    See Also
    --------
    t_way_coverage : Gives one, with an example.

    """

    strength: int
    covered: int
    total: int
    missing: tuple[FrozenDict, ...]

    @property
    def share(self) -> float:
        """Covered combinations over possible ones."""
        return self.covered / self.total

    def opinion(self, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT, base_rate: float = BASE_RATE) -> Opinion:
        """Opinion that the data set covers the table (Herd & Burton 2024, Eqns. 22-24)."""
        return coverage(self.covered, self.total, prior_weight=prior_weight, base_rate=base_rate)


def t_way_coverage(
    rows: Iterable[Row], odd: Table, t: int = 2, *, forbidden: Sequence[Row] = ()
) -> CombinationCoverage:
    """Count the t-way combinations of ``odd`` that ``rows`` show.

    ``forbidden`` lists partial rows that cannot occur, such as ``{"sky": "clear", "rain": "yes"}``; a combination
    that no full row without a forbidden part contains is not asked for. Further keys of a row are ignored; a row that
    lacks a dimension, has a value outside the table or contains a forbidden part is an error.

    Parameters
    ----------
    rows
        What a data set shows: a value of each dimension. Further keys are ignored; a row that lacks a dimension, has a
        value outside the table or contains a forbidden part is an error.
    odd
        Dimensions and the values of each.
    t
        How many dimensions are combined.
    forbidden
        Partial rows that cannot occur, such as ``{"sky": "clear", "rain": "yes"}``; a combination that no full row
        without a forbidden part contains is not asked for.

    Returns
    -------
    CombinationCoverage
        How many combinations are covered, and which are missing.

    References
    ----------
    Herd and Burton (2024), Table 1.

    Examples
    --------
    >>> import surefoot as sf
    >>> odd = {"sky": ["clear", "cloudy"], "rain": ["no", "yes"]}
    >>> found = sf.opinions.t_way_coverage([{"sky": "clear", "rain": "no"}], odd)
    >>> found.covered, found.total
    (1, 4)

    """
    domain = _Domain.read(odd, forbidden, "t_way_coverage")
    strength = domain.check_strength(t)
    seen = {cell for row in domain.all_indices(rows, "rows") for cell in _cells(row, strength)}
    possible = [cell for cell in domain.all_cells(strength) if domain.completion(cell) is not None]
    if not possible:
        raise InvalidInput("every combination is forbidden", where=domain.where, remedy="Relax the forbidden parts.")
    missing = tuple(domain.named(cell) for cell in possible if cell not in seen)
    return CombinationCoverage(strength, len(possible) - len(missing), len(possible), missing)


def covering_rows(
    odd: Table, t: int = 2, *, forbidden: Sequence[Row] = (), present: Sequence[Row] = ()
) -> tuple[FrozenDict, ...]:
    """A small set of rows that, with the ``present`` ones, covers every possible t-way combination.

    The rows come from covertable's greedy construction; they are few, not provably fewest. What it leaves out is
    completed here by search, so coverage is 1 by construction.

    Parameters
    ----------
    odd
        Dimensions and the values of each.
    t
        How many dimensions are combined.
    forbidden
        Partial rows that cannot occur.
    present
        Rows that there are.

    Returns
    -------
    tuple of rows
        What is to be added.

    Examples
    --------
    >>> import surefoot as sf
    >>> len(sf.opinions.covering_rows({"sky": ["clear", "cloudy"], "rain": ["no", "yes"]}))
    4

    """
    from covertable import make

    domain = _Domain.read(odd, forbidden, "covering_rows")
    strength = domain.check_strength(t)
    known = domain.all_indices(present, "present")
    factors = {str(d): list(range(len(values))) for d, values in enumerate(domain.values)}
    presets = [{str(d): v for d, v in enumerate(row)} for row in sorted(known)]
    made = make(factors, strength=strength, constraints=domain.constraints(), presets=presets)
    rows = dict.fromkeys(tuple(row[key] for key in factors) for row in made)
    seen = {cell for row in [*known, *rows] for cell in _cells(row, strength)}
    for cell in domain.all_cells(strength):
        if cell not in seen and (row := domain.completion(cell)) is not None:
            rows[row] = None
            seen.update(_cells(row, strength))
    return tuple(domain.named(tuple(enumerate(row))) for row in rows if row not in known)


@dataclass(frozen=True)
class _Domain:
    """An ODD table in which dimensions and values are numbers."""

    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    forbidden: tuple[Cell, ...]
    where: str

    @classmethod
    def read(cls, odd: Table, forbidden: Sequence[Row], where: str) -> _Domain:
        table = checks.mapping(odd, where=where, name="odd")
        if not table:
            raise InvalidInput("the table needs at least one dimension", where=where, found="none")
        values = tuple(_distinct_values(name, options, where) for name, options in table.items())
        plain = cls(tuple(table), values, (), where)
        parts = tuple(plain.cell(part) for part in _listed(forbidden, where, "forbidden"))
        if () in parts:
            raise InvalidInput("a forbidden part must name a dimension", where=where, found="{}")
        return replace(plain, forbidden=parts)

    def check_strength(self, t: int) -> int:
        strength = validate.count(t, where=self.where, name="t", at_least=1)
        if strength > len(self.names):
            raise InvalidInput(f"t must not exceed the {len(self.names)} dimensions", where=self.where, found=strength)
        return strength

    def cell(self, part: Row) -> Cell:
        for name in checks.mapping(part, where=self.where, name="a forbidden part"):
            validate.choice(name, self.names, where=self.where, name="dimension")
        return tuple((d, self._index(d, part[name])) for d, name in enumerate(self.names) if name in part)

    def all_indices(self, rows: Iterable[Row], name: str) -> set[tuple[int, ...]]:
        return {self.indices(row, number) for number, row in enumerate(_listed(rows, self.where, name))}

    def indices(self, row: Row, number: int) -> tuple[int, ...]:
        checks.mapping(row, where=self.where, name=f"row {number}")
        lacking = [name for name in self.names if name not in row]
        if lacking:
            raise InvalidInput(f"row {number} lacks a dimension", where=self.where, found=", ".join(lacking))
        indices = tuple(self._index(d, row[name]) for d, name in enumerate(self.names))
        if self._is_forbidden(tuple(enumerate(indices))):
            raise InvalidInput(
                f"row {number} shows what is declared forbidden",
                where=self.where,
                found={name: row[name] for name in self.names},
                remedy="Correct the row, or remove the forbidden part: it does occur.",
            )
        return indices

    def _index(self, dimension: int, value: Value) -> int:
        if not isinstance(value, Scalar) or value not in self.values[dimension]:
            raise InvalidInput(
                f"{self.names[dimension]!r} has no such value",
                where=self.where,
                found=repr(value),
                remedy=f"The table has {', '.join(map(str, self.values[dimension]))}.",
            )
        return self.values[dimension].index(value)

    def _is_forbidden(self, cell: Cell) -> bool:
        return any(set(part) <= set(cell) for part in self.forbidden)

    def all_cells(self, strength: int) -> Iterator[Cell]:
        for dimensions in combinations(range(len(self.names)), strength):
            for values in product(*(range(len(self.values[d])) for d in dimensions)):
                yield tuple(zip(dimensions, values, strict=True))

    def completion(self, cell: Cell) -> tuple[int, ...] | None:
        """A full row that contains ``cell`` and nothing forbidden, found by depth-first search."""
        if self._is_forbidden(cell):
            return None
        chosen = dict(cell)
        free = next((d for d in range(len(self.names)) if d not in chosen), None)
        if free is None:
            return tuple(chosen[d] for d in range(len(self.names)))
        branches = (self.completion((*cell, (free, value))) for value in range(len(self.values[free])))
        return next((row for row in branches if row is not None), None)

    def constraints(self) -> list[dict[str, object]]:
        """The forbidden parts in covertable's terms: at least one of the values differs."""
        return [
            {
                "operator": "or",
                "conditions": [{"operator": "ne", "left": str(d), "value": value} for d, value in part],
            }
            for part in self.forbidden
        ]

    def named(self, cell: Cell) -> FrozenDict:
        return FrozenDict({self.names[d]: self.values[d][value] for d, value in cell})


def _distinct_values(name: str, options: Sequence[Value], where: str) -> tuple[Value, ...]:
    values = tuple(_listed(options, where, f"dimension {name!r}"))
    if not values or not all(isinstance(v, Scalar) for v in values) or len(set(values)) < len(values):
        raise InvalidInput(f"dimension {name!r} needs distinct values", where=where, found=list(values))
    return values


def _listed(items: Iterable[Any], where: str, name: str) -> Iterable[Any]:
    """The items; a text or a mapping, which would be taken apart, is a slip."""
    if not isinstance(items, Iterable) or isinstance(items, str | Mapping):
        raise InvalidInput(f"{name} must be a list", where=where, found=repr(items))
    return items


def _cells(row: tuple[int, ...], strength: int) -> Iterator[Cell]:
    return combinations(enumerate(row), strength)
