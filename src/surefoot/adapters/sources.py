"""Identity of Python code without running it: the source of a module and of what it imports from the project.

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
from surefoot.adapters.wording import quoted, shown, suggestion
from surefoot.core import DiagnosticsError

WELL_KNOWN = {"PIL": "pillow", "cv2": "opencv-python", "skimage": "scikit-image", "sklearn": "scikit-learn"}


@dataclass(frozen=True)
class Sources:
    """Digest of each source file by name, and the installed packages they import."""

    digests: dict[str, str]
    versions: dict[str, str]


def module_sources(reference: str, folder: Path, *, code: str) -> Sources:
    """What ``module:name`` is made of; a module that does not exist is a problem with ``code``."""
    top = split(reference)[0].partition(".")[0]
    own = dict(_own_files(top, folder))
    files = own or dict(_installed_files(top))
    if not files and _spec(top) is None:
        hint = suggestion(top, top_names(folder))
        raise DiagnosticsError.of(code, f"there is no module {quoted(top)}.", where=shown(reference), hint=hint)
    foreign = {top} | {name for path in own.values() for name in _imported(path)}
    digests = {shown(name): file_digest(path) for name, path in files.items()}
    return Sources(digests, versions(name for name in foreign if not _unit(name, folder)))


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
