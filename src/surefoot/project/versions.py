"""By what a key knows the code that computes: versions of meaning, and of the libraries computed with.

A version of meaning is raised when results change, and stays when code moves, so that evidence of yesterday is still
found. The frozen record of the tests fails where results changed and the version did not.
"""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from surefoot.core.canonical import FrozenDict
from surefoot.project.step import Step
from surefoot.version import __version__

READING = 1
"""How files become rows, and rows become answers of a model."""
COMPUTED_WITH = ("numpy", "scipy")
RECORDED = (*COMPUTED_WITH, "scikit-learn", "matplotlib", "pydantic", "joblib")


@cache
def reading_versions() -> FrozenDict:
    """Part of every key: the version of how files are read, and the libraries that compute."""
    return FrozenDict({"reading": str(READING), **{name: version(name) for name in COMPUTED_WITH}})


def step_versions(step: Step) -> FrozenDict:
    """The version of what a step means; of one from elsewhere its distribution, and its sources if it states none."""
    name, module = f"step {step.name}", step.function.__module__
    package = module.partition(".")[0]
    if package == "surefoot" or step.version is not None:
        return FrozenDict({name: f"{_name_of(step)} {step.version or 1}".strip()})
    file = Path(inspect.getsourcefile(inspect.unwrap(step.function)) or "")
    root = file.parents[module.count(".")] if file.name != "__init__.py" else file.parents[module.count(".") + 1]
    files = sorted((root / package).rglob("*.py")) if (root / package).is_dir() else [file]
    return FrozenDict({name: f"{step.distribution} {_digest(files, root)}".strip()})


@cache
def library_versions() -> FrozenDict:
    """What the report lists and the lock file compares."""
    found = {"python": platform.python_version(), "surefoot": __version__}
    for name in RECORDED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return FrozenDict(found)


def _name_of(step: Step) -> str:
    return step.distribution.rpartition(" ")[0]


def _digest(files: Iterable[Path], root: Path) -> str:
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.relative_to(root).as_posix()}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]
