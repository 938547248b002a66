"""Reliability in balls of digits, on two cores: against plain splitting, on a cluster, and without gradients."""

from __future__ import annotations

import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.digits import DigitWorld, counted, threads
from benchmarks.harness import Row
from benchmarks.plain_splitting import plain_splitting
from benchmarks.rare_balls import rare_failures
from surefoot.core import Executor, MissingData
from surefoot.core.validate import FloatArray
from surefoot.executors import Dask, Serial
from surefoot.reliability.balls.assessment import assess_balls
from surefoot.reliability.balls.designs import Adaptive
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.rare_events.estimators import Counting
from surefoot.reliability.rare_events.problem import BallProblem
from surefoot.reliability.rare_events.splitting import MultilevelSplitting

SEED = 3
WANTED_ERROR = 0.1
BUDGETS = {0.3: 64, 0.1: 64}
"""Balls that ours draws, by radius."""
SEEDS = 10
FLOOR = math.log(1e-6)
"""For ours and for the peer: rarer failures add nothing to a pmi that is seen in percent."""
CENSUS_POINTS = 40
PARTICLES, STEPS = 1000, 200
"""Of the peer."""
TIMED_BALLS = 10

RADIUS = 0.3
SHARED_BALLS, SHARED_PARTICLES = 240, 120
ONNX_BALLS, ONNX_PARTICLES = 16, 200


def measure() -> list[Row]:
    """All rows; one that says why where the digits are missing."""
    try:
        world = DigitWorld.of()
    except MissingData as error:
        return [Row("balls of digits", math.nan, "plain splitting", math.nan, f"skipped: {error}")]
    pmi = [_pmi(world, radius, budget) for radius, budget in BUDGETS.items()]
    return [*pmi, *rare_failures(world), _dask(world), _without_gradients(world)]


@dataclass(frozen=True)
class Plain:
    """What one ball costs the peer, on average."""

    seconds: float
    calls: float

    @classmethod
    def of(cls, world: DigitWorld, radius: float) -> Plain:
        """From random balls, each split to its end."""
        rows = np.random.default_rng(SEED).choice(len(world.inputs), TIMED_BALLS, replace=False)
        generator, found = torch.Generator().manual_seed(SEED), []
        start = time.perf_counter()
        with threads(2):
            for row in rows:
                centre, label = torch.from_numpy(world.inputs[row]), int(world.labels[row])
                options = {"particles": PARTICLES, "steps": STEPS, "floor": FLOOR, "generator": generator}
                found.append(plain_splitting(world.network, centre, label, radius, **options))
        seconds = time.perf_counter() - start
        return cls(seconds / TIMED_BALLS, sum(split.calls for split in found) / TIMED_BALLS)


def _pmi(world: DigitWorld, radius: float, budget: int) -> Row:
    """The mean of the test digits' balls to within a tenth."""
    truth, spread = _census(world, radius)
    plain, needed = Plain.of(world, radius), math.ceil((spread / WANTED_ERROR) ** 2)
    with counted(world.network) as calls:
        values, seconds = zip(*(_assessed(world, radius, budget, seed) for seed in range(SEEDS)), strict=True)
    error = math.sqrt(np.mean((np.array(values) / truth - 1) ** 2))
    asked = calls.count / SEEDS
    note = (
        f"pmi {truth:.3g} by a census; relative error of ours {error:.1%} over {SEEDS} seeds with {budget} of "
        f"{len(world.inputs):,} balls, one process; peer: {needed:,} balls drawn alike, {plain.seconds:.3g} s each on "
        f"two threads, the mean of {TIMED_BALLS} that were run whole; model calls {asked:.3g} against "
        f"{plain.calls * needed:.3g}: {plain.calls * needed / asked:,.0f} times fewer"
    )
    return Row(
        f"pmi of digits within 10%, radius {radius}",
        float(np.mean(seconds)),
        "plain splitting, one ball at a time",
        plain.seconds * needed,
        note,
    )


def _census(world: DigitWorld, radius: float) -> tuple[float, float]:
    """Mean risk of all balls, and how the risks vary relative to it."""
    everything = np.arange(len(world.inputs))
    found = Counting(CENSUS_POINTS).risks(world.problem(radius), everything, executor=Serial(), seed=SEED)
    mean = float(found.risk.mean())
    within = found.risk * (1 - found.risk) / (CENSUS_POINTS - 1)
    return mean, math.sqrt(found.risk.var() - within.mean()) / mean


def _assessed(world: DigitWorld, radius: float, budget: int, seed: int) -> tuple[float, float]:
    """What ours answers, and in how many seconds."""
    estimator, design = MultilevelSplitting(particles=200, floor=FLOOR), Adaptive(aim="value")
    options: dict[str, Any] = {
        "estimator": estimator,
        "design": design,
        "budget": budget,
        "checks": False,
        "seed": seed,
    }
    start = time.perf_counter()
    found = assess_balls(world.network, world.inputs, world.labels, radius=radius, **options)
    return found.by_balls.value, time.perf_counter() - start


def _dask(world: DigitWorld) -> Row:
    """One process against two workers with one thread each."""
    from distributed import Client, LocalCluster

    few = world.rows(world.right[:SHARED_BALLS])
    alone, serial = _all_balls(few, Serial())
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        # Workers load torch when they first need it.
        _all_balls(world.rows(world.right[:16]), Dask(client))
        shared, together = _all_balls(few, Dask(client))
    same = alone.pmi.digest == shared.pmi.digest and alone.by_balls.digest == shared.by_balls.digest
    note = f"digests {'equal' if same else 'DIFFER'}"
    return Row(f"assess_balls, {SHARED_BALLS} balls, two Dask workers", together, "one process", serial, note)


def _all_balls(world: DigitWorld, executor: Executor) -> tuple[BallReliability, float]:
    start = time.perf_counter()
    found = assess_balls(
        world.network,
        world.inputs,
        world.labels,
        radius=RADIUS,
        estimator=MultilevelSplitting(particles=SHARED_PARTICLES),
        checks=False,
        executor=executor,
        seed=SEED,
    )
    return found, time.perf_counter() - start


def _without_gradients(world: DigitWorld) -> Row:
    """The same network as a file that gives scores alone."""
    few = world.rows(world.right[:ONNX_BALLS])
    with tempfile.TemporaryDirectory() as folder:
        scores_alone, logs = _one_by_one(few.problem(RADIUS, few.as_onnx(Path(folder) / "perceptron.onnx")))
    with_slopes, others = _one_by_one(few.problem(RADIUS))
    apart = math.sqrt(np.mean((logs - others) ** 2))
    note = f"a ball, from {ONNX_BALLS}, {ONNX_PARTICLES} particles; logarithms of the risks {apart:.2f} apart (rms)"
    return Row("splitting of an ONNX model, one ball", scores_alone, "of the torch module", with_slopes, note)


def _one_by_one(problem: BallProblem) -> tuple[float, FloatArray]:
    start = time.perf_counter()
    method, chosen = MultilevelSplitting(particles=ONNX_PARTICLES), np.arange(len(problem.balls))
    found = method.risks(problem, chosen, executor=Serial(), seed=SEED)
    return (time.perf_counter() - start) / chosen.size, found.log_risk
