"""Torch is held to one thread while a part is recorded, and not longer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
import torch

from surefoot.systems import CLEAN, Items, Module, System, records


@pytest.fixture(autouse=True)
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_a_part_is_recorded_on_one_thread(tmp_path):
    seen = []

    def run(v):
        seen.append(torch.get_num_threads())
        return v

    system = System([Module("m", run, {"v": "x"}, gives="number")], inputs={"x": "number"})
    records.record(
        records.Recording(system, Items({"x": np.arange(3.0)}), CLEAN, 0, records.Passes(), 0, tmp_path),
        np.random.default_rng(0),
    )
    assert seen == [1]
    assert torch.get_num_threads() == 3


def test_tasks_beside_each_other_keep_it_until_the_last_is_done():
    first, second, meet = records.one_thread(), records.one_thread(), Barrier(2)

    def task(own, waits):
        with own:
            meet.wait()
            if waits:
                meet.wait()
            found = torch.get_num_threads()
        if not waits:
            meet.wait()
        return found

    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(task, own, waits) for own, waits in ((first, False), (second, True))]
        assert [each.result() for each in found] == [1, 1]
    assert torch.get_num_threads() == 3


def test_an_error_leaves_the_number_of_threads_as_it_was():
    with pytest.raises(ValueError, match="oops"), records.one_thread():
        raise ValueError("oops")
    assert torch.get_num_threads() == 3
