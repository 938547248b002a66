"""A transformer decoder (Vaswani et al. 2017), its layers normalised before they are applied."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from decoders import DIGITS, END, Decoder
from dropping import ItemDropout
from encoder import HIDDEN, Hidden
from hearing import within
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

WIDTH, HEADS, INNER, LAYERS = 128, 4, 256, 2
Pair = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, eq=False)
class Memory:
    """Keys and values of the sound and what dropout keeps, layer by layer; which places lie before the end."""

    sounds: tuple[Pair, ...]
    kept: tuple[tuple[torch.Tensor, ...], ...]
    inside: torch.Tensor


class Layer(nn.Module):
    """Attention to the words so far, attention to the sound, two dense layers; each adds to what is there."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.drops = nn.ModuleList(ItemDropout(dropout) for _ in range(3))
        self.words, self.words_out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.query, self.sound, self.sound_out = (nn.Linear(WIDTH, n * WIDTH) for n in (1, 2, 1))
        self.dense = nn.Sequential(nn.Linear(WIDTH, INNER), nn.ReLU(), nn.Linear(INNER, WIDTH))

    def forward(
        self, said: torch.Tensor, sound: Pair, kept: tuple[torch.Tensor, ...], inside: torch.Tensor
    ) -> torch.Tensor:
        query, key, value = (heads(part) for part in self.words(self.norms[0](said)).chunk(3, 2))
        own = scaled_dot_product_attention(query, key, value, is_causal=True)
        said = said + self.words_out(merged(own)) * kept[0]
        query = heads(self.query(self.norms[1](said)))
        heard = scaled_dot_product_attention(query, *sound, attn_mask=inside)
        said = said + self.sound_out(merged(heard)) * kept[1]
        return said + self.dense(self.norms[2](said)) * kept[2]


class Transformer(Decoder):
    """Two layers of four heads."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.embedding = nn.Embedding(END + 1, WIDTH)
        self.heard = nn.Linear(HIDDEN, WIDTH)
        self.drop_states, self.drop_last = ItemDropout(dropout), ItemDropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, DIGITS + 1)

    def start(self, hidden: Hidden) -> Memory:
        count, time, _ = hidden.states.shape
        heard = self.heard(self.drop_states(hidden.states)) + places(time, hidden.states.device)
        pairs = ((layer.sound(heard).chunk(2, 2)) for layer in self.layers)
        sounds = tuple((heads(key), heads(value)) for key, value in pairs)
        kept = tuple(
            tuple(drop.mask(count, WIDTH, heard.device) for drop in drops)
            for drops in (*(layer.drops for layer in self.layers), (self.drop_last,))
        )
        return Memory(sounds, kept, within(hidden.counts, time)[:, None, None])

    def step(self, memory: Memory, words: torch.Tensor) -> torch.Tensor:
        return self._after(memory, words)[:, -1]

    def taught(self, hidden: Hidden, words: torch.Tensor) -> torch.Tensor:
        return self._after(self.start(hidden), words)

    def _after(self, memory: Memory, words: torch.Tensor) -> torch.Tensor:
        said = self.embedding(words) + places(words.shape[1], words.device)
        for layer, sound, kept in zip(self.layers, memory.sounds, memory.kept[:-1], strict=True):
            said = layer(said, sound, kept, memory.inside)
        return self.norm(said) * memory.kept[-1][0]


def places(count: int, device: torch.device) -> torch.Tensor:
    """Sines and cosines of the place (count, width)."""
    rates = torch.exp(torch.arange(0, WIDTH, 2, device=device) * (-math.log(10_000) / WIDTH))
    angles = torch.arange(count, device=device)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)


def heads(rows: torch.Tensor) -> torch.Tensor:
    """(n, time, width) as (n, heads, time, width / heads)."""
    return rows.unflatten(2, (HEADS, -1)).transpose(1, 2)


def merged(parts: torch.Tensor) -> torch.Tensor:
    """The reverse of ``heads``."""
    return parts.transpose(1, 2).flatten(2)
