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
from surefoot.systems.records.columns import rows_of, values_of
from surefoot.systems.records.scoring import column_name
from surefoot.systems.tables.measured import Score


@dataclass(frozen=True, eq=False)
class Stored:
    """Scored parts of every condition, judged by the values of one place."""

    parts: Mapping[Condition, Sequence[store.Part]]
    place: str

    def statistics(self, condition: Condition) -> FloatArray:
        """Sufficient statistics of the metric."""
        return np.concatenate([rows_of(each) for each in self._columns(condition, f"statistics:{self.place}")])

    def score(self, score: Score, condition: Condition) -> FloatArray:
        """Values of a score."""
        blocks = [each.to_numpy() for each in self._columns(condition, column_name(score))]
        return np.concatenate(blocks).astype(np.float64)

    def faulty(self, condition: Condition) -> NDArray[np.bool_]:
        """Items that the place has no answer for, since a module raised on them."""
        return ~np.concatenate([each.to_numpy() for each in self._columns(condition, f"answered:{self.place}")])

    def faults(self, condition: Condition) -> list[tuple[str, str]]:
        """Names of the items on which a module raised, and what it said."""
        return self._told(condition, "fault")

    def pass_faults(self, condition: Condition) -> list[tuple[str, str]]:
        """Names of the items on which a module raised in a repeated pass alone, which leaves them without VR."""
        return self._told(condition, "pass fault")

    def _told(self, condition: Condition, name: str) -> list[tuple[str, str]]:
        found = []
        for part in self.parts[condition]:
            table = store.read(part, ["item", name])
            items, texts = (values_of("text", table[each]) for each in ("item", name))
            found += [(item, text) for item, text in zip(items, texts, strict=True) if text is not None]
        return found

    def _columns(self, condition: Condition, name: str) -> list[Any]:
        return [store.read(part, [name])[name] for part in self.parts[condition]]
