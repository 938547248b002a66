"""The kernel of ``FusedWalk``, in Triton: imported only where there is a GPU."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from surefoot.reliability.rare_events.walks import BLOCK, MOST_CLASSES, ROWS, SHORTEST, WANTED, Perceptron

WARPS = 8


@triton.jit
def _proposal(x, lower, span, rows, columns, valid, features, step, noise):
    inside = columns < features
    mask = valid[:, None] & inside[None, :]
    before = tl.load(x + rows[:, None] * features + columns[None, :], mask=mask, other=0.0)
    low = tl.load(lower + columns, mask=inside, other=0.0)[None, :]
    width = tl.load(span + columns, mask=inside, other=0.0)[None, :]
    above = tl.abs(before + step * width * (2.0 * noise - 1.0) - low)
    after = low + tl.abs(width - tl.abs(width - above))
    return before, after, mask


@triton.jit
def _moves(
    x,
    hidden,
    first,
    second,
    second_offset,
    lower,
    span,
    levels,
    undesired,
    seeds,
    steps,
    particles,
    features,
    count,
    blocks,
    programs,
    wanted,
    shortest,
    ROWS: tl.constexpr,
    HIDDEN: tl.constexpr,
    CLASSES: tl.constexpr,
    QUARTER: tl.constexpr,
):
    ball = tl.program_id(0) // programs
    part = tl.program_id(0) % programs
    own = part * ROWS + tl.arange(0, ROWS)
    valid = own < particles
    rows = ball.to(tl.int64) * particles + own
    units = tl.arange(0, HIDDEN)
    classes = tl.arange(0, CLASSES)
    z = tl.load(hidden + rows[:, None] * HIDDEN + units[None, :], mask=valid[:, None], other=0.0)
    out = tl.load(second + units[:, None] * CLASSES + classes[None, :])
    offset = tl.load(second_offset + classes)
    kind = tl.load(undesired + ball * CLASSES + classes)
    level = tl.load(levels + ball)
    seed = tl.load(seeds + ball)
    lower += ball * features
    span += ball * features
    quarter = tl.arange(0, QUARTER)
    present = tl.sum(valid.to(tl.float32), axis=0)
    for move in range(count):
        block = move % blocks
        place = steps + tl.program_id(0) * blocks + block
        step = tl.load(place)
        noise = tl.rand4x(seed, (move * (programs * ROWS) + own[:, None]) * QUARTER + quarter[None, :])
        c0 = block * (4 * QUARTER) + quarter
        c1 = c0 + QUARTER
        c2 = c1 + QUARTER
        c3 = c2 + QUARTER
        b0, a0, m0 = _proposal(x, lower, span, rows, c0, valid, features, step, noise[0])
        b1, a1, m1 = _proposal(x, lower, span, rows, c1, valid, features, step, noise[1])
        b2, a2, m2 = _proposal(x, lower, span, rows, c2, valid, features, step, noise[2])
        b3, a3, m3 = _proposal(x, lower, span, rows, c3, valid, features, step, noise[3])
        unit = 1.0 / step
        change = tl.dot(((a0 - b0) * unit).to(tl.float16), tl.load(first + c0[:, None] * HIDDEN + units[None, :]))
        change = tl.dot(
            ((a1 - b1) * unit).to(tl.float16), tl.load(first + c1[:, None] * HIDDEN + units[None, :]), change
        )
        change = tl.dot(
            ((a2 - b2) * unit).to(tl.float16), tl.load(first + c2[:, None] * HIDDEN + units[None, :]), change
        )
        change = tl.dot(
            ((a3 - b3) * unit).to(tl.float16), tl.load(first + c3[:, None] * HIDDEN + units[None, :]), change
        )
        new = z + step * change
        scores = tl.dot(tl.maximum(new, 0.0).to(tl.float16), out) + offset[None, :]
        worst = tl.max(tl.where(kind[None, :] == 1, scores, float("-inf")), axis=1)
        allowed = tl.max(tl.where(kind[None, :] == 0, scores, float("-inf")), axis=1)
        taken = (worst - allowed > level) & valid
        z = tl.where(taken[:, None], new, z)
        taken_rows = taken[:, None]
        tl.store(x + rows[:, None] * features + c0[None, :], a0, mask=m0 & taken_rows)
        tl.store(x + rows[:, None] * features + c1[None, :], a1, mask=m1 & taken_rows)
        tl.store(x + rows[:, None] * features + c2[None, :], a2, mask=m2 & taken_rows)
        tl.store(x + rows[:, None] * features + c3[None, :], a3, mask=m3 & taken_rows)
        rate = tl.sum(taken.to(tl.float32), axis=0) / present
        tl.store(place, tl.minimum(tl.maximum(step * tl.exp(rate - wanted), shortest), 1.0))
        # What one thread has stored, another may load in the next move.
        tl.debug_barrier()


def moved(
    positions: Any,
    hidden: Any,
    network: Perceptron,
    *,
    lower: Any,
    span: Any,
    levels: Any,
    undesired: Any,
    seeds: Any,
    steps: Any,
    count: int,
    blocks: int,
) -> None:
    """Move all particles in place, so many times, above the levels of their balls."""
    balls, particles, features = positions.shape
    programs = -(-particles // ROWS)
    _moves[(balls * programs,)](
        positions,
        hidden,
        network.first,
        network.second,
        network.second_offset,
        lower,
        span,
        levels,
        undesired,
        seeds,
        steps,
        particles,
        features,
        count,
        blocks,
        programs,
        WANTED,
        SHORTEST,
        ROWS=ROWS,
        HIDDEN=network.first.shape[1],
        CLASSES=MOST_CLASSES,
        QUARTER=BLOCK // 4,
        num_warps=WARPS,
    )
