"""Whether ``module:name`` leads to something, found out without importing anything."""

from __future__ import annotations

import ast
import importlib.util
import os
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import all_suffixes
from pathlib import Path

from surefoot.adapters.modules import split, top_names
from surefoot.core import DiagnosticsError
from surefoot.documents import Keys, Problem, did_you_mean, printable
from surefoot.project.definition import IN_MEMORY

_ANY_NAME = "*"


def module_problems(text: str, folder: Path, at: Keys) -> Iterator[Problem]:
    """What is wrong with ``module:name``; modules of the project folder come before installed ones."""
    if text.startswith(f"{IN_MEMORY}:"):
        yield Problem(
            "file-missing", at, "was an object in memory, which no file holds.", "Run the program it came from."
        )
        return
    try:
        module, name = split(text)
    except DiagnosticsError as error:
        yield from (Problem(d.code, at, f"cannot be used: {d.text}", d.hint) for d in error.diagnostics)
        return
    source = _file_of(module, folder, (".py",))
    if source:
        yield from _name_problems(source, module, name.partition(".")[0], at)
    elif not _is_there(module, folder):
        problem = f"names the module {printable(module, 80)!r}, which is neither in the project folder nor installed."
        yield Problem("unknown-reference", at, problem, did_you_mean(module, top_names(folder)))


def _is_there(module: str, folder: Path) -> bool:
    if _file_of(module, folder, tuple(all_suffixes())) or os.path.isdir(folder.joinpath(*module.split("."))):
        return True
    top = module.partition(".")[0]
    if _file_of(top, folder, (".py",)):
        return False
    with suppress(ValueError, ImportError):
        return importlib.util.find_spec(top) is not None
    return False


def _file_of(module: str, folder: Path, suffixes: tuple[str, ...]) -> Path | None:
    base = folder.joinpath(*module.split("."))
    files = (Path(f"{stem}{suffix}") for suffix in suffixes for stem in (base, base / "__init__"))
    return next((file for file in files if os.path.isfile(file)), None)


def _name_problems(source: Path, module: str, name: str, at: Keys) -> Iterator[Problem]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        problem = f"names the module {module!r}, which is not valid Python ({printable(str(error), 80)}{line})."
        yield Problem("file-unreadable", at, problem)
        return
    known = set(_bound(tree))
    if name not in known and _ANY_NAME not in known and "__getattr__" not in known:
        problem = f"names {name!r}, which the module {module!r} does not define."
        yield Problem("unknown-reference", at, problem, did_you_mean(name, known))


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that the module binds while it is imported, in whatever block."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        waiting.extend(ast.iter_child_nodes(node))
