"""What several candidates change together, which of them contradict each other, and which sets are looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from surefoot.hazards.improvement.candidate import Barrier, Candidate, Change, Times

Chosen = tuple[int, ...]
"""Places of candidates in the list, in order."""


@dataclass(frozen=True)
class Conflict:
    """Two candidates that cannot be combined, and over what."""

    first: str
    second: str
    over: str

    def __str__(self) -> str:
        return f"{self.first} and {self.second} are not combined: both change {self.over}"


def conflicts(found: Sequence[Candidate]) -> dict[tuple[int, int], Conflict]:
    """Pairs that change one thing in two ways; factors multiply, barriers add up, equal changes are one."""
    pairs = {}
    for (i, one), (j, other) in combinations(enumerate(found), 2):
        over = [name for name in one.changes if name in other.changes]
        over = [name for name in over if not _combine(one.changes[name], other.changes[name])]
        over += _barriers_that_differ(one, other)
        if over:
            pairs[i, j] = Conflict(one.name, other.name, ", ".join(over))
    return pairs


def _combine(one: Change, other: Change) -> bool:
    both_add = any(isinstance(one, kind) and isinstance(other, kind) for kind in (Times, Barrier))
    return both_add or (type(one) is type(other) and one == other)


def _barriers_that_differ(one: Candidate, other: Candidate) -> list[str]:
    """Barriers of one name that fail differently."""
    first, second = ({b.name: b.fails for b in c.changes.values() if isinstance(b, Barrier)} for c in (one, other))
    return [f"the barrier {name}" for name in first if name in second and first[name] != second[name]]


def merged(chosen: Sequence[Candidate]) -> dict[str, list[Change]]:
    """Every change by the name it is about; more than one only where they are factors or barriers."""
    found: dict[str, list[Change]] = {}
    for candidate in chosen:
        for name, change in candidate.changes.items():
            already = found.setdefault(name, [])
            if isinstance(change, Times) or change not in already:
                already.append(change)
    return found


def factor_of(changes: Sequence[Change]) -> float:
    """What factors multiply to."""
    return math.prod(change.factor for change in changes if isinstance(change, Times))


def allowed(chosen: Chosen, against: Mapping[tuple[int, int], Conflict]) -> bool:
    """Whether no two of the chosen contradict each other."""
    return not any(pair in against for pair in combinations(chosen, 2))


def up_to(count: int, size: int, against: Mapping[tuple[int, int], Conflict]) -> Iterator[Chosen]:
    """Every set of at most so many without a conflict, small ones first, beginning with none."""
    sets = (chosen for each in range(size + 1) for chosen in combinations(range(count), each))
    return (chosen for chosen in sets if allowed(chosen, against))
