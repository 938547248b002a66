"""Where work runs: in this process, in local processes, or on a Dask cluster.

Each executor implements ``surefoot.core.Executor``; results, keys and digests do not depend on which
one is used. ``Checkpointed`` and ``WithProgress`` wrap another one. May import ``core`` only; joblib and Dask
are imported when they are used.

Seeds, order and progress are the same for all, so that the place a task runs leaves no trace in its result.

Results are kept without pickle: nested tuples, lists, dicts, dataclasses, numbers, text and numpy arrays. A value
becomes plain JSON that refers to its arrays by number, and both go into one ``npz`` file. Reading runs no code that
the file names: a dataclass is rebuilt only where its module is already loaded.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import io
import itertools
import json
import os
import secrets
import signal
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, array_digest, validate
from surefoot.core.canonical import home
from surefoot.core.errors import require

__all__ = ["Checkpointed", "Dask", "Processes", "Serial", "WithProgress"]


Task = TypeVar("Task")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
SeededTask = tuple[Any, np.random.SeedSequence]
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Options of glibc's mallopt."""
KEPT_BYTES, KEPT_ARRAY_BYTES = 1 << 28, 1 << 25


class OrderedExecutor(ABC):
    """Seeds the tasks, keeps their order and counts progress; a subclass says where they run."""

    @final
    def map(
        self,
        function: Callable[[Task, np.random.Generator], Result],
        tasks: Sequence[Task],
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks; see ``surefoot.core.Executor``."""
        results: list[Result] = []
        with closing(self._results(function, list(zip(tasks, _seeds(seed, len(tasks)), strict=True)))) as running:
            for result in running:
                results.append(result)
                if progress:
                    progress(len(results), len(tasks))
        return results

    @abstractmethod
    def _results(self, function: Callable[[Any, np.random.Generator], Any], tasks: list[SeededTask]) -> Generator[Any]:
        """``run_task(function, *task)`` of each task, in order; nothing runs before the first is asked for."""


@dataclass(frozen=True)
class Serial(OrderedExecutor):
    """One task after another in this process.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.executors.Serial().map(lambda task, rng: task**2, [1, 2, 3], seed=0)
    [1, 4, 9]

    """

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        return (run_task(function, task, seed) for task, seed in tasks)


@dataclass(frozen=True)
class Processes(OrderedExecutor):
    """Local worker processes by joblib.

    Parameters
    ----------
    workers
        How many; one a core where it is left out.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.executors.Processes(workers=4)
    Processes(workers=4)

    """

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            validate.count(self.workers, where="Processes", name="workers", at_least=1)

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        from joblib import Parallel, delayed

        pool = Parallel(n_jobs=self.workers or -1, return_as="generator")
        with _grown_workers_replaced():
            with _interrupts_held_back():
                results: Generator[Any] = pool(delayed(run_task)(function, task, seed) for task, seed in tasks)
            try:
                for result in results:  # noqa: UP028, `yield from` would close the results too early
                    yield result
            finally:
                # Workers that nobody waits for any more are ended; joblib warns that it does.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    results.close()


@dataclass(frozen=True)
class Dask(OrderedExecutor):
    """Workers of a Dask cluster, which reruns the tasks of a worker that dies.

    Parameters
    ----------
    cluster
        The scheduler's address (``tcp://host:8786``), or a client.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.executors.Dask("tcp://host:8786")
    Dask(cluster='tcp://host:8786')

    """

    cluster: Any

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        distributed = require("distributed", extra="dask", purpose="Running on a Dask cluster")
        by_address = isinstance(self.cluster, str)
        with distributed.Client(self.cluster) if by_address else nullcontext(self.cluster) as client:
            futures = [client.submit(_run, function, task, seed, pure=False) for task, seed in tasks]
            for future in futures:
                yield future.result()


def _seeds(seed: int, count: int) -> list[np.random.SeedSequence]:
    """One independent seed a task, depending on the task's position only."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput("seed must be a whole number of at least 0", where="executor", found=repr(seed))
    return np.random.SeedSequence(int(seed)).spawn(count)


def run_task(
    function: Callable[[Task, np.random.Generator], Result], task: Task, seed: np.random.SeedSequence
) -> Result:
    """Call the function with its own generator and one BLAS thread.

    Sums of matrix products depend on the number of threads in their last bits, and worker processes
    have other thread counts than the main one.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        return function(task, np.random.default_rng(seed))


@contextmanager
def _grown_workers_replaced() -> Iterator[None]:
    """Let joblib replace a worker that has grown, as one does that loads torch, without a word.

    It warns from the thread that hands out tasks: where warnings are errors, that thread would die and nothing end.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        yield


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Workers that start meanwhile never see Ctrl-C; this process sees it afterwards, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run(function: Callable[..., Any], task: Any, seed: Any) -> Any:
    _keep_freed_memory()
    return run_task(function, task, seed)


@cache
def _keep_freed_memory() -> None:
    """Let arrays of one task reuse the memory of the last.

    Dask makes its workers give back all freed memory at once, which doubles the time of tasks that allocate much.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("libc.so.6")
        library.mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        library.mallopt(MMAP_THRESHOLD, KEPT_ARRAY_BYTES)


Arrays = list[NDArray[Any]]
STRUCTURE = "structure"


class Uncodable(TypeError):
    """A value of a type that this file format does not know."""


class Damaged(ValueError):
    """A file that holds no value, or one whose type is not loaded."""


@dataclass(frozen=True)
class Checkpointed(OrderedExecutor):
    """Keeps each result in a folder as soon as it is there, and runs only what the folder lacks.

    An interrupted job that is started again with a new ``Checkpointed`` on the same folder goes on where it was. A
    result is known by the position of the ``map`` call, the function's name, and the task's number, seed and content.
    What the function carries with it, such as a model, is not looked at: give each job its own folder. A result that is
    no nest of tuples, lists, dicts, dataclasses, numbers, text and arrays is not kept, and a damaged file counts as
    missing.

    Parameters
    ----------
    executor
        Runs what the folder lacks.
    folder
        Of this job alone; it is made where it is missing.

    Examples
    --------
    >>> import surefoot as sf
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for _ in range(2):
    ...         kept = sf.executors.Checkpointed(sf.executors.Serial(), folder)
    ...         print(kept.map(lambda task, rng: task + 1, [1, 2], seed=0))
    [2, 3]
    [2, 3]

    """

    executor: OrderedExecutor
    folder: Path
    _calls: Iterator[int] = field(default_factory=itertools.count, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        folder = self.folder
        object.__setattr__(self, "folder", Path(folder) if isinstance(folder, str | os.PathLike) else folder)
        validate.fields(self)
        with _writing():
            self.folder.mkdir(parents=True, exist_ok=True)

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        call = f"{next(self._calls)}-{_function_name(function)}"
        paths = [self.folder / f"{_key(call, *task)}.npz" for task in tasks]
        known = {i: value for i, path in enumerate(paths) for value in _read(path)}
        missing = [task for i, task in enumerate(tasks) if i not in known]
        with closing(self.executor._results(function, missing)) as fresh:
            for i, path in enumerate(paths):
                yield known.pop(i) if i in known else _written(path, next(fresh))


@dataclass(frozen=True)
class WithProgress(OrderedExecutor):
    """Tells how many tasks of each ``map`` call are done, and of how many, besides what the caller is told.

    Parameters
    ----------
    executor
        Runs the tasks.
    tell
        Called with the number of finished tasks, and of all.

    Examples
    --------
    >>> import surefoot as sf
    >>> told = sf.executors.WithProgress(sf.executors.Serial(), lambda done, total: print(done, "of", total))
    >>> told.map(lambda task, rng: task, ["a", "b"], seed=0)
    1 of 2
    2 of 2
    ['a', 'b']

    """

    executor: OrderedExecutor
    tell: Progress

    def _results(self, function: Callable[..., Any], tasks: list[SeededTask]) -> Generator[Any]:
        with closing(self.executor._results(function, tasks)) as results:
            for done, result in enumerate(results, start=1):
                self.tell(done, len(tasks))
                yield result


def _key(call: str, task: Any, seed: Any) -> str:
    known_by = (call, str(seed.entropy), seed.spawn_key, content_digest(task))
    return content_digest(known_by)[:32]


def _function_name(function: Callable[..., Any]) -> str:
    inner = function.func if isinstance(function, functools.partial) else function
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{home(named.__module__)}.{named.__qualname__}"


def _read(path: Path) -> list[Any]:
    """The value in the file, if there is one."""
    try:
        return [read(path)]
    except (FileNotFoundError, Damaged):
        return []


def _written(path: Path, result: Any) -> Any:
    with _writing(), suppress(Uncodable):
        write(path, result)
    return result


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        text, remedy = "results cannot be kept in this folder", "Make room there, or name another folder."
        raise InvalidInput(text, where="Checkpointed", found=str(error), remedy=remedy) from error


def content_digest(value: Any) -> str:
    """SHA-256 of a value's content; the name of its type where the content cannot be read."""
    arrays: Arrays = []
    try:
        text = json.dumps(_plain(value, arrays))
    except Uncodable:
        return type(value).__qualname__
    return hashlib.sha256("".join([text, *map(array_digest, arrays)]).encode()).hexdigest()


def write(path: Path, value: Any) -> None:
    """Write a value to a file, whole or not at all; raises ``Uncodable``."""
    arrays: Arrays = []
    text = json.dumps(_plain(value, arrays))
    content = io.BytesIO()
    members: dict[str, Any] = {STRUCTURE: np.array(text)} | {str(i): array for i, array in enumerate(arrays)}
    np.savez(content, **members)
    part = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    # Another run of the same job removes the folder when it is done.
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        part.write_bytes(content.getbuffer())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def read(path: Path) -> Any:
    """The value that was written; raises ``Damaged``, or ``FileNotFoundError``."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as members:
            arrays = {name: members[name] for name in members.files}
        return _rebuilt(json.loads(str(arrays[STRUCTURE])), arrays)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise Damaged(str(path)) from error


def _plain(value: Any, arrays: Arrays) -> Any:
    """JSON for a value: plain scalars as they are, everything else as [kind, content]."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if (
        isinstance(value, np.ndarray | np.generic)
        and not value.dtype.hasobject
        and type(value) is not np.ma.MaskedArray
    ):
        arrays.append(np.asarray(value))
        return ["array" if isinstance(value, np.ndarray) else "scalar", str(len(arrays) - 1)]
    if type(value) in (tuple, list):
        return [type(value).__name__, [_plain(item, arrays) for item in value]]
    if type(value) is slice:
        return ["slice", [_plain(item, arrays) for item in (value.start, value.stop, value.step)]]
    if type(value) is dict:
        return ["dict", [[_plain(key, arrays), _plain(item, arrays)] for key, item in value.items()]]
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and _is_found(type(value)):
        return [_name(type(value)), {name: _plain(item, arrays) for name, item in _state(value).items()}]
    raise Uncodable(f"a value of type {type(value).__qualname__} cannot be kept")


def _rebuilt(plain: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if not isinstance(plain, list):
        return plain
    kind, content = plain
    if kind in ("array", "scalar"):
        return arrays[content] if kind == "array" else arrays[content][()]
    if kind in ("tuple", "list", "slice"):
        items = [_rebuilt(item, arrays) for item in content]
        return items if kind == "list" else tuple(items) if kind == "tuple" else slice(*items)
    if kind == "dict":
        return {_rebuilt(key, arrays): _rebuilt(item, arrays) for key, item in content}
    return _instance(kind, {name: _rebuilt(item, arrays) for name, item in content.items()})


def _state(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}


def _name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _is_found(cls: type) -> bool:
    """Whether the name of a class leads back to it; that of a class inside a function does not."""
    return getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls


def _instance(name: str, state: dict[str, Any]) -> Any:
    module, _, cls = name.partition(":")
    found = getattr(sys.modules.get(module), cls, None)
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise Damaged(f"no dataclass {name} is loaded")
    return found(**state)
