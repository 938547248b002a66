"""Operational profiles: how likely each input is in operation.

Kernel density estimates with their uncertainty and their mass in cells, profiles reweighted for another
operation, streaming profiles with an alarm, and the separation of classes. Implements sections 2.3, 4.2 and 8.1 of
RAM (Dong, Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning Components in
System Assurance"). May import ``core`` and ``draw``; scikit-learn, scipy's trees and numba where they are used.
"""

from surefoot.profile.changes import AlarmState, ChangeAlarm
from surefoot.profile.expert import GroupWeights, expert_weights, uncertain
from surefoot.profile.groupings import Region
from surefoot.profile.growth import RunningSeparation, SeparationGrowth, separation_growth
from surefoot.profile.kde import KDE
from surefoot.profile.profile import Profile
from surefoot.profile.ratio import DensityRatio, density_ratio
from surefoot.profile.reweighted import Reweighted
from surefoot.profile.separation import Separation, radius_check, separation, side_check
from surefoot.profile.stream import StreamingProfile
from surefoot.profile.two_sample import representativeness
from surefoot.profile.weighting import StatedWeights, Weighting, effective_rows

__all__ = [
    "KDE",
    "AlarmState",
    "ChangeAlarm",
    "DensityRatio",
    "GroupWeights",
    "Profile",
    "Region",
    "Reweighted",
    "RunningSeparation",
    "Separation",
    "SeparationGrowth",
    "StatedWeights",
    "StreamingProfile",
    "Weighting",
    "density_ratio",
    "effective_rows",
    "expert_weights",
    "radius_check",
    "representativeness",
    "separation",
    "separation_growth",
    "side_check",
    "uncertain",
]
