"""A stream through a watch: batch by batch, with rows that cannot be used counted, named and left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surefoot.core import DiagnosticsError, validate
from surefoot.core.canonical import reading
from surefoot.project.watch.chunk import Chunk, Place, Problem
from surefoot.project.watch.cleaning import Batch, Cleaner
from surefoot.project.watch.event import ROW, Event
from surefoot.project.watch.watch import Watch

MOST_BAD = 0.05
"""A stream with a larger share of rows that cannot be used is not understood."""
FEWEST_ROWS = 200
"""Before so many rows, a share says little."""
MOST_NAMED = 10


@dataclass
class Feed:
    """Hands a stream to a watch, and knows how far it was read."""

    watch: Watch
    rows: int = 0
    """Rows read, those that cannot be used as well."""
    bad: int = 0
    named: int = 0
    place: Place = field(default_factory=dict)

    def run(self, chunks: Iterable[Chunk]) -> Iterator[list[Event]]:
        """What happened in each chunk; an error where too many rows cannot be used."""
        clean = Cleaner(self.watch.layout, self.watch.reference)
        first = not self.rows
        for chunk in chunks:
            batch = clean(chunk)
            bad = chunk.rows - len(batch.offsets)
            told = self._told(batch.problems)
            numbers = self.rows + 1 + batch.offsets
            found = self.watch.update(batch.rows, self._labels(batch), batch.attributes, numbers=numbers)
            self.rows, self.bad, self.place = self.rows + chunk.rows, self.bad + bad, chunk.place
            yield told + found
            if first and bad == chunk.rows:
                raise self._unusable(chunk.where, batch.problems, "none of its first rows can be used")
            first = False
            if self.rows >= FEWEST_ROWS:
                self._check(chunk.where, batch.problems)
        if not self.rows:
            raise DiagnosticsError.of("watch-stream", "the stream has no rows.", where="stream")
        self._check("stream", ())

    def state(self) -> dict[str, Any]:
        """How far the stream was read, and all that was learnt from it."""
        counted = {"rows": self.rows, "bad": self.bad, "named": self.named, "place": dict(self.place)}
        return {"surefoot-watch": 1, **counted, "watch": self.watch.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        with reading("state of a watch"):
            self.watch.restore(state["watch"])
            self.rows, self.bad, self.named = (
                validate.count(state[name], where="state", name=name) for name in ("rows", "bad", "named")
            )
            self.place = dict(state["place"])

    def _labels(self, batch: Batch) -> list[str | None] | None:
        if batch.labels is None:
            return None
        names = (*self.watch.reference.classes, None)
        return [names[number] for number in batch.labels.tolist()]

    def _told(self, problems: Iterable[Problem]) -> list[Event]:
        """Events of the first rows that cannot be used; more are only counted."""
        told = []
        for problem in problems:
            if self.named < MOST_NAMED:
                self.named += 1
                text = f"{problem.where}: {problem.text}; left out."
                told.append(Event(ROW, self.rows + problem.offset + 1, text, problem.where))
        return told

    def _check(self, where: str, problems: Iterable[Problem]) -> None:
        if self.bad > MOST_BAD * self.rows:
            raise self._unusable(where, problems, f"{self.bad:,} of {self.rows:,} rows cannot be used")

    def _unusable(self, where: str, problems: Iterable[Problem], text: str) -> DiagnosticsError:
        last = next(iter(problems), None)
        why = "" if last is None else f"; for example {last.where}: {last.text}"
        hint = "Give rows as the component's test data have them."
        return DiagnosticsError.of("watch-stream", f"{text}{why}.", where=where, hint=hint)
