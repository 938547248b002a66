"""Pickle runs whatever code a file holds: it is read only where the project says so in words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import printable, quoted

PICKLED = (".pkl", ".pickle", ".joblib")


def pickle_caveats(path: str | None, trust: str | Iterable[str] | None) -> tuple[Diagnostic, ...]:
    """What a report says of a model that is read by pickle; a pickle that is not trusted is refused."""
    if path is None or Path(path).suffix.lower() not in PICKLED:
        return ()
    if trust != "pickle":
        raise DiagnosticsError.of(
            "model-untrusted",
            f"{quoted(path)} is a pickle: reading it runs whatever code it holds.",
            where=printable(path),
            hint="Store the model with skops, or write `trust: pickle` where you trust its origin.",
        )
    text = f"{quoted(path)} was read by pickle, because the project trusts it."
    return (
        Diagnostic("pickle-trusted", text, "warning", printable(path), "Store the model with skops or ONNX instead."),
        Diagnostic(
            "partial-identity",
            f"Of the code that {quoted(path)} refers to, its digest covers what lies in the project's folder.",
            "note",
            printable(path),
        ),
    )
