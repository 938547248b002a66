"""Adaptive multilevel splitting: the probability of failures too rare to be counted, in many balls at once.

A level is the largest margin of those particles that are given up (Cerou and Guyader 2007); the share that lies above
it estimates the conditional probability, copies of those replace the others, and moves part the copies. The product of
the shares is unbiased where moves mix (Brehier, Lelievre and Rousset 2015).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import Progress
from surefoot.reliability.rare_events.devices import Array, Arrays, halved_on_memory_error
from surefoot.reliability.rare_events.margins import Margins, best_margins, torch_module
from surefoot.reliability.rare_events.problem import (
    BELOW,
    COUNTED,
    SPLIT,
    BallPart,
    BallProblem,
    BallRisks,
    ball_estimator,
)
from surefoot.reliability.rare_events.walks import Particles, Walk, streams_of, walk_named

WHERE = "MultilevelSplitting"
MOST_PARTICLES = 1_000_000_000
MOVES = ("informed", "reflected")
FLOOR = -140.0
FEWEST_FOUNDERS = 25
"""Lines of descent that must be left at the end of a block of levels to tell its variance."""


@ball_estimator("splitting")
@dataclass(frozen=True)
class MultilevelSplitting:
    """Failure probability inside balls down to the rarest, level by level.

    Frequent failures are counted and need no levels; so are those of a model whose scores do not tell which way they
    lie.

    Parameters
    ----------
    particles
        In each ball.
    steps
        Moves at each level.
    rho
        Share of the particles that reaches the next level.
    moves
        ``"informed"`` by the slope of the margin, or ``"reflected"``: a random walk, which needs several times the
        steps.
    floor
        Natural logarithm of the probability at which splitting stops: what is rarer counts as being there.

    References
    ----------
    Webb, Rainforth, Teh and Kumar (2019), "A statistical approach to assessing neural network robustness"; Cerou and
    Guyader (2007).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> def scores(inputs):
    ...     return np.column_stack([1 - inputs.sum(axis=1), inputs.sum(axis=1) - 1])
    >>> problem = sf.reliability.BallProblem(
    ...     sf.adapters.as_model(scores), sf.reliability.Balls(np.array([[0.5, 0.52], [0.46, 0.45]]), 0.05, (2,)),
    ...     np.array([1, 0]), ~np.eye(2, dtype=bool))
    >>> estimator = sf.reliability.MultilevelSplitting(particles=200, steps=10)
    >>> found = estimator.risks(problem, np.arange(2), executor=sf.executors.Serial(), seed=0)
    >>> found.risk
    array([0.345  , 0.00405])

    """

    particles: int = 1000
    steps: int = 30
    rho: float = 0.1
    moves: str = "informed"
    floor: float = FLOOR

    def __post_init__(self) -> None:
        validate.fields(self)
        validate.count(self.particles, where=WHERE, name="particles", at_least=10)
        validate.count(self.steps, where=WHERE, name="steps", at_least=1)
        validate.fraction(self.rho, where=WHERE, name="rho")
        validate.choice(self.moves, MOVES, where=WHERE, name="moves")
        if not self.floor < 0:
            raise InvalidInput("floor must be the logarithm of a probability", where=WHERE, found=repr(self.floor))
        if self.particles > MOST_PARTICLES:
            raise InvalidInput(f"particles must be at most {MOST_PARTICLES:,}", where=WHERE, found=f"{self.particles}")
        if not 1 <= self.survivors < self.particles:
            raise InvalidInput(
                "rho must leave at least one particle, and not all",
                where=WHERE,
                found=f"rho={self.rho!r} of {self.particles} particles",
            )

    @property
    def survivors(self) -> int:
        """Particles above a level."""
        return math.ceil(self.rho * self.particles)

    def risks(
        self,
        problem: BallProblem,
        chosen: NDArray[np.int64],
        *,
        executor: Executor,
        seed: int,
        progress: Progress | None = None,
    ) -> BallRisks:
        """Risk in the chosen balls; see ``BallEstimator``."""
        climb = partial(climbed, method=self, seed=validate.seed(seed, where=WHERE))
        return in_batches(climb, problem, chosen, executor=executor, seed=seed, progress=progress)


def climbed(problem: BallProblem, sizes: Sizes, *, method: MultilevelSplitting, seed: int) -> BallRisks:
    """Risk in all balls of a problem."""
    margins, count = best_margins(problem), len(problem.balls)
    found = BallRisks.empty(count)
    with margins.prepared():
        for arrived in climb_of(method, margins, seed).arrivals(np.arange(count), sizes.at_once(method.particles)):
            _put(found, arrived.particles.balls, arrived, method)
    return found


def climb_of(method: MultilevelSplitting, margins: Margins, seed: int) -> Climb:
    """The climb of a method."""
    walk = walk_named(method.moves, margins)
    return Climb(walk, method.particles, method.steps, method.survivors, method.floor, seed)


def _put(found: BallRisks, rows: NDArray[np.int64], arrived: FinishedBalls, method: MultilevelSplitting) -> None:
    counted, records = arrived.how == COUNTED, arrived.records
    with np.errstate(divide="ignore"):
        count = np.log(records.failures / method.particles)
    found.log_risk[rows] = np.where(counted, count, records.log_risk)
    found.log_sd[rows] = np.where(counted, 0.0, np.sqrt(records.variance))
    found.how[rows] = arrived.how
    found.failures[rows] = records.failures
    found.trials[rows] = method.particles
    found.calls[rows] = records.calls


@dataclass(frozen=True, eq=False)
class Climb:
    """How particles start, which survive a level, and how their copies part."""

    walk: Walk
    particles: int
    steps: int
    survivors: int
    floor: float
    seed: int

    @property
    def arrays(self) -> Arrays:
        """Where the particles are."""
        return self.walk.margins.arrays

    @property
    def block(self) -> int:
        """Levels in a block: lines of descent die out, faster the fewer survive a level."""
        share = self.survivors / self.particles
        return max(1, int(self.particles * share / (1 - share) / FEWEST_FOUNDERS))

    def arrivals(self, balls: NDArray[np.int64], at_once: int) -> Iterator[FinishedBalls]:
        """Balls as they are done: those leave the batch, and waiting ones enter."""
        particles, records = self._start(balls[:at_once])
        waiting = balls[at_once:]
        while len(particles.balls) or waiting.size:
            room = at_once - len(particles.balls)
            if room and waiting.size:
                particles, records = _joined((particles, records), self._start(waiting[:room]), self.arrays)
                waiting = waiting[room:]
            cut = self._cut(particles.margins)
            records, done, how = self._recorded(records, cut)
            if done.any():
                gone = np.flatnonzero(done)
                yield FinishedBalls(*_rows(particles, records, gone, self.arrays), how[gone])
                left = np.flatnonzero(~done)
                particles, records = _rows(particles, records, left, self.arrays)
                cut = _rows_of(cut, left, self.arrays)
            if len(particles.balls):
                records = self._parted(particles, records, cut)

    def _start(self, balls: NDArray[np.int64]) -> tuple[Particles, Records]:
        streams = streams_of(self.walk.margins, self.seed, balls)
        particles = self.walk.start(balls, streams, self.particles)
        return particles, Records.of(len(balls), self.particles, self.arrays)

    def _cut(self, margins: Array) -> Cut:
        arrays, host = self.arrays, self.arrays.host
        failing = margins >= 0
        failures = host(failing.sum(1))
        done = failures > self.survivors
        levels = arrays.ordered(margins)[:, self.particles - self.survivors - 1]
        survives = margins > levels[:, None]
        if not host(survives.any(1)).all():
            levels = self._below_the_best(margins, levels)
            survives = margins > levels[:, None]
        survives = arrays.xp.where(arrays.flags(done)[:, None], failing, survives)
        count = host(survives.sum(1))
        stuck = ~done & ((count == 0) | (count == self.particles))
        return Cut(levels, survives, count, failures, done | stuck, stuck)

    def _below_the_best(self, margins: Array, levels: Array) -> Array:
        """Where more than should survive share the best margin, the best below it."""
        xp = self.arrays.xp
        best = self.arrays.ordered(margins)[:, -1:]
        below = self.arrays.ordered(xp.where(margins < best, margins, -xp.inf))[:, -1]
        return xp.where(levels < best[:, 0], levels, below)

    def _recorded(self, records: Records, cut: Cut) -> tuple[Records, NDArray[np.bool_], NDArray[np.uint8]]:
        share = np.where(cut.stuck, self.particles, cut.count) / self.particles
        log_risk = records.log_risk + np.log(share)
        below = ~cut.done & (log_risk < self.floor)
        done = cut.done | below
        levels = records.levels + 1
        block_ends = done | (levels % self.block == 0)
        variance = records.variance + np.where(block_ends, self._block_variance(records, cut, levels), 0.0)
        first = records.levels == 0
        failures = np.where(first, cut.failures, records.failures)
        # On a plateau nothing tells where failures are, but the first particles were uniform.
        counted = cut.stuck | (first & cut.done)
        how = np.where(counted, COUNTED, np.where(below, BELOW, SPLIT)).astype(np.uint8)
        founders = records.founders
        if block_ends.any():
            fresh = Records.of(1, self.particles, self.arrays).founders
            founders = self.arrays.xp.where(self.arrays.flags(block_ends)[:, None], fresh, founders)
        changed = {"log_risk": log_risk, "variance": variance, "levels": levels, "failures": failures}
        return replace(records, **changed, founders=founders), done, how

    def _block_variance(self, records: Records, cut: Cut, levels: NDArray[np.int64]) -> NDArray[np.float64]:
        """Relative variance of a block's product, by lines of descent (Lee and Whiteley 2018)."""
        tally = self.arrays.tallied(records.founders, cut.survives)
        n, count = self.particles, np.maximum(self.arrays.host(tally.sum(1)), 1)
        together = self.arrays.host((self.arrays.of(tally) ** 2).sum(1)) / count**2
        passed = (levels - 1) % self.block + 1
        return np.maximum(1 - (n / (n - 1)) ** passed * (1 - together), 0.0)

    def _parted(self, particles: Particles, records: Records, cut: Cut) -> Records:
        """Copies of the survivors in the places of the others, moved apart."""
        arrays, xp = self.arrays, self.arrays.xp
        count = arrays.whole(cut.count)[:, None]
        turn = xp.floor(arrays.uniforms(particles.streams, 1) * count)
        places = (arrays.whole(np.arange(self.particles))[None, :] + arrays.whole(turn)) % count
        parents = arrays.picked(arrays.survivors_first(cut.survives), places)
        particles.positions = arrays.picked(particles.positions, parents)
        particles.margins = arrays.picked(particles.margins, parents)
        founders = arrays.picked(records.founders, parents)
        calls = self.walk.move(particles, cut.levels, self.steps)
        particles.turns = particles.turns + 1
        return replace(records, founders=founders, calls=records.calls + calls)


@dataclass(frozen=True, eq=False)
class Records:
    """What each ball has come to so far; a row each."""

    log_risk: NDArray[np.float64]
    variance: NDArray[np.float64]
    levels: NDArray[np.int64]
    calls: NDArray[np.int64]
    failures: NDArray[np.int64]
    """Among the first particles, which are uniform."""
    founders: Array
    """Which particle each one descends from, of those at the start of the block of levels."""

    @classmethod
    def of(cls, count: int, particles: int, arrays: Arrays) -> Records:
        """Of balls with fresh particles."""
        founders = arrays.whole(np.tile(np.arange(particles), (count, 1)))
        none = np.zeros(count, np.int64)
        return cls(np.zeros(count), np.zeros(count), none, np.full(count, particles), none, founders)


@dataclass(frozen=True, eq=False)
class FinishedBalls:
    """Balls that are done, with what was found and their last particles, failing ones among them."""

    particles: Particles
    records: Records
    how: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Cut:
    """Where the next level of each ball is, and who is above it."""

    levels: Array
    survives: Array
    count: NDArray[np.int64]
    """How many are above: failures where the ball is done."""
    failures: NDArray[np.int64]
    done: NDArray[np.bool_]
    stuck: NDArray[np.bool_]
    """All particles are equally near to failing, so nothing says where to go."""


def _rows(particles: Particles, records: Records, rows: NDArray[np.int64], arrays: Arrays) -> tuple[Particles, Records]:
    return _rows_of(particles, rows, arrays), _rows_of(records, rows, arrays)


def _rows_of(table: Any, rows: NDArray[np.int64], arrays: Arrays) -> Any:
    """Some rows of every column, wherever the columns live."""
    there = arrays.whole(rows)

    def of(column: Any) -> Any:
        if isinstance(column, list):
            return [column[row] for row in rows]
        return column[rows if isinstance(column, np.ndarray) else there]

    return type(table)(*(of(getattr(table, field.name)) for field in fields(table)))


def _joined(first: tuple[Any, ...], second: tuple[Any, ...], arrays: Arrays) -> tuple[Any, ...]:
    return tuple(_joined_rows(a, b, arrays) for a, b in zip(first, second, strict=True))


def _joined_rows(first: Any, second: Any, arrays: Arrays) -> Any:
    def both(a: Any, b: Any) -> Any:
        if isinstance(a, list):
            return a + b
        return np.concatenate([a, b]) if isinstance(a, np.ndarray) else arrays.xp.cat([a, b])

    return type(first)(*(both(getattr(first, f.name), getattr(second, f.name)) for f in fields(first)))


# Inputs that fail, near to data points: what stands behind a risk, to be looked at.

SEARCH = MultilevelSplitting(particles=200, steps=20)


@validate.arguments
def failing_neighbours(problem: BallProblem, balls: NDArray[np.int64], *, seed: int) -> FloatArray:
    """The failing input nearest to the centre that was met in each ball.

    A splitting of its own looks for them, so that failures too rare to be met by chance are shown too.

    Parameters
    ----------
    problem
        A model and balls, such as ``BallReliability.problem``.
    balls
        Numbers of the balls to look into.
    seed
        Of the random numbers.

    Returns
    -------
    ndarray
        One row of features for each ball; NaN where no failure was met.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> def scores(inputs):
    ...     return np.column_stack([1 - inputs.sum(axis=1), inputs.sum(axis=1) - 1])
    >>> problem = sf.reliability.BallProblem(
    ...     sf.adapters.as_model(scores), sf.reliability.Balls(np.array([[0.5, 0.52], [0.46, 0.45]]), 0.05, (2,)),
    ...     np.array([1, 0]), ~np.eye(2, dtype=bool))
    >>> found = sf.reliability.failing_neighbours(problem, np.array([0]), seed=0)
    >>> scores(found).argmax(axis=1), bool(np.abs(found - problem.balls.centres[:1]).max() <= 0.05)
    (array([0]), True)

    """
    balls, places = np.unique(np.asarray(balls, np.int64), return_inverse=True)
    at_once = sizes_for(problem).at_once(SEARCH.particles)
    return halved_on_memory_error(lambda size: _met(problem, balls, size, seed), at_once)[places]


def _met(problem: BallProblem, balls: NDArray[np.int64], at_once: int, seed: int) -> FloatArray:
    margins = best_margins(problem)
    found = np.full((len(balls), problem.balls.width), np.nan)
    rows = {int(ball): row for row, ball in enumerate(balls)}
    climb = climb_of(SEARCH, margins, seed)
    with margins.prepared():
        for arrived in climb.arrivals(balls, at_once):
            points = margins.arrays.host(arrived.particles.positions)
            fails = margins.arrays.host(arrived.particles.margins) >= 0
            for ball, inside, failing in zip(arrived.particles.balls, points, fails, strict=True):
                if failing.any():
                    met = problem.balls.inputs_at(int(ball), inside[failing]).reshape(int(failing.sum()), -1)
                    far = np.abs(met - problem.balls.centres[ball]).mean(axis=1)
                    found[rows[int(ball)]] = met[far.argmin()]
    return found


# Balls handed to an executor in batches, each as large as memory allows.

IN_MEMORY = 8
"""Balls in a batch that a process works on: what a lost worker costs."""
ON_DEVICE = 2048
CACHED_VALUES = 1 << 22
"""Features of all particles that are worked on at once in memory."""
DEVICE_SHARE = 0.5
BYTES_A_VALUE = 24


@dataclass(frozen=True)
class Sizes:
    """How many values of particles fit at once."""

    values: int
    dimensions: int

    def at_once(self, particles: int) -> int:
        """Balls that are worked on at once."""
        return max(1, self.values // (particles * self.dimensions))


class Work(Protocol):
    """Finds the risk in all balls of a problem."""

    def __call__(self, problem: BallProblem, sizes: Sizes) -> BallRisks: ...


def in_batches(
    work: Work,
    problem: BallProblem,
    chosen: NDArray[np.int64],
    *,
    executor: Executor,
    seed: int,
    progress: Progress | None,
) -> BallRisks:
    """Risk in the chosen balls; one in which no answer is undesired is safe without a look."""
    chosen, places = np.unique(np.asarray(chosen, np.int64), return_inverse=True)
    open_rows = np.flatnonzero(problem.undesired[problem.labels[chosen]].any(axis=1))
    size = IN_MEMORY if _device(problem) is None else ON_DEVICE
    batches = [problem.part(chosen[open_rows[i : i + size]]) for i in range(0, len(open_rows), size)]
    told = progress and partial(_told, progress, size, len(chosen))
    found = BallRisks.empty(len(chosen))
    parts = executor.map(partial(_worked, work=work, shell=problem.shell()), batches, seed=seed, progress=told)
    if parts:
        found.put(open_rows, BallRisks.joined(parts))
    return found.take(places)


def _told(progress: Progress, size: int, count: int, done: int, _total: int) -> None:
    progress(min(done * size, count), count)


def _worked(part: BallPart, _rng: np.random.Generator, *, work: Work, shell: BallProblem) -> BallRisks:
    """The balls have random numbers of their own."""
    problem = shell.of(part)
    most = sizes_for(problem)
    return halved_on_memory_error(lambda values: work(problem, replace(most, values=values)), most.values)


def sizes_for(problem: BallProblem) -> Sizes:
    """What fits where the model is."""
    device, dimensions = _device(problem), problem.balls.width
    if device is None:
        return Sizes(CACHED_VALUES, dimensions)
    import torch

    free, _ = torch.cuda.mem_get_info(device)
    return Sizes(max(1, int(DEVICE_SHARE * free / BYTES_A_VALUE)), dimensions)


def _device(problem: BallProblem) -> Any:
    """The GPU that holds the model, if one does."""
    module = torch_module(problem.model)
    weight = None if module is None else next(module.parameters()).device
    return weight if weight is not None and weight.type == "cuda" else None
