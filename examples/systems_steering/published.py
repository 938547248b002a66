"""Table 4 of SYS: the Udacity system of the paper, whose three networks, camera and road are other ones than ours."""

from __future__ import annotations

from surefoot.systems import Condition

SEVERITIES = (1, 3, 5)
"""Of the three levels of SYS."""
PLACES = ("module 1", "module 2", "module 3", "system")
CLEAN = (0.065, 0.054, 0.048, 0.045)
CORRUPTED = {
    "gaussian_noise": ((0.071, 0.054, 0.049, 0.049), (0.087, 0.089, 0.068, 0.072), (0.164, 0.178, 0.144, 0.159)),
    "motion_blur": ((0.068, 0.062, 0.055, 0.051), (0.081, 0.123, 0.092, 0.081), (0.104, 0.233, 0.183, 0.143)),
    "snow": ((0.064, 0.052, 0.048, 0.044), (0.070, 0.072, 0.056, 0.056), (0.091, 0.099, 0.088, 0.086)),
    "contrast": ((0.077, 0.081, 0.072, 0.064), (0.112, 0.107, 0.113, 0.093), (0.167, 0.167, 0.182, 0.170)),
    "pixelate": ((0.068, 0.061, 0.056, 0.052), (0.071, 0.071, 0.064, 0.058), (0.075, 0.088, 0.074, 0.068)),
}
"""Printed RMSE of each level, by place."""


def printed(condition: Condition, place: str) -> tuple[float, float]:
    """RMSE of a place in a condition as printed, and the relative drop that follows from it.

    Two printed drops of snow at level 1 do not fit their RMSE: module 2 improves by 3.7%, module 1 by 1.5%.
    """
    which = PLACES.index(place)
    value = CORRUPTED[condition.corruption][SEVERITIES.index(condition.severity)][which]
    return value, value / CLEAN[which] - 1
