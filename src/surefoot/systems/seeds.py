"""Seeds of their own for the parts of a whole: its inputs, its modules, its repeated passes."""

from __future__ import annotations

import numpy as np


def seed_of(seed: int, *numbers: int) -> int:
    """The seed of a part, from that of the whole and the numbers that name the part; any generator takes it.

    Random numbers of two parts must not be the same, or what is drawn for one would come back in the other.
    """
    return int(np.random.SeedSequence((seed, *numbers)).generate_state(1)[0])
