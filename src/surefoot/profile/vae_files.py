"""A trained autoencoder as a safetensors file; loaded only where torch is."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.core import DiagnosticsError, validate
from surefoot.core.extras import require
from surefoot.profile.images import full_shape
from surefoot.profile.vae_history import Epoch

if TYPE_CHECKING:
    from surefoot.profile.vae import VAE, Trained

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

    from surefoot.profile.vae import VAE, Trained
    from surefoot.profile.vae_network import Network

    shape = tuple(validate.count(side, where=KEY, name="shape", at_least=1) for side in described["shape"])
    vae = VAE(**options)
    with torch.device("meta"):
        network = Network(full_shape(shape), vae.channels, vae.dimensions)
    if not all(value.dtype == torch.float32 and bool(value.isfinite().all()) for value in weights.values()):
        raise ValueError("weights must be finite numbers in single precision")
    network.load_state_dict(weights, strict=True, assign=True)
    return Trained(network, shape, tuple(Epoch(**epoch) for epoch in described["history"]))
