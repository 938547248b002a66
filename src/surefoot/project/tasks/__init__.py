"""Tasks of components: what a failure on demand is, what a demand loses, and which steps make sense.

``judging`` is the one place that says of each demand whether it failed and what it lost, in [0, 1]; every step that
counts failures or bounds losses takes both from there. May import what ``project`` may.
"""

from surefoot.project.tasks.judging import Demands, Judgement, columns_judged, judge

__all__ = ["Demands", "Judgement", "columns_judged", "judge"]
