"""Bars follow the events of a run."""

import io

import pytest
from rich.console import Console
from rich.progress import Progress

from surefoot.cli import Watcher
from surefoot.project import Event


@pytest.fixture
def bars():
    with Progress(console=Console(file=io.StringIO(), width=200)) as bars:
        yield bars


def shown(bars):
    return {task.description: (task.completed, task.total) for task in bars.tasks}


def test_a_long_step_has_a_bar_of_its_own_until_it_is_finished(bars):
    watch = Watcher(bars)
    watch(Event("planned", total=3))
    watch(Event("computing", "cells"))
    assert shown(bars) == {"cells": (0, 3)}
    watch(Event("computing", "cells", 4, 9))
    assert [(task.completed, task.total) for task in bars.tasks] == [(0, 3), (4, 9)]
    watch(Event("computing", "cells", 1, 5))
    assert [(task.completed, task.total) for task in bars.tasks] == [(0, 3), (1, 5)]
    watch(Event("finished", "cells", 1, 3))
    assert shown(bars) == {"cells": (1, 3)}


def test_scoring_has_a_bar_for_each_component(bars):
    watch = Watcher(bars)
    for name in ("one.test", "two.test"):
        watch(Event("scoring", name, 10, 20))
    assert shown(bars) == {"steps": (0, None), "scoring one.test": (10, 20), "scoring two.test": (10, 20)}


@pytest.mark.parametrize("quiet", [True, False])
def test_a_note_is_printed_unless_all_shall_be_quiet(bars, quiet):
    Watcher(bars, quiet=quiet)(Event("note", "cells: runs [here]\x1b[2J"))
    printed = bars.console.file.getvalue()
    assert ("cells: runs [here]" in printed) is not quiet
    assert "\x1b[2J" not in printed
