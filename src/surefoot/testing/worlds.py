"""Ready worlds in which the assumptions of RAM hold or one is broken, and worlds: a profile, true labels, a model.

A ``World`` draws labelled sets and operation, trains a cheap model and integrates its failures over the profile,
without any of the code that it is meant to check. ``sound_worlds`` keep the assumptions of paper RAM (000);
each of ``broken_worlds`` breaks one. May import any domain package; imports ``core``, numpy, scipy and scikit-learn.

The failures of a model are integrated over the profile by columns: Gauss-Legendre across, closed form along the last
feature, in pieces between the places where the model changes its answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.testing.boundaries import IN_GAP, Boundary, Profile, Ring, Wave

__all__ = [
    "Boundary",
    "Forest",
    "KnownSet",
    "Learner",
    "Profile",
    "Ring",
    "Shifted",
    "Tree",
    "Wave",
    "World",
    "broken_worlds",
    "dense_set",
    "sound_worlds",
    "sparse_set",
    "world_named",
]


SIDE = 0.05
SKEW, BALANCE = (0.1, 0.9), (0.5, 0.5)
HELD_OUT = 0.2
_TWO_HILLS = Profile(((0.35, 0.4), (0.7, 0.6)), ((0.25, 0.2), (0.2, 0.25)), (0.6, 0.4))


def sound_worlds() -> tuple[World, ...]:
    """Worlds with a gap wider than a cell, one class a cell, and sets drawn independently from operation.

    Returns
    -------
    tuple of World
        Those in which the assumptions of paper RAM can hold.

    Examples
    --------
    >>> import surefoot as sf
    >>> [world.name for world in sf.testing.sound_worlds()][:3]
    ['line', 'flat', 'wave']

    """
    return (_line(), _flat(), _wave(), _ring(), _skewed(), _bands(), _surface())


def broken_worlds() -> tuple[World, ...]:
    """Worlds that differ from a sound one in one assumption, which ``breaks`` names.

    Returns
    -------
    tuple of World
        One for each assumption.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.broken_worlds()[1].breaks
    'one label a cell'

    """
    wave, flat, skewed = _wave(), _flat(), _skewed()
    return (
        replace(wave, name="no gap", boundary=replace(wave.boundary, width=0.0), breaks="separation of the classes"),
        replace(wave, name="label noise", noise=0.02, breaks="one label a cell"),
        replace(skewed, name="balanced training", collected=BALANCE, breaks="labelled set drawn from operation"),
        replace(
            skewed,
            name="balanced tests",
            collected=BALANCE,
            tested=BALANCE,
            breaks="labelled and held-out sets drawn from operation",
        ),
        replace(
            flat,
            name="piled cells",
            profile=replace(flat.profile, pile=8.0, period=SIDE),
            breaks="inputs spread evenly inside a cell",
        ),
        replace(
            wave,
            name="bad region",
            bad_region=((0.8, 0.95), (0.1, 0.25)),
            breaks="model better than chance in cells that nobody labelled",
        ),
        replace(wave, name="copied rows", copies=5, breaks="rows independent of one another"),
    )


def world_named(name: str) -> World:
    """The ready world of a name.

    Parameters
    ----------
    name
        Of a sound or a broken one.

    Returns
    -------
    World
        What draws labelled sets and operation.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.world_named("wave").dimensions
    2

    """
    known = {world.name: world for world in (*sound_worlds(), *broken_worlds())}
    return known[validate.choice(name, known, where="worlds", name="world")]


@dataclass(frozen=True, eq=False)
class KnownSet:
    """Rows drawn from operation, and a forest trained on those that are not ``held_out``.

    See Also
    --------
    sparse_set, dense_set

    """

    world: World
    inputs: FloatArray
    labels: NDArray[np.int64]
    held_out: NDArray[np.bool_]
    """Rows that the model did not see: the last fifth."""
    model: Any

    @property
    def test_error(self) -> float:
        """Share of held-out rows that the model gets wrong."""
        rows = self.held_out
        return float((self.model.predict(self.inputs[rows]) != self.labels[rows]).mean())

    @cached_property
    def pmi(self) -> float:
        """True probability of misclassification per input, within 1e-6: from split to split, by quadrature."""
        return self.world.true_pmi(self.model)


def sparse_set(*, seed: int = 0) -> KnownSet:
    """1,000 points spread almost evenly, for 250 x 250 cells of side 0.004; a forest of 10 trees errs on 8%.

    It is made in the spirit of DS-1 of paper RAM, with the truth that that one lacks.

    Parameters
    ----------
    seed
        Of the points.

    Returns
    -------
    KnownSet
        Rows, model and the true probability of misclassification.

    See Also
    --------
    world_named

    """
    boundary = Wave(
        width=0.02, features=2, levels=(0.25, 0.5, 0.75), band_classes=(0, 1, 0, 1), amplitude=0.12, frequency=3
    )
    profile = Profile(((0.5, 0.5),), ((1.0, 1.0),), (1.0,))
    return _drawn(World("sparse", boundary, profile, Forest(trees=10), 0.004), 1_000, seed)


def dense_set(*, seed: int = 0) -> KnownSet:
    """50,000 points in three hills, for 500 x 500 cells of side 0.002; a forest of 5 trees errs on 0.7%.

    It is made in the spirit of DS-2 of paper RAM, with the truth that that one lacks.

    Parameters
    ----------
    seed
        Of the points.

    Returns
    -------
    KnownSet
        Rows, model and the true probability of misclassification.

    See Also
    --------
    sparse_set

    """
    boundary = Wave(
        width=0.01, features=2, levels=(0.25, 0.5, 0.75), band_classes=(0, 1, 0, 1), amplitude=0.12, frequency=4
    )
    centres = ((0.3, 0.35), (0.65, 0.7), (0.75, 0.25))
    scales = ((0.15, 0.15), (0.15, 0.12), (0.1, 0.15))
    profile = Profile(centres, scales, (0.4, 0.35, 0.25))
    return _drawn(World("dense", boundary, profile, Forest(trees=5), 0.002), 50_000, seed)


def _line() -> World:
    boundary = Wave(width=0.06, features=1, levels=(0.3, 0.65), band_classes=(0, 1, 0))
    profile = Profile(((0.3,), (0.7,)), ((0.2,), (0.15,)), (0.5, 0.5))
    return World("line", boundary, profile, Shifted(boundary, 0.04), SIDE)


def _flat() -> World:
    """The walls of the gap are edges of cells, and the model errs in the lowest fifth of the cells above it."""
    boundary = Wave(width=0.1, features=2, levels=(0.5,), band_classes=(0, 1))
    profile = Profile(((0.5, 0.5),), ((0.5, 0.5),), (1.0,))
    return World("flat", boundary, profile, Shifted(boundary, 0.06), SIDE)


def _wave() -> World:
    boundary = Wave(width=0.11, features=2, levels=(0.5,), band_classes=(0, 1), amplitude=0.15)
    return World("wave", boundary, _TWO_HILLS, Tree(6), SIDE)


def _skewed() -> World:
    """The model errs more in the disc, where nearly all of operation is."""
    return World("skewed ring", Ring(width=0.085, radius=0.36), _TWO_HILLS, Tree(5), SIDE, shares=SKEW)


def _ring() -> World:
    return World("ring", Ring(width=0.085, radius=0.3), _TWO_HILLS, Tree(8), SIDE)


def _bands() -> World:
    boundary = Wave(width=0.08, features=2, levels=(0.33, 0.67), band_classes=(0, 1, 2), amplitude=0.06)
    return World("bands", boundary, _TWO_HILLS, Tree(8), SIDE)


def _surface() -> World:
    boundary = Wave(width=0.3, features=3, levels=(0.5,), band_classes=(0, 1), amplitude=0.1)
    profile = Profile(((0.35, 0.4, 0.4), (0.7, 0.6, 0.6)), ((0.3, 0.3, 0.25), (0.25, 0.3, 0.3)), (0.6, 0.4))
    return World("surface", boundary, profile, Tree(4), 0.125)


def _drawn(world: World, n: int, seed: int) -> KnownSet:
    inputs, labels = world.sample(np.random.default_rng(seed), n)
    held_out = np.arange(n) >= n - round(HELD_OUT * n)
    return KnownSet(world, inputs, labels, held_out, world.fit(inputs[~held_out], labels[~held_out]))


Decide = Callable[[FloatArray], NDArray[np.int64]]
BATCH = 1 << 18
SCAN = 257
HALVINGS = 36
BLOCK = 1 << 16
PANELS = (1, 1, 64, 24)
"""Fewest panels a feature, by number of features."""
NODES = (1, 1, 8, 4)
SPOILT_POINTS = 15
"""Wrongly labelled training points along each side of the bad region."""
Labelled = tuple[FloatArray, NDArray[np.int64]]
Box = tuple[tuple[float, float], ...]
Shares = tuple[float, ...]


@runtime_checkable
class Learner(Protocol):
    """Makes a model with ``predict`` from labelled data; the same model from the same data."""

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The trained model."""
        ...


@dataclass(frozen=True)
class Tree:
    """A decision tree with so few leaves that its boundary crosses the classes."""

    leaves: int

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The trained tree."""
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_leaf_nodes=self.leaves, random_state=0).fit(inputs, labels)


@dataclass(frozen=True)
class Forest:
    """A random forest of fully grown trees."""

    trees: int = 10
    seed: int = 0

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The trained forest."""
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(self.trees, random_state=self.seed).fit(inputs, labels)


@dataclass(frozen=True)
class Shifted:
    """Knows the true boundary, but ``by`` too high along the last feature; learner and model in one."""

    boundary: Boundary
    by: float

    @property
    def classes_(self) -> NDArray[np.int64]:
        """Class numbers."""
        return np.arange(self.boundary.classes)

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Shifted:
        """Itself: there is nothing to learn."""
        return self

    def predict(self, inputs: FloatArray) -> NDArray[np.int64]:
        """Class on the wrong side of the strip between the true and the moved boundary, the true one elsewhere."""
        moved = np.array(inputs, dtype=float)
        moved[:, -1] -= self.by
        return self.boundary.label(moved)


@dataclass(frozen=True)
class World:
    """Inputs on the unit cube that follow a profile outside the gaps of a boundary.

    The fields after ``side`` break one assumption each; all are off unless given.

    Parameters
    ----------
    name
        What it is called.
    boundary, profile
        Classes, and operation.
    learner
        Makes a model from labelled data.
    side
        Of the cells.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> world = sf.testing.world_named("wave")
    >>> model = world.train(np.random.default_rng(0), 500)
    >>> 0 < world.true_pmi(model) < 0.2
    True

    """

    name: str
    boundary: Boundary
    profile: Profile
    learner: Learner
    side: float
    """A cell side that divides 1, below the gap where there is one."""
    shares: Shares | None = None
    """Share of each class in operation; what the profile gives where None."""
    collected: Shares | None = None
    """Share of each class in the labelled set, where it was not drawn from operation."""
    tested: Shares | None = None
    """The same for the held-out set."""
    noise: float = 0.0
    """Share of labels, of every set, that are another class drawn at random."""
    bad_region: Box | None = None
    """A region that the labelled set misses and that the model learnt with wrong labels."""
    copies: int = 1
    """How often each row of a set is there, one after the other."""
    breaks: str = ""
    """Which assumption does not hold, in words; empty where all can hold."""

    def __post_init__(self) -> None:
        if self.boundary.dimensions != self.profile.dimensions or self.profile.dimensions >= len(PANELS):
            raise InvalidInput("boundary and profile need the same 1 to 3 features", where=self.name)
        for shares in (self.shares, self.collected, self.tested):
            if shares is not None and (len(shares) != self.classes or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9):
                raise InvalidInput("shares of the classes are above 0 and sum to 1", where=self.name, found=shares)
        validate.probability(self.noise, where=self.name, name="noise")
        validate.count(self.copies, where=self.name, name="copies", at_least=1)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return self.profile.dimensions

    @property
    def domain(self) -> Box:
        """The unit cube."""
        return ((0.0, 1.0),) * self.dimensions

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.boundary.classes

    @property
    def gap(self) -> float:
        """Smallest L-infinity distance between inputs that can bear different labels; 0 with label noise."""
        return 0.0 if self.noise else self.boundary.gap

    def sample(self, rng: np.random.Generator, n: int) -> Labelled:
        """``n`` inputs from operation and their labels."""
        return self._set(rng, n, self.shares)

    def collect(self, rng: np.random.Generator, n: int) -> Labelled:
        """The labelled set that the model is trained on and that labels the cells."""
        return self._set(rng, n, self.collected or self.shares, missed=self.bad_region)

    def held_out(self, rng: np.random.Generator, n: int) -> Labelled:
        """A labelled set that nobody else looks at."""
        return self._set(rng, n, self.tested or self.shares)

    def label(self, inputs: FloatArray) -> NDArray[np.int64]:
        """True class, before any noise; inside a gap that of the nearer side."""
        return self.boundary.label(inputs)

    def density(self, inputs: FloatArray) -> FloatArray:
        """Density of operation; 0 in the gaps."""
        factor = np.append(self._factors(self.shares), 0.0)
        return self.profile.density(inputs) * factor[self.boundary.region(inputs)]

    def fit(self, inputs: FloatArray, labels: NDArray[np.int64]) -> Any:
        """The model that comes of a labelled set."""
        spoilt = self._spoilt()
        return self.learner.fit(np.vstack([inputs, spoilt[0]]), np.concatenate([labels, spoilt[1]]))

    def train(self, rng: np.random.Generator, n: int) -> Any:
        """A model trained on ``n`` collected rows."""
        return self.fit(*self.collect(rng, n))

    def true_pmi(self, model: Any, *, nodes: int | None = None) -> float:
        """Probability that the model's answer to an input from operation differs from the label that is observed.

        Along the last feature masses are closed forms; across, ``nodes`` Gauss-Legendre nodes a panel. Trees and
        forests of scikit-learn are followed from split to split: within 2e-6 with two features, 2e-5 with three, less
        with more nodes. Of any other model, an estimator or a function from inputs to class numbers, changes of
        answer are searched for along each column: as good where its boundary is smooth, within 1e-3 where it jumps.
        """
        breaks = thresholds(model, self.dimensions)
        columns = self._columns(breaks, nodes or NODES[self.dimensions])
        decide = decision(model)
        pieces = searched(decide, columns) if breaks is None else stepwise(decide, columns, breaks[-1])
        labels = self.boundary.band_labels
        masses = band_masses(self.boundary, self.profile, columns, pieces) * self._factors(self.shares)[labels]
        wrong = float(masses[pieces.answer[:, None] != labels].sum())
        return (1 - self.noise) * wrong + self.noise * (1 - wrong / (self.classes - 1))

    def _set(self, rng: np.random.Generator, n: int, shares: Shares | None, *, missed: Box | None = None) -> Labelled:
        inputs = self._inputs(rng, math.ceil(n / self.copies), shares, missed)
        labels = self._noisy(rng, self.label(inputs))
        if self.copies == 1:
            return inputs, labels
        return np.repeat(inputs, self.copies, axis=0)[:n], np.repeat(labels, self.copies)[:n]

    def _inputs(self, rng: np.random.Generator, n: int, shares: Shares | None, missed: Box | None) -> FloatArray:
        """Draws of the profile, those in a gap left out and the classes thinned to their shares."""
        factor = self._factors(shares)
        keep = np.append(factor / factor.max(), 0.0)
        parts, lacking = [np.empty((0, self.dimensions))], n
        while lacking > 0:
            points = self.profile.draw(rng, math.ceil(1.05 * lacking * factor.max()) + 20)
            region = self.boundary.region(points)
            kept = region != IN_GAP if shares is None else rng.random(len(points)) < keep[region]
            if missed is not None:
                kept &= ~inside(points, missed)
            parts.append(points[kept][:lacking])
            lacking -= len(parts[-1])
        return np.concatenate(parts)

    def _noisy(self, rng: np.random.Generator, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self.noise:
            return labels
        moves = rng.integers(1, self.classes, len(labels)) * (rng.random(len(labels)) < self.noise)
        return (labels + moves) % self.classes

    def _spoilt(self) -> Labelled:
        """Training points all over the bad region, each with a wrong label."""
        if self.bad_region is None:
            return np.empty((0, self.dimensions)), np.empty(0, np.int64)
        axes = [np.linspace(low, high, SPOILT_POINTS) for low, high in self.bad_region]
        points = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)
        return points, (self.label(points) + 1) % self.classes

    def _factors(self, shares: Shares | None) -> FloatArray:
        """By how much the density of operation exceeds that of the profile in each class."""
        if shares is None:
            return np.full(self.classes, 1 / self._masses.sum())
        return np.array(shares) / self._masses

    @cached_property
    def _masses(self) -> FloatArray:
        """Mass of each class under the profile."""
        columns = self._columns(None, 2 * NODES[self.dimensions])
        bands = band_masses(self.boundary, self.profile, columns, Pieces.whole(columns)).sum(axis=0)
        return np.array([bands[self.boundary.band_labels == number].sum() for number in range(self.classes)])

    def _columns(self, breaks: list[FloatArray] | None, nodes: int) -> Columns:
        panels = np.linspace(0.0, 1.0, PANELS[self.dimensions] + 1)
        more = breaks or [np.empty(0)] * self.dimensions
        edges = [np.unique([*panels, *kinks, *own]) for kinks, own in zip(self.boundary.kinks, more, strict=False)]
        return columns_of(edges, nodes)


def inside(points: FloatArray, box: Box) -> NDArray[np.bool_]:
    """Which points lie in a box."""
    low, high = np.array(box).T
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def decision(model: Any) -> Decide:
    """What the model answers: its ``predict`` where it has one, the model itself otherwise."""
    return getattr(model, "predict", model)


def thresholds(model: Any, dimensions: int) -> list[FloatArray] | None:
    """For each feature, 0, 1 and all places between at which a tree of scikit-learn or a forest of them splits.

    None where the model is something else. Trees look at inputs in single precision, so a split lies within 6e-8 of
    where it is said to be.
    """
    parts = [model] if hasattr(model, "tree_") else list(np.ravel(getattr(model, "estimators_", [])))
    if not parts or not all(hasattr(part, "tree_") for part in parts):
        return None
    feature = np.concatenate([part.tree_.feature for part in parts])
    place = np.concatenate([part.tree_.threshold for part in parts])
    inside = (place > 0) & (place < 1)
    return [np.unique([0.0, 1.0, *place[inside & (feature == axis)]]) for axis in range(dimensions)]


def stepwise(decide: Decide, columns: Columns, edges: FloatArray) -> Pieces:
    """Pieces of a model whose answer is constant in each panel between each two edges."""
    middles = (edges[1:] + edges[:-1]) / 2
    answers = _everywhere(decide, columns.centres, middles)[columns.panel]
    begins = np.ones(answers.shape, bool)
    begins[:, 1:] = answers[:, 1:] != answers[:, :-1]
    column, start = np.nonzero(begins)
    low = edges[start]
    return Pieces(column, low, _ends(column, low), answers[column, start])


def searched(decide: Decide, columns: Columns) -> Pieces:
    """Pieces of any model: changes between ``SCAN`` points a column, each found by halving.

    A piece between two neighbouring points that both answer otherwise is missed.
    """
    heights = np.linspace(0.0, 1.0, SCAN)
    answers = _everywhere(decide, columns.places, heights)
    column, before = np.nonzero(answers[:, 1:] != answers[:, :-1])
    low, high = heights[before], heights[before + 1]
    places, first = columns.places[column], answers[column, before]
    for _ in range(HALVINGS if len(column) else 0):
        middle = (low + high) / 2
        same = decide(np.column_stack([places, middle])) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    every = np.arange(len(answers))
    column = np.concatenate([every, column])
    start = np.concatenate([np.zeros(len(every)), high])
    answer = np.concatenate([answers[:, 0], answers[column[len(every) :], before + 1]])
    order = np.lexsort((start, column))
    return Pieces(column[order], start[order], _ends(column[order], start[order]), answer[order])


def _everywhere(decide: Decide, places: FloatArray, heights: FloatArray) -> NDArray[np.int64]:
    """Answers above all places at all heights, one row a place."""
    rows = max(1, BATCH // len(heights))
    blocks = [places[start : start + rows] for start in range(0, len(places), rows)]
    return np.concatenate([_block(decide, block, heights) for block in blocks])


def _block(decide: Decide, places: FloatArray, heights: FloatArray) -> NDArray[np.int64]:
    points = np.column_stack([np.repeat(places, len(heights), axis=0), np.tile(heights, len(places))])
    return np.asarray(decide(points)).reshape(len(places), len(heights))


def _ends(column: NDArray[np.int64], low: FloatArray) -> FloatArray:
    """A piece ends where the next one of its column begins, the last one at 1."""
    ends = np.ones(len(low))
    same = column[1:] == column[:-1]
    ends[:-1][same] = low[1:][same]
    return ends


@dataclass(frozen=True, eq=False)
class Columns:
    """Quadrature nodes in all features but the last, and the panel that each lies in."""

    places: FloatArray
    weights: FloatArray
    panel: NDArray[np.int64]
    centres: FloatArray
    """Middle of each panel."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Stretches of columns with one answer each."""

    column: NDArray[np.int64]
    low: FloatArray
    high: FloatArray
    answer: NDArray[np.int64]

    @classmethod
    def whole(cls, columns: Columns) -> Pieces:
        """Each column in one piece."""
        number = np.arange(len(columns.places))
        return cls(number, np.zeros(len(number)), np.ones(len(number)), np.zeros_like(number))


def columns_of(edges: Sequence[FloatArray], nodes: int) -> Columns:
    """``nodes`` columns in each panel between the edges, for each feature but the last.

    A panel is mapped by a sine before Gauss and Legendre's rule is used, which makes integrands smooth that begin or
    end like a square root (Davis & Rabinowitz, Methods of Numerical Integration, 1984, section 2.12).
    """
    at, weight = np.polynomial.legendre.leggauss(nodes)
    place, share = np.sin(np.pi * at / 2), weight * np.cos(np.pi * at / 2) * np.pi / 4
    sides = [np.diff(e) for e in edges]
    middles = [(e[1:] + e[:-1]) / 2 for e in edges]
    places = [(m[:, None] + s[:, None] * place / 2).ravel() for m, s in zip(middles, sides, strict=True)]
    weights = [np.outer(s, share).ravel() for s in sides]
    numbers = [np.repeat(np.arange(len(s)), nodes) for s in sides]
    return Columns(
        places=_product(places),
        weights=_product(weights).prod(axis=1),
        panel=_number(_product(numbers).astype(np.int64), [len(s) for s in sides]),
        centres=_product(middles),
    )


def band_masses(boundary: Boundary, profile: Profile, columns: Columns, pieces: Pieces) -> FloatArray:
    """Integral of the profile over each band within each piece: one row a piece, one column a band."""
    low, high = boundary.bands(columns.places)
    across = profile.across(columns.places) * columns.weights[:, None]
    found = np.empty((len(pieces.column), low.shape[1]))
    for start in range(0, len(found), BLOCK):
        part = slice(start, start + BLOCK)
        column = pieces.column[part]
        bottom = np.maximum(low[column], pieces.low[part, None])
        top = np.maximum(np.minimum(high[column], pieces.high[part, None]), bottom)
        found[part] = ((profile.along(top) - profile.along(bottom)) * across[column, None, :]).sum(axis=2)
    return found


def _product(arrays: Sequence[NDArray[np.generic]]) -> FloatArray:
    """All combinations, one a row."""
    if not arrays:
        return np.empty((1, 0))
    return np.stack([axis.ravel() for axis in np.meshgrid(*arrays, indexing="ij")], axis=1)


def _number(places: NDArray[np.int64], shape: Sequence[int]) -> NDArray[np.int64]:
    return np.asarray(np.ravel_multi_index(tuple(places.T), tuple(shape)) if shape else np.zeros(1, np.int64))
