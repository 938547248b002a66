"""The drive as pairs of consecutive frames, cut into blocks of time to learn from and to test with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from surefoot import datasets

Frames = NDArray[np.uint8]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
NEXT = 0.085
"""Seconds within which a frame follows another; the camera takes one every 0.07."""
UNDER_WAY = 20.0
"""Miles an hour; slower, the car starts or turns round at full lock, which is another task."""
BLOCK = 50
"""Frames of a block: 3.5 seconds, 47 metres."""
PAIRS = BLOCK - 1
"""The most pairs of a block."""
EVERY = 5
"""One block in so many is for the test."""
APART = 10
"""Frames of the training part that are left out on each side of a test block: no frame there has a neighbour here."""


@dataclass(frozen=True, eq=False)
class Part:
    """Pairs of frames, how the car was steered from the earlier to the later, and the block of each pair.

    The steering is that of the earlier frame: the car answers late, and the motion from a frame to the next shows the
    steering of the first, not that of the second. Blocks are the unit of every resample.
    """

    frames: Frames
    """Each frame once (m, 80, 160, 3): the camera spoils a frame and not a pair."""
    earlier: Places
    later: Places
    steering: NDArray[np.float64]
    blocks: Places

    def __len__(self) -> int:
        return len(self.later)

    def pairs(self, frames: Frames | None = None) -> Frames:
        """Earlier and later frame (n, 2, 80, 160, 3), of these frames or of others in their places."""
        seen = self.frames if frames is None else frames
        return np.stack([seen[self.earlier], seen[self.later]], axis=1)

    @property
    def block_of_frame(self) -> Places:
        """The block of each frame."""
        blocks = np.empty(len(self.frames), np.int64)
        blocks[self.earlier] = blocks[self.later] = self.blocks
        return blocks

    def every(self, step: int) -> Part:
        """One pair in so many, for a short run."""
        columns = (each[::step] for each in (self.earlier, self.later, self.steering, self.blocks))
        return _part(self.frames, *columns)


def load(role: str) -> Part:
    """The pairs to ``train`` with, or those to ``test`` with."""
    recorded = recording()
    later = consecutive(recorded.seconds, recorded.speed)
    blocks = np.arange(len(recorded.frames)) // BLOCK
    test, train = split(blocks % EVERY == 0)
    later = later[inside(later, {"test": test, "train": train}[role], blocks)]
    return _part(recorded.frames, later - 1, later, recorded.steering[later - 1], blocks[later])


@cache
def recording() -> datasets.Drive:
    """The whole drive, read once."""
    return datasets.udacity_driving()


def consecutive(seconds: NDArray[np.float64], speed: NDArray[np.float64]) -> Places:
    """Frames that follow another, the car being under way in both."""
    moving = speed >= UNDER_WAY
    return 1 + np.flatnonzero((np.diff(seconds) < NEXT) & moving[1:] & moving[:-1])


def split(held: Mask) -> tuple[Mask, Mask]:
    """Frames that are held out, and those that are not and lie apart from them."""
    near = np.convolve(held, np.ones(2 * APART + 1), mode="same") > 0
    return held, ~near


def inside(later: Places, usable: Mask, blocks: Places) -> Mask:
    """Which pairs have both frames in one block, and both usable."""
    return usable[later] & usable[later - 1] & (blocks[later] == blocks[later - 1])


def _part(frames: Frames, earlier: Places, later: Places, steering: NDArray[np.float64], blocks: Places) -> Part:
    """A part that holds the frames it needs and no other."""
    used, places = np.unique(np.concatenate([earlier, later]), return_inverse=True)
    return Part(frames[used], *np.split(places, 2), steering=steering, blocks=blocks)
