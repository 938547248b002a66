"""Studies that are too small, or cannot be sent: what is left out, what is told."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.executors import Processes
from surefoot.systems import Answer, Items, Module, Study, System, conditions

IMAGES = np.random.default_rng(0).random((30, 6, 6, 1))


def system(run, **options):
    return System([Module("m", run, {"x": "frame"}, gives="number", **options)], inputs={"frame": "image"})


def looked(x):
    return Answer(x.mean(axis=(1, 2, 3)), x.reshape(len(x), -1)[:, :3])


def test_fewer_groups_than_folds_leave_the_learned_strategy_out():
    noisy = {"noisy": lambda seed, x: x.mean(axis=(1, 2, 3)), "distance": "numeric"}
    items = Items({"frame": IMAGES}, np.zeros(30), groups=["a", "b", "c"] * 10)
    made = Study(system(looked, **noisy), items, conditions("fog", 3), "mae", training=items)
    strategies = {row[2] for row in made.run().tables()["rejection"].rows}
    assert "S5" in strategies
    assert "learned" not in strategies


def test_a_module_that_cannot_be_sent_to_processes_is_told():
    lock = threading.Lock()

    def locked(x):
        with lock:
            return x.mean(axis=(1, 2, 3))

    items = Items({"frame": IMAGES}, np.zeros(30))
    with pytest.raises(InvalidInput, match=r"cannot be sent to other processes; found .*lock.*Serial"):
        Study(system(locked), items, conditions("fog", 3), "mae", executor=Processes(2)).run()


def test_a_condition_without_any_answer_leaves_the_tables_of_the_others():
    def run(x):
        if (x.mean(axis=(1, 2, 3)) > 0.5).any():
            raise RuntimeError("bright")
        return looked(x)

    shaken = system(run, noisy=lambda seed, x: run(x).outputs, distance="numeric")
    items = Items({"frame": IMAGES / 2}, np.zeros(30))
    found = Study(shaken, items, conditions("brightness", [1, 5]), "mae", training=items).run()
    assert {row[:2] for row in found.tables()["rejection"].rows} == {("clean", None), ("brightness", 1)}
    assert ("brightness", 5, 30, "0", "m: RuntimeError: bright") in found.faults().rows
    assert found.figures()
