"""The seal: a small file that notices when what it holds was altered, and that may be signed.

The digest is a hash, which anybody can compute: it finds accidents and edits. Only a signature, checked with a public
key that came another way, says who sealed it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date as calendar_date
from pathlib import Path
from typing import Any, Self

from surefoot.case.change import seal_text
from surefoot.case.change.sealed import Sealed
from surefoot.case.change.sign import PrivateKey, Signature
from surefoot.case.change.snapshot import Snapshot
from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.documents import write_whole

SEAL_VERSION = 1
MESSAGE = "surefoot seal 1\n"
ALGORITHM = "Ed25519"
PARTS = ("surefoot-seal", "sealed", "digest", "signature")
SIGNATURE_PARTS = ("algorithm", "public_key", "value")
LENGTHS = {"public_key": 64, "value": 128}


@dataclass(frozen=True)
class Seal:
    """What was sealed, the digest that was written with it, and a signature of that digest where there is one."""

    sealed: Sealed
    digest: str
    signature: Signature | None = None

    @property
    def intact(self) -> bool:
        """Whether the digest is that of the content."""
        return self.digest == self.sealed.digest

    @property
    def message(self) -> bytes:
        """What is signed: a line that says what it is, and the digest."""
        return f"{MESSAGE}{self.digest}".encode()

    def signed(self, key: PrivateKey) -> Self:
        """The seal with a signature by this key."""
        return replace(self, signature=key.sign(self.message))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = {"surefoot-seal": SEAL_VERSION, "sealed": self.sealed.to_dict(), "digest": self.digest}
        if self.signature is not None:
            found["signature"] = {"algorithm": ALGORITHM, **vars(self.signature)}
        return found

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read back what ``to_dict`` wrote, and nothing else."""
        if not isinstance(data, dict) or not set(PARTS[:3]) <= set(data) <= set(PARTS):
            raise InvalidInput("this is no seal", found=type(data).__name__)
        return cls(Sealed.from_dict(data["sealed"]), _hexadecimal(data["digest"], 64), _signature(data))

    def write(self, path: str | Path) -> Path:
        """Write the seal, whole or not at all; the same seal gives the same bytes."""
        write_whole(Path(path), seal_text.written(self.to_dict()))
        return Path(path)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The seal in a file; one whose text is not exactly as it was written is broken."""
        text = seal_text.file_text(path)
        data = seal_text.parsed(text, path)
        if not isinstance(data, dict) or "surefoot-seal" not in data:
            raise DiagnosticsError.of("file-unreadable", "this is no seal.", where=str(path), hint=seal_text.HINT)
        if data["surefoot-seal"] != SEAL_VERSION or isinstance(data["surefoot-seal"], bool):
            version = f"a seal of version {str(data['surefoot-seal'])[:20]!r} cannot be read here."
            raise DiagnosticsError.of("unsupported-version", version, where=str(path), hint="Upgrade Surefoot.")
        try:
            found = cls.from_dict(data)
            same = seal_text.written(found.to_dict()) == text
        except (InvalidInput, UnicodeEncodeError) as error:
            raise seal_text.broken(path, str(error)) from error
        if not same:
            raise seal_text.broken(path, "its text is not as it was written")
        return found


def seal(snapshot: Snapshot, *, by: str = "", date: str = "", key: PrivateKey | None = None) -> Seal:
    """Seal an assessed case: the claims that hold, with digests of everything they rest on.

    ``by`` and ``date`` (ISO, such as 2026-05-17) are statements of who seals and are covered by the digest. Raises
    where no claim holds, because there is nothing to seal then.
    """
    if date:
        _valid(date)
    content = _content(snapshot, by=by, date=date)
    if not content.claims:
        found = ", ".join(f"{name} is {standing}" for name, standing in list(content.not_held.items())[:6])
        remedy = "Seal once a claim holds."
        raise InvalidInput("no claim holds, so there is nothing to seal", where="seal", found=found, remedy=remedy)
    made = Seal(content, content.digest)
    return made if key is None else made.signed(key)


def _content(snapshot: Snapshot, *, by: str, date: str) -> Sealed:
    """What is sealed, as it will be read back."""
    try:
        data = Sealed.of(snapshot, by=by, date=date).to_dict()
        seal_text.written(data)
    except UnicodeEncodeError as error:
        raise InvalidInput("half of a surrogate pair is no text and cannot be sealed", where="seal") from error
    return Sealed.from_dict(data)


def _valid(date: str) -> None:
    try:
        calendar_date.fromisoformat(date)
    except ValueError as error:
        raise InvalidInput("a date is written as 2026-05-17", where="seal", found=repr(date)) from error


def _signature(data: dict[str, Any]) -> Signature | None:
    if "signature" not in data:
        return None
    parts = data["signature"]
    if not isinstance(parts, dict) or set(parts) != set(SIGNATURE_PARTS) or parts["algorithm"] != ALGORITHM:
        raise InvalidInput(f"a signature has the parts {list(SIGNATURE_PARTS)}", found=str(parts)[:80])
    return Signature(**{name: _hexadecimal(parts[name], length) for name, length in LENGTHS.items()})


def _hexadecimal(value: object, length: int) -> str:
    if not isinstance(value, str) or len(value) != length or set(value) - set("0123456789abcdef"):
        raise InvalidInput(f"{length} hexadecimal digits are needed", found=str(value)[:80])
    return value
