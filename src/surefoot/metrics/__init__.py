"""Distances between predictions and metrics of tasks.

Overlap and matching of boxes, and tracks of them (``tracks``); how well a detector finds them (``coco``); overlap of
masks (``masks``); distances between two predictions, whatever they are: numbers, vectors, labels, boxes, tracks, text
(``distances``), as Table 3 of paper SYS (Wang et al. 2022) asks for, each a distance and not a similarity; metrics of
the task of a whole system (``tasks``). May import ``core``; scipy, sacrebleu, jiwer and trackeval where they are used.
"""

from surefoot.metrics import distances, tasks
from surefoot.metrics.coco import average_precision, average_recall, coco_summary, missed_shares
from surefoot.metrics.distances import Distance, as_distance, distance_named
from surefoot.metrics.masks import boundary_iou, mask_iou, object_overlaps
from surefoot.metrics.tasks import Metric, as_metric, change, changes, metric, metric_named, of
from surefoot.metrics.tracks import Matching, iou_matrix, match

__all__ = [
    "Distance",
    "Matching",
    "Metric",
    "as_distance",
    "as_metric",
    "average_precision",
    "average_recall",
    "boundary_iou",
    "change",
    "changes",
    "coco_summary",
    "distance_named",
    "distances",
    "iou_matrix",
    "mask_iou",
    "match",
    "metric",
    "metric_named",
    "missed_shares",
    "object_overlaps",
    "of",
    "tasks",
]
