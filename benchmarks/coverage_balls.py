"""How right estimates in balls are, where the truth is known.

Usage: python -m benchmarks.coverage_balls [--repeats 200] [--quick] [--part boxes|worlds|limits|variations]
    [--model torch|function]

Boxes: multilevel splitting looks many times into one box with a linear model, whose failure probability is known down
to 1e-30. Worlds: each repetition draws a frame of rows and a few of their balls, and asks for upper limits of the mean
risk of the frame and of the pmi; a limit misses where the truth lies above it. Limits: the signed limit of the pmi with
equal weights beside bets on the same rows and beside adaptive draws, in worlds, and exactly for scaled coins, which
spread most of all risks with that largest value. Variations: limits of the pmi, and intervals of single risks, where
inputs are varied by a family in which the truth is known.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import binom

from surefoot.adapters import as_model
from surefoot.bounds import betting
from surefoot.bounds.closed_form import BentkusBound
from surefoot.core import Executor, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.corruptions import Variation
from surefoot.executors import Serial
from surefoot.reliability.balls.assessment import assess_balls
from surefoot.reliability.balls.designs import (
    Adaptive,
    AtRandom,
    ByRisk,
    ByWeight,
    Design,
    SamplingFrame,
    Stratified,
    WithReplacement,
)
from surefoot.reliability.balls.draws import Census, Drawn, VarianceParts
from surefoot.reliability.balls.limits import OperationLimits
from surefoot.reliability.local_risk import Progress
from surefoot.reliability.monte_carlo import MonteCarlo
from surefoot.reliability.rare_events.problem import SPLIT, BallProblem, BallRisks, Balls
from surefoot.reliability.rare_events.splitting import MultilevelSplitting
from surefoot.testing import BallWorld, LinearBox, ball_worlds, linear_world
from surefoot.testing.known_balls import corner_world, spread_world

LEVEL = 0.95
DIMENSIONS = (2, 10, 100, 784, 3072)
PROBABILITIES = (1e-2, 1e-4, 1e-6, 1e-10, 1e-20, 1e-30)
RAREST_IN_TWO = 1e-10
QUICK = (2, 10, 100), (1e-2, 1e-6, 1e-10)
KINDS: dict[str, dict[str, Any]] = {"": {}, ", uneven": {"concentrated": True}, ", cut": {"cut": True}}
SEED = 7
ROUNDING = 1e-9
ROWS, BUDGET = 2000, 200
DESIGNS: tuple[Design | None, ...] = (
    None,
    AtRandom(),
    WithReplacement(),
    ByWeight(),
    ByRisk(),
    Stratified(),
    Adaptive(),
)
BOX_HEADINGS = ("box", "mean / truth", "s.e.", "sd of log", "stated sd", f"{LEVEL:.0%} interval holds", "calls", "s")
LIMIT_SIZES: tuple[tuple[int, int | None], ...] = ((100, None), (500, None), (2000, None), (1000, 100), (2000, 1000))
COIN_ROWS = (10, 30, 100, 300, 500)
LIMIT_HEADINGS = ("world", "rows", "balls", "truth", "holds", "mean limit", "bets hold", "mean limit", "ratio")
WORLD_HEADINGS = ("world", "design", "limit of", "truth", "holds", "s.e.", "median limit / truth", "")


def box_problem(box: LinearBox, repeats: int, *, torch: bool) -> BallProblem:
    """The same ball many times; each has random numbers of its own."""
    centres = np.tile(box.centre, (repeats, 1))
    model = as_model(box.module() if torch else box.scores, output="logit")
    balls = Balls(centres, box.radius, (len(box.centre),))
    return BallProblem(model, balls, np.zeros(repeats, dtype=np.int64), ~np.eye(2, dtype=bool))


@dataclass(frozen=True)
class BoxLine:
    """How splitting did in one box."""

    name: str
    ratio: float
    error: float
    spread: float
    stated: float
    held: float
    calls: float
    seconds: float

    @classmethod
    def of(cls, name: str, box: LinearBox, found: BallRisks, seconds: float) -> BoxLine:
        """Compare repetitions with the truth."""
        ratios = np.exp(found.log_risk - box.log_probability)
        low, high = found.interval(LEVEL)
        truth = math.exp(box.log_probability)
        with np.errstate(divide="ignore", invalid="ignore"):
            stated = np.sqrt(np.mean(found.variance / found.risk**2))
        return cls(
            name,
            float(ratios.mean()),
            float(ratios.std(ddof=1) / math.sqrt(len(ratios))),
            float(np.std(found.log_risk, ddof=1)),
            float(stated),
            float(np.mean((low <= truth) & (truth <= high))),
            float(found.calls.mean()),
            seconds,
        )

    def cells(self) -> tuple[str, ...]:
        """The line as text."""
        numbers = (getattr(self, field.name) for field in fields(self)[1:6])
        return (self.name, *(f"{number:.3f}" for number in numbers), f"{self.calls:,.0f}", f"{self.seconds:.1f}")


def boxes(quick: bool, *, single: bool) -> Iterator[tuple[str, LinearBox]]:
    """All pairs that floats can hold, with even and uneven weights, and a ball that the range cuts."""
    dimensions, probabilities = QUICK if quick else (DIMENSIONS, PROBABILITIES)
    pairs = [(d, p) for d in dimensions for p in probabilities if d > 2 or p >= RAREST_IN_TWO]
    for d, p in pairs:
        for name, options in KINDS.items() if d > 2 else [("", {})]:
            yield f"{d} features, {p:g}{name}", _held(d, p, single=single, **options)


def _held(d: int, p: float, *, single: bool, **options: Any) -> LinearBox:
    """In single precision where that is asked for and can hold it."""
    try:
        return linear_world(d, p, seed=SEED, single=single, **options)
    except InvalidInput:
        return linear_world(d, p, seed=SEED, **options)


def box_table(options: argparse.Namespace, console: Console) -> None:
    """A line for each box, as they are done."""
    torch = options.model == "torch"
    method = MultilevelSplitting(particles=options.particles, steps=options.steps)
    table = Table(*BOX_HEADINGS, title=f"{options.repeats:,} repetitions, {options.model}, {method}")
    for name, box in boxes(options.quick, single=torch):
        begin = time.perf_counter()
        problem = box_problem(box, options.repeats, torch=torch)
        found = method.risks(problem, np.arange(options.repeats), executor=Serial(), seed=SEED)
        table.add_row(*BoxLine.of(name, box, found, time.perf_counter() - begin).cells())
    console.print(table)


@dataclass(frozen=True)
class KnownRisks:
    """An estimator that knows the truth, so that sampling of balls is looked at alone."""

    world: BallWorld

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """The risk in each ball; nothing is called."""
        none = np.zeros(len(chosen), dtype=np.int64)
        with np.errstate(divide="ignore"):
            log_risk = np.log(self.world.risk(problem.balls.centres[chosen].astype(float)))
        how = np.full(len(chosen), SPLIT, dtype=np.uint8)
        return BallRisks(log_risk, np.zeros(len(chosen)), how, none, none, none)


@dataclass(frozen=True)
class Repetition:
    """Upper limits from one frame, with the truths that they are about."""

    frame_limit: float
    frame_truth: float
    pmi_limit: float
    pmi_truth: float


def repetition(world: BallWorld, design: Design | None, seed: int, *, known: bool, particles: int) -> Repetition:
    """Draw a frame, look into some of its balls (all where there is no design), ask for limits."""
    inputs, labels = world.draw(ROWS, seed)
    found = assess_balls(
        world.scores if known else world.module(),
        inputs,
        labels,
        radius=world.radius,
        weights=world.weigh(inputs) if world.steepness else None,
        estimator=KnownRisks(world) if known else MultilevelSplitting(particles=particles),
        budget=None if design is None else BUDGET,
        design=design,
        checks=False,
        level=LEVEL,
        seed=seed,
    )
    limits = found.by_balls.upper(LEVEL), found.pmi.upper(LEVEL)
    return Repetition(limits[0], world.frame_truth(inputs), limits[1], world.weighted_truth)


def world_lines(world: BallWorld, design: Design | None, found: Sequence[Repetition]) -> Iterator[tuple[str, ...]]:
    """How often each limit held, as text."""
    name = "all balls" if design is None else repr(design)
    error = math.sqrt(LEVEL * (1 - LEVEL) / len(found))
    for of in ("frame", "pmi"):
        limit, truth = (_column(found, f"{of}_{what}") for what in ("limit", "truth"))
        held = float((limit >= truth * (1 - ROUNDING)).mean())
        numbers = (f"{truth.mean():.5f}", f"{held:.3f}", f"{error:.3f}", f"{np.median(limit / truth):.2f}")
        yield world.name, name, of, *numbers, "ok" if held >= LEVEL - 2 * error else "missed"


def world_table(options: argparse.Namespace, console: Console) -> None:
    """Two lines for each world and design."""
    known = not options.splitting
    title = f"{options.repeats:,} repetitions, {ROWS:,} rows, {BUDGET} balls, {'known risks' if known else 'splitting'}"
    table = Table(*WORLD_HEADINGS, title=title)
    worlds = [w for w in ball_worlds() if not options.quick or w.name in ("common", "rare")]
    for world in worlds:
        for design in DESIGNS:
            jobs = (
                delayed(repetition)(world, design, seed, known=known, particles=options.particles)
                for seed in range(options.repeats)
            )
            for line in world_lines(world, design, Parallel(n_jobs=options.processes)(jobs)):
                table.add_row(*line)
    console.print(table)


def limits_table(options: argparse.Namespace, console: Console) -> None:
    """Signed limits of the pmi with equal weights, and what bets give: on all rows, and on adaptive draws."""
    table = Table(*LIMIT_HEADINGS, title=f"{options.repeats:,} repetitions, known risks, equal weights, level {LEVEL}")
    worlds = [
        spread_world("spread, 0.0025", 0.0025, seed=2),
        corner_world("corner, 0.0025", share=0.01, pmi=0.0025, seed=4),
    ]
    for world in (*worlds, *(w for w in ball_worlds() if not w.steepness)):
        for rows, budget in LIMIT_SIZES:
            jobs = (delayed(both_limits)(world, rows, budget, seed) for seed in range(options.repeats))
            found = np.array(Parallel(n_jobs=options.processes)(jobs))
            held, mean = (found >= world.truth).mean(axis=0), found.mean(axis=0)
            numbers = (
                f"{held[0]:.3f}",
                f"{mean[0]:.5f}",
                f"{held[1]:.3f}",
                f"{mean[1]:.5f}",
                f"{mean[0] / mean[1]:.2f}",
            )
            table.add_row(world.name, f"{rows:,}", str(budget or "all"), f"{world.truth:.5f}", *numbers)
    console.print(table)
    exact = Table("rows", "largest risk", "least coverage", "at a mean of", title=f"scaled coins, exact, level {LEVEL}")
    for rows in COIN_ROWS:
        for largest in (1.0, 0.7, 0.5, 0.1):
            least, mean = least_coverage(rows, largest)
            exact.add_row(str(rows), f"{largest:g}", f"{least:.4f}", f"{mean:.4g}")
    console.print(exact)


def both_limits(world: BallWorld, rows: int, budget: int | None, seed: int) -> tuple[float, float]:
    """The signed limit, and by bets: on all rows, or on adaptive draws whose guess of the risks is right."""
    risk = world.risk(world.draw(rows, seed)[0])
    weights = np.full(rows, 1 / rows)
    if budget is None:
        signed = _signed(Census(weights, np.arange(rows), risk, np.ones(rows)), seed)
        return signed, betting(risk, level=LEVEL, seed=seed).upper(LEVEL)
    frame = SamplingFrame(weights, lambda: risk)
    designs: tuple[Design, Design] = (AtRandom(), Adaptive())
    drawn = (each.draw(frame, risk.__getitem__, budget, np.random.default_rng([seed, 1])) for each in designs)
    signed, adaptive = (_signed(each, seed) for each in drawn)
    return signed, adaptive


def _signed(drawn: Drawn, seed: int) -> float:
    parts = VarianceParts.of(drawn, np.zeros(drawn.risk.size), None)
    found = OperationLimits(drawn, parts, None, LEVEL, seed)
    return found.families("upper")[found.signed].limit_at(LEVEL)


def least_coverage(rows: int, largest: float) -> tuple[float, float]:
    """Over a fine grid of means: how often limits from the sum of coins worth ``largest`` hold, by all outcomes."""
    counts = np.arange(rows + 1)
    limits = np.array([BentkusBound(largest * k / rows, rows, "upper", "confidence").limit_at(LEVEL) for k in counts])
    # Coverage falls just above each limit that a count gives.
    means = np.concatenate([limits[limits < largest] * (1 + ROUNDING), largest * np.linspace(0.001, 0.999, 999)])
    coverage = [float(binom.pmf(counts[limits >= mean], rows, mean / largest).sum()) for mean in means]
    worst = int(np.argmin(coverage))
    return coverage[worst], float(means[worst])


REACH = 0.1
HEIGHTS = 0.3, 0.7
"""Each is moved by up to 0.1, and fails where that takes it across 0.5."""
STEPS = {0.0: 1.0}, {-0.2: 0.03, 0.0: 0.9, 0.05: 0.07}
"""Chances of discrete values that are added: none, and three."""
VARIED = (MonteCarlo(20), MonteCarlo(200), MultilevelSplitting(200, steps=8))


def variations_table(options: argparse.Namespace, console: Console) -> None:
    """A line for each estimator, without and with discrete values: limits of the pmi, and intervals of the risks."""
    heads = (
        "values",
        "estimator",
        "truth",
        "upper limit holds",
        "lower",
        "intervals of risks hold",
        "mean upper limit",
    )
    table = Table(*heads, title=f"{options.repeats:,} repetitions, 60 rows, level {LEVEL}")
    for steps in STEPS:
        truth = float(varied_truth(np.linspace(*HEIGHTS, 100_001), steps).mean())
        for estimator in VARIED:
            jobs = (delayed(varied)(estimator, steps, seed) for seed in range(options.repeats))
            upper, lower, inside = np.array(Parallel(n_jobs=options.processes)(jobs)).T
            held = (np.mean(upper >= truth), np.mean(lower <= truth), inside.mean())
            shown = (f"{truth:.4f}", *(f"{share:.3f}" for share in held), f"{upper.mean():.4f}")
            table.add_row(str(len(steps)), repr(estimator), *shown)
    console.print(table)


def varied(estimator: Any, steps: Mapping[float, float], seed: int) -> tuple[float, float, float]:
    """Both limits of the pmi, and the share of the risks that lie in their intervals."""
    heights = np.random.default_rng(seed).uniform(*HEIGHTS, 60)
    step = {"values": list(steps), "chances": list(steps.values())}
    found = assess_balls(
        _across,
        np.repeat(heights[:, None], 3, axis=1),
        (heights > 0.5).astype(int),
        within=Variation.by(_moved, {"amount": [-REACH, REACH], "step": step}),
        estimator=estimator,
        checks=False,
        level=LEVEL,
        seed=seed,
    )
    truth = varied_truth(heights, steps)
    low, high = found.cells.risks.interval(LEVEL)
    inside = (low - ROUNDING <= truth) & (truth <= high + ROUNDING)
    return found.pmi.upper(LEVEL), found.pmi.lower(LEVEL), float(inside.mean())


def varied_truth(heights: FloatArray, steps: Mapping[float, float]) -> FloatArray:
    """The risk at each height."""
    found = np.zeros(len(heights))
    for step, chance in steps.items():
        above = np.clip((heights + step + REACH - 0.5) / (2 * REACH), 0, 1)
        found += chance * np.where(heights > 0.5, 1 - above, above)
    return found


def _moved(inputs: FloatArray, amount: FloatArray, step: FloatArray) -> FloatArray:
    return inputs + (amount + step)[:, None]


def _across(inputs: FloatArray) -> FloatArray:
    height = inputs.mean(axis=1) - 0.5
    return np.column_stack([-height, height])


def main() -> None:
    """Repeat, compare, print."""
    options = _options()
    console = Console(width=160)
    parts = {"boxes": box_table, "worlds": world_table, "limits": limits_table, "variations": variations_table}
    for part, show in parts.items():
        if options.part in (part, None):
            show(options, console)


def _column(found: Sequence[Repetition], name: str) -> FloatArray:
    return np.array([getattr(one, name) for one in found])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="few features, few probabilities, two worlds")
    parser.add_argument("--part", choices=("boxes", "worlds", "limits", "variations"), help="only this one")
    parser.add_argument("--model", choices=("torch", "function"), default="torch", help="with gradients, or without")
    parser.add_argument("--particles", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=MultilevelSplitting().steps)
    parser.add_argument("--splitting", action="store_true", help="worlds: by splitting, not by known risks")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
