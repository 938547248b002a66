"""How often each upper limit of the pmi holds, in worlds whose truth is known.

Usage: python -m benchmarks.coverage_ram [--repetitions 2000] [--checks 60] [--world NAME ...] [--processes 2]

Each repetition draws a labelled set, operation without labels and a held-out labelled set, trains the world's model and
asks every method for its limits. A limit misses where the true pmi of that model lies above it. A second table says
how often the check of each assumption fires.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from surefoot.bounds import clopper_pearson
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.profile import KDE
from surefoot.reliability import ExactTrees, LocalEstimator, MonteCarlo, Reliability, assess_cells
from surefoot.reliability.proofs.tree_ensembles import read_ensemble
from surefoot.testing import World, broken_worlds, sound_worlds, world_named

LEVELS = (0.95, 0.975)
BINOMIAL = "exact binomial"
DEFAULT = "DEFAULT (corrected)"
PRINTED = "as printed in RAM"
BANDWIDTH = 0.05
SAMPLES = 1000
USED = " (used)"
BATCHES = 20
HEADINGS = ("world", "breaks", "limit", "level", "coverage", "s.e.", "median", f"median, {BINOMIAL}", "ratio", "")


@dataclass(frozen=True)
class Sizes:
    """Rows of each set."""

    labelled: int = 1000
    operation: int = 4000
    held_out: int = 500


@dataclass(frozen=True, eq=False)
class Draw:
    """What an assessor has in one repetition: a model, and data from the world it works in."""

    world: World
    model: Any
    labelled: tuple[FloatArray, NDArray[np.int64]]
    operation: FloatArray
    held_out: tuple[FloatArray, NDArray[np.int64]]
    seed: int

    @classmethod
    def of(cls, world: World, rng: np.random.Generator, sizes: Sizes) -> Draw:
        """Draw the sets and train the model on the labelled one."""
        labelled = world.collect(rng, sizes.labelled)
        operation, _ = world.sample(rng, sizes.operation)
        held_out = world.held_out(rng, sizes.held_out)
        return cls(world, world.fit(*labelled), labelled, operation, held_out, int(rng.integers(1 << 31)))


Limits = Mapping[tuple[str, float], float]
Method = Callable[[Draw], Limits]


def exact_binomial(draw: Draw) -> Limits:
    """Clopper and Pearson's bound on the held-out labels alone."""
    inputs, labels = draw.held_out
    estimate = clopper_pearson(int((draw.model.predict(inputs) != labels).sum()), len(labels), level=max(LEVELS))
    return {(BINOMIAL, level): estimate.upper(level) for level in LEVELS}


def corrected(draw: Draw) -> Limits:
    """The default, and all limits that stand beside it."""
    found = _assessed(draw, checks=False)
    beside = {
        (row[0].removesuffix(USED), level): row[3 + place]
        for row in found.limits.rows
        for place, level in enumerate(LEVELS)
        if row[0].removesuffix(USED) != BINOMIAL
    }
    return {(DEFAULT, level): found.pmi.upper(level) for level in LEVELS} | beside


def printed(draw: Draw) -> Limits:
    """The paper's own form, which takes all labelled data for cells and profile."""
    inputs, labels = (np.concatenate(pair) for pair in zip(draw.labelled, draw.held_out, strict=True))
    found = assess_cells(
        draw.model,
        inputs,
        labels,
        side=draw.world.side,
        domain=draw.world.domain,
        profile=KDE(BANDWIDTH),
        estimator=_estimator(draw.model),
        as_published=True,
        checks=False,
        seed=draw.seed,
    )
    return {(PRINTED, level): found.pmi.upper(level) for level in LEVELS}


def _assessed(draw: Draw, *, checks: bool) -> Reliability:
    return assess_cells(
        draw.model,
        *draw.labelled,
        side=draw.world.side,
        domain=draw.world.domain,
        profile=KDE(BANDWIDTH).fit(draw.operation),
        estimator=_estimator(draw.model),
        holdout=draw.held_out,
        checks=checks,
        seed=draw.seed,
    )


def _estimator(model: Any) -> LocalEstimator:
    try:
        read_ensemble(model)
    except InvalidInput:
        return MonteCarlo(SAMPLES)
    return ExactTrees()


METHODS: dict[str, Method] = {BINOMIAL: exact_binomial, "corrected": corrected, "printed": printed}
"""By name; each gives limits by name and level, so that one assessment may state several."""


@dataclass(frozen=True)
class Line:
    """How one limit did in one world."""

    world: str
    breaks: str
    name: str
    level: float
    coverage: float
    error: float
    median: float
    binomial: float

    @property
    def ok(self) -> bool:
        """Whether the limit held at least as often as its level, less two standard errors."""
        return self.coverage >= self.level - 2 * self.error

    def cells(self) -> tuple[str, ...]:
        """The line as text."""
        return (
            self.world,
            self.breaks,
            self.name,
            f"{self.level:g}",
            f"{self.coverage:.4f}",
            f"{self.error:.4f}",
            f"{self.median:.5f}",
            f"{self.binomial:.5f}",
            f"{self.median / self.binomial:.3f}",
            "ok" if self.ok else "missed",
        )


def repetition(
    world: World, rng: np.random.Generator, sizes: Sizes, methods: Mapping[str, Method] = METHODS
) -> dict[str, Any]:
    """The true pmi of one trained model (``truth``), and all limits by name and level (``limits``)."""
    draw = Draw.of(world, rng, sizes)
    limits = {key: float(limit) for method in methods.values() for key, limit in method(draw).items()}
    return {"truth": world.true_pmi(draw.model), "limits": limits}


def repeated(
    world: World, sizes: Sizes, count: int, *, processes: int, methods: Mapping[str, Method] = METHODS
) -> list[dict[str, Any]]:
    """Independent repetitions; the number of processes leaves no trace."""
    seeds = np.random.SeedSequence(0).spawn(count)
    batches = [seeds[start::BATCHES] for start in range(BATCHES)]
    found = Parallel(n_jobs=processes)(delayed(_batch)(world, sizes, batch, dict(methods)) for batch in batches)
    return [one for batch in found for one in batch]


def summary(world: World, found: Sequence[dict[str, Any]]) -> Iterator[Line]:
    """One line for each limit."""
    truth = np.array([one["truth"] for one in found])
    limits = {key: np.array([one["limits"][key] for one in found]) for key in found[0]["limits"]}
    for (name, level), values in limits.items():
        yield Line(
            world=world.name,
            breaks=world.breaks,
            name=name,
            level=level,
            coverage=float((values >= truth).mean()),
            error=math.sqrt(level * (1 - level) / len(found)),
            median=float(np.median(values)),
            binomial=float(np.median(limits[BINOMIAL, level])),
        )


def fired(world: World, seed: np.random.SeedSequence) -> dict[str, bool]:
    """Which assumptions the data of one repetition contradict."""
    found = _assessed(Draw.of(world, np.random.default_rng(seed), Sizes()), checks=True)
    stated = (*found.assumptions, *found.pmi.assumptions)
    return {assumption.id: assumption.status == "contradicted" for assumption in stated}


def checks_table(worlds: Sequence[World], count: int, *, processes: int) -> Table:
    """Share of repetitions in which each check fires."""
    shares = []
    for world in worlds:
        seeds = np.random.SeedSequence(1).spawn(count)
        found = Parallel(n_jobs=processes)(delayed(fired)(world, seed) for seed in seeds)
        shares.append({name: float(np.mean([one[name] for one in found])) for name in found[0]})
    table = Table("world", "breaks", *shares[0], title=f"Share of {count:,} repetitions in which a check fires")
    for world, share in zip(worlds, shares, strict=True):
        table.add_row(world.name, world.breaks, *(f"{value:.2f}" for value in share.values()))
    return table


def main() -> None:
    """Repeat, count, print."""
    options = _options()
    worlds = [world_named(name) for name in options.world] or [*sound_worlds(), *broken_worlds()]
    run = partial(repeated, sizes=Sizes(), count=options.repetitions, processes=options.processes)
    console = Console(width=220)
    for world in worlds:
        table = Table(*HEADINGS, title=f"{world.name}: {options.repetitions:,} repetitions, {Sizes()}")
        for line in summary(world, run(world)):
            table.add_row(*line.cells())
        console.print(table)
    if options.checks:
        console.print(checks_table(worlds, options.checks, processes=options.processes))


def _batch(
    world: World, sizes: Sizes, seeds: Sequence[np.random.SeedSequence], methods: Mapping[str, Method]
) -> list[dict[str, Any]]:
    return [repetition(world, np.random.default_rng(seed), sizes, methods) for seed in seeds]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--checks", type=int, default=60, help="repetitions with checks; 0 for none")
    parser.add_argument("--world", action="append", default=[], help="only this one; may be given again")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
