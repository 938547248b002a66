"""Train the encoder with the recurrent decoder, then the transformer decoder on the encoder's hidden states.

Run ``python examples/systems_speech/train.py``; ``--help`` lists the rest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hearing
import torch
import utterances
from decoders import DIGITS, END, Decoder
from encoder import HIDDEN, Encoder, Hidden
from recognisers import WEIGHTS, Recogniser, word_error_rate
from recurrent import Recurrent
from safetensors.torch import save_model
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from transformer import Transformer

try:
    from rich.progress import track
except ImportError:  # a machine that has torch and nothing else

    def track(sequence: Iterable[Any], description: str, total: int) -> Iterable[Any]:
        """The same elements, without a bar."""
        return sequence


IGNORED = -1


@dataclass(frozen=True)
class Recipe:
    """How networks are trained."""

    steps: int = 1200
    batch: int = 32
    peak_rate: float = 2e-3
    decay: float = 1e-2
    smoothing: float = 0.05
    frames_alone: float = 0.3
    """Weight of the loss of the encoder without a decoder (connectionist temporal classification)."""
    masks: tuple[int, int] = (2, 3)
    """How many runs of bands, and of frames, are hidden in each training string (SpecAugment, Park et al. 2019)."""
    widest: tuple[int, int] = (6, 10)
    """The widest of them."""
    seed: int = 0


def fit_first(recipe: Recipe, *, device: str = "cpu") -> tuple[Encoder, Recurrent]:
    """Encoder and recurrent decoder together, and a head on the encoder that nobody needs afterwards."""
    torch.manual_seed(recipe.seed)
    encoder, decoder, alone = Encoder(), Recurrent(), nn.Linear(HIDDEN, DIGITS + 1)
    every = nn.ModuleList([encoder, decoder, alone]).to(device).train()

    def loss(bands: torch.Tensor, counts: torch.Tensor, words: list[list[int]]) -> torch.Tensor:
        hidden = encoder.from_bands(bands, counts)
        by_frame = alone(hidden.states).log_softmax(2).transpose(0, 1)
        flat = torch.tensor([word for some in words for word in some], device=device)
        lengths = torch.tensor([len(some) for some in words], device=device)
        frames = nn.functional.ctc_loss(by_frame, flat, hidden.counts, lengths, blank=END)
        return recipe.frames_alone * frames + _wrong_words(recipe, decoder, hidden, words)

    _descend(recipe, every, loss, encoder.bands, device, "encoder and recurrent decoder")
    return encoder.eval(), decoder.eval()


def fit_second(recipe: Recipe, encoder: Encoder, *, device: str = "cpu") -> Transformer:
    """A transformer decoder of hidden states; the encoder stays as it is, with its dropout."""
    torch.manual_seed(recipe.seed + 1)
    decoder = Transformer().to(device).train()
    encoder = encoder.to(device).eval()
    dropout = [part for part in encoder.modules() if isinstance(part, nn.modules.dropout._DropoutNd)]

    def loss(bands: torch.Tensor, counts: torch.Tensor, words: list[list[int]]) -> torch.Tensor:
        with torch.no_grad():
            hidden = encoder.from_bands(bands, counts)
        return _wrong_words(recipe, decoder, hidden, words)

    for part in dropout:
        part.training = True
    _descend(recipe, decoder, loss, encoder.bands, device, "transformer decoder")
    encoder.eval()
    return decoder.eval()


def hidden_runs(bands: torch.Tensor, recipe: Recipe) -> torch.Tensor:
    """The bands with some runs of bands, and of frames, set to their mean."""
    count, frames, wide = bands.shape
    for dimension, (runs, widest, length) in enumerate(zip(recipe.masks, recipe.widest, (wide, frames), strict=True)):
        for _ in range(runs):
            width = torch.randint(0, widest + 1, (count, 1), device=bands.device)
            start = (torch.rand(count, 1, device=bands.device) * (length - width)).long()
            at = torch.arange(length, device=bands.device)[None]
            seen = (at < start) | (at >= start + width)
            bands = bands * (seen[:, None, :] if dimension == 0 else seen[:, :, None])
    return bands


def _descend(recipe: Recipe, module: nn.Module, loss: Any, front: nn.Module, device: str, name: str) -> None:
    optimiser = torch.optim.AdamW(module.parameters(), weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.peak_rate, total_steps=recipe.steps)
    batches = utterances.batches(recipe.steps, recipe.batch, seed=recipe.seed)
    for sounds, words in track(batches, description=name, total=recipe.steps):
        waves, lengths = (part.to(device) for part in hearing.waves(sounds))
        with torch.no_grad():
            bands, counts = front(waves, lengths)
            bands = hidden_runs(bands, recipe)
        optimiser.zero_grad(set_to_none=True)
        loss(bands, counts, words).backward()
        nn.utils.clip_grad_norm_(module.parameters(), 5.0)
        optimiser.step()
        schedule.step()


def _wrong_words(recipe: Recipe, decoder: Decoder, hidden: Hidden, words: Sequence[Sequence[int]]) -> torch.Tensor:
    device = hidden.states.device
    heard = [torch.tensor([END, *some], device=device) for some in words]
    due = [torch.tensor([*some, END], device=device) for some in words]
    scores = decoder(hidden, pad_sequence(heard, batch_first=True, padding_value=END))
    due_words = pad_sequence(due, batch_first=True, padding_value=IGNORED)
    return nn.functional.cross_entropy(
        scores.flatten(0, 1), due_words.flatten(), ignore_index=IGNORED, label_smoothing=recipe.smoothing
    )


def main() -> None:
    """Train, store, and say how well it went on strings that nothing was learnt from."""
    options = _options()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    recipe = Recipe(steps=options.steps or Recipe.steps, seed=options.seed)
    start = time.perf_counter()
    encoder, recurrent = fit_first(recipe, device=options.device)
    second = time.perf_counter()
    transformer = fit_second(recipe, encoder, device=options.device)
    print(f"{second - start:.0f} s and {time.perf_counter() - second:.0f} s", flush=True)
    modules = {"encoder": encoder, "recurrent": recurrent, "transformer": transformer}
    for name, module in modules.items():
        save_model(module.cpu(), str(options.out / f"{name}.safetensors"))
    strings = utterances.strings_to_choose_with()
    for name in ("recurrent", "transformer"):
        recogniser = Recogniser(encoder, modules[name])
        answers = recogniser.decode(recogniser.encode(strings.sounds).states).texts
        print(f"{name}: {word_error_rate(strings.texts, answers):.4f} of the words wrong", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--steps", type=int, help="batches that each of the two trainings sees")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1, help="1 gives the same weights on every machine of a kind")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights")
    return parser.parse_args()


if __name__ == "__main__":
    main()
