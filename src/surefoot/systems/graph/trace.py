"""``Trace``: everything that went through a system for some items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Fault(NamedTuple):
    """Why there is no output for an item: the module that raised, and what it said."""

    module: str
    text: str

    def __str__(self) -> str:
        return f"{self.module}: {self.text}"


@dataclass(eq=False)
class Trace:
    """Outputs by place (``module`` or ``module.port``), features by module, and faults, item by item.

    An item on which a module raised has None from that module on.
    """

    count: int
    outputs: dict[str, list[Any]] = field(default_factory=dict)
    features: dict[str, list[Any]] = field(default_factory=dict)
    faults: dict[int, Fault] = field(default_factory=dict)

    @property
    def alive(self) -> NDArray[np.int64]:
        """Items that no module has raised on."""
        return np.array([i for i in range(self.count) if i not in self.faults], dtype=np.int64)
