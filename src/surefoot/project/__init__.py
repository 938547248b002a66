"""From a project file to a result: definition, plan, runner, store, lock file, ledger of looks, iterations.

Only this package wires files, stores and executors together; evidence steps receive arrays, estimates and an
executor. Built-in steps live in ``steps``, the store in ``store``, what the file may say in ``definition``, what can be
wrong with it in ``checks``, a first file made from model and data in ``proposal``. May import every domain package
below it, and nothing of ``report``, ``watch`` and ``cli``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.project import definition, iterations
from surefoot.project.answers import Contradiction, contradictions
from surefoot.project.definition import (
    VERSION,
    Conditions,
    Definition,
    Document,
    DocumentControl,
    DocumentEntry,
    Reviewer,
)
from surefoot.project.definition.schema import json_schema, step_schema
from surefoot.project.interchange import condensed, expanded
from surefoot.project.iterations import Iteration
from surefoot.project.looks import adaptive_share, corrected_level, fixed_share
from surefoot.project.plan import Task, plan
from surefoot.project.project import Project, check, from_data, load
from surefoot.project.registry import AnotherDataSet, Asked, Step, meaning, step
from surefoot.project.registry import built_in as built_in_steps
from surefoot.project.registry import find as find_step
from surefoot.project.registry import names as step_names
from surefoot.project.reproduction import Comparison, Verification, lock_path, moved, read_lock, verify, write_lock
from surefoot.project.result import Answer, Looks, Result
from surefoot.project.runner import Event, run
from surefoot.project.store import Store
from surefoot.project.store.register import Register, RegisterEntry

if TYPE_CHECKING:
    from surefoot.project.next_labels import label_next
    from surefoot.project.proposal import Guess, Proposal, propose

__all__ = [
    "VERSION",
    "AnotherDataSet",
    "Answer",
    "Asked",
    "Comparison",
    "Conditions",
    "Contradiction",
    "Definition",
    "Document",
    "DocumentControl",
    "DocumentEntry",
    "Event",
    "Guess",
    "Iteration",
    "Looks",
    "Project",
    "Proposal",
    "Register",
    "RegisterEntry",
    "Result",
    "Reviewer",
    "Step",
    "Store",
    "Task",
    "Verification",
    "adaptive_share",
    "built_in_steps",
    "check",
    "condensed",
    "contradictions",
    "corrected_level",
    "definition",
    "expanded",
    "find_step",
    "fixed_share",
    "from_data",
    "iterations",
    "json_schema",
    "label_next",
    "load",
    "lock_path",
    "meaning",
    "moved",
    "plan",
    "propose",
    "read_lock",
    "run",
    "step",
    "step_names",
    "step_schema",
    "verify",
    "write_lock",
]


_LATER = {"label_next": "next_labels"} | dict.fromkeys(("Guess", "Proposal", "propose"), "proposal")


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"surefoot.project.{_LATER[name]}"), name)
    raise AttributeError(f"module 'surefoot.project' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
