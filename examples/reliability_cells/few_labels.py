"""Few labelled rows and many inputs from operation, in a world of known truth, for ``few_labels.yaml``.

The world comes from ``surefoot.testing``; its two classes are further apart than a cell is wide.
"""

import numpy as np

from surefoot.testing import world_named

LABELLED, HELD_OUT, OPERATION = 2_000, 500, 20_000

world = world_named("wave")
rng = np.random.default_rng(0)
labelled = world.collect(rng, LABELLED)
held_out = world.held_out(rng, HELD_OUT)
operation = world.sample(rng, OPERATION)
tree = world.fit(*labelled)
