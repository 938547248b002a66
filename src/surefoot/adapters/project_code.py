"""Python code of a project: ``module:name`` imported from its folder, identified without running it, and its errors.

Importing leaves no trace behind. What code is made of is all code of the project's folder, since imports by a computed
name leave no trace in a source, and the packages it imports: an installed package counts as one unit. Files and folders
that a project names are found here too, and told apart by their content.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, reduce
from importlib.machinery import ModuleSpec, all_suffixes
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

from surefoot.core import DiagnosticsError, SurefootError
from surefoot.documents import did_you_mean, printable, quoted

REFERENCE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
# A project may not replace these for the code it is assessed by.
NEVER_HIDDEN = {*sys.stdlib_module_names, "__main__", "surefoot"}

IMPORTABLE = tuple(all_suffixes())

MOST_FILES = 10_000

MOST_BYTES = 2**30

NOT_THE_PROJECT = {"__pycache__", "node_modules", "site-packages", "dist-packages"}

ENVIRONMENT = ("pyvenv.cfg", "conda-meta")

VERSIONED = {"numpy", "scipy", "sklearn", "skops", "joblib", "torch"}
"""Packages that nobody edits in place: their version says what they are."""

WELL_KNOWN = {"PIL": "pillow", "cv2": "opencv-python", "skimage": "scikit-image", "sklearn": "scikit-learn"}
OURS = os.path.dirname(__file__)
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_LOCK = RLock()


@dataclass(eq=False)
class ProjectModules:
    """The modules of one project's folder, importable only while ``active``.

    They are read afresh from disk and taken out of ``sys.modules`` afterwards, so that two projects may
    each have a ``model.py``, and so that what runs is what was digested. Nothing is compiled into the folder.
    """

    folder: Path
    _own: dict[str, ModuleType] = field(default_factory=dict)
    _path: list[str] = field(default_factory=list)
    _depth: int = 0

    @contextmanager
    def active(self) -> Iterator[None]:
        """Put the folder first on ``sys.path``, and the modules loaded from it back in their place."""
        with _LOCK:
            outside = self._enter() if self._depth == 0 else None
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if outside is not None:
                    self._leave(outside)

    def find(self, reference: str, *, code: str) -> Any:
        """The object that ``module:name`` refers to; problems carry ``code``."""
        module, name = split(reference)
        importlib.invalidate_caches()
        with self.active(), _explaining(reference, code, self.folder):
            found = importlib.import_module(module)
            return reduce(getattr, name.split("."), found)

    def _enter(self) -> _Outside:
        tops = self._tops & sys.modules.keys()
        hidden = _taken(name for name in sys.modules if name.partition(".")[0] in tops) if tops else {}
        outside = _Outside(hidden, frozenset(sys.modules), sys.path[:], sys.dont_write_bytecode)
        sys.modules.update(self._own)
        sys.path[:] = self._path or [str(self.folder.absolute()), *sys.path]
        sys.dont_write_bytecode = True
        return outside

    def _leave(self, outside: _Outside) -> None:
        new = sys.modules.keys() - outside.names
        self._own = _taken(name for name in new if _lies_in(name, sys.modules[name], self.folder))
        sys.modules.update(outside.hidden)
        self._path, sys.path[:] = sys.path[:], outside.path
        sys.dont_write_bytecode = outside.dont_write_bytecode

    @cached_property
    def _tops(self) -> set[str]:
        return set(top_names(self.folder)) - NEVER_HIDDEN


@dataclass(frozen=True)
class _Outside:
    """What belongs to everybody else while a project's modules are active."""

    hidden: dict[str, ModuleType]
    names: frozenset[str]
    path: list[str]
    dont_write_bytecode: bool


def split(reference: str) -> tuple[str, str]:
    """Module and name of ``module:name``."""
    match = REFERENCE.fullmatch(reference)
    if match is None or match[1].endswith(".py"):
        raise DiagnosticsError.of(
            "wrong-value",
            f"{quoted(reference)} is not of the form module:name.",
            where=printable(reference),
            hint="For the function predict in model.py write model:predict.",
        )
    return match[1], match[2]


def top_names(folder: Path) -> list[str]:
    """Names under which a folder's own code can be imported."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    files = [entry.stem for entry in entries if entry.suffix == ".py"]
    return files + [entry.name for entry in entries if (entry / "__init__.py").is_file()]


@contextmanager
def _explaining(reference: str, code: str, folder: Path) -> Iterator[None]:
    module, name = split(reference)
    try:
        yield
    except SurefootError:
        raise
    except ModuleNotFoundError as error:
        missing = error.name or ""
        own = module == missing or module.startswith(f"{missing}.")
        hint = did_you_mean(module, top_names(folder)) if own else f"Install the package that brings {quoted(missing)}."
        raise _failed(code, f"there is no module {quoted(missing)}", reference, hint) from error
    except AttributeError as error:
        there = vars(sys.modules[module]) if module in sys.modules else {}
        known = [
            name for name, value in there.items() if not name.startswith("_") and not isinstance(value, ModuleType)
        ]
        hint = _shadowed(module, folder) or did_you_mean(name, known)
        raise _failed(code, explained(error, folder), reference, hint) from error
    except (Exception, SystemExit) as error:
        raise _failed(code, explained(error, folder), reference, "") from error


def _shadowed(module: str, folder: Path) -> str:
    top = module.partition(".")[0]
    own = top in NEVER_HIDDEN and top in top_names(folder)
    return f"Rename {top}: a module that is always there has the same name." if own else ""


def _failed(code: str, why: str, reference: str, hint: str) -> DiagnosticsError:
    return DiagnosticsError.of(code, f"{reference} could not be imported: {why}.", where=reference, hint=hint)


def _taken(names: Iterable[str]) -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in list(names)}


def _lies_in(name: str, module: Any, folder: Path) -> bool:
    """Whether a module belongs to the folder, rather than to an environment inside it."""
    if name.partition(".")[0] in NEVER_HIDDEN:
        return False
    path = getattr(module, "__path__", ())
    places = [getattr(module, "__file__", None), *(path if isinstance(path, Iterable) else ())]
    inside = [Path(p) for p in places if isinstance(p, str) and Path(p).is_relative_to(folder.absolute())]
    return any(not {"site-packages", "dist-packages"} & set(p.relative_to(folder.absolute()).parts) for p in inside)


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


def project_code(folder: Path) -> dict[str, Path] | None:
    """Importable files by name, without hidden folders and virtual environments; None where they are too many."""
    found: dict[str, Path] = {}
    size = 0
    for path in _importable(folder):
        size += path.stat().st_size
        if len(found) == MOST_FILES or size > MOST_BYTES:
            return None
        found[path.relative_to(folder).as_posix()] = path
    return found


def _importable(folder: Path) -> Iterator[Path]:
    seen = {os.path.realpath(folder)}
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in sorted(folders) if _belongs(Path(place, name), seen)]
        paths = (Path(place, name) for name in sorted(names) if name.endswith(IMPORTABLE))
        yield from (path for path in paths if path.is_file())


def _belongs(folder: Path, seen: set[str]) -> bool:
    """Whether a folder is part of the project, and was not met before under another name."""
    real = os.path.realpath(folder)
    if folder.name.startswith(".") or folder.name in NOT_THE_PROJECT or real in seen:
        return False
    seen.add(real)
    return not any((folder / mark).exists() for mark in ENVIRONMENT)


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


def locate(path: str | Path, folder: Path, *, what: str) -> Path:
    """The file or folder of that name, seen from the project's folder."""
    place = Path(folder) / path
    try:
        if place.exists():
            return place
    except (OSError, ValueError) as error:
        raise _unreadable(path, what, explained(error)) from error
    raise DiagnosticsError.of(
        "file-missing",
        f"{what} {quoted(path)} is not in {printable(place.parent)}.",
        where=printable(path),
        hint=did_you_mean(place.name, _names(place.parent)),
    )


def locate_file(path: str | Path, folder: Path, *, what: str) -> Path:
    """A regular file that can be opened."""
    place = locate(path, folder, what=what)
    if not place.is_file():
        raise _unreadable(path, what, "it is a folder" if place.is_dir() else "it is no regular file")
    try:
        place.open("rb").close()
    except OSError as error:
        raise _unreadable(path, what, explained(error)) from error
    return place


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def visible(folder: Path) -> list[Path]:
    """What a folder holds, by name, without hidden entries."""
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise _unreadable(folder, "folder", explained(error)) from error


def visible_files(folder: Path) -> Iterator[Path]:
    """All files below a folder in a fixed order, without hidden ones."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def _unreadable(path: str | Path, what: str, why: str) -> DiagnosticsError:
    return DiagnosticsError.of(
        "file-unreadable", f"{what} {quoted(path)} cannot be read: {why}.", where=printable(path)
    )


def explained(error: BaseException, folder: Path | None = None) -> str:
    """An exception in one line: its type, its message, and the last place in the user's code."""
    place = _place(error, folder)
    message = _message(error)
    return printable(f"{type(error).__name__}{f': {message}' if message else ''}") + (f" ({place})" if place else "")


def _message(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:
        return "an error without a message that can be read"


def _place(error: BaseException, folder: Path | None) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{printable(os.path.basename(error.filename))}:{error.lineno}"
    frames = list(_users_frames(error, folder))
    if not frames:
        return ""
    last = frames[-1]
    return f"{printable(_relative(last.filename, folder))}:{last.lineno} in {printable(last.name)}"


def _users_frames(error: BaseException, folder: Path | None) -> Iterator[traceback.FrameSummary]:
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith((OURS, "<frozen", *LIBRARIES)):
            yield frame


def _relative(filename: str, folder: Path | None) -> str:
    if folder is not None and Path(filename).is_relative_to(folder.absolute()):
        return str(Path(filename).relative_to(folder.absolute()))
    return os.path.basename(filename)
