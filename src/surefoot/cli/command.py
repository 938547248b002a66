"""How a command is made: its help with examples, its failures shown."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import typer

from surefoot.cli.failures import failures_shown
from surefoot.cli.interruption import STOPPED_TEXT

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

        app.command(name, epilog=_epilog(examples))(shown)
        return function

    return register


def _epilog(examples: list[str]) -> str:
    """The examples as lines of their own, which the backspace asks for."""
    title = "Example:" if len(examples) == 1 else "Examples:"
    return "\n".join(["\b", title, *(f"  {line}" for line in examples)])
