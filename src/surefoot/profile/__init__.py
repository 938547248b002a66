"""Operational profiles: how likely each input is in operation.

Kernel density estimates with their uncertainty and their mass in cells, profiles reweighted for another
operation, streaming profiles with an alarm, and the separation of classes. For images: encoders, weights from the
density in their space, and the check of a sampling frame. Implements sections 2.3, 4.2, 4.3, 5.1 and 8.1 of RAM (Dong,
Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning Components in System
Assurance"). May import ``core`` and ``drawing``; scikit-learn, scipy's trees, numba and torch where they are used.
"""

from surefoot.profile.encoders import (
    Decoder,
    Encoder,
    PCAEncoder,
    as_encoder,
    compare_centres,
    decoded_centres,
    plot_reconstructions,
)
from surefoot.profile.expert_judgement import GroupWeights, Region, expert_weights, lognormal_weight
from surefoot.profile.kde.estimator import KDE, Profile
from surefoot.profile.label_separation import (
    RunningSeparation,
    Separation,
    SeparationGrowth,
    radius_check,
    separation,
    separation_growth,
    side_check,
)
from surefoot.profile.latent_density import LatentWeights, latent_weights
from surefoot.profile.sampling_frame import FrameCheck, FrameWatch, frame_check, representativeness
from surefoot.profile.stream import AlarmState, ChangeAlarm, StreamingProfile, demands
from surefoot.profile.vae import VAE, Epoch, plot_history
from surefoot.profile.weighting import DensityRatio, Reweighted, StatedWeights, Weighting, density_ratio, effective_rows

__all__ = [
    "KDE",
    "VAE",
    "AlarmState",
    "ChangeAlarm",
    "Decoder",
    "DensityRatio",
    "Encoder",
    "Epoch",
    "FrameCheck",
    "FrameWatch",
    "GroupWeights",
    "LatentWeights",
    "PCAEncoder",
    "Profile",
    "Region",
    "Reweighted",
    "RunningSeparation",
    "Separation",
    "SeparationGrowth",
    "StatedWeights",
    "StreamingProfile",
    "Weighting",
    "as_encoder",
    "compare_centres",
    "decoded_centres",
    "demands",
    "density_ratio",
    "effective_rows",
    "expert_weights",
    "frame_check",
    "latent_weights",
    "lognormal_weight",
    "plot_history",
    "plot_reconstructions",
    "radius_check",
    "representativeness",
    "separation",
    "separation_growth",
    "side_check",
]
