"""The return functions that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.monitors.returns.classification import errors, severity, threats
    from surefoot.monitors.returns.object_detection import objects
    from surefoot.monitors.returns.rewards import episodes

__all__ = ["episodes", "errors", "objects", "severity", "threats"]
