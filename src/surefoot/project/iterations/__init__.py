"""The history of a project: what each iteration of its loop of improvement changed, and what that did.

Figure 4 of RAM closes a loop: a target that is not met leads to a better component, more tests or another design, and
the assessment is made again. An iteration is an assessment whose result differs from the one before. ``iteration`` is
what a result shows of each, ``record`` what the store keeps of it, ``recording`` makes that, ``history`` keeps it,
``changes`` says what changed between two, ``comparison`` what that did. May import ``surefoot.core``,
``surefoot.drawing`` and, of ``surefoot.project``, the store and names; results only for their type.
"""

from surefoot.project.iterations.comparison import Compared, history_table, last_two
from surefoot.project.iterations.iteration import Iteration, Judged, Measured
from surefoot.project.iterations.record import Record

__all__ = [
    "Compared",
    "Iteration",
    "Judged",
    "Measured",
    "Record",
    "history_table",
    "last_two",
]
