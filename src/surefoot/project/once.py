"""Things made at most once, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from surefoot.core import SurefootError


@dataclass(eq=False)
class Once:
    """Hands out what was made before, or the error it gave: a model that hangs is not tried twice."""

    made: dict[str, Any] = field(default_factory=dict)

    def __call__(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, or gave."""
        if name not in self.made:
            try:
                self.made[name] = make()
            except SurefootError as error:
                self.made[name] = error
        if isinstance(self.made[name], SurefootError):
            raise self.made[name]
        return self.made[name]
