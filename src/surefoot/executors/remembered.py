"""Executors around another one: one that remembers results, one that tells how far the work is."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surefoot.core import InvalidInput
from surefoot.core.identity import home
from surefoot.executors import kept
from surefoot.executors.tasks import OrderedExecutor, Progress, SeededTask


@dataclass(frozen=True)
class Remembered(OrderedExecutor):
    """Keeps each result in a folder as soon as it is there, and runs only what the folder lacks.

    An interrupted job that is started again with a new ``Remembered`` on the same folder goes on where it was. A result
    is known by the position of the ``map`` call, the function's name, and the task's number, seed and content.
    What the function carries with it, such as a model, is not looked at: give each job its own folder. A result that
    is no nest of tuples, lists, dicts, dataclasses, numbers, text and arrays is not kept, and a damaged file counts as
    missing.
    """

    executor: OrderedExecutor
    folder: Path
    _calls: Iterator[int] = field(default_factory=itertools.count, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder))
        with _writing():
            self.folder.mkdir(parents=True, exist_ok=True)

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        call = f"{next(self._calls)}-{_name(function)}"
        paths = [self.folder / f"{_key(call, *task)}.npz" for task in tasks]
        known = {i: value for i, path in enumerate(paths) for value in _read(path)}
        missing = [task for i, task in enumerate(tasks) if i not in known]
        with closing(self.executor._results(function, missing)) as fresh:
            for i, path in enumerate(paths):
                yield known.pop(i) if i in known else _written(path, next(fresh))


@dataclass(frozen=True)
class Watched(OrderedExecutor):
    """Tells how many tasks of each ``map`` call are done, and of how many, besides what the caller is told."""

    executor: OrderedExecutor
    tell: Progress

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        with closing(self.executor._results(function, tasks)) as results:
            for done, result in enumerate(results, start=1):
                self.tell(done, len(tasks))
                yield result


def _key(call: str, task: Any, seed: Any) -> str:
    known_by = (call, str(seed.entropy), seed.spawn_key, kept.content_digest(task))
    return kept.content_digest(known_by)[:32]


def _name(function: Callable[..., Any]) -> str:
    inner = function.func if isinstance(function, functools.partial) else function
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{home(named.__module__)}.{named.__qualname__}"


def _read(path: Path) -> list[Any]:
    """The value in the file, if there is one."""
    try:
        return [kept.read(path)]
    except (FileNotFoundError, kept.Damaged):
        return []


def _written(path: Path, result: Any) -> Any:
    with _writing(), suppress(kept.CannotKeep):
        kept.write(path, result)
    return result


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        text, remedy = "results cannot be kept in this folder", "Make room there, or name another folder."
        raise InvalidInput(text, where="Remembered", found=str(error), remedy=remedy) from error
