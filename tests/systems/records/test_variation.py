"""VR and VRO of recorded passes, of outputs of every kind, against Eqns. (5) and (6) of paper SYS written out."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from tests.refusals import told

from surefoot.metrics import as_distance
from surefoot.systems import Module, Score, System, records


def boxes(rng):
    corners = rng.uniform(0, 5, (rng.integers(0, 4), 2))
    return np.hstack([corners, corners + rng.uniform(1, 3, corners.shape)])


def tracks(rng):
    found = boxes(rng)
    return np.column_stack([np.ones(len(found)), np.arange(len(found)), found])


OUTPUTS = {
    "boxes": ("boxes", boxes),
    "tracks": ("tracks", tracks),
    "cosine": ("vector", lambda rng: rng.random(4)),
    "numeric": ("number", lambda rng: float(rng.random())),
    "edit": ("text", lambda rng: "abc"[: rng.integers(0, 4)]),
    "label": ("label", lambda rng: ["cat", "dog"][rng.integers(2)]),
    "labelled boxes": ("any", lambda rng: (np.array([[0.0, 0.0, 1.0, 1.0]]), [str(rng.choice(["x", "y"]))])),
}


def test_variation_ratios_are_means_of_distances():
    for items in [1, 2, 5]:
        for name in OUTPUTS:
            with told((name, items)):
                kind, draw = OUTPUTS[name]
                rng = np.random.default_rng(0)
                system = System([Module("m", list, {"v": "x"}, gives=kind, distance=name)], inputs={"x": "any"})
                distance = as_distance(name)
                for _ in range(10):
                    usual, *passes = ([draw(rng) for _ in range(items)] for _ in range(4))
                    found = records.variation(system, "m", usual, passes)
                    for i in range(items):
                        each = [one[i] for one in passes]
                        assert found[Score("m", "VR")][i] == pytest.approx(
                            np.mean([distance(a, b) for a, b in permutations(each, 2)])
                        )
                        assert found[Score("m", "VRO")][i] == pytest.approx(
                            np.mean([distance(a, usual[i]) for a in each])
                        )


def test_an_item_that_one_pass_has_no_answer_for_has_no_variation():
    system = System([Module("m", list, {"v": "x"}, gives="number", distance="numeric")], inputs={"x": "any"})
    found = records.variation(system, "m", [1.0, None, 1.0], [[2.0, 2.0, 2.0], [4.0, 4.0, None]])
    assert found[Score("m", "VR")].tolist()[0] == 2.0
    assert np.isnan(found[Score("m", "VR")][1:]).all()
    assert np.isnan(found[Score("m", "VRO")][1:]).all()
