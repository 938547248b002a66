"""``Stored``: columns of a study, read from its files when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.records import store
from surefoot.systems.records.columns import rows_of
from surefoot.systems.tables.measured import Score


@dataclass(frozen=True, eq=False)
class Stored:
    """Scored parts of every condition, judged by the values of one place."""

    parts: Mapping[Condition, Sequence[store.Part]]
    place: str

    def statistics(self, condition: Condition) -> FloatArray:
        """Sufficient statistics of the metric."""
        return np.concatenate(
            [rows_of(self._column(part, f"statistics:{self.place}")) for part in self.parts[condition]]
        )

    def score(self, score: Score, condition: Condition) -> FloatArray:
        """Values of a score."""
        blocks = [self._column(part, f"score:{score.label}").to_numpy() for part in self.parts[condition]]
        return np.concatenate(blocks).astype(np.float64)

    def faulty(self, condition: Condition) -> NDArray[np.bool_]:
        """Items on which a module raised."""
        return np.concatenate([np.asarray(self._column(part, "fault").is_valid()) for part in self.parts[condition]])

    def faults(self, condition: Condition) -> list[tuple[str, str]]:
        """Names of the items on which a module raised, and what it said."""
        found = []
        for part in self.parts[condition]:
            table = store.read(part.path, ["item", "fault"])
            found += [(i, f) for i, f in zip(table["item"].to_pylist(), table["fault"].to_pylist(), strict=True) if f]
        return found

    @staticmethod
    def _column(part: store.Part, name: str) -> Any:
        return store.read(part.path, [name])[name]
