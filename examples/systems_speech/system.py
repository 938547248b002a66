"""The system: one encoder, two decoders and a recogniser of another kind, and their vote (SYS, Fig. 2 (C)).

A configuration of paper SYS is an encoder with one decoder. Both decoders listen to the same encoder, so one run
records both; pocketsphinx is the third configuration, and the system's answer is the vote of the three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pocket
import recognisers
import utterances
from numpy.typing import NDArray

from surefoot.core import Executor
from surefoot.executors import Serial
from surefoot.systems import Answer, Findings, Items, Measurements, Module, Study, System, conditions, vote

CORRUPTIONS = ("reverb", "speed", "distortion", "pitch_shift", "background_noise")
"""The five of SYS; its levels 1, 2, 3 are severities 1, 3, 5."""
SEVERITIES = (1, 3, 5)
CONFIGURATIONS = {
    "recurrent": ("encoder", "recurrent"),
    "transformer": ("encoder", "transformer"),
    "pocketsphinx": ("pocketsphinx",),
}
"""The modules of each configuration; the last answers."""
PLACES = {name: f"{modules[-1]}.text" for name, modules in CONFIGURATIONS.items()}
CHUNK = 24
NOTHING_HEARD = 50.0
"""Doubt of an answer without a word, more than any word has."""
MIX = {
    "clean": 0.8,
    "background_noise 1": 0.08,
    "reverb 1": 0.06,
    "distortion 1": 0.03,
    "speed 1": 0.02,
    "pitch_shift 1": 0.01,
}
"""How often operation meets each condition: chosen for this example."""


@dataclass(frozen=True, eq=False)
class Listening:
    """The encoder: hidden states of a sound, and their mean and spread as one vector."""

    recogniser: recognisers.Recogniser

    def __call__(self, sound: Sequence[NDArray[Any]]) -> Answer:
        return self._answer(sound, None)

    def shaken(self, seed: int, sound: Sequence[NDArray[Any]]) -> Answer:
        """The same with dropout, drawn for each sound by itself."""
        return self._answer(sound, _generators(seed, len(sound)))

    def _answer(self, sound: Sequence[NDArray[Any]], generators: Any) -> Answer:
        found = self.recogniser.encode(sound, generators)
        return Answer({"summary": found.features, "states": list(found.states)}, found.features)


@dataclass(frozen=True, eq=False)
class Writing:
    """A decoder: words of hidden states, and how sure it is of them."""

    recogniser: recognisers.Recogniser

    def __call__(self, states: Sequence[NDArray[Any]]) -> Answer:
        return self._answer(states, None)

    def shaken(self, seed: int, states: Sequence[NDArray[Any]]) -> Answer:
        """The same with dropout, drawn for each item by itself."""
        return self._answer(states, _generators(seed, len(states)))

    def _answer(self, states: Sequence[NDArray[Any]], generators: Any) -> Answer:
        found = self.recogniser.decode(list(states), generators)
        return Answer({"text": list(found.texts), "doubt": -np.asarray(found.log_probability, float)}, found.features)


def heard(sound: Sequence[NDArray[Any]]) -> dict[str, Any]:
    """What pocketsphinx understands, and how much it doubts it."""
    found = pocket.recognise(list(sound), utterances.recordings().rate)
    return {"text": list(found.texts), "doubt": np.minimum(found.doubts, NOTHING_HEARD)}


def voted(**texts: Sequence[str]) -> list[str]:
    """The answer that most give; where all differ, that of the first."""
    return vote(texts, "text")


def speech(folder: Path = recognisers.WEIGHTS, *, sphinx: bool = True) -> System:
    """Three configurations and their vote; without pocketsphinx, two."""
    both = {name: recognisers.load(name, folder) for name in recognisers.DECODERS}
    listening = Listening(next(iter(both.values())))
    modules = [
        Module(
            "encoder",
            listening,
            {"sound": "sound"},
            {"sound": "audio"},
            {"summary": "vector", "states": "array"},
            listening.shaken,
            "cosine",
        )
    ]
    for name, recogniser in both.items():
        writing = Writing(recogniser)
        ports = {"text": "text", "doubt": "number"}
        modules.append(Module(name, writing, {"states": "encoder.states"}, {}, ports, writing.shaken, "bleu"))
    if sphinx:
        ports = {"text": "text", "doubt": "number"}
        modules.append(Module("pocketsphinx", heard, {"sound": "sound"}, {"sound": "audio"}, ports))
    answers = {module.name: f"{module.name}.text" for module in modules[1:]}
    modules.append(Module("vote", voted, answers, gives="text"))
    return System(modules, inputs={"sound": "audio"}, name="speech")


def study(
    system: System | None = None,
    *,
    strings: int = 480,
    training: int = 600,
    corruptions: Sequence[str] = CORRUPTIONS,
    severities: Sequence[int] = SEVERITIES,
    folder: Path | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Study:
    """The study of SYS: word error rate of every configuration on the test strings, clean and corrupted."""
    whole = speech() if system is None else system
    places = {name: place for name, place in PLACES.items() if name in whole.modules}
    return Study(
        whole,
        items(utterances.strings_to_test_with().some(strings)),
        conditions(corruptions, severities, rate=utterances.recordings().rate),
        "wer",
        training=items(utterances.strings_to_learn_from().some(training)),
        own_scores={"doubt": [f"{name}.doubt" for name in places]},
        outputs=places,
        folder=folder,
        chunk=CHUNK,
        executor=executor or Serial(),
        **options,
    )


def mild() -> Study:
    """Few strings and the conditions of the mix alone, for the project file."""
    return study(speech(sphinx=False), strings=240, severities=(1,))


def items(strings: utterances.Strings) -> Items:
    """Sounds with what is said; strings of one group share recordings."""
    return Items({"sound": list(strings.sounds)}, list(strings.texts), groups=strings.groups)


def configurations(found: Findings) -> Mapping[str, Measurements]:
    """Every configuration with the scores of all its modules."""
    return {
        name: replace(
            found.measured[name],
            scores={s: family for s, family in found.whole.scores.items() if s.module in CONFIGURATIONS[name]},
        )
        for name in PLACES
        if name in found.measured
    }


def _generators(seed: int, count: int) -> list[np.random.Generator]:
    return [np.random.default_rng((seed, number)) for number in range(count)]
