"""The second module: from hidden states to words, one after the other, until it says the end; two kinds of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from encoder import Hidden
from torch import nn

DIGITS = 10
END = DIGITS
"""What a decoder says last, and hears first."""
MOST = 12
"""Words after which a decoder is stopped."""


@dataclass(frozen=True, eq=False)
class Said:
    """Digits of each item, the logarithm of the probability of each whole answer, and the penultimate layer, pooled."""

    digits: tuple[tuple[int, ...], ...]
    log_probability: torch.Tensor
    features: torch.Tensor


class Decoder(nn.Module, ABC):
    """What both kinds do; ``head`` turns the last layer but one into scores of the ten digits and of the end."""

    head: nn.Linear

    @abstractmethod
    def start(self, hidden: Hidden) -> Any:
        """What stays the same from word to word, and what is remembered; dropout is drawn here."""

    @abstractmethod
    def step(self, memory: Any, words: torch.Tensor) -> torch.Tensor:
        """The last layer but one (n, width) after the latest of the words so far (n, words), the first of them END."""

    @abstractmethod
    def taught(self, hidden: Hidden, words: torch.Tensor) -> torch.Tensor:
        """The last layer but one (n, words, width) after each of the words, which are given."""

    def forward(self, hidden: Hidden, words: torch.Tensor) -> torch.Tensor:
        """Scores of the word after each of the words."""
        return self.head(self.taught(hidden, words))


@torch.no_grad()
def decode(decoder: Decoder, hidden: Hidden) -> Said:
    """Say the most probable word again and again; an item that has said END says nothing more."""
    count, device = len(hidden.states), hidden.states.device
    memory = decoder.start(hidden)
    words = torch.full((count, 1), END, device=device)
    running = torch.ones(count, dtype=torch.bool, device=device)
    total, pooled, steps = torch.zeros(count, device=device), 0.0, torch.zeros(count, device=device)
    while words.shape[1] <= MOST and running.any():
        last = decoder.step(memory, words)
        best, word = decoder.head(last).log_softmax(1).max(1)
        total, pooled, steps = total + best * running, pooled + last * running[:, None], steps + running
        words = torch.cat([words, torch.where(running, word, END)[:, None]], 1)
        running = running & (word != END)
    digits = tuple(tuple(word for word in row if word != END) for row in words.tolist())
    return Said(digits, total, pooled / steps[:, None])
