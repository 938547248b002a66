"""Tables of SYS about SpeechBrain: another language corpus, other networks, the same corruptions and questions."""

from __future__ import annotations

LEVELS = {1: 1, 2: 3, 3: 5}
"""Severity of each level of SYS."""
CONFIGURATIONS = ("CRDNN + RNN", "CRDNN + Transformer", "CRDNN + RNN (it)", "Wav2Vec2 + RNN (it)")
CLEAN = (0.212, 0.035, 0.299, 0.249)
"""Table 7. The last two are printed in each other's place, as the drops beside them show."""
CORRUPTED = {
    "reverb": ((0.185, 0.100, 0.379, 0.295), (0.334, 0.560, 0.645, 0.482), (0.766, 0.852, 0.883, 0.749)),
    "speed": ((0.214, 0.047, 0.455, 0.288), (0.608, 0.339, 0.676, 0.360), (1.159, 0.981, 1.013, 0.991)),
    "distortion": ((0.195, 0.041, 0.344, 0.270), (0.247, 0.052, 0.390, 0.308), (0.374, 0.216, 0.553, 0.473)),
    "pitch_shift": ((0.114, 0.043, 0.336, 0.264), (0.170, 0.065, 0.385, 0.291), (0.245, 0.174, 0.496, 0.347)),
    "background_noise": ((0.164, 0.330, 0.387, 0.291), (0.194, 0.720, 0.479, 0.350), (0.243, 0.896, 0.568, 0.416)),
}
"""Printed word error rates of each level, by configuration."""
ERROR_CHANGES = {
    "reverb": ((-0.06, 0.34, 0.08, 0.19), (-0.01, 0.48, 0.09, 0.26), (0.01, 0.40, 0.03, 0.23)),
    "speed": ((-0.06, 0.32, 0.01, 0.05), (0.04, 0.62, 0.34, 0.53), (0.03, 0.27, -0.01, 0.81)),
    "distortion": ((-0.08, 0.33, -0.01, 0.02), (-0.03, 0.37, 0.01, 0.11), (0.10, 0.63, 0.24, 0.52)),
    "pitch_shift": ((-0.09, 0.30, -0.01, 0.01), (-0.01, 0.38, 0.06, 0.15), (0.13, 0.53, 0.23, 0.42)),
    "background_noise": ((-0.04, 0.40, 0.30, 0.48), (-0.01, 0.46, 0.17, 0.43), (-0.01, 0.51, -0.01, 0.25)),
}
"""Table 24: Kendall's tau of VRO with the error, first and second module of configurations 1 and 2, by level."""
IMPROVEMENT_S1 = {
    "reverb": ((27.55, 2.74), (0.30, 0.39), (0.33, 0.01)),
    "speed": ((36.01, 4.77), (-0.29, -0.06), (-0.05, 0.06)),
    "distortion": ((28.54, 2.28), (13.28, 2.48), (1.21, 1.29)),
    "pitch_shift": ((30.18, 3.31), (7.11, 4.14), (5.44, 2.87)),
    "background_noise": ((30.02, 1.27), (2.37, 0.31), (1.85, 0.09)),
}
"""Table 26: percent by which rejecting the 1% of highest uncertainty improves configurations 1 and 2."""
IMPROVEMENT_S5 = {
    "reverb": ((27.21, 6.69), (9.66, 0.88), (1.99, 0.17)),
    "speed": ((37.88, 9.82), (7.12, 2.51), (0.65, 0.11)),
    "distortion": ((28.35, 6.50), (28.61, 6.95), (10.10, 5.29)),
    "pitch_shift": ((30.62, 7.61), (27.58, 12.27), (20.01, 6.12)),
    "background_noise": ((30.03, 2.71), (20.22, 1.08), (8.50, 0.16)),
}
"""Table 26: the same for items that are uncertain and strange at once."""


def word_error_rate(corruption: str, severity: int, configuration: int) -> float:
    """What the paper prints; severity 0 is clean."""
    if not severity:
        return CLEAN[configuration]
    level = next(level for level, at in LEVELS.items() if at == severity)
    return CORRUPTED[corruption][level - 1][configuration]


def drop(corruption: str, severity: int, configuration: int) -> float:
    """Relative drop from the printed rates."""
    return word_error_rate(corruption, severity, configuration) / CLEAN[configuration] - 1
