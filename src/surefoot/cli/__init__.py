"""The command line: a thin shell around the library.

A file holds commands that belong together, ``commands`` gathers them, ``conventions`` has what all share; ``Watcher``
draws the bars of a run; ``generated`` writes ``docs/cli.md`` and whatever else follows from definitions. May import
every package below it; each command imports what it needs when it runs, so that ``surefoot --help`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.cli import generated
    from surefoot.cli.commands import app
    from surefoot.cli.console import Watcher

__all__ = ["Watcher", "app", "generated", "main"]


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
    from surefoot.cli.interruption import take_over

    take_over()
    from surefoot.cli.commands import app
    from surefoot.cli.console import make_output_forgiving

    make_output_forgiving()
    app(prog_name="surefoot")
