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
from typing import Any

from surefoot.core import InvalidInput
from surefoot.core.canonical import FrozenDict
from surefoot.core.registry import Entry
from surefoot.project.step import Step, version_of
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
    return FrozenDict(_meant(f"step {step.name}", step.function, step.distribution, step.version))


def named_versions(entries: Iterable[tuple[str, Entry[Any]]]) -> FrozenDict:
    """The same for detectors, bounds and so on from elsewhere that a step is told to use; ours are part of the step."""
    found: dict[str, str] = {}
    for kind, entry in entries:
        if entry.module.partition(".")[0] != "surefoot":
            thing = entry.load()
            found |= _meant(f"{kind} {entry.name}", thing, entry.distribution, version_of(thing))
    return FrozenDict(found)


def _meant(name: str, thing: Any, distribution: str, stated: int | None) -> dict[str, str]:
    module = thing.__module__
    package = module.partition(".")[0]
    if package == "surefoot" or stated is not None:
        return {name: f"{distribution.rpartition(' ')[0]} {stated or 1}".strip()}
    file = _file(inspect.unwrap(thing))
    if file is None:
        return {name: hashlib.sha256(_source(name, thing).encode()).hexdigest()[:16]}
    root = file.parents[module.count(".")] if file.name != "__init__.py" else file.parents[module.count(".") + 1]
    files = sorted((root / package).rglob("*.py")) if (root / package).is_dir() else [file]
    return {name: f"{distribution} {_digest(files, root)}".strip()}


def _file(thing: Any) -> Path | None:
    try:
        file = Path(inspect.getsourcefile(thing) or "")
    except TypeError:
        return None
    return file if file.is_file() else None


def _source(name: str, thing: Any) -> str:
    """The source of what a notebook defines."""
    try:
        return inspect.getsource(inspect.unwrap(thing))
    except (OSError, TypeError) as error:
        remedy = "Put it into a file, so that evidence knows when it changes."
        raise InvalidInput("has no source that could be read", where=name, remedy=remedy) from error


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


def _digest(files: Iterable[Path], root: Path) -> str:
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.relative_to(root).as_posix()}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]
