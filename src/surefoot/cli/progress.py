"""Progress of a run on stderr, where somebody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from surefoot.cli.console import console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from surefoot.project import Event

FINAL = ("stored", "finished")


@contextmanager
def progress_shown(*, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """A bar for the steps, and one for each component being scored; they vanish when the work is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=quiet or not screen.is_terminal) as bars:
        yield Watcher(bars)


class Watcher:
    """Turns events of a run into movements of bars."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._steps = bars.add_task("steps", total=None)
        self._scoring: dict[str, TaskID] = {}

    def __call__(self, event: Event) -> None:
        if event.kind == "planned":
            self._bars.update(self._steps, total=event.total)
        elif event.kind == "scoring":
            self._bars.update(self._bar(event.name), completed=event.done, total=event.total)
        elif event.kind == "computing":
            self._bars.update(self._steps, description=event.name)
        elif event.kind in FINAL:
            self._bars.advance(self._steps)

    def _bar(self, name: str) -> TaskID:
        if name not in self._scoring:
            self._scoring[name] = self._bars.add_task(f"scoring {name}", total=None)
        return self._scoring[name]
