"""Import optional dependencies where they are used, and say how to get them when they are missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from surefoot.core.errors import MissingExtra


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module`` or raise an error that names the extra which brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"{purpose} needs the package {module!r}, which is not installed",
            remedy=f"Run: pip install 'surefoot[{extra}]'",
        ) from error
