"""Tasks of components: what a failure on demand is, what a demand loses, and which steps make sense.

``judging`` is the one place that says of each demand whether it failed and what it lost, in [0, 1]; every step that
counts failures or bounds losses takes both from there. ``detection`` judges boxes, ``segmentation``
masks, and ``sequences`` puts rows in time. May import what ``project`` may.
"""

from surefoot.project.tasks.judging import Demands, Judgement, columns_judged, judge
from surefoot.project.tasks.sequences import in_time, timed, with_columns_of_time

DETECTION, SEGMENTATION = "detection", "segmentation"

__all__ = [
    "DETECTION",
    "SEGMENTATION",
    "Demands",
    "Judgement",
    "columns_judged",
    "in_time",
    "judge",
    "timed",
    "with_columns_of_time",
]
