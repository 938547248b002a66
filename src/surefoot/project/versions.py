"""What code a result was computed by: versions of libraries, and a digest of the sources that compute."""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import surefoot
from surefoot.core import InvalidInput
from surefoot.core.canonical import FrozenDict
from surefoot.core.registry import Entry
from surefoot.project.step import Step
from surefoot.version import __version__

NOT_COMPUTING = ("case", "cli", "datasets", "report", "testing", "web")
RECORDED = ("numpy", "scipy", "scikit-learn", "matplotlib", "pydantic", "joblib")


@cache
def code_versions() -> FrozenDict:
    """Part of every key: the version of Surefoot, its computing sources, and the libraries they compute with."""
    root = Path(surefoot.__file__).parent
    sources = [path for path in sorted(root.rglob("*.py")) if path.relative_to(root).parts[0] not in NOT_COMPUTING]
    libraries = {name: version(name) for name in ("numpy", "scipy")}
    return FrozenDict({"surefoot": __version__, "sources": _digest(sources, root), **libraries})


def step_versions(step: Step) -> FrozenDict:
    """The distribution of a step from elsewhere and all sources of its package; nothing for our own."""
    return FrozenDict(_elsewhere(f"step {step.name}", step.function, step.distribution))


def named_versions(entries: Iterable[tuple[str, Entry[Any]]]) -> FrozenDict:
    """The same for detectors, bounds and so on that a step is told to use."""
    found: dict[str, str] = {}
    for kind, entry in entries:
        if entry.module.partition(".")[0] != "surefoot":
            found |= _elsewhere(f"{kind} {entry.name}", entry.load(), entry.distribution)
    return FrozenDict(found)


def _elsewhere(name: str, thing: Any, distribution: str) -> dict[str, str]:
    module = thing.__module__
    package = module.partition(".")[0]
    if package == "surefoot":
        return {}
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
