"""Moves stay in the ball, and leave points that are uniform above a level uniform there."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, kstest
from tests.reliability.balls.ball_problems import network, problem_of

from surefoot.reliability.rare_events.margins import best_margins
from surefoot.reliability.rare_events.walks import (
    InformedWalk,
    ReflectedWalk,
    box_of,
    direction,
    exchanged,
    folded,
    pairs,
    scattered,
    shares,
    streams_of,
    uniform_particles,
)

WALKS = [InformedWalk, ReflectedWalk]
PRECISIONS = [np.float64, torch.float32]
SLOPES = [0.0, 1.0, -1.0, 1e-3, 1e-30, -1e-30, 1e30, 1e-45, 3.0]
on_face = st.sampled_from([0.0, 1.0, 1e-45, 5e-8, 1 - 2**-24])
places = st.one_of(st.floats(0, 1, width=32), on_face)
slopes = st.one_of(st.floats(-2, 2, width=32), st.sampled_from(SLOPES))
moves = st.one_of(st.floats(-1, 1, width=32), st.sampled_from([-1.0, 0.0, 1.0]))
widths = st.one_of(st.floats(0, 1, width=32), st.sampled_from([0.0, 1e-30, 1e-9, 1e-7, 6e-8]))


def numbers(precision, *values):
    """Arrays of a precision, and the module that works on them."""
    if isinstance(precision, torch.dtype):
        return *(torch.tensor([value], dtype=precision) for value in values), torch
    return *(np.array([value], precision) for value in values), np


def spacing(precision):
    return float(torch.finfo(precision).eps if isinstance(precision, torch.dtype) else np.finfo(precision).eps)


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@given(places, places, slopes, slopes, moves)
def test_an_exchange_stays_in_the_square_at_the_same_margin(precision, x, y, a, b, step):
    x, y, a, b, step, xp = numbers(precision, x, y, a, b, step)
    u, v = (float(value[0]) for value in exchanged(x, y, *direction(a, b, xp), step, xp))
    assert 0 <= u <= 1
    assert 0 <= v <= 1
    x, y, a, b = (float(value[0]) for value in (x, y, a, b))
    assert a * u + b * v == pytest.approx(a * x + b * y, rel=0, abs=8 * spacing(precision) * max(abs(a), abs(b)))


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@given(places, places, slopes, slopes, moves)
def test_an_exchange_can_be_undone_by_a_step_of_the_same_length(precision, x, y, a, b, step):
    x, y, a, b, step, xp = numbers(precision, x, y, a, b, step)
    along = direction(a, b, xp)
    there = exchanged(x, y, *along, step, xp)
    back = [exchanged(*there, *along, sign * step, xp) for sign in (1, -1)]
    off = [max(abs(float(u[0] - x[0])), abs(float(v[0] - y[0]))) for u, v in back]
    # Where the chord is steep, a place rounded on one axis is a long way on the other.
    steepness = 1 / min(abs(float(part[0])) for part in along if part[0])
    assert min(off) <= 32 * spacing(precision) * steepness


def test_exchanges_leave_the_square_uniform():
    for slope in [(1.0, 1.0), (0.0, 0.0), (0.0, 2.0), (1.0, -0.2), (1e-30, 1.0), (-5.0, 1e-4)]:
        for reach in [1.0, 0.1]:
            rng = np.random.default_rng(3)
            x, y = rng.random((2, 40_000), dtype=np.float32)
            along = direction(*(np.full(1, s, np.float32) for s in slope), np)
            before = x.copy(), y.copy()
            for _ in range(4):
                x, y = exchanged(x, y, *along, reach * (2 * rng.random(len(x), dtype=np.float32) - 1), np)
            assert np.abs(np.stack(before) - np.stack([x, y])).max() > reach / 10, (slope, reach)
            for values in (x, y, (x + y) % 1, (x - y) % 1, (2 * x + y) % 1):
                assert kstest(values, "uniform").pvalue > 1e-3, (slope, reach)


def test_the_direction_of_equal_parts_does_not_depend_on_their_size():
    for size in (1e-45, 1e-30, 1.0, 1e30):
        dx, dy = direction(np.full(1, size, np.float32), np.full(1, -size, np.float32), np)
        assert (abs(dx[0]), abs(dy[0]), dx[0] * dy[0]) == (1, 1, 1)


@given(st.integers(1, 200), st.integers(0, 50))
def test_every_feature_but_an_odd_one_is_in_one_pair(features, number):
    first, second = pairs(features, number)
    assert len({*first, *second}) == 2 * len(first) == features // 2 * 2


@pytest.mark.parametrize("kind", ["single", "double"])
@given(st.lists(st.tuples(places, widths), min_size=1, max_size=8))
def test_the_box_lies_exactly_in_the_ball(kind, features):
    precision = np.float32 if kind == "single" else np.float64
    centre = np.array([place for place, _ in features], precision)
    for radius in {width for _, width in features if width > 0} or {0.5}:
        margins = best_margins(problem_of(lambda x: np.zeros((len(x), 2)), centre[None], radius))
        lower, span = box_of(margins, np.array([0]))
        low, high = margins.problem.balls.corners(np.array([0]))
        assert lower.dtype == span.dtype == precision
        assert (lower[0] >= low).all()
        assert (lower[0] + span[0] <= high).all()
        assert (span >= 0).all()
        loss = 2 * np.finfo(precision).eps
        assert (lower[0] + span[0].astype(float) >= high - loss).all()


def test_the_longest_steps_are_folded_back_between_the_faces():
    for noise in [-1.0, 1 - 2**-23]:
        for share in [0.0, 1 - 2**-24, 1.0]:
            rng = np.random.default_rng(0)
            low = rng.uniform(-1, 1, 100_000).astype(np.float32)
            high = (low + 10 ** rng.uniform(-8, 0, low.size)).astype(np.float32)
            span = high - low
            span = np.where(low + span > high, np.nextafter(span, 0, dtype=np.float32), span)
            before = low + span * np.float32(share)
            after = folded(before + span * np.float32(noise), low, span)
            assert (after >= low).all(), (noise, share)
            assert (after <= high).all(), (noise, share)


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize(
    ("radius", "dtype"),
    [(0.3, torch.float32), (1e-6, torch.float32), (2e-7, torch.float32), (1e-3, torch.float64), (1e-9, torch.float64)],
)
def test_no_particle_ever_leaves_its_ball(walk, radius, dtype):
    rng = np.random.default_rng(0)
    centres = rng.random((6, 9)).astype(np.float32)
    centres[:, :2] = [0.0, 1.0]
    centres[3:] = centres[3:].round()
    problem = problem_of(network(9, 8, 2, seed=1, dtype=dtype), centres, radius)
    margins, chosen = best_margins(problem), np.arange(6)
    particles = walk(margins).start(chosen, streams_of(margins, 0, chosen), 64)
    low, high = problem.balls.corners(chosen)
    for _ in range(4):
        walk(margins).move(particles, margins.arrays.of(np.full(6, -1e9)), 12)
        inside = margins.arrays.host(particles.positions).astype(float)
        assert (inside >= low[:, None]).all()
        assert (inside <= high[:, None]).all()


def above_a_level(margins, level, count, seed):
    """Points above a level by rejection."""
    streams = streams_of(margins, seed, [0])
    drawn = scattered(margins, np.array([0]), streams, count * 12)
    found = margins.arrays.host(drawn)[0][margins.arrays.host(margins(np.array([0]), drawn))[0] > level]
    assert len(found) >= count
    return found[:count]


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("kind", ["torch", "numpy"])
def test_moves_leave_points_uniform_above_a_level(walk, kind):
    module = network(5, 12, 2, seed=4)
    centre = np.array([[0.5, 0.1, 0.9, 0.4, 0.6]], np.float32)

    def function(inputs):
        with torch.no_grad():
            return module(torch.as_tensor(inputs, dtype=torch.float32)).numpy()

    margins, ball = best_margins(problem_of(module if kind == "torch" else function, centre, 0.3)), np.array([0])
    streams = streams_of(margins, 50, [0])
    particles = uniform_particles(margins, ball, streams, 5000, kinds=2)
    level = float(np.quantile(margins.arrays.host(particles.margins), 0.85))
    start = above_a_level(margins, level, 5000, 51)
    particles.positions = margins.arrays.of(start)[None] + 0
    particles.margins = margins(ball, particles.positions)
    walk(margins).move(particles, margins.arrays.of([level]), 16)
    found = margins.arrays.host(particles.positions)[0]
    assert (np.abs(found - start).max(axis=1) > 0.03).mean() > 0.9
    np.testing.assert_allclose(particles.margins, margins(ball, particles.positions), rtol=1e-5, atol=1e-6)
    assert float(particles.margins.min()) > level
    fresh = above_a_level(margins, level, 5000, 52)
    directions = np.concatenate([np.eye(5), np.random.default_rng(1).normal(size=(5, 5))])
    for along in directions:
        assert ks_2samp(found @ along, fresh @ along).pvalue > 1e-3


@pytest.mark.parametrize("walk", WALKS)
def test_one_feature_is_moved_too(walk):
    margins = best_margins(problem_of(lambda x: np.column_stack([0 * x, x]), np.array([[0.5]]), 0.25))
    particles = walk(margins).start(np.array([0]), streams_of(margins, 0, [0]), 2000)
    walk(margins).move(particles, np.array([0.6]), 40)
    start = particles.positions[0, :, 0]
    assert ((start > 0.6) & (start <= 0.75)).mean() > 0.3
    assert shares(np.array([0.3]), np.array([0.3]), np.array([0.0]), np).tolist() == [0.0]
