"""``Trace``: everything that went through a system for some items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """Why there is no output for an item: the module that raised, and what it said."""

    module: str
    text: str

    def __str__(self) -> str:
        return f"{self.module}: {self.text}"


@dataclass(eq=False)
class Trace:
    """Outputs by place (``module`` or ``module.port``), features by module, and faults, item by item.

    An item on which a module raised has None there, and at everything that is fed from there; ``faults`` has the first.
    """

    count: int
    outputs: dict[str, list[Any]] = field(default_factory=dict)
    features: dict[str, list[Any]] = field(default_factory=dict)
    faults: dict[int, Fault] = field(default_factory=dict)
