"""Balls on a Dask cluster: the same digests as in one process, also where a worker dies."""

import os
from collections import defaultdict

import numpy as np
import pytest

from surefoot.executors import Dask, Serial
from surefoot.reliability import MultilevelSplitting, assess_balls

distributed = pytest.importorskip("distributed", reason="the dask extra is not installed")
IN_MEMORY = 8
"""Balls that go to a worker at a time."""
BALLS = 8 * IN_MEMORY
RADIUS = 0.4 / BALLS
FATAL = 3 * IN_MEMORY + 5
"""The worker that first looks into this ball dies."""


def model_that_keeps_a_diary(folder):
    """Fails right of a line; the first feature tells the ball. Nested, so that workers get it by value."""
    home = os.getpid()
    balls, fatal = BALLS, FATAL

    def scores(inputs):
        import os
        import signal
        import time

        seen = set((inputs[:, 0] * balls).astype(int).tolist())
        if os.getpid() != home:
            with (folder / str(os.getpid())).open("a") as diary:
                diary.write("".join(f"{ball}\n" for ball in seen))
            time.sleep(0.005)
            if fatal in seen and not (folder / "died").exists():
                (folder / "died").write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGKILL)
        right = 1 / (1 + np.exp(-(inputs[:, 1] - 0.5) * balls))
        return np.column_stack([1 - right, right])

    return scores


def diaries(folder):
    """Processes that looked into each ball."""
    found = defaultdict(set)
    for diary in folder.iterdir():
        if diary.name != "died":
            for ball in diary.read_text().split():
                found[int(ball)].add(diary.name)
    return found


def assessed(folder, executor):
    rng = np.random.default_rng(5)
    distance = RADIUS * rng.uniform(-0.3, 1.3, BALLS)
    labels = (np.arange(BALLS) % 2).astype(int)
    rows = np.column_stack([(np.arange(BALLS) + 0.5) / BALLS, 0.5 + np.where(labels == 1, distance, -distance)])
    options = {"radius": RADIUS, "estimator": MultilevelSplitting(particles=100, steps=6, floor=-20), "checks": False}
    return assess_balls(model_that_keeps_a_diary(folder), rows, labels, executor=executor, seed=2, **options)


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_changes_no_digest_and_costs_only_its_balls(tmp_path):
    alone = assessed(tmp_path, Serial())
    assert not diaries(tmp_path)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        shared = assessed(tmp_path, Dask(client))

    victim, looked = (tmp_path / "died").read_text(), diaries(tmp_path)
    again = {ball for ball, processes in looked.items() if len(processes) > 1}
    assert shared.pmi.digest == alone.pmi.digest
    assert shared.by_balls.digest == alone.by_balls.digest
    assert set(looked) == set(range(BALLS))
    assert FATAL in again
    assert all(victim in looked[ball] for ball in again)
    assert len(again) < BALLS / 2 + IN_MEMORY
