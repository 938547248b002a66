"""The command line: a thin shell around the library.

One file a command, gathered in ``app``; ``reference`` writes ``docs/cli.md`` from their help. May import every package
below it; each command imports what it needs when it runs, so that ``surefoot --help`` is quick.
"""

from __future__ import annotations


def main() -> None:
    """Entry point of the ``surefoot`` command."""
    from surefoot.cli.interruption import take_over

    take_over()
    from surefoot.cli.app import app
    from surefoot.cli.console import make_output_forgiving

    make_output_forgiving()
    app(prog_name="surefoot")
