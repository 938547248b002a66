"""Quantified safety cases of machine-learning components.

``import surefoot as sf`` loads numpy and ``scipy.special`` at most; what needs more is loaded when it
is first used.
"""

from importlib import import_module
from typing import Any

from surefoot import bounds, core, opinions
from surefoot.core import *  # noqa: F403
from surefoot.core import __all__ as _core_names
from surefoot.opinions import Opinion
from surefoot.version import __version__

_LAZY = ("datasets", "draw", "executors", "testing")

__all__ = [*_core_names, "Opinion", "__version__", "bounds", "core", "opinions"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return import_module(f"surefoot.{name}")
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_LAZY])
