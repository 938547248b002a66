"""Operational profiles: how likely each input is in operation.

Kernel density estimates with their uncertainty and their mass in cells, profiles reweighted for another
operation, streaming profiles with an alarm, and the separation of classes. For images: encoders, weights from the
density in their space, and the check of a sampling frame. Implements sections 2.3, 4.2, 4.3, 5.1 and 8.1 of RAM (Dong,
Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning Components in System
Assurance"). May import ``core`` and ``drawing``; scikit-learn, scipy's trees, numba and torch where they are used.
"""

from surefoot.profile.centres import compare_centres, decoded_centres
from surefoot.profile.changes import AlarmState, ChangeAlarm
from surefoot.profile.demands import demands
from surefoot.profile.encoder_figures import plot_history, plot_reconstructions
from surefoot.profile.encoders import Decoder, Encoder, as_encoder
from surefoot.profile.expert import GroupWeights, expert_weights, uncertain
from surefoot.profile.frame import FrameCheck, FrameWatch, frame_check
from surefoot.profile.groupings import Region
from surefoot.profile.growth import RunningSeparation, SeparationGrowth, separation_growth
from surefoot.profile.kde import KDE
from surefoot.profile.latent import LatentWeights, latent_weights
from surefoot.profile.pca import PCAEncoder
from surefoot.profile.profile import Profile
from surefoot.profile.ratio import DensityRatio, density_ratio
from surefoot.profile.reweighted import Reweighted
from surefoot.profile.separation import Separation, radius_check, separation, side_check
from surefoot.profile.stream import StreamingProfile
from surefoot.profile.two_sample import representativeness
from surefoot.profile.vae import VAE
from surefoot.profile.vae_history import Epoch
from surefoot.profile.weighting import StatedWeights, Weighting, effective_rows

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
    "plot_history",
    "plot_reconstructions",
    "radius_check",
    "representativeness",
    "separation",
    "separation_growth",
    "side_check",
    "uncertain",
]
