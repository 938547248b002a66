"""What a model is, told without loading it: a digest of its files and the libraries that will run it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.adapters.files import file_digest, locate_file
from surefoot.adapters.onnx_weights import weight_files
from surefoot.adapters.project_code import MOST_FILES
from surefoot.adapters.sources import Sources, folder_sources, module_sources, type_sources, versions
from surefoot.adapters.trust import PICKLED, pickle_caveats
from surefoot.core import Diagnostic
from surefoot.core.canonical import FrozenDict, digest
from surefoot.documents import printable

LIBRARIES = {
    ".skops": ("skops", "sklearn", "scipy"),
    ".onnx": ("onnxruntime",),
    ".tflite": ("ai_edge_litert",),
    ".safetensors": ("torch", "safetensors"),
    ".pkl": ("joblib", "sklearn", "scipy"),
    ".pickle": ("joblib", "sklearn", "scipy"),
    ".joblib": ("joblib", "sklearn", "scipy"),
}


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
    digests = {printable(name): file_digest(locate_file(name, folder, what="file")) for name in stored}
    if path is not None:
        digests |= _weights(locate_file(path, folder, what="file"))
    reference = callable or factory
    if reference:
        code = module_sources(reference, folder, code="model-unreadable")
    else:
        code = _stored_code(path or "", trust, folder)
    whole = {"code": reference, "sources": code.digests, "files": digests}
    only_file = path is not None and len(digests) == 1 and not code.digests
    libraries = ["numpy", *LIBRARIES.get(Path(path or weights or "").suffix.lower(), ())]
    return Identity(
        next(iter(digests.values())) if only_file else digest(whole),
        FrozenDict(code.versions | versions(libraries)),
        (*_caveats(code, reference, path or weights or "model"), *pickle_caveats(path, trust)),
    )


def partial_identity(name: str) -> tuple[Diagnostic, ...]:
    """The note that a digest of source code cannot cover everything the code uses."""
    text = f"The digest of {printable(name)} covers the Python code in the project's folder, no other code."
    hint = "List files that it reads under files."
    return (Diagnostic("partial-identity", text, "note", printable(name), hint),)


def _caveats(code: Sources, reference: str | None, name: str) -> tuple[Diagnostic, ...]:
    """What the digest leaves out; a pickle says so itself."""
    if not reference and (not code.digests or Path(name).suffix.lower() in PICKLED):
        partial: tuple[Diagnostic, ...] = ()
    else:
        partial = partial_identity(reference or name)
    if code.whole:
        return partial
    text = f"The project's folder holds too much code (more than {MOST_FILES} files or 1 GiB): "
    text += f"of it, the digest of {printable(reference or name)} covers only what is imported by name."
    return (*partial, Diagnostic("partial-identity", text, "note", printable(reference or name)))


def _stored_code(path: str, trust: str | Iterable[str] | None, folder: Path) -> Sources:
    """Code of the project that a model file may refer to."""
    suffix = Path(path).suffix.lower()
    if suffix in PICKLED and trust == "pickle":
        return folder_sources(folder)
    if suffix == ".skops" and trust is not None and not isinstance(trust, str):
        return type_sources(trust, folder)
    return Sources({}, {})


def _weights(path: Path) -> dict[str, str]:
    """Digests of files in which an ONNX model keeps its weights, whatever their names."""
    if path.suffix.lower() != ".onnx":
        return {}
    names = weight_files(path)
    return {f"weights {printable(name)}": file_digest(locate_file(name, path.parent, what="weights")) for name in names}
