"""What a monitor is worth: Safety Gain, Residual Hazard and Availability Cost with intervals, curves, comparisons.

``evaluate`` gives the three figures of paper MON (Guerin et al. 2022, section II) as Estimates, whose limits stand in
``intervals`` and ``bootstrap``; ``curve``, ``detection`` and ``compare`` look at all thresholds and at several
monitors. May import ``core``, ``drawing``, ``bounds`` and ``monitors.returns``.
"""

from surefoot.monitors.evaluation.comparison import Comparison, Ranking, compare
from surefoot.monitors.evaluation.detection_metrics import Detection, detection
from surefoot.monitors.evaluation.operating_curve import Curve, curve
from surefoot.monitors.evaluation.report import MonitorReport, evaluate

__all__ = ["Comparison", "Curve", "Detection", "MonitorReport", "Ranking", "compare", "curve", "detection", "evaluate"]
