"""Figures of encoders: images beside their decoded ones, the course of a training, and unequal weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.drawing import BLUE, GREY, INK, new_axes, open_frame
from surefoot.profile.centres import decoded_centres

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from surefoot.profile.latent import LatentWeights
    from surefoot.profile.vae import VAE

SIDE = 0.95
"""Inches of one picture."""
BINS = 50


def plot_reconstructions(encoder: Any, X: ArrayLike, count: int = 8) -> Figure:
    """The first ``count`` images, and below them what is left after encoding and decoding."""
    import matplotlib.pyplot as plt

    number = validate.count(count, where="plot_reconstructions", name="count", at_least=1)
    images = np.asarray(X)[:number]
    again = decoded_centres(encoder, images)
    figure, axes = plt.subplots(
        2, len(images), figsize=(SIDE * len(images) + 0.8, 2 * SIDE), layout="constrained", squeeze=False
    )
    for row, (name, pictures) in zip(axes, (("input", images), ("decoded", again)), strict=True):
        for place, picture in zip(row, pictures, strict=True):
            place.imshow(_shown(picture), cmap="gray", vmin=0, vmax=1)
            place.set(xticks=[], yticks=[])
            place.spines[:].set_visible(False)
        row[0].set_ylabel(name, color=INK, fontsize=9)
    return figure


def plot_history(vae: VAE) -> Figure:
    """Reconstruction error and divergence from the prior of each epoch, on learnt and on held-out images."""
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


def plot_weights(weights: LatentWeights, ax: Axes | None) -> Axes:
    """Number of inputs by the power of ten of their weight; the mean is 1."""
    axes = ax or new_axes(5.2, 3.2)
    some = weights.values[weights.values > 0]
    powers = np.log10(some)
    spread = (powers.min(), powers.max()) if np.ptp(powers) > 0.1 else (-0.5, 0.5)
    axes.hist(powers, bins=BINS, range=spread, color=BLUE, label=f"{len(some):,} inputs")
    axes.axvline(0, color=INK, lw=1, ls="--", label="mean weight")
    worth = f"worth {weights.effective_rows:,.0f} inputs of equal weight"
    vanished = len(weights) - len(some)
    axes.set_title(worth + (f"; {vanished:,} have weight 0" if vanished else ""), fontsize=9, loc="left")
    axes.set(xlabel="log10 of weight", ylabel="inputs")
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return open_frame(axes)


def _shown(picture: NDArray[Any]) -> NDArray[Any]:
    """A picture as matplotlib takes it: grey, or channels last."""
    if picture.ndim == 3 and picture.shape[0] in (1, 3, 4):
        return picture[0] if picture.shape[0] == 1 else np.moveaxis(picture, 0, -1)
    if picture.ndim != 2:
        raise InvalidInput("only images can be shown", where="plot_reconstructions", found=f"shape {picture.shape}")
    return picture
