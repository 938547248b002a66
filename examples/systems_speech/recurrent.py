"""A recurrent decoder whose attention knows where it has been (Chorowski et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from decoders import DIGITS, END, Decoder
from dropping import ItemDropout
from encoder import HIDDEN, Hidden
from hearing import within
from torch import nn

UNITS = 128
WORD = 32
PLACES, REACH = 8, 15
"""Filters over what was attended to so far, and their width in hidden states."""


@dataclass(eq=False)
class Memory:
    """What the decoder knows of the sound, and where it is."""

    states: torch.Tensor
    keys: torch.Tensor
    inside: torch.Tensor
    unit: torch.Tensor
    context: torch.Tensor
    attended: torch.Tensor
    kept: torch.Tensor


class Recurrent(Decoder):
    """A gated recurrent unit with location-aware attention to the hidden states."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(END + 1, WORD)
        self.cell = nn.GRUCell(WORD + HIDDEN, UNITS)
        self.query, self.key = nn.Linear(UNITS, UNITS), nn.Linear(HIDDEN, UNITS, bias=False)
        self.place = nn.Conv1d(1, PLACES, REACH, padding=REACH // 2, bias=False)
        self.near = nn.Linear(PLACES, UNITS, bias=False)
        self.energy = nn.Linear(UNITS, 1, bias=False)
        self.joined = nn.Sequential(nn.Linear(UNITS + HIDDEN, UNITS), nn.LeakyReLU())
        self.drop_states, self.drop_joined = ItemDropout(dropout), ItemDropout(dropout)
        self.head = nn.Linear(UNITS, DIGITS + 1)

    def start(self, hidden: Hidden) -> Memory:
        states = self.drop_states(hidden.states)
        count, time, _ = states.shape
        zeros = states.new_zeros
        kept = self.drop_joined.mask(count, UNITS, states.device)[:, 0]
        inside = within(hidden.counts, time)
        nothing = zeros(count, UNITS), zeros(count, HIDDEN), zeros(count, time)
        return Memory(states, self.key(states), inside, *nothing, kept)

    def step(self, memory: Memory, words: torch.Tensor) -> torch.Tensor:
        heard = torch.cat([self.embedding(words[:, -1]), memory.context], 1)
        memory.unit = self.cell(heard, memory.unit)
        weights = self._attention(memory)
        memory.context = (weights[:, None] @ memory.states)[:, 0]
        memory.attended = memory.attended + weights
        return self.joined(torch.cat([memory.unit, memory.context], 1)) * memory.kept

    def taught(self, hidden: Hidden, words: torch.Tensor) -> torch.Tensor:
        memory = self.start(hidden)
        return torch.stack([self.step(memory, words[:, : n + 1]) for n in range(words.shape[1])], 1)

    def _attention(self, memory: Memory) -> torch.Tensor:
        places = self.near(self.place(memory.attended[:, None]).transpose(1, 2))
        energy = self.energy(torch.tanh(memory.keys + self.query(memory.unit)[:, None] + places))[:, :, 0]
        return energy.masked_fill(~memory.inside, -torch.inf).softmax(1)
