"""What the store keeps of an iteration: its numbers, and fingerprints by which a later one is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from surefoot.core import digest
from surefoot.core.canonical import FrozenDict, reading, thaw
from surefoot.project.iterations.iteration import Iteration

FINGERPRINTS = ("settings", "results", "rows", "versions")


@dataclass(frozen=True)
class Record:
    """What the store keeps of an iteration; what only serves comparison stays out of results and reports."""

    iteration: Iteration
    settings: Mapping[str, str] = field(default_factory=dict)
    """Digests of the parts of the project file."""
    results: Mapping[str, str] = field(default_factory=dict)
    """Digests of what each step found."""
    rows: Mapping[str, str] = field(default_factory=dict)
    """Digests of the rows of worksheets, by id."""
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in FINGERPRINTS:
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @cached_property
    def content(self) -> str:
        """Two assessments with one content are one iteration: date, looks, words and versions make no difference."""
        said = self.iteration.to_dict()
        found = {name: said[name] for name in ("targets", "tops", "events", "required", "inputs")}
        return digest([found, self.results, self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; number and changes follow from the place in the history."""
        said = self.iteration.to_dict()
        kept = {name: item for name, item in said.items() if name not in ("number", "changed", "this")}
        return kept | {name: thaw(getattr(self, name)) for name in FINGERPRINTS}

    @classmethod
    def from_dict(cls, number: int, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("iteration"):
            iteration = Iteration.from_dict({**data, "number": number, "changed": [], "this": False})
            return cls(iteration, **{name: data[name] for name in FINGERPRINTS})

    def numbered(self, number: int) -> Record:
        """The record with its number."""
        return replace(self, iteration=replace(self.iteration, number=number))
