"""What a model is, told without loading it: a digest of its files and the libraries that will run it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.adapters.files import file_digest, locate_file
from surefoot.adapters.sources import Sources, module_sources, versions
from surefoot.adapters.trust import pickle_caveats
from surefoot.adapters.wording import shown
from surefoot.core import Diagnostic
from surefoot.core.canonical import FrozenDict, digest

LIBRARIES = {
    ".skops": ("skops", "sklearn", "scipy"),
    ".onnx": ("onnxruntime",),
    ".tflite": ("ai_edge_litert",),
    ".safetensors": ("torch", "safetensors"),
    ".pkl": ("joblib", "sklearn", "scipy"),
    ".pickle": ("joblib", "sklearn", "scipy"),
    ".joblib": ("joblib", "sklearn", "scipy"),
}
# Where exporters put the weights of a large ONNX model.
COMPANIONS = ("{name}.data", "{stem}.data", "{name}_data")


@dataclass(frozen=True)
class Identity:
    """A model's digest, the versions of the libraries that run it, and what the digest leaves out."""

    digest: str
    versions: Mapping[str, str] = field(default_factory=FrozenDict)
    caveats: tuple[Diagnostic, ...] = ()


def model_identity(
    *,
    path: str | None = None,
    callable: str | None = None,
    factory: str | None = None,
    weights: str | None = None,
    files: Iterable[str] = (),
    trust: str | Iterable[str] | None = None,
    folder: Path,
) -> Identity:
    """Identify a model by the content of its files and the source of its code."""
    stored = [name for name in (path, weights, *files) if name is not None]
    digests = {shown(name): file_digest(locate_file(name, folder, what="file")) for name in stored}
    if path is not None:
        digests |= _companions(folder / path)
    reference = callable or factory
    code = module_sources(reference, folder, code="model-unreadable") if reference else Sources({}, {})
    whole = {"code": reference, "sources": code.digests, "files": digests}
    libraries = ["numpy", *LIBRARIES.get(Path(path or weights or "").suffix.lower(), ())]
    return Identity(
        next(iter(digests.values())) if path is not None and len(digests) == 1 else digest(whole),
        FrozenDict(code.versions | versions(libraries)),
        (*(partial_identity(reference) if reference else ()), *pickle_caveats(path, trust)),
    )


def partial_identity(name: str) -> tuple[Diagnostic, ...]:
    """The note that a digest of source code cannot cover everything the code uses."""
    text = f"The digest of {shown(name)} covers its source and what it imports from the project folder, no other code."
    hint = "List files that it reads under files."
    return (Diagnostic("partial-identity", text, "note", shown(name), hint),)


def _companions(path: Path) -> dict[str, str]:
    if path.suffix.lower() != ".onnx":
        return {}
    names = {pattern.format(name=path.name, stem=path.stem) for pattern in COMPANIONS}
    return {shown(name): file_digest(path.parent / name) for name in sorted(names) if (path.parent / name).is_file()}
