"""What a store holds, for people who look through it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from surefoot.core import DiagnosticsError
from surefoot.project.store.record import Record


@dataclass(frozen=True, order=True)
class Entry:
    """Evidence that a store holds: the step it belongs to, its key, the digest of its results, its size."""

    step: str
    key: str
    digest: str
    bytes: int

    @classmethod
    def of(cls, record: Record) -> Entry:
        """The entry of a record."""
        return cls(record.step, record.key, record.digest, record.size)


def only_one(entries: Iterable[Entry], prefix: str, *, where: str) -> Entry:
    """The only entry whose key starts with ``prefix``."""
    found = [entry for entry in entries if entry.key.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    text = f"{len(found)} keys start with {prefix!r}." if found else f"no key starts with {prefix!r}."
    hint = "Give more digits." if found else "List what is there with: surefoot evidence list"
    raise DiagnosticsError.of("unknown-reference", text, where=where, hint=hint)
