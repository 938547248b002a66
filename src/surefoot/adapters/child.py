"""A process that is talked to in JSON lines and never outlives its use."""

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
from typing import IO, Any, Self

from surefoot.adapters.wording import OURS
from surefoot.documents import printable

# Lines that the interpreter adds to what a crashing model leaves behind.
OURS_IN_A_DUMP = (OURS, "<frozen runpy>", "Extension modules: ")
LAST_BYTES = 8192
LAST_LINES = 12
LOOK_SECONDS = 0.25
FAREWELL_SECONDS = 2.0


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
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
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
