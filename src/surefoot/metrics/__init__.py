"""Distances between predictions and metrics of tasks.

Overlap and matching of boxes (``boxes``); distances between two predictions, whatever they are: numbers, vectors,
labels, boxes, text (``distances``, with the arithmetic in ``rows`` and ``texts``), as Table 3 of paper SYS (Wang et al.
2022) asks for, each a distance and not a similarity. May import ``core``; scipy and sacrebleu where they are used.
"""

from surefoot.metrics import distances
from surefoot.metrics.boxes import Matching, iou_matrix, match
from surefoot.metrics.distances import Distance, as_distance, distance_named

__all__ = ["Distance", "Matching", "as_distance", "distance_named", "distances", "iou_matrix", "match"]
