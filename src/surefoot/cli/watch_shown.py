"""What people and programs see of a watched stream."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import typer

from surefoot.cli.console import say
from surefoot.cli.progress import waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from surefoot.project.watch import Event, Feed


class Shown(AbstractContextManager["Shown"]):
    """Prints events as they come, how fast rows come, and a summary at the end."""

    def __init__(self, *, json: bool, quiet: bool) -> None:
        self._json, self._quiet = json, quiet
        self._stack = ExitStack()
        self._move: Callable[[str], None] = lambda text: None
        self._begun = monotonic()
        self._first: int | None = None

    def __enter__(self) -> Self:
        if not self._quiet:
            self._move = self._stack.enter_context(waiting("waiting for rows"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def events(self, events: Iterable[Event]) -> None:
        """Print what happened; rows that were left out go to stderr."""
        for event in events:
            if self._quiet and not event.raised:
                continue
            if self._json:
                _line(event.to_dict())
            else:
                say(event, stderr=not event.raised, style="red" if event.raised else "yellow")

    def progress(self, feed: Feed) -> None:
        """How many rows there were, and how fast they come."""
        if self._first is None:
            self._first, self._begun = feed.rows, monotonic()
        seconds = monotonic() - self._begun
        speed = f", {(feed.rows - self._first) / seconds:,.0f} rows/s" if feed.rows > self._first and seconds else ""
        self._move(f"{feed.rows:,} rows{speed}")

    def summary(self, feed: Feed) -> None:
        """Where the stream stands."""
        from surefoot.project.watch import figures_of

        if self._quiet:
            return
        if self._json:
            _line({"summary": {**figures_of(feed.watch), "read": feed.rows, "left out": feed.bad}})
        else:
            say(feed.watch.summary())
            if feed.bad:
                say(f"{feed.bad:,} of {feed.rows:,} rows could not be used and were left out.")


def _line(data: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(data, allow_nan=False))
