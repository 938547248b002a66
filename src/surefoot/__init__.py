"""Quantified safety cases of machine-learning components.

``import surefoot as sf`` loads nothing but itself; every name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.version import __version__

if TYPE_CHECKING:
    from surefoot import (
        adapters,
        bounds,
        case,
        core,
        corruptions,
        datasets,
        drawing,
        executors,
        faulttree,
        hazards,
        metrics,
        monitors,
        opinions,
        profile,
        project,
        reliability,
        report,
        systems,
    )
    from surefoot.case import Case
    from surefoot.core import *  # noqa: F403
    from surefoot.faulttree import FaultTree
    from surefoot.opinions import Opinion
    from surefoot.project import Project, Result, load, run
    from surefoot.report import read_report

_PACKAGES = (
    "adapters",
    "bounds",
    "case",
    "core",
    "corruptions",
    "datasets",
    "drawing",
    "executors",
    "faulttree",
    "hazards",
    "metrics",
    "monitors",
    "opinions",
    "profile",
    "project",
    "reliability",
    "report",
    "systems",
    "testing",
    "watch",
)
_HOMES = {"Case": "case", "FaultTree": "faulttree", "Opinion": "opinions"} | dict.fromkeys(
    ("Project", "Result", "load", "run"), "project"
)
_HOMES["read_report"] = "report"
_OF_CORE_ALONE = ("Registry", "Unloadable", "function_identity", "joint_draws", "validate")
"""What authors of extensions need, and nobody who assesses a model."""


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"surefoot.{name}")
    if name == "__all__":
        shown = [each for each in import_module("surefoot.core").__all__ if each not in _OF_CORE_ALONE]
        return [*shown, *_HOMES, *_PACKAGES, "__version__"]
    home = import_module(f"surefoot.{_HOMES.get(name, 'core')}")
    if name in home.__all__ and name not in _OF_CORE_ALONE:
        return getattr(home, name)
    raise AttributeError(f"module 'surefoot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
