"""What a run tells whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Event:
    """What a run is doing, for a progress bar.

    ``done`` of ``total`` are rows while scoring, parts of the work while a long step is computing, and steps otherwise.
    A note has its text as ``name``.
    """

    kind: Literal["planned", "scoring", "computing", "stored", "finished", "failed", "note"]
    name: str = ""
    done: int = 0
    total: int = 0


Listener = Callable[[Event], None]
