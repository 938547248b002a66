"""A variational autoencoder of images as an encoder."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.extras import require
from surefoot.core.validate import FloatArray
from surefoot.profile.images import as_images, full_shape, with_channels
from surefoot.profile.rows import as_table
from surefoot.profile.slicing import slices
from surefoot.profile.vae_history import Epoch, best_epoch

if TYPE_CHECKING:
    from surefoot.profile.vae_network import Network

WHERE = "VAE"
HELD_OUT = 0.1
"""Share of the images that decide when to stop, where none are given for that."""
PIXELS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class Trained:
    """A network with the shape of its images and the course of its training."""

    network: Network
    shape: tuple[int, ...]
    """Of one image, as it was given: (height, width) or (channels, height, width)."""
    history: tuple[Epoch, ...]


@dataclass(frozen=True, eq=False)
class VAE:
    """Convolutional variational autoencoder (Kingma and Welling 2014) of images with pixels in [0, 1].

    Each of ``channels`` is a convolution that halves height and width. Pixels are normal around the decoded image
    with the variance that fits best (Rybkin, Daniilidis and Levine 2021), so one loss serves grey and colour images;
    ``kl_weight`` scales the divergence from the prior (Higgins et al. 2017). After ``patience`` epochs without a better
    loss on held-out images the training stops; the best weights stay. On the CPU, the seed decides everything.
    ``device`` is a device of torch, such as ``"cuda"``; None is the CPU.
    """

    dimensions: int
    channels: tuple[int, ...] = field(default=(16, 32, 64), kw_only=True)
    epochs: int = field(default=50, kw_only=True)
    batch_size: int = field(default=64, kw_only=True)
    learning_rate: float = field(default=2e-3, kw_only=True)
    kl_weight: float = field(default=1.0, kw_only=True)
    patience: int = field(default=5, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    _trained: Trained | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        for name in ("dimensions", "epochs", "batch_size", "patience"):
            validate.count(getattr(self, name), where=WHERE, name=name, at_least=1)
        object.__setattr__(self, "channels", tuple(np.ravel(self.channels).tolist()))
        if not self.channels:
            raise InvalidInput("channels needs at least one number", where=WHERE, remedy="Use for example (16, 32).")
        for count in self.channels:
            validate.count(count, where=WHERE, name="channels", at_least=1)
        validate.positive(self.learning_rate, where=WHERE, name="learning_rate")
        validate.positive(self.kl_weight, where=WHERE, name="kl_weight")
        validate.seed(self.seed, where=WHERE)

    def fit(
        self,
        X: ArrayLike,
        validation: ArrayLike | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> VAE:
        """A trained copy; ``progress`` is told how many batches of how many are done.

        ``validation`` are images that decide when to stop; where there are none, a tenth of ``X`` is held out.
        """
        device = self._require_device()
        images = as_images(X, where=f"{WHERE}.fit", name="X", at_least=2 if validation is None else 1)
        if (images == images[0]).all():
            raise InvalidInput("all images are the same", where=f"{WHERE}.fit", found=f"{len(images):,} images")
        learnt, held_out = self._split(images, validation)
        from surefoot.profile.vae_training import Training, trained

        network = self._network(images.shape[1:]).to(device)
        plan = Training(
            self.epochs, self.batch_size, self.learning_rate, self.kl_weight, self.patience, self.seed, device
        )
        history = trained(network, with_channels(learnt), with_channels(held_out), plan, progress)
        return replace(self, _trained=Trained(network, images.shape[1:], history))

    @property
    def history(self) -> tuple[Epoch, ...]:
        """Losses of each epoch."""
        return self._fitted.history

    @property
    def best_epoch(self) -> int:
        """Number of the epoch whose weights were kept, counted from 0."""
        pixels = math.prod(self._fitted.shape)
        return best_epoch(self.history, pixels=pixels, kl_weight=self.kl_weight)

    def encode(self, X: ArrayLike) -> FloatArray:
        """Mean of each image's posterior, one image a row."""
        from surefoot.profile.vae_training import as_tensor

        trained, where = self._fitted, f"{WHERE}.encode"
        images = as_images(X, where=where, name="X")
        if images.shape[1:] != trained.shape:
            found = f"{len(images):,} of shape {images.shape[1:]}"
            raise InvalidInput(f"images must have the shape {trained.shape} of the training", where=where, found=found)
        return self._in_parts(
            with_channels(images), lambda part, device: trained.network.posterior(as_tensor(part, device))[0]
        ).astype(float)

    def decode(self, Z: ArrayLike) -> NDArray[np.float32]:
        """Images at these places, in the shape of those of the training."""
        from surefoot.profile.vae_training import as_tensor

        trained = self._fitted
        codes = as_table(Z, where=f"{WHERE}.decode", name="Z", columns=self.dimensions)
        images = self._in_parts(codes, lambda part, device: trained.network.decoder(as_tensor(part, device)))
        return images.reshape(-1, *trained.shape)

    def save(self, path: str | Path) -> Path:
        """Write weights, parameters and history as safetensors."""
        from surefoot.profile.vae_files import write

        return write(self, self._fitted, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, device: str | None = None) -> VAE:
        """Read what ``save`` wrote; nothing in the file is run."""
        _require_torch()
        from surefoot.profile.vae_files import read

        options, trained = read(Path(path))
        found = cls(**options, device=device, _trained=trained)
        trained.network.to(found._require_device())
        return found

    @property
    def _fitted(self) -> Trained:
        if self._trained is None:
            raise Undefined("this encoder is not trained", where=WHERE, remedy="Call fit(X) and use what it returns.")
        return self._trained

    def _require_device(self) -> str:
        torch = _require_torch()
        name = self.device or "cpu"
        try:
            torch.empty(0, device=name)
        except (RuntimeError, AssertionError, TypeError) as error:
            raise InvalidInput(
                "torch cannot use this device",
                where=WHERE,
                found=repr(self.device),
                remedy="Leave device out for the CPU.",
            ) from error
        return str(name)

    def _network(self, shape: tuple[int, ...]) -> Network:
        import torch

        from surefoot.profile.vae_network import Network

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            return Network(full_shape(shape), self.channels, self.dimensions)

    def _split(self, images: NDArray[Any], validation: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
        if validation is None:
            order = np.random.default_rng(self.seed).permutation(len(images))
            held_out = max(1, round(HELD_OUT * len(images)))
            return images[order[held_out:]], images[order[:held_out]]
        others = as_images(validation, where=f"{WHERE}.fit", name="validation")
        if others.shape[1:] != images.shape[1:]:
            found = f"{others.shape[1:]} and {images.shape[1:]}"
            raise InvalidInput("validation and X must be images of one shape", where=f"{WHERE}.fit", found=found)
        return images, others

    def _in_parts(self, rows: NDArray[Any], run: Callable[[NDArray[Any], str], Any]) -> NDArray[np.float32]:
        import torch

        size = max(1, PIXELS_AT_ONCE // math.prod(self._fitted.shape))
        device = self._require_device()
        with torch.no_grad():
            return np.concatenate([run(rows[some], device).cpu().numpy() for some in slices(len(rows), size)])


def _require_torch() -> Any:
    return require("torch", extra="torch", purpose="A VAE")
