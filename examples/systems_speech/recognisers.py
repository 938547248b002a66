"""Trained recognisers, an encoder and one of two decoders: what each module answers, its features and its passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hearing
import numpy as np
import torch
from decoders import Decoder, decode
from dropping import dropping
from encoder import Encoder, Hidden
from numpy.typing import NDArray
from recurrent import Recurrent
from safetensors.torch import load_model
from torch import nn
from transformer import Transformer
from utterances import said

from surefoot import InvalidInput
from surefoot.metrics.distances import levenshtein

WEIGHTS = Path(__file__).parent / "weights"
DECODERS: dict[str, type[Decoder]] = {"recurrent": Recurrent, "transformer": Transformer}
AT_ONCE = 64
"""Sounds in a batch; sounds of about one length share one."""
Numbers = NDArray[np.float32]
Generators = Sequence[np.random.Generator] | None


@dataclass(frozen=True, eq=False)
class Encoded:
    """What the encoder makes of sounds: hidden states (time, 128) of each, and features (n, 192)."""

    states: tuple[Numbers, ...]
    features: Numbers


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a decoder makes of hidden states: words, how sure it is of the whole answer, and features (n, 128)."""

    texts: tuple[str, ...]
    log_probability: Numbers
    features: Numbers


@dataclass(frozen=True, eq=False)
class Recogniser:
    """The two modules of a configuration."""

    encoder: Encoder
    decoder: Decoder

    def encode(self, sounds: Sequence[NDArray[Any]], generators: Generators = None) -> Encoded:
        """Hidden states of sounds; with one generator for each sound, of a pass with dropout."""

        def answer(numbers: NDArray[np.int64]) -> list[tuple[Numbers, Numbers]]:
            hidden = self.encoder(*hearing.waves([sounds[i] for i in numbers]))
            rows = zip(hidden.states, hidden.counts.tolist(), hidden.features.numpy(), strict=True)
            return [(states[:count].numpy(), features) for states, count, features in rows]

        found = _in_batches(answer, [len(sound) for sound in sounds], self.encoder, generators)
        states, features = zip(*found, strict=True)
        return Encoded(states, np.stack(features))

    def decode(self, states: Sequence[Numbers], generators: Generators = None) -> Decoded:
        """Words of hidden states; with one generator for each, of a pass with dropout."""

        def answer(numbers: NDArray[np.int64]) -> list[tuple[str, Any, Any]]:
            words = decode(self.decoder, _joined([states[i] for i in numbers]))
            texts = [said(digits) for digits in words.digits]
            return list(zip(texts, words.log_probability.numpy(), words.features.numpy(), strict=True))

        found = _in_batches(answer, [len(some) for some in states], self.decoder, generators)
        texts, logs, features = zip(*found, strict=True)
        return Decoded(texts, np.array(logs), np.stack(features))


def load(decoder: str, folder: Path = WEIGHTS) -> Recogniser:
    """The encoder with its weights, and the ``recurrent`` or the ``transformer`` decoder with its own."""
    parts: dict[str, nn.Module] = {"encoder": Encoder(), decoder: DECODERS[decoder]()}
    for name, part in parts.items():
        path = folder / f"{name}.safetensors"
        if not path.is_file():
            found = f"no file {path.name}"
            raise InvalidInput("there are no weights", where=name, found=found, remedy="Train them: python train.py.")
        load_model(part, str(path))
        part.eval()
    return Recogniser(parts["encoder"], parts[decoder])


def word_error_rate(truths: Sequence[str], answers: Sequence[str]) -> float:
    """Words that must be changed, left out or added, as a share of the words that were said."""
    wrong = sum(levenshtein(truth.split(), answer.split()) for truth, answer in zip(truths, answers, strict=True))
    return wrong / sum(len(truth.split()) for truth in truths)


@torch.no_grad()
def _in_batches(
    answer: Callable[[NDArray[np.int64]], list[Any]], lengths: Sequence[int], module: nn.Module, generators: Generators
) -> list[Any]:
    found: list[Any] = [None] * len(lengths)
    order = np.argsort(lengths, kind="stable")
    for start in range(0, len(order), AT_ONCE):
        numbers = order[start : start + AT_ONCE]
        with _chance(module, generators, numbers):
            for number, row in zip(numbers, answer(numbers), strict=True):
                found[number] = row
    return found


def _chance(module: nn.Module, generators: Generators, numbers: NDArray[np.int64]) -> AbstractContextManager[None]:
    return nullcontext() if generators is None else dropping(module, [generators[i] for i in numbers])


def _joined(states: Sequence[Numbers]) -> Hidden:
    """States of several sounds in one batch, with zeros behind the end."""
    counts = torch.tensor([len(some) for some in states])
    padded = nn.utils.rnn.pad_sequence([torch.from_numpy(np.asarray(some)) for some in states], batch_first=True)
    return Hidden(padded, counts, padded.new_zeros(0))
