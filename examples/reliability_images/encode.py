"""Train the variational autoencoder in whose space the density of images is estimated, and store it.

Run ``python examples/reliability_images/encode.py mnist``; ``--help`` lists the rest.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import images
import torch
from numpy.typing import NDArray

from surefoot.profile import VAE

WEIGHTS = Path(__file__).parent / "weights"
EPOCHS = 12


def trained(set_: images.ImageSet, inputs: NDArray, *, epochs: int = EPOCHS, device: str = "cpu") -> VAE:
    """An autoencoder with as many dimensions as the paper takes; a tenth of the images says when to stop."""
    vae = VAE(set_.latent_dimensions, epochs=epochs, device=device)
    try:
        from rich.progress import Progress
    except ImportError:  # a machine that has torch and nothing else
        return vae.fit(inputs)
    with Progress() as bar:
        task = bar.add_task("training")
        return vae.fit(inputs, progress=lambda done, of: bar.update(task, completed=done, total=of))


def main() -> None:
    """Train, say how well it went, store."""
    options = _options()
    torch.set_num_threads(options.threads)
    set_ = images.SETS[options.images]
    inputs, _ = set_.train()
    start = time.perf_counter()
    vae = trained(set_, inputs, epochs=options.epochs, device=options.device)
    seconds = time.perf_counter() - start
    options.out.mkdir(parents=True, exist_ok=True)
    path = vae.save(options.out / f"vae_{set_.name}.safetensors")
    error = min(each.validation_reconstruction for each in vae.history)
    print(
        f"{set_.name}: squared error {error:.4f} a held-out pixel, {len(vae.history)} epochs, {seconds:.0f} s, {path}"
    )


def load(set_: images.ImageSet, folder: Path = WEIGHTS, *, device: str = "cpu") -> VAE:
    """The autoencoder that was stored."""
    return VAE.load(folder / f"vae_{set_.name}.safetensors", device=device)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", choices=images.SETS)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="most passes over the training images")
    parser.add_argument("--threads", type=int, default=1, help="1 gives the same weights on every machine of a kind")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder of the weights")
    return parser.parse_args()


if __name__ == "__main__":
    main()
