"""What modules raised, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from surefoot.core import Table
from surefoot.systems.data.conditions import Condition
from surefoot.systems.records.stored import Stored


def fault_table(kept: Stored, conditions: Sequence[Condition]) -> Table:
    """For each condition what was said, on how many items and on which first; the most frequent first."""
    rows = []
    for condition in conditions:
        told = kept.faults(condition)
        first = {text: item for item, text in reversed(told)}
        said = Counter(text for _, text in told).most_common()
        rows += [(*condition.corruption_and_severity, count, first[text], text) for text, count in said]
    return Table(("corruption", "severity", "items", "first", "what was said"), tuple(rows))
