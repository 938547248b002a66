"""The command line: a thin shell around the library.

A file holds commands that belong together, ``commands`` gathers them, ``conventions`` has what all share; ``Watcher``
draws the bars of a run; ``generated`` writes ``docs/cli.md`` and whatever else follows from definitions. May import
every package below it; each command imports what it needs when it runs, so that ``surefoot --help`` is quick. This file
imports nothing but the standard library, since it answers Ctrl-C before anything heavy is imported.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from surefoot.cli import generated
    from surefoot.cli.commands import app
    from surefoot.cli.console import Watcher

__all__ = ["Watcher", "app", "generated", "main"]
STOPPED = 130
STOPPED_TEXT = "Stopped."
_IMPORTING = "<frozen importlib._bootstrap"
_working: list[bool] = []


def __getattr__(name: str) -> Any:
    """Commands are gathered for who asks for them."""
    if name == "app":
        return import_module("surefoot.cli.commands").app
    if name == "Watcher":
        return import_module("surefoot.cli.console").Watcher
    if name in __all__:
        return import_module(f"surefoot.cli.{name}")
    raise AttributeError(f"module 'surefoot.cli' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def main() -> None:
    """Entry point of the ``surefoot`` command."""
    signal.signal(signal.SIGINT, _stop)
    from surefoot.cli.commands import app
    from surefoot.cli.console import make_output_forgiving

    make_output_forgiving()
    app(prog_name="surefoot")


@contextmanager
def working() -> Iterator[None]:
    """Inside, Ctrl-C raises ``KeyboardInterrupt``, so that the work can tidy up."""
    _working.append(True)
    try:
        yield
    finally:
        _working.pop()


def _stop(_signal: int, frame: FrameType | None) -> NoReturn:
    """Ctrl-C gives a message and exit code 130, never a traceback.

    An import that is cut short fails in ways of its own, and nothing is worth tidying up before the work began.
    """
    if _working and not _is_importing(frame):
        raise KeyboardInterrupt
    os.write(2, f"{STOPPED_TEXT}\n".encode())
    os._exit(STOPPED)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False
