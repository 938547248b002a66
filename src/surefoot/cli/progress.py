"""Progress of a run on stderr, where somebody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from surefoot.cli.console import console, plain

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from surefoot.project import Event

FINAL = ("stored", "finished")


@contextmanager
def progress_shown(*, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """A bar for the steps, for each component being scored and each long step; they vanish when the work is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=quiet or not screen.is_terminal) as bars:
        yield Watcher(bars, quiet=quiet)


@contextmanager
def waiting(text: str) -> Iterator[Callable[[str], None]]:
    """A sign of life where somebody watches, for work without a measure; what is yielded changes its text."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda text: None
        return
    with screen.status(plain(text)) as status:
        yield lambda text: status.update(plain(text))


class Watcher:
    """Turns events of a run into movements of bars."""

    def __init__(self, bars: Progress, *, quiet: bool = False) -> None:
        self._bars = bars
        self._quiet = quiet
        self._steps = bars.add_task("steps", total=None)
        self._others: dict[str, TaskID] = {}

    def __call__(self, event: Event) -> None:
        if event.kind == "planned":
            self._bars.update(self._steps, total=event.total)
        elif event.kind == "scoring":
            self._move(f"scoring {event.name}", event)
        elif event.kind == "computing":
            self._compute(event)
        elif event.kind in FINAL:
            self._bars.advance(self._steps)
        elif event.kind == "note" and not self._quiet:
            self._bars.console.print(plain(event.name), soft_wrap=True)
        if event.kind in ("finished", "failed") and (bar := self._others.pop(event.name, None)) is not None:
            self._bars.remove_task(bar)

    def _compute(self, event: Event) -> None:
        self._bars.update(self._steps, description=event.name)
        if event.total:
            self._move(event.name, event)

    def _move(self, name: str, event: Event) -> None:
        if name not in self._others:
            self._others[name] = self._bars.add_task(name, total=None)
        self._bars.update(self._others[name], completed=event.done, total=event.total)
