"""Identity of Python code without running it: all code of the project's folder, and the packages it imports.

The unit is a top-level name: a file, or everything below a package's folder. Imports are followed from unit
to unit inside the project's folder; an installed package counts as one unit.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from surefoot.adapters.files import file_digest
from surefoot.adapters.modules import split, top_names
from surefoot.adapters.project_code import project_code
from surefoot.core import DiagnosticsError
from surefoot.documents import did_you_mean, printable, quoted

# Packages that nobody edits in place: their version says what they are.
VERSIONED = {"numpy", "scipy", "sklearn", "skops", "joblib", "torch"}
WELL_KNOWN = {"PIL": "pillow", "cv2": "opencv-python", "skimage": "scikit-image", "sklearn": "scikit-learn"}


@dataclass(frozen=True)
class Sources:
    """Digest of each source file by name, and the installed packages they import."""

    digests: dict[str, str]
    versions: dict[str, str]
    whole: bool = True
    """Whether all code of the project's folder is covered, and not only what is imported by name."""


def module_sources(reference: str, folder: Path, *, code: str) -> Sources:
    """What ``module:name`` is made of; a module that does not exist is a problem with ``code``."""
    top = split(reference)[0].partition(".")[0]
    own = dict(_own_files(top, folder))
    files = own or dict(_installed_files(top))
    if not files and _spec(top) is None:
        hint = did_you_mean(top, top_names(folder))
        raise DiagnosticsError.of(code, f"there is no module {quoted(top)}.", where=printable(reference), hint=hint)
    foreign = {top} | {name for path in own.values() for name in _imported(path)}
    return _sources(files, (name for name in foreign if not _unit(name, folder)), folder)


def type_sources(types: Iterable[str], folder: Path) -> Sources:
    """What types of a model file are made of; the project's folder counts where one of them may come from there."""
    tops = {name.partition(".")[0] for name in types}
    own = {name: path for top in tops for name, path in _own_files(top, folder)}
    foreign = {top for top in tops if not _unit(top, folder)} - sys.stdlib_module_names
    installed = {name: path for top in foreign - VERSIONED for name, path in _installed_files(top)}
    if own:
        return _sources(own | installed, foreign, folder)
    return Sources(_digests(installed), versions(foreign))


def folder_sources(folder: Path) -> Sources:
    """All code of the project's folder, for a model file that may refer to any of it."""
    return _sources({}, (), folder)


def _sources(files: Mapping[str, Path], foreign: Iterable[str], folder: Path) -> Sources:
    code = project_code(folder)
    return Sources(_digests({**files, **(code or {})}), versions(foreign), code is not None)


def _digests(files: Mapping[str, Path]) -> dict[str, str]:
    return {printable(name): file_digest(path) for name, path in files.items()}


def versions(names: Iterable[str]) -> dict[str, str]:
    """Version of the distribution that brings each top-level name, where there is one."""
    brought = [_distributions(name) for name in sorted(set(names) - sys.stdlib_module_names)]
    return {found.metadata["Name"]: found.version for several in brought for found in several}


def _distributions(name: str) -> list[Distribution]:
    with suppress(PackageNotFoundError):
        return [distribution(WELL_KNOWN.get(name, name))]
    return [distribution(found) for found in _all_distributions().get(name, ())]


@cache
def _all_distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _own_files(top: str, folder: Path) -> Iterator[tuple[str, Path]]:
    waiting, seen = [top], {top}
    while waiting:
        for path in _unit(waiting.pop(), folder):
            yield path.relative_to(folder).as_posix(), path
            new = _imported(path) - seen
            seen |= new
            waiting += sorted(new)


def _unit(top: str, folder: Path) -> list[Path]:
    package, file = folder / top, folder / f"{top}.py"
    if file.is_file() and not (package / "__init__.py").is_file():
        return [file]
    return sorted(package.rglob("*.py"))


def _installed_files(top: str) -> Iterator[tuple[str, Path]]:
    spec = _spec(top)
    if spec is not None and spec.submodule_search_locations:
        for place in spec.submodule_search_locations:
            yield from ((f"{top}/{p.relative_to(place).as_posix()}", p) for p in sorted(Path(place).rglob("*.py")))
    elif spec is not None and spec.origin and spec.origin.endswith(".py"):
        yield f"{top}.py", Path(spec.origin)


def _spec(top: str) -> ModuleSpec | None:
    with suppress(ValueError):
        return importlib.util.find_spec(top)
    return None


def _imported(path: Path) -> set[str]:
    """Top-level names that a file imports anywhere; none where it cannot be parsed."""
    names: set[str] = set()
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module.partition(".")[0])
    return names
