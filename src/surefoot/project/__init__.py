"""From a project file to a result: definition, plan, runner, store, lock file, ledger of looks, iterations.

Only this package wires files, stores and executors together; evidence steps receive arrays, estimates and an
executor. Built-in steps live in ``steps``, the store in ``store``. May import every domain package below it, and
nothing of ``report`` and ``cli``.
"""

from surefoot.project.agreement import Contradiction, contradictions
from surefoot.project.answer import Answer
from surefoot.project.checking import check, load
from surefoot.project.definition import VERSION, Conditions, Definition
from surefoot.project.events import Event
from surefoot.project.iterations import Iteration
from surefoot.project.lock import lock_path, moved, read_lock, write_lock
from surefoot.project.plan import Task, plan
from surefoot.project.project import Project
from surefoot.project.result import Looks, Result
from surefoot.project.runner import run
from surefoot.project.schema import json_schema, step_schema
from surefoot.project.step import Step, meaning
from surefoot.project.step import built_in as built_in_steps
from surefoot.project.store import Store
from surefoot.project.verification import Comparison, verify

__all__ = [
    "VERSION",
    "Answer",
    "Comparison",
    "Conditions",
    "Contradiction",
    "Definition",
    "Event",
    "Iteration",
    "Looks",
    "Project",
    "Result",
    "Step",
    "Store",
    "Task",
    "built_in_steps",
    "check",
    "contradictions",
    "json_schema",
    "load",
    "lock_path",
    "meaning",
    "moved",
    "plan",
    "read_lock",
    "run",
    "step_schema",
    "verify",
    "write_lock",
]
