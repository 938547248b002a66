"""How failures reach people: what is wrong on stderr, exit code 2, a traceback only where it was asked for."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, TextIO

import typer

from surefoot.cli.console import plain, say
from surefoot.cli.interruption import STOPPED, STOPPED_TEXT, working

if TYPE_CHECKING:
    from collections.abc import Iterable

    from surefoot.core import Diagnostic

UNUSABLE = 2
debugging: ContextVar[bool] = ContextVar("debugging", default=False)


@contextmanager
def failures_shown(*, stopped: str = STOPPED_TEXT) -> Iterator[None]:
    """Turn exceptions of the work inside into messages and exit codes; ``stopped`` answers Ctrl-C.

    rich raises ``SystemExit`` when nobody reads its output any more, and so may a user's model at any time.
    """
    try:
        with working():
            yield
            sys.stdout.flush()
    except KeyboardInterrupt:
        _tell(lambda: say(stopped, stderr=True))
        raise typer.Exit(STOPPED) from None
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, BrokenPipeError):
            _abandon(sys.stdout)
        _tell(lambda: say("error: ended before everything was done", stderr=True))
        raise typer.Exit(UNUSABLE) from None
    except (typer.Exit, typer.BadParameter):
        raise
    except Exception as error:
        shown = error
        _tell(lambda: _show(shown))
        raise typer.Exit(UNUSABLE) from None


def _tell(show: Callable[[], None]) -> None:
    """Say what is wrong; where nobody reads that either, the exit code says it."""
    try:
        show()
        sys.stderr.flush()
    except (BrokenPipeError, SystemExit):
        _abandon(sys.stderr)


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Each finding on a line that editors can jump to, its hint below it."""
    from surefoot.cli.console import console

    styles = {"error": "bold red", "warning": "yellow", "note": "cyan"}
    shown = console(stderr=True)
    for found in diagnostics:
        place = plain(f"{found.where}: " if found.where else "")
        shown.print(place, plain(found.severity, style=styles[found.severity]), end="", sep="", soft_wrap=True)
        shown.print(plain(f" [{found.code}] {found.text}"), soft_wrap=True)
        if found.hint:
            shown.print(plain(f"    {found.hint}"), soft_wrap=True)


def _show(error: Exception) -> None:
    from surefoot.core import DiagnosticsError

    if debugging.get():
        traceback.print_exception(error)
    if isinstance(error, DiagnosticsError) and error.diagnostics:
        show_diagnostics(error.diagnostics)
        if len(error.diagnostics) > 1:
            say(f"{len(error.diagnostics)} problems", stderr=True)
    else:
        say(f"error: {_message(error)}", stderr=True)


def _message(error: Exception) -> str:
    from surefoot.core import SurefootError

    if isinstance(error, SurefootError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory. Use smaller data, or fewer workers."
    if isinstance(error, OSError) and error.strerror:
        place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes | os.PathLike) else ""
        return f"{place}: {error.strerror}" if place else error.strerror
    return f"{type(error).__name__}: {error}. This is a bug of Surefoot or of a model; --debug shows where."


def _abandon(stream: TextIO) -> None:
    """Nobody reads a stream any more: what is left in its buffer goes nowhere."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
