"""``surefoot watch``: a stream of operational inputs against an assessment."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from surefoot.cli.case_change import stored
from surefoot.cli.console import say, waiting
from surefoot.cli.conventions import StorePlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from surefoot.watch import Event, Feed


RAISED = 1
KEEP_SECONDS = 5.0
STOPPED = "Stopped. What was learnt is kept where --state says; run the same command to go on."


def watch(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="The project file, or its folder.")],
    stream: Annotated[
        str,
        typer.Argument(
            metavar="STREAM",
            help="A file (.csv, .jsonl, .npz, .parquet), a folder of such or of images, or - for CSV or JSON lines.",
        ),
    ],
    component: Annotated[
        str | None,
        typer.Option(
            "--component", metavar="NAME", help="The component that gets these inputs.", show_default="the only one"
        ),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more rows, or files, until Ctrl-C.")] = False,
    idle: Annotated[
        float | None,
        typer.Option("--idle", min=0.1, metavar="SECONDS", help="With --follow: end when nothing came for so long."),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, metavar="N", help="Rows that are looked at together.")] = 1000,
    level: Annotated[
        float, typer.Option("--level", help="Nothing is raised by chance with this probability, over the whole stream.")
    ] = 0.99,
    state: Annotated[
        Path | None, typer.Option("--state", metavar="FILE", help="Keep what was learnt there, and go on from it.")
    ] = None,
    feedback: Annotated[
        Path | None,
        typer.Option(
            "--feedback", metavar="FILE", help="Write failures and exposure for case: feedback: of a project."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print events and the summary as JSON lines.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print what was raised, and nothing else.")] = False,
    store: StorePlace = None,
) -> None:
    """Watch operation, and say when a claim falls.

    Rows are compared with the operating conditions, with the data that the evidence rests on and, where they have
    labels, with the limits that are claimed; what breaks is carried up the assurance case. The project must have been
    assessed. Exit code 0: nothing was raised. 1: something was. 2: the stream or the project cannot be used.
    """
    from surefoot.cli.conventions import check_places
    from surefoot.watch import Feed, Patience, Watch, open_stream

    check_places(state, feedback)
    loaded, result = stored(project, store)
    feed = Feed(Watch(loaded, result, component=component, level=level))
    keeping = StateFile(feed, state, feedback, stream, live=follow or stream == "-")
    keeping.resume()
    patience = Patience(follow=follow, idle=idle)
    with ExitStack() as stack:
        shown = stack.enter_context(EventPrinter(json=json, quiet=quiet))
        chunks = stack.enter_context(
            open_stream(stream, feed.watch.layout, batch=batch, patience=patience, place=feed.place)
        )
        stack.callback(keeping.end)
        for events in feed.run(chunks):
            shown.events(events)
            shown.progress(feed)
            keeping.note()
        shown.summary(feed)
    if feed.watch.raised:
        raise typer.Exit(RAISED)


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class StateFile:
    """Keeps the state of a watch and what it fed back; a state is that of the end of a batch."""

    feed: Feed
    state: Path | None
    feedback: Path | None
    stream: str
    live: bool
    since: str = field(default_factory=_now)
    _noted: dict[str, Any] | None = None
    _fed: list[dict[str, Any]] = field(default_factory=list)
    _written: float = field(default_factory=monotonic)

    def resume(self) -> None:
        """Go on from the state, where there is one."""
        from surefoot.core import DiagnosticsError, InvalidInput
        from surefoot.watch import damaged, read_state

        if self.state is None or not self.state.exists():
            return
        told = read_state(self.state)
        try:
            self.feed.restore(told)
        except InvalidInput as error:
            raise damaged(self.state, str(error)) from error
        except DiagnosticsError as error:
            DiagnosticsError.raise_if_any(replace(found, where=str(self.state)) for found in error.diagnostics)
        self.since = str(told.get("since", self.since))
        self._fed = self._feedback()

    def note(self) -> None:
        """Remember how things stand after a batch, and write it now and then."""
        self._fed = self._feedback()
        if self.state is None:
            return
        self._noted = {**self.feed.state(), "since": self.since}
        if monotonic() - self._written > KEEP_SECONDS:
            self._write()

    def end(self) -> None:
        """Write what was noted last."""
        self._write()
        if self.feedback is not None and self.feed.rows:
            from surefoot.cli.conventions import put
            from surefoot.documents import as_yaml

            put(as_yaml(self._fed), self.feedback)

    def _feedback(self) -> list[dict[str, Any]]:
        """When a recorded stream was gathered is not known."""
        since, until = (self.since, _now()) if self.live else ("", "")
        return self.feed.watch.feedback(since=since, until=until, source=f"surefoot watch {self.stream}")

    def _write(self) -> None:
        from surefoot.watch import write_state

        if self.state is not None and self._noted is not None:
            write_state(self._noted, self.state)
            self._written = monotonic()


# What people and programs see of a watched stream.


class EventPrinter(AbstractContextManager["EventPrinter"]):
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
        from surefoot.watch import status_figures

        if self._quiet:
            return
        if self._json:
            _line({"summary": {**status_figures(feed.watch), "read": feed.rows, "left out": feed.bad}})
        else:
            say(feed.watch.summary())
            if feed.bad:
                say(f"{feed.bad:,} of {feed.rows:,} rows could not be used and were left out.")


def _line(data: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(data, allow_nan=False))
