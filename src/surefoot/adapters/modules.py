"""Python code of a project: ``module:name`` imported from the project's folder, which leaves no trace behind."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, reduce
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError, SurefootError
from surefoot.documents import did_you_mean, printable, quoted

REFERENCE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
# A project may not replace these for the code it is assessed by.
NEVER_HIDDEN = {*sys.stdlib_module_names, "__main__", "surefoot"}
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
