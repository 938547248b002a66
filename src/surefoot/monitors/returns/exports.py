"""The return functions that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.monitors.returns.episodes import episodes
    from surefoot.monitors.returns.errors import errors
    from surefoot.monitors.returns.objects import objects
    from surefoot.monitors.returns.severity import severity
    from surefoot.monitors.returns.threats import threats

__all__ = ["episodes", "errors", "objects", "severity", "threats"]
