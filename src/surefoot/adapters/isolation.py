"""Code of the project in a process of its own, so that it may crash, hang or print without harm.

The process (``worker``) is talked to in JSON lines, hands arrays on through files, and never outlives its use.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Self

import numpy as np

from surefoot.adapters.array_data import Arrays
from surefoot.adapters.frames import Frame, FrameTable, is_frame, read_frame, write_frame
from surefoot.adapters.model import ModelDescription, Progress, Scored
from surefoot.adapters.project_code import OURS, explained
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, MissingExtra, validate
from surefoot.documents import listed, printable

OURS_IN_A_DUMP = (OURS, "<frozen runpy>", "Extension modules: ")
"""Lines that the interpreter adds to what a crashing model leaves behind."""
LAST_BYTES = 8192
LAST_LINES = 12
LOOK_SECONDS = 0.25
FAREWELL_SECONDS = 2.0
MODULE = "surefoot.adapters.worker"
MODEL_KEYS = {"path", "callable", "factory", "weights", "method", "output", "trust", "detector", "takes"}
DATA_KEYS = {
    *("path", "callable", "inputs", "labels", "scores"),
    *("output", "groups", "attributes", "image_size", "classes", "made", "judged", "images", "types"),
}
STARTING_SECONDS = 300.0
SLACK_SECONDS = 0.2
"""Messages are held back for a moment, so a batch may have begun a little after the last one."""
NAMES = "names.json"


@validate.arguments
def score_isolated(
    model: Mapping[str, Any],
    data: Mapping[str, Any],
    *,
    folder: Path,
    batch_size: int,
    time_limit: float,
    target: Path,
    progress: Progress | None = None,
    answers: Mapping[str, Any] | None = None,
    growing: bool = False,
) -> Scored:
    """Load and run a model in a process of its own, and leave its scores in a file.

    The process is killed when loading, or one batch, takes longer than ``time_limit`` seconds; it never outlives this
    call.

    Parameters
    ----------
    model, data
        The arguments of ``load_model`` and ``load_data``; ``made`` in ``data`` is a folder of arrays that code made
        before.
    folder
        The project's folder.
    batch_size
        How many rows the model gets at a time.
    time_limit
        In seconds.
    target
        The file of scores (.npy).
    progress
        Called with the number of rows that are done, and of all.
    answers
        For tasks that are no classification: ``form`` and ``repeats``, as ``predicted`` takes them.
    growing
        Whether batches of a frame grow, as long as the next should take a quarter of the time limit at most.

    Returns
    -------
    Scored
        Scores, which are read from the file, and what they are.

    Raises
    ------
    DiagnosticsError
        Where the model cannot be loaded, raises, crashes or takes too long.

    See Also
    --------
    scored : the same in this process.

    """
    _check_keys(model, MODEL_KEYS, "model")
    _check_keys(data, DATA_KEYS, "data")
    validate.count(batch_size, where="score_isolated", name="batch_size", at_least=1)
    request = {
        "task": "score",
        "model": dict(model),
        "data": dict(data),
        "folder": str(Path(folder).absolute()),
        "batch_size": batch_size,
        "target": str(Path(target).absolute()),
        "answers": None if answers is None else dict(answers),
        "growth_seconds": time_limit / 4 if growing else None,
    }
    try:
        result = converse(
            request,
            time_limit=validate.positive(time_limit, where="score_isolated", name="time_limit"),
            name=_name(model),
            code_in_data=data.get("callable") is not None and data.get("made") is None,
            progress=progress,
        )
    except BaseException:
        # A target that is no plain file, such as a device, is not ours to remove.
        if Path(target).is_file():
            Path(target).unlink()
        raise
    caveats = tuple(Diagnostic.from_dict(caveat) for caveat in result["caveats"])
    return Scored(result["output"], tuple(result["classes"]), caveats, np.load(target, mmap_mode="r"))


@validate.arguments
def describe_isolated(model: Mapping[str, Any], *, folder: Path, time_limit: float) -> ModelDescription:
    """Load a model in a process of its own, and hear what it says of itself.

    Parameters
    ----------
    model
        The arguments of ``load_model``.
    folder
        The project's folder.
    time_limit
        In seconds.

    Returns
    -------
    ModelDescription
        As of ``describe``.

    Raises
    ------
    DiagnosticsError
        Where the model cannot be loaded.

    See Also
    --------
    describe : the same in this process.

    """
    _check_keys(model, MODEL_KEYS, "model")
    limit = validate.positive(time_limit, where="describe_isolated", name="time_limit")
    request = {"task": "describe", "model": dict(model), "folder": str(Path(folder).absolute())}
    said = converse(request, time_limit=limit, name=_name(model), code_in_data=False)
    shape = None if said["shape"] is None else tuple(said["shape"])
    outputs = tuple((part, name) for part, name in said["outputs"])
    return ModelDescription(tuple(said["classes"]), tuple(said["features"]), shape, said["task"], outputs)


def make_isolated(callable: str, *, folder: Path, time_limit: float) -> Arrays | FrameTable:
    """Run code that makes data in a process of its own, which is killed after a time limit.

    Parameters
    ----------
    callable
        ``module:name``.
    folder
        The project's folder.
    time_limit
        In seconds.

    Returns
    -------
    Arrays or FrameTable
        What the code returned.

    See Also
    --------
    load_data

    """
    limit = validate.positive(time_limit, where="make_isolated", name="time_limit")
    with TemporaryDirectory(prefix="surefoot-") as made:
        request = {"task": "make", "callable": callable, "folder": str(Path(folder).absolute()), "target": made}
        converse(request, time_limit=limit, name=printable(callable), code_in_data=True)
        return read_arrays(Path(made), where=callable)


def apply_isolated(callable: str, given: Arrays, *, folder: Path, time_limit: float) -> Arrays:
    """Run a function of the project on columns in a process of its own, which is killed after a time limit.

    Parameters
    ----------
    callable
        ``module:name`` of a function that takes some of the columns by name.
    given
        The columns.
    folder
        The project's folder.
    time_limit
        In seconds.

    Returns
    -------
    Arrays
        ``result``: one value for each row.

    See Also
    --------
    make_isolated

    """
    limit = validate.positive(time_limit, where="apply_isolated", name="time_limit")
    with TemporaryDirectory(prefix="surefoot-") as before, TemporaryDirectory(prefix="surefoot-") as after:
        write_arrays(given, Path(before))
        request = {"task": "apply", "callable": callable, "given": before, "target": after}
        request["folder"] = str(Path(folder).absolute())
        converse(request, time_limit=limit, name=printable(callable), code_in_data=True)
        found = read_arrays(Path(after), where=callable)
        assert isinstance(found, Arrays), "one value for each row was written"
        return found


@validate.arguments
def write_arrays(arrays: Arrays | FrameTable, folder: Path) -> None:
    """Leave arrays and frames as files in a folder, for another process.

    Parameters
    ----------
    arrays
        By name, or one frame.
    folder
        One that is there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     sf.adapters.write_arrays(sf.adapters.Arrays({"x": [1, 2]}, "memory"), Path(folder))
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['0.npy', 'names.json']

    """
    try:
        if isinstance(arrays, FrameTable):
            found: Any = _write_frame(arrays.frame, folder, 0)
        else:
            found = [_write_part(arrays, name, folder, number) for number, name in enumerate(arrays.names)]
        (folder / NAMES).write_text(json.dumps(found))
    except (OSError, ValueError) as error:
        text = f"what {arrays.where} made could not be written: {explained(error)}."
        raise DiagnosticsError.of("data-unreadable", text, where=printable(arrays.where)) from error


def read_arrays(folder: Path, *, where: str) -> Arrays | FrameTable:
    """What ``write_arrays`` left."""
    found = json.loads((folder / NAMES).read_text())
    if isinstance(found, dict):
        return FrameTable(read_frame(folder / found["file"], found["kind"], where=where), where)
    return Arrays({name: _read_part(folder, part, where) for name, part in found}, where)


def _write_part(arrays: Arrays, name: str, folder: Path, number: int) -> tuple[str, Any]:
    if is_frame(arrays.arrays[name]):
        return name, _write_frame(arrays.frame(name), folder, number)
    np.save(folder / f"{number}.npy", arrays.array(name), allow_pickle=False)
    return name, f"{number}.npy"


def _write_frame(frame: Frame, folder: Path, number: int) -> dict[str, str]:
    frame.check()
    write_frame(frame, folder / f"{number}.arrow")
    return {"file": f"{number}.arrow", "kind": frame.kind}


def _read_part(folder: Path, part: Any, where: str) -> Any:
    if isinstance(part, str):
        return np.load(folder / part)
    return read_frame(folder / part["file"], part["kind"], where=where).native


def converse(
    request: Mapping[str, Any], *, time_limit: float, name: str, code_in_data: bool, progress: Progress | None = None
) -> dict[str, Any]:
    """The answer of a process of its own to a request; what goes wrong there is an error with a code."""
    talk = _Conversation(time_limit, name, code_in_data, request.get("batch_size", 0), progress)
    with Child(MODULE, request) as child:
        return talk.until_result(child)


class _Conversation:
    """What the process has said so far, and what silence would mean."""

    def __init__(
        self, time_limit: float, name: str, code_in_data: bool, batch_size: int, progress: Progress | None
    ) -> None:
        self.time_limit, self.name, self.code_in_data = time_limit, name, code_in_data
        self.batch_size, self.progress = batch_size, progress
        self.phase = "start"
        self.done, self.total = 0, 0

    def until_result(self, child: Child) -> dict[str, Any]:
        """Listen until the process has an answer."""
        while True:
            try:
                message = child.message(self._limit())
            except TimeoutError:
                raise self._timeout(child) from None
            if message is None:
                raise self._crash(child)
            if "result" in message:
                return dict(message["result"])
            self._hear(message, child)

    def _hear(self, message: Mapping[str, Any], child: Child) -> None:
        if "problems" in message:
            problems = [Diagnostic.from_dict(problem) for problem in message["problems"]]
            DiagnosticsError.raise_if_any(self._with_words(problem, child) for problem in problems)
        if "missing" in message:
            raise MissingExtra(message["missing"]["problem"], remedy=message["missing"]["remedy"])
        self.phase = message.get("phase", self.phase)
        if "done" in message:
            self.done, self.total = message["done"], message["total"]
            if self.progress:
                self.progress(self.done, self.total)

    def _limit(self) -> float | None:
        if self.phase == "start":
            return STARTING_SECONDS
        finished = self.phase == "score" and self.total and self.done == self.total
        if finished or (self.phase == "read" and not self.code_in_data):
            return None
        return self.time_limit + SLACK_SECONDS

    def _timeout(self, child: Child) -> DiagnosticsError:
        seconds = STARTING_SECONDS if self.phase == "start" else self.time_limit
        task = {
            "start": "importing libraries",
            "load": "loading the model",
            "read": "the code that makes the data",
            "score": f"after {self.done} rows, a batch of {self.batch_size}",
        }[self.phase]
        hint = "Raise time_limit, or lower batch_size." if self.phase == "score" else "Raise time_limit."
        return self._error("model-timeout", f"{task} took longer than {seconds:g} s.", hint, child)

    def _crash(self, child: Child) -> DiagnosticsError:
        ending = child.ending()
        doing = {
            "start": "while starting",
            "load": "while loading the model",
            "read": "while reading data",
            "score": f"while scoring, after {self.done} rows",
        }[self.phase]
        hint = "It may have run out of memory: lower batch_size." if "SIGKILL" in ending else ""
        return self._error("model-crashed", f"the process that ran the project's code {ending} {doing}.", hint, child)

    def _error(self, code: str, text: str, hint: str, child: Child) -> DiagnosticsError:
        problem = self._with_words(Diagnostic(code, text, "error", self.name, hint), child)
        return DiagnosticsError(str(problem), diagnostics=[problem])

    def _with_words(self, problem: Diagnostic, child: Child) -> Diagnostic:
        """The problem with what the model printed last, where the model may have been its cause."""
        if not problem.code.startswith("model-") and problem.code != "data-unreadable":
            return problem
        words = child.last_words()
        return replace(problem, hint=f"{problem.hint}\nIt printed last:\n{words}".lstrip()) if words else problem


def end_with_children(process: subprocess.Popen[Any]) -> None:
    """Kill a process that has a session of its own, and all that it started; where there are no groups, it alone."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class Child:
    """``python -m MODULE`` in a session of its own; leaving the context kills it and all it started."""

    def __init__(self, module: str, request: Mapping[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-u", "-X", "faulthandler", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._printed = bytearray()
        self._ended = False
        self._threads = [
            threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._collect, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._write(json.dumps(request).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                if stream:
                    stream.close()

    def message(self, limit: float | None) -> dict[str, Any] | None:
        """The next message; None when the process has ended; ``TimeoutError`` after ``limit`` seconds."""
        end = None if limit is None else time.monotonic() + limit
        while True:
            ended = self._process.poll() is not None
            with suppress(queue.Empty):
                # What an ended process wrote may still be on its way, and others may hold its output open.
                line = self._lines.get(timeout=FAREWELL_SECONDS if ended else LOOK_SECONDS)
                return None if line is None else dict(json.loads(line))
            if ended:
                return None
            if end is not None and time.monotonic() > end:
                raise TimeoutError

    def ending(self) -> str:
        """How the process ended, in words."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL_SECONDS)
        self._end()
        code = self._process.returncode
        return f"ended with exit code {code}" if code >= 0 else f"was ended by {signal.Signals(-code).name}"

    def last_words(self) -> str:
        """The end of what the process printed, which is complete only when it has ended."""
        self._end()
        lines = bytes(self._printed).decode("utf-8", "backslashreplace").splitlines()
        theirs = [line.rstrip() for line in lines if line.strip() and not any(mark in line for mark in OURS_IN_A_DUMP)]
        return "\n".join(printable(line) for line in theirs[-LAST_LINES:])

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        end_with_children(self._process)
        self._process.wait()
        for thread in self._threads:
            thread.join(FAREWELL_SECONDS)

    def _write(self, line: bytes) -> None:
        with suppress(BrokenPipeError):
            stdin = self._process.stdin
            if stdin:
                stdin.write(line)
                stdin.flush()

    def _listen(self, stream: IO[bytes]) -> None:
        with suppress(ValueError, OSError):
            for line in stream:
                self._lines.put(line)
        self._lines.put(None)

    def _collect(self, stream: IO[bytes]) -> None:
        with suppress(ValueError, OSError):
            while part := os.read(stream.fileno(), 1 << 16):
                self._printed += part
                del self._printed[:-LAST_BYTES]


def _name(model: Mapping[str, Any]) -> str:
    return printable(next((model[key] for key in ("path", "callable", "factory") if model.get(key)), "model"))


def _check_keys(given: Mapping[str, Any], known: set[str], what: str) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise InvalidInput(f"unknown arguments of a {what}", where="isolation", found=listed(unknown))
