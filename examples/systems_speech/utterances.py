"""Strings of spoken digits: three to seven recordings of one speaker, with short pauses, and what was said in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from surefoot import datasets

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TAKES = {"test": range(16), "valid": range(16, 20), "train": range(20, 50)}
"""Which of the 50 takes of each digit and speaker serve for what."""
TAKES_PER_GROUP = 2
"""A group of test strings is made of 20 recordings, each digit twice, that no other group uses."""
PER_GROUP = 20
SHORTEST, LONGEST = 3, 7
PAUSE, EDGE = (0.02, 0.25), (0.1, 0.3)
"""Seconds between digits, and before the first and after the last."""
LEVEL, LEVEL_RANGE, DIGIT_RANGE = -26.0, 4.0, 2.0
"""Root mean square of a digit in decibels of full scale, and by how much a string, and a digit in it, is off."""
HISS = -65.0
"""Noise under a whole string, in decibels of full scale: digital silence is not what a microphone hears."""
FULL = 2**15
Sound = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Strings:
    """Sounds, what is said in each, the recordings it is made of, and the group from which they were drawn."""

    sounds: tuple[Sound, ...]
    texts: tuple[str, ...]
    made_of: tuple[tuple[int, ...], ...]
    groups: NDArray[np.int64]
    speakers: tuple[str, ...]
    rate: int

    def __len__(self) -> int:
        return len(self.sounds)

    def some(self, count: int) -> Strings:
        """That many of the strings, spread evenly over all groups, in their order."""
        chosen = np.linspace(0, len(self) - 1, min(count, len(self))).round().astype(int)
        sounds, texts, made_of, speakers = (
            tuple(part[i] for i in chosen) for part in (self.sounds, self.texts, self.made_of, self.speakers)
        )
        return Strings(sounds, texts, made_of, self.groups[chosen], speakers, self.rate)


@lru_cache(maxsize=1)
def recordings() -> datasets.SpokenDigits:
    """All recordings of single digits."""
    return datasets.fsdd()


def strings_to_test_with(*, per_group: int = PER_GROUP, seed: int = 0) -> Strings:
    """Strings of the test takes in 48 groups: strings of different groups share no recording."""
    return _strings("test", TAKES_PER_GROUP, per_group, seed)


def strings_to_choose_with(*, per_group: int = 50, seed: int = 0) -> Strings:
    """Strings to choose settings with; none of their recordings is tested or learnt from."""
    return _strings("valid", TAKES_PER_GROUP, per_group, seed)


def strings_to_learn_from(*, per_group: int = 200, seed: int = 0) -> Strings:
    """A fixed set of strings made of what the networks learn from; one group a speaker."""
    return _strings("train", len(TAKES["train"]), per_group, seed)


def batches(count: int, size: int, *, seed: int = 0) -> Iterator[tuple[list[Sound], list[list[int]]]]:
    """Batches of strings made of the training takes, never the same: sounds, and digits of each."""
    data, pools = recordings(), _pools("train", len(TAKES["train"]))
    for number in range(count):
        rng = np.random.default_rng((seed, 3, number))
        chosen = [_chosen(pools[rng.integers(len(pools))], rng) for _ in range(size)]
        yield [_sound(data, some, rng) for some in chosen], [data.digits[some].tolist() for some in chosen]


def said(digits: Sequence[int]) -> str:
    """Digits in words."""
    return " ".join(WORDS[digit] for digit in digits)


def _strings(part: str, takes_per_group: int, per_group: int, seed: int) -> Strings:
    data, sounds, made_of = recordings(), [], []
    pools = _pools(part, takes_per_group)
    groups = np.repeat(np.arange(len(pools)), per_group)
    for number, group in enumerate(groups):
        rng = np.random.default_rng((seed, list(TAKES).index(part), number))
        chosen = _chosen(pools[group], rng)
        sounds.append(_sound(data, chosen, rng))
        made_of.append(tuple(chosen.tolist()))
    texts = tuple(said(data.digits[list(numbers)]) for numbers in made_of)
    speakers = tuple(str(data.speakers[numbers[0]]) for numbers in made_of)
    return Strings(tuple(sounds), texts, tuple(made_of), groups, speakers, data.rate)


def _pools(part: str, takes_per_group: int) -> list[NDArray[np.int64]]:
    """The recordings of each group: one speaker, some takes, all digits."""
    data, takes = recordings(), TAKES[part]
    starts = range(takes.start, takes.stop, takes_per_group)
    return [
        np.flatnonzero((data.speakers == speaker) & (data.index >= start) & (data.index < start + takes_per_group))
        for speaker in np.unique(data.speakers)
        for start in starts
    ]


def _chosen(pool: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.choice(pool, rng.integers(SHORTEST, LONGEST + 1), replace=False)


def _sound(data: datasets.SpokenDigits, chosen: NDArray[np.int64], rng: np.random.Generator) -> Sound:
    level = LEVEL + rng.uniform(-LEVEL_RANGE, LEVEL_RANGE)
    parts = [_silence(EDGE, data.rate, rng)]
    for place, number in enumerate(chosen):
        louder = level + rng.uniform(-DIGIT_RANGE, DIGIT_RANGE)
        parts.append(_at_level(data.sounds[number], louder))
        parts.append(_silence(EDGE if place == len(chosen) - 1 else PAUSE, data.rate, rng))
    whole = np.concatenate(parts)
    whole += rng.normal(0, 10 ** (HISS / 20), len(whole))
    return np.rint(np.clip(whole * FULL, -FULL, FULL - 1)).astype(np.int16)


def _at_level(sound: Sound, level: float) -> NDArray[np.float64]:
    wave = sound / FULL
    return wave * (10 ** (level / 20) / np.sqrt(np.mean(wave**2)))


def _silence(seconds: tuple[float, float], rate: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return np.zeros(int(rng.uniform(*seconds) * rate))
