"""Safety properties as property-based requirements (Micouin 2008): object, property, relation, value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from surefoot.core import validate
from surefoot.core.errors import InvalidInput

Relation = Literal["at most", "at least", "less than", "more than", "equals", "is", "is not"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
NUMERIC = RELATIONS[:5]


@dataclass(frozen=True)
class Property:
    """What shall hold of an object, and how it is verified.

    ``condition`` says when it shall hold. ``verification`` says how that is shown (test, analysis, inspection,
    demonstration); ``evidence`` names the result that shows it, as ``step.quantity`` of a project.

    >>> str(Property("P1", "vehicle", "distance to an asset", "at least", 2.0, "m", "during inspection"))
    'vehicle: during inspection, distance to an asset shall be at least 2 m'
    """

    id: str
    object: str
    property: str
    relation: Relation = "is"
    value: float | str = ""
    unit: str = ""
    condition: str = ""
    verification: str = ""
    evidence: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        where = f"property {self.id!r}"
        for name in ("id", "object", "property"):
            if not getattr(self, name).strip():
                raise InvalidInput(f"a property needs {name}", where=where)
        validate.choice(self.relation, RELATIONS, where=where, name="relation")
        number = float(self.value) if isinstance(self.value, int | float) and self.value is not True else None
        if self.relation in NUMERIC and (number is None or not math.isfinite(number)):
            raise InvalidInput(
                f"{self.relation!r} needs a number", where=where, found=repr(self.value), remedy="Or use 'is'."
            )
        if number is not None:
            object.__setattr__(self, "value", number)

    def __str__(self) -> str:
        value = f"{self.value:.12g}" if isinstance(self.value, float) else self.value
        amount = " ".join(filter(None, (value, self.unit)))
        when = f"{self.condition}, " if self.condition else ""
        shall = {"is": "shall be", "is not": "shall not be", "equals": "shall equal"}
        words = shall.get(self.relation, f"shall be {self.relation}")
        return f"{self.object}: {when}{self.property} {words} {amount}".strip()
