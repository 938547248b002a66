"""A variational autoencoder of images as an encoder."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import DiagnosticsError, InvalidInput, Undefined, validate
from surefoot.core.errors import require
from surefoot.core.validate import FloatArray
from surefoot.drawing import BLUE, GREY, INK, open_frame
from surefoot.profile.input_arrays import as_images, as_table, full_shape, slices, with_channels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from surefoot.profile.vae_network import Network

WHERE = "VAE"
HELD_OUT = 0.1
"""Share of the images that decide when to stop, where none are given for that."""
PIXELS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class VAE:
    """Convolutional variational autoencoder of images with pixels in [0, 1]; needs torch.

    Pixels are normal around the decoded image with the variance that fits best, so one loss serves grey and colour
    images. On the CPU, the seed decides everything.

    Parameters
    ----------
    dimensions
        Numbers that an image is encoded in.
    channels
        Each is a convolution that halves height and width.
    epochs, batch_size, learning_rate
        Of the training.
    kl_weight
        Scales the divergence from the prior (Higgins et al. 2017).
    patience
        After so many epochs without a better loss on held-out images the training stops; the best weights stay.
    seed
        Of weights, batches and noise.
    device
        A device of torch, such as ``"cuda"``; None is the CPU.

    References
    ----------
    Kingma and Welling (2014); Rybkin, Daniilidis and Levine (2021).

    See Also
    --------
    PCAEncoder : An encoder that needs no torch.

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
        """A trained copy.

        Parameters
        ----------
        X
            Images with pixels in [0, 1]: (n, height, width) or (n, channels, height, width).
        validation
            Images that decide when to stop; where there are none, a tenth of ``X`` is held out.
        progress
            Is told how many batches of how many are done.

        Returns
        -------
        VAE
            With ``history`` and ``best_epoch``.

        """
        device = self._require_device()
        images = as_images(X, where=f"{WHERE}.fit", name="X", at_least=2 if validation is None else 1)
        if (images == images[0]).all():
            raise InvalidInput("all images are the same", where=f"{WHERE}.fit", found=f"{len(images):,} images")
        learnt, held_out = self._split(images, validation)
        from surefoot.profile.vae_network import Training, trained

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
        from surefoot.profile.vae_network import as_tensor

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
        from surefoot.profile.vae_network import as_tensor

        trained = self._fitted
        codes = as_table(Z, where=f"{WHERE}.decode", name="Z", columns=self.dimensions)
        images = self._in_parts(codes, lambda part, device: trained.network.decoder(as_tensor(part, device)))
        return images.reshape(-1, *trained.shape)

    def save(self, path: str | Path) -> Path:
        """Write weights, parameters and history as safetensors."""
        return write(self, self._fitted, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, device: str | None = None) -> VAE:
        """Read what ``save`` wrote; nothing in the file is run."""
        _require_torch()
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


@dataclass(frozen=True, eq=False)
class Trained:
    """A network with the shape of its images and the course of its training."""

    network: Network
    shape: tuple[int, ...]
    """Of one image, as it was given: (height, width) or (channels, height, width)."""
    history: tuple[Epoch, ...]


def _require_torch() -> Any:
    return require("torch", extra="torch", purpose="A VAE")


LEAST_ERROR = 1e-6
"""Mean squared error of a pixel below which nothing more is gained: a quarter of a grey level of 255."""


@dataclass(frozen=True)
class Epoch:
    """Losses of one pass over the images, and on those held out after it.

    ``reconstruction`` is the mean squared error of a pixel, ``divergence`` the Kullback-Leibler divergence of an
    image's posterior from the prior, in nats.

    See Also
    --------
    VAE : Its ``history`` has one for each pass.

    """

    reconstruction: float
    divergence: float
    validation_reconstruction: float
    validation_divergence: float


def best_epoch(history: Sequence[Epoch], *, pixels: int, kl_weight: float) -> int:
    """Number of the epoch with the smallest loss on held-out images, counted from 0; the first of equal ones."""
    losses = [
        pixels / 2 * math.log(epoch.validation_reconstruction + LEAST_ERROR) + kl_weight * epoch.validation_divergence
        for epoch in history
    ]
    return losses.index(min(losses))


@validate.arguments
def plot_history(vae: VAE) -> Figure:
    """Reconstruction error and divergence from the prior of each epoch, on learnt and on held-out images.

    Parameters
    ----------
    vae
        A trained one.

    Returns
    -------
    Figure
        With two axes.

    See Also
    --------
    VAE : What it shows the training of.

    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7.4, 2.9), layout="constrained")
    epochs = np.arange(1, len(vae.history) + 1)
    names = {"reconstruction": "mean squared error of a pixel", "divergence": "divergence from the prior (nats)"}
    for place, (name, words) in zip(axes, names.items(), strict=True):
        for key, colour, label in ((name, GREY, "learnt"), (f"validation_{name}", BLUE, "held out")):
            place.plot(epochs, [getattr(e, key) for e in vae.history], ".-", color=colour, lw=1.6, label=label)
        place.set(xlabel="epoch", ylabel=words, ylim=(0, None))
        place.axvline(vae.best_epoch + 1, color=INK, lw=0.9, ls=":", label="weights kept")
        place.xaxis.get_major_locator().set_params(integer=True)
        open_frame(place)
    axes[0].legend(frameon=False, fontsize=8)
    return figure


# A trained autoencoder as a safetensors file; loaded only where torch is.

KEY = "surefoot.vae"
OPTIONS = ("dimensions", "channels", "epochs", "batch_size", "learning_rate", "kl_weight", "patience", "seed")


def write(vae: VAE, trained: Trained, path: Path) -> Path:
    """Weights as tensors; parameters, shape and history as JSON beside them."""
    files = require("safetensors.torch", extra="torch", purpose="Saving a VAE")
    described = {
        "options": {name: getattr(vae, name) for name in OPTIONS},
        "shape": trained.shape,
        "history": [asdict(epoch) for epoch in trained.history],
    }
    weights = {name: value.cpu().contiguous() for name, value in trained.network.state_dict().items()}
    files.save_file(weights, path, metadata={KEY: json.dumps(described)})
    return path


def read(path: Path) -> tuple[dict[str, Any], Trained]:
    """Parameters and network of a file, all checked before anything of its size is built."""
    safetensors = require("safetensors", extra="torch", purpose="Loading a VAE")
    if not path.is_file():
        raise DiagnosticsError.of("file-missing", "There is no such file.", where=path.name)
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            described = json.loads((file.metadata() or {})[KEY])
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        options = {name: described["options"][name] for name in OPTIONS}
        return options, _rebuilt(options, described, weights)
    except (safetensors.SafetensorError, KeyError, TypeError, ValueError, RuntimeError, OSError) as error:
        text = "The file does not hold a VAE, or is damaged."
        raise DiagnosticsError.of("model-unreadable", text, where=path.name, hint="Write it with VAE.save.") from error


def _rebuilt(options: dict[str, Any], described: dict[str, Any], weights: dict[str, Any]) -> Trained:
    """The network without numbers of its own, then those of the file, which must fit one to one."""
    import torch

    from surefoot.profile.vae_network import Network

    shape = tuple(validate.count(side, where=KEY, name="shape", at_least=1) for side in described["shape"])
    vae = VAE(**options)
    with torch.device("meta"):
        network = Network(full_shape(shape), vae.channels, vae.dimensions)
    if not all(value.dtype == torch.float32 and bool(value.isfinite().all()) for value in weights.values()):
        raise ValueError("weights must be finite numbers in single precision")
    network.load_state_dict(weights, strict=True, assign=True)
    return Trained(network, shape, tuple(Epoch(**epoch) for epoch in described["history"]))
