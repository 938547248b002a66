"""The step that studies a system of many modules on clean and corrupted inputs."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

from surefoot.core import Evidence, Executor, InvalidInput
from surefoot.executors import Serial
from surefoot.project.sending import obstacle
from surefoot.project.step import step
from surefoot.project.step_files import found_code
from surefoot.project.steps.parameters import Level
from surefoot.project.steps.system_evidence import SystemEvidence
from surefoot.project.steps.system_parameters import (
    Accept,
    EventsOf,
    Limit,
    MaxGroupSize,
    Rates,
    Seen,
    Shares,
    StudyCode,
    StudyFiles,
)
from surefoot.systems.rejection.table import RATES

RECORDINGS = Path(".surefoot") / "recordings"


@step
def system_study(
    executor: Executor,
    *,
    study: StudyCode,
    files: StudyFiles = None,
    limit: Limit = 0.0,
    mix: Shares = None,
    seen: Seen = None,
    events: EventsOf = "none",
    accept: Accept = None,
    max_group_size: MaxGroupSize = None,
    reject: Rates = list(RATES),  # noqa: B006, a step's default is read from its signature and never changed
    level: Level = 0.95,
    seed: int = 0,
) -> Evidence:
    """A system of many modules on clean and corrupted inputs: what fails, what foretells it, what to reject (SYS).

    The study is made by a function of the project. What it records lies in `.surefoot/recordings` unless the study
    names a folder; an interrupted assessment goes on there. The seed of the project, and where it runs, replace those
    of the study. Gives `failure under CONDITION` for every condition,
    `system failure` for the mix of conditions where one is stated, and what `events` and `accept` ask for; and the
    tables of research questions 0 to 4 of paper SYS.
    """
    if mix is not None and seen is not None:
        raise InvalidInput("mix: and seen: say the same thing", where="system_study", remedy="Leave one of them out.")
    with found_code(study) as make:
        made = _made(make, Path(study))
        there = executor if isinstance(executor, Serial) or not obstacle(made.system, executor) else Serial()
        ready = replace(made, executor=there, seed=seed, folder=made.folder or Path(study).parent / RECORDINGS)
        return SystemEvidence(ready, limit, level, seed, max_group_size).of(mix, seen, events, accept, reject)


def _made(make: Any, path: Path) -> Any:
    from surefoot.systems import Study

    remedy = "Name a function without arguments that returns surefoot.systems.Study(system, items, ...)."
    try:
        signature(make).bind()
    except (TypeError, ValueError) as error:
        raise InvalidInput("cannot be called without arguments", where=path.name, found=error, remedy=remedy) from error
    made = make()
    if not isinstance(made, Study):
        found = type(made).__name__
        raise InvalidInput("the function must give a Study", where=path.name, found=found, remedy=remedy)
    return made
