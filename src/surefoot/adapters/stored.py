"""Scikit-learn models from files: skops, and pickle where it is trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from surefoot.adapters.model import LoadedModel, loading
from surefoot.adapters.modules import ProjectModules
from surefoot.adapters.objects import adapted
from surefoot.adapters.trust import pickle_caveats
from surefoot.core import DiagnosticsError
from surefoot.documents import listed, printable


def load_skops(path: Path, modules: ProjectModules, *, method: str | None, trust: Iterable[str]) -> LoadedModel:
    """Read a skops file, which may hold types that skops or the project trusts and no others."""
    name, trusted = printable(path.name), sorted(set(trust))
    with modules.active(), loading(name, modules.folder):
        import skops.io

        unknown = sorted(set(skops.io.get_untrusted_types(file=path)) - set(trusted))
        if unknown:
            raise _untrusted(name, unknown, trusted)
        estimator = skops.io.load(path, trusted=trusted)
    return replace(adapted(estimator, method=method, name=name), folder=modules.folder)


def load_pickle(path: Path, modules: ProjectModules, *, method: str | None, trust: object) -> LoadedModel:
    """Read a pickle that the project trusts."""
    caveats = pickle_caveats(path.name, trust if isinstance(trust, str) else None)
    name = printable(path.name)
    with modules.active(), loading(name, modules.folder):
        import joblib

        found = joblib.load(path)
    return replace(adapted(found, method=method, name=name), caveats=caveats, folder=modules.folder)


def _untrusted(name: str, unknown: list[str], trusted: list[str]) -> DiagnosticsError:
    everything = ", ".join(printable(kind) for kind in [*trusted, *unknown])
    return DiagnosticsError.of(
        "model-untrusted",
        f"{name} holds types that skops does not trust: {listed(unknown)}.",
        where=name,
        hint=f"Where you trust the origin of the file, write `trust: [{everything}]`.",
    )
