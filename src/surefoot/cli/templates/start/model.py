"""The model under assessment: put yours here, or name a file of it in surefoot.yaml.

This one decides whether something blocks a closing train door, from the force on the door's motor and from how far the
door still is from closed. Both the model and the rows of test.csv are made up, so that the project runs as it is.
"""

import numpy as np
from numpy.typing import NDArray


def obstacle(inputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of the classes, one row an input: clear, obstacle."""
    force, gap = inputs[:, 0], inputs[:, 1]
    blocked = 1 / (1 + np.exp(-(0.15 * (force - 45) + 0.5 * (gap - 6))))
    return np.column_stack([1 - blocked, blocked])
