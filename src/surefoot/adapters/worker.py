"""The process that runs code of the project: one JSON line in, JSON lines out, arrays into files.

It is started by ``surefoot.adapters.isolation``. The code gets neither end of the conversation: its own
standard input is empty and what it prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import Data
from surefoot.adapters.array_data import Arrays, from_code
from surefoot.adapters.column_roles import Form
from surefoot.adapters.data_sources import load_data
from surefoot.adapters.demands import applied, predicted
from surefoot.adapters.frames import Frame, is_frame
from surefoot.adapters.isolation import read_arrays, write_arrays
from surefoot.adapters.model import Growth, LoadedModel, describe, scored
from surefoot.adapters.model_sources import import_libraries, load_model
from surefoot.adapters.project_code import ProjectModules, explained
from surefoot.adapters.scenes import as_plain_arrays, pictured
from surefoot.core import DiagnosticsError, MissingExtra
from surefoot.core.errors import is_memory_error
from surefoot.documents import printable

PAUSE_SECONDS, STEPS = 0.05, 1000
SET_PARENT_DEATH_SIGNAL = 1


class Channel:
    """The private ends of the conversation."""

    def __init__(self) -> None:
        self._requests: IO[bytes] = os.fdopen(os.dup(0), "rb", buffering=0)
        self._replies: IO[bytes] = os.fdopen(os.dup(1), "wb", buffering=0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._sent, self._done = 0.0, 0
        self._process = os.getpid()

    def request(self) -> dict[str, Any]:
        """What to do; afterwards the process lives no longer than the other end."""
        line = bytearray()
        while not line.endswith(b"\n"):
            part = self._requests.read(1 << 16)
            if not part:
                os._exit(1)
            line += part
        threading.Thread(target=self._end_with_parent, daemon=True).start()
        return dict(json.loads(line))

    def send(self, **message: Any) -> None:
        """Send one message."""
        self.end_copies()
        self._replies.write(json.dumps(message).encode() + b"\n")
        self._sent = time.monotonic()

    def end_copies(self) -> None:
        """Stay in the process that was asked; where the code has forked it, the copy ends here."""
        if os.getpid() != self._process:
            os._exit(1)

    def progress(self, done: int, total: int) -> None:
        """Say how many rows are done, not more often than anyone can see."""
        large_step = done == total or (done - self._done) * STEPS >= total
        if large_step or time.monotonic() - self._sent >= PAUSE_SECONDS:
            self._done = done
            self.send(done=done, total=total)

    def _end_with_parent(self) -> None:
        while self._requests.read(1):
            pass
        if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)


def main() -> None:
    """Answer one request."""
    _die_with_parent()
    channel = Channel()
    request = channel.request()
    try:
        channel.send(result=TASKS[request["task"]](request, channel))
    except DiagnosticsError as error:
        channel.send(problems=[diagnostic.to_dict() for diagnostic in error.diagnostics])
    except MissingExtra as error:
        channel.send(missing={"problem": error.problem, "remedy": error.remedy})
    except Exception as error:
        if not is_memory_error(error):
            raise
        found = DiagnosticsError.out_of_memory(error, "in the process of the model").diagnostics
        channel.send(problems=[diagnostic.to_dict() for diagnostic in found])
    # Threads and exit handlers of the model have no say any more.
    os._exit(0)


def _scores(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    folder, target = Path(request["folder"]), Path(request["target"])
    import_libraries(**request["model"])
    channel.send(phase="load")
    model = _only_once(load_model(**request["model"], folder=folder), channel)
    channel.send(phase="read")
    data = _as_before(model, _rows(**request["data"], form=model.form, folder=folder))
    channel.send(phase="score")
    options: dict[str, Any] = {"batch_size": request["batch_size"], "progress": channel.progress}
    if request.get("growth_seconds") is not None:
        options["growth"] = Growth(seconds=request["growth_seconds"])
    if request.get("answers") is not None:
        found = predicted(model, data, **request["answers"], **options)
    else:
        found = scored(model, data, allocate=lambda shape, dtype: _file(target, shape, dtype), **options)
    _flush(found.scores, target)
    return {
        "output": found.output,
        "classes": list(found.classes),
        "caveats": [caveat.to_dict() for caveat in found.caveats],
    }


def _describe(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    import_libraries(**request["model"])
    channel.send(phase="load")
    found = describe(load_model(**request["model"], folder=Path(request["folder"])))
    channel.end_copies()
    return asdict(found)


def _make(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    channel.send(phase="read")
    found = from_code(request["callable"], Path(request["folder"]))
    arrays = as_plain_arrays(found) if isinstance(found, Arrays) else found
    channel.end_copies()
    write_arrays(arrays, Path(request["target"]))
    return {}


def _apply(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    channel.send(phase="load")
    function = ProjectModules(Path(request["folder"])).find(request["callable"], code="data-unreadable")
    channel.send(phase="read")
    arrays = read_arrays(Path(request["given"]), where=request["callable"])
    assert isinstance(arrays, Arrays), "columns were written by name"
    columns = {name: value if is_frame(value) else arrays.array(name) for name, value in arrays.arrays.items()}
    found = applied(function, columns, where=request["callable"])
    channel.end_copies()
    write_arrays(Arrays({"result": found}, request["callable"]), Path(request["target"]))
    return {}


TASKS: dict[str, Callable[[Mapping[str, Any], Channel], dict[str, Any]]] = {
    "score": _scores,
    "describe": _describe,
    "make": _make,
    "apply": _apply,
}


def _rows(*, made: str | None = None, form: Form, **source: Any) -> Data:
    if source.get("images") is not None:
        return pictured(path=source["path"], images=source["images"], folder=source["folder"])
    source.pop("images", None)
    arrays = read_arrays(Path(made), where=source["callable"]) if made else None
    return load_data(**source, arrays=arrays, form=form)


def _as_before(model: LoadedModel, data: Data) -> Data:
    """Frames of nothing but numbers are arrays, as files of them are, to a function that does not say what it takes."""
    inputs = data.inputs
    if model.form != "either" or not isinstance(inputs, Frame) or inputs.numeric != inputs.names:
        return data
    numbers = inputs.matrix()
    return data if np.isnan(numbers).any() else replace(data, inputs=numbers)


def _only_once(model: LoadedModel, channel: Channel) -> LoadedModel:
    """The model, which answers in one process only, so that scores are written once."""

    def run(inputs: Any) -> Any:
        try:
            return model.function(inputs)
        finally:
            channel.end_copies()

    return replace(model, function=run)


def _file(target: Path, shape: tuple[int, int], dtype: Any) -> NDArray[Any]:
    """An array in a file whose space is reserved: a full disk is an error now, not a crash later."""
    try:
        array = np.lib.format.open_memmap(target, mode="w+", dtype=dtype, shape=shape)
        if hasattr(os, "posix_fallocate"):
            with target.open("r+b") as stream:
                os.posix_fallocate(stream.fileno(), 0, target.stat().st_size)
    except OSError as error:
        text = f"scores could not be written: {explained(error)}."
        raise DiagnosticsError.of("store-unwritable", text, where=printable(target)) from error
    return array


def _flush(scores: NDArray[Any], target: Path) -> None:
    if isinstance(scores, np.memmap):
        scores.flush()
    else:
        np.save(target, scores)


def _die_with_parent() -> None:
    """Ask Linux to end this process with its parent even while the model holds the interpreter."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    main()
