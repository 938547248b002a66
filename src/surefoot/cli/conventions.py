"""What all commands share: options, numbers that people type, help, failures, and the files they write."""

from __future__ import annotations

import functools
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
import typer.core

from surefoot.cli import STOPPED, STOPPED_TEXT, working
from surefoot.cli.console import STYLES, console, plain, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from surefoot.core import Diagnostic
    from surefoot.drawing import Theme
    from surefoot.faulttree import FaultTree
    from surefoot.project import Result


# Arguments and options that several commands share.

PROJECT_FILE = "surefoot.yaml"


def _known_theme(name: str | None) -> str | None:
    if name is None:
        return None
    from surefoot.drawing import THEMES

    if name not in THEMES:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(THEMES)}")
    return name


ProjectFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The project file, or its folder.", show_default=PROJECT_FILE)
]
StorePlace = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="Folder or URL of the evidence store.",
        show_default=".surefoot beside the project file",
    ),
]
ThemeName = Annotated[
    str | None,
    typer.Option(
        "--theme",
        metavar="NAME",
        help="Colours of a picture: light, dark, print, or auto, which follows the reader's setting.",
        show_default=False,
        callback=_known_theme,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]


# Numbers that people type, refused in plain words.


def share(text: str, option: str, example: str) -> float:
    """A number between 0 and 1, both left out."""
    number = as_number(text)
    if not 0 < number < 1:
        message = f"{option} is {text}. Give a share between 0 and 1, such as {example}."
        raise typer.BadParameter(message)
    return number


def positive(number: float, option: str) -> float:
    """A number above 0 that is finite."""
    if not 0 < number < math.inf:
        raise typer.BadParameter(f"{option} is {number:g}. Give a number above 0.")
    return number


def as_number(text: str) -> float:
    """The number that a text is; NaN for other texts."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def figure(value: float | None, *, digits: int = 4, rounding: str = ROUND_HALF_EVEN) -> str:
    """A number as it can be typed again, bounds rounded to their cautious side; a dash for none.

    >>> figure(1.23456e-7), figure(0.0500001, digits=3, rounding="ROUND_CEILING"), figure(None)
    ('1.235e-07', '0.0501', '-')
    """
    if value is None:
        return "-"
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(value)):.{digits}g}"


Function = Callable[..., Any]


def group(name: str, about: str, *, guide: str = "") -> typer.Typer:
    """Commands that belong together; a guide below them shows how they follow each other."""
    return typer.Typer(
        name=name, help=about, epilog=guide, no_args_is_help=True, rich_markup_mode=None, add_completion=False
    )


def command(
    app: typer.Typer, name: str, *, examples: list[str], stopped: str = STOPPED_TEXT
) -> Callable[[Function], Function]:
    """Register a function as a command, with examples below its help."""

    def register(function: Function) -> Function:
        @functools.wraps(function)
        def shown(*args: Any, **options: Any) -> Any:
            with failures_shown(stopped=stopped):
                return function(*args, **options)

        app.command(name, cls=_Command, epilog=_epilog(examples))(shown)
        return function

    return register


class _Command(typer.core.TyperCommand):
    """A command whose help names arguments as its first line does, without types of Python such as <list[Path]>."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for parameter in self.params:
            if isinstance(parameter, typer.core.TyperArgument):
                setattr(parameter, "display_type_rich", lambda ctx: None)  # noqa: B010


def _epilog(examples: list[str]) -> str:
    """The examples as lines of their own, which the backspace asks for."""
    title = "Example:" if len(examples) == 1 else "Examples:"
    return "\n".join(["\b", title, *(f"  {line}" for line in examples)])


# How failures reach people: what is wrong on stderr, exit code 2, a traceback only where it was asked for.

UNUSABLE, LEFT_TO_DO = 2, 1
"""Exit codes: something is wrong; something is left to do."""
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
    shown = console(stderr=True)
    for found in diagnostics:
        place = plain(f"{found.where}: " if found.where else "")
        shown.print(place, plain(found.severity, style=STYLES[found.severity]), end="", sep="", soft_wrap=True)
        shown.print(plain(f" [{found.code}] {found.text}"), soft_wrap=True)
        if found.hint:
            shown.print(plain(f"    {found.hint}"), soft_wrap=True)


def _show(error: Exception) -> None:
    from surefoot.core import DiagnosticsError, SurefootError
    from surefoot.core.errors import is_memory_error

    if debugging.get():
        traceback.print_exception(error)
    if not isinstance(error, SurefootError) and is_memory_error(error):
        error = DiagnosticsError.out_of_memory(error, "before everything was done")
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
    if isinstance(error, OSError) and error.strerror:
        place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes | os.PathLike) else ""
        return f"{place}: {error.strerror}" if place else error.strerror
    return f"{type(error).__name__}: {error}. This is a bug of Surefoot or of a model; --debug shows where."


def _abandon(stream: TextIO) -> None:
    """Nobody reads a stream any more: what is left in its buffer goes nowhere."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


STDOUT = Path("-")


def check_places(*paths: Path | None) -> None:
    """Refuse places that cannot be written to before any work is done."""
    if paths.count(STDOUT) > 1:
        raise typer.BadParameter("give - once; two results on stdout cannot be told apart")
    for path in paths:
        if path is not None and path != STDOUT and not path.absolute().parent.is_dir():
            from surefoot.core import DiagnosticsError

            text = f"there is no folder {path.parent}"
            raise DiagnosticsError.of("store-unwritable", text, where=str(path), hint="Make it first.")


def write_all(
    result: Result,
    *,
    html: Path | None = None,
    json: Path | None = None,
    junit: Path | None = None,
    markdown: Path | None = None,
) -> list[Path]:
    """Write what was asked for; ``-`` is stdout. Says which files were written."""
    if not any((html, json, junit, markdown)):
        return []
    from surefoot import report

    wanted = ((html, report.html), (json, report.as_json), (junit, report.junit), (markdown, report.markdown))
    named = [(path, render) for path, render in wanted if path is not None]
    for path, render in named:
        put(render(result), path)
    return [path for path, _ in named if path != STDOUT]


def put(text: str, path: Path) -> None:
    """Write a file at once or not at all, or print."""
    from surefoot.project.store import write_atomically

    if path == STDOUT:
        typer.echo(text, nl=False)
    else:
        write_atomically(path, text.encode("utf-8", "replace"))


def say_written(paths: list[Path]) -> None:
    """Name the files that were written."""
    for path in paths:
        say(f"wrote {path}", stderr=True)


def free_place(*paths: Path) -> None:
    """Refuse to overwrite what people may have worked on."""
    present = [str(path) for path in paths if path.exists()]
    if present:
        from surefoot.core import InvalidInput

        problem, remedy = "nothing was written, to overwrite nothing", "Name another file, or move it away."
        raise InvalidInput(problem, where=str(paths[0]), found=", ".join(present), remedy=remedy)


def not_folders(*paths: Path | None) -> None:
    """Refuse a folder where a file is meant."""
    for path in paths:
        if path is not None and path.is_dir():
            from surefoot.core import DiagnosticsError

            text, hint = "it is a folder.", "Name a file in it."
            raise DiagnosticsError.of("store-unwritable", text, where=str(path), hint=hint)


def not_the_source(path: Path, *sources: Path | None) -> None:
    """Refuse to write over a file that is read."""
    if any(source is not None and path.resolve() == source.resolve() for source in sources):
        from surefoot.core import InvalidInput

        problem, remedy = "this file is read, and would be overwritten", "Name another file."
        raise InvalidInput(problem, where=str(path), remedy=remedy)


@dataclass(frozen=True)
class TreeFiles:
    """A fault tree, and a picture of it, to be written where somebody asked for them."""

    tree: Path | None
    diagram: Path | None
    theme: Theme | None = None
    written: list[Path] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.tree is not None or self.diagram is not None

    def check(self, *sources: Path | None) -> None:
        """Refuse places that cannot be written to, and to write over what is read, before any work is done."""
        from surefoot.drawing import ending_of
        from surefoot.faulttree.formats.tree_files import written_format

        check_places(self.tree, self.diagram)
        not_folders(self.tree, self.diagram)
        if self.tree is not None:
            written_format(self.tree)
            not_the_source(self.tree, *sources)
        if self.diagram is not None:
            ending_of(self.diagram)

    def write(self, tree: FaultTree, *, values: Mapping[str, float] | None = None) -> None:
        """Write each whole or not at all, the picture with probabilities where they are given."""
        if self.diagram is not None:
            from surefoot.faulttree.drawing import save

            save(tree, self.diagram, values=values, theme=self.theme)
            self.written.append(self.diagram)
        if self.tree is not None:
            tree.write(self.tree)
            self.written.append(self.tree)
