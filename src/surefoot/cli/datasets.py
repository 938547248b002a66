"""``surefoot datasets``: public data sets that examples and benchmarks use."""

from __future__ import annotations

from typing import Annotated

import typer

from surefoot.cli.console import say


def list_() -> None:
    """List the known data sets and where they are.

    Sets are looked for in the folder that the environment variable SUREFOOT_DATA names, a local mirror, and then in the
    cache, ~/.cache/surefoot.
    """
    from surefoot.datasets import catalogue

    for each in catalogue():
        say(each.name, style="bold")
        say(f"  {each.what} ({each.licence})\n  {each.folder or 'not here'}")


def fetch(name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `datasets list` shows.")]) -> None:
    """Fetch a data set from its public home and check it.

    A copy that is already here is only checked. A file with the wrong checksum is refused.
    """
    from surefoot.datasets import known

    say(known(name).fetch())
