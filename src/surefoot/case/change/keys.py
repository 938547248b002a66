"""Ed25519 keys and signatures (RFC 8032), in PEM files that openssl reads and writes too."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from surefoot.core import DiagnosticsError, InvalidInput, validate
from surefoot.core.errors import require

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ED25519, SERIALIZATION = (
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "cryptography.hazmat.primitives.serialization",
)
PUBLIC_SUFFIX = ".pub"
OWNER_ONLY, EVERYBODY = 0o600, 0o644
LARGEST = 64 * 1024


@dataclass(frozen=True)
class Signature:
    """A signature with the public key that it can be checked with, both in hexadecimal, and what the signer states.

    Parameters
    ----------
    public_key, value
        In hexadecimal.
    by, role, date
        Who signed, as what, such as ``author`` or ``assessor``, and when; the signature covers them.

    See Also
    --------
    seal : Signs with a key.

    """

    public_key: str
    value: str
    by: str = ""
    role: str = ""
    date: str = ""

    def __str__(self) -> str:
        who = self.by or "somebody who gave no name"
        role, date = (f"{word}{said}" if said else "" for word, said in ((" as ", self.role), (" on ", self.date)))
        return f"{who}{role}{date}, key {self.public_key[:16]}..."


@dataclass(frozen=True)
class PublicKey:
    """The key that signatures are checked with: 32 bytes.

    See Also
    --------
    make_key : Makes a pair of keys.

    """

    raw: bytes

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The public key in a PEM file, such as ``surefoot case key`` or ``openssl pkey -pubout`` writes."""
        content = _content(path)
        if b"PRIVATE KEY" in content:
            raise _unusable(path, "it holds a private key", "Give the public one, and keep this one to yourself.")
        key = _loaded(path, "load_pem_public_key", content)
        if not isinstance(key, _ed25519().Ed25519PublicKey):
            raise _unusable(path, "it is no Ed25519 key", "Make one with: surefoot case key OUT")
        found = cls(key.public_bytes_raw())
        if found.weak:
            raise _unusable(path, f"it is {WEAK}", "Ask for another one: nobody makes such a key by accident.")
        return found

    @property
    def weak(self) -> bool:
        """Whether signatures by it say nothing: a point of small order, or none in its one canonical form."""
        point = _point(self.raw)
        return point is None or _times_eight(point) == NEUTRAL

    def verifies(self, signature: Signature, message: bytes) -> bool:
        """Whether the signature is of this message, by this key."""
        if signature.public_key != self.raw.hex() or self.weak:
            return False
        invalid = require("cryptography.exceptions", extra="sign", purpose="A signature").InvalidSignature
        try:
            key = _ed25519().Ed25519PublicKey.from_public_bytes(self.raw)
            key.verify(bytes.fromhex(signature.value), message)
        except (invalid, ValueError):
            return False
        return True

    def __str__(self) -> str:
        return f"{self.raw.hex()[:16]}..."


@dataclass(frozen=True)
class PrivateKey:
    """The key that signs; it is never shown.

    See Also
    --------
    make_key : Makes a pair of keys.

    """

    _key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The private key in a PEM file without a password."""
        key = _loaded(path, "load_pem_private_key", _content(path), None)
        if not isinstance(key, _ed25519().Ed25519PrivateKey):
            raise _unusable(path, "it is no Ed25519 key", "Make one with: surefoot case key OUT")
        return cls(key)

    @property
    def public(self) -> PublicKey:
        """Its other half, for everybody."""
        return PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> str:
        """The signature of a message, in hexadecimal; the same message gives the same signature."""
        return self._key.sign(message).hex()


# Points of the curve. All multiples of eight of them are among these eight, so that anybody can sign without a secret.

WEAK = "a key of small order, by which anybody can sign anything"
PRIME = 2**255 - 19
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT = pow(2, (PRIME - 1) // 4, PRIME)
NEUTRAL = (0, 1)
Point = tuple[int, int]


def _point(raw: bytes) -> Point | None:
    """The point that 32 bytes stand for (RFC 8032, 5.1.3); None where there is none, or the form is not canonical."""
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if len(raw) != 32 or y >= PRIME:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    x = x if x * x % PRIME == square else x * ROOT % PRIME
    if x * x % PRIME != square or (x == 0 and sign):
        return None
    return (x if x % 2 == sign else PRIME - x), y


def _times_eight(point: Point) -> Point:
    for _ in range(3):
        x, y = point
        both = CURVE * x * x * y * y % PRIME
        point = 2 * x * y * pow(1 + both, -1, PRIME) % PRIME, (y * y + x * x) * pow(1 - both, -1, PRIME) % PRIME
    return point


@validate.arguments
def make_key(path: str | Path) -> tuple[Path, Path]:
    """Make a pair of keys: the private one for the owner's eyes alone, the public one beside it; overwrites nothing.

    Parameters
    ----------
    path
        The file of the private key; the public one has ``.pub`` added.

    Returns
    -------
    tuple of Path
        Where the private and the public key are.

    References
    ----------
    RFC 8032 (Ed25519).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from surefoot.case import PrivateKey, make_key
    >>> with TemporaryDirectory() as folder:
    ...     private, public = make_key(Path(folder) / "owner")
    ...     public.name, len(PrivateKey.read(private).public.raw)
    ('owner.pub', 32)

    """
    private, public = Path(path), Path(f"{path}{PUBLIC_SUFFIX}")
    present = [str(each) for each in (private, public) if os.path.lexists(each)]
    if present:
        problem, remedy = "a key is never overwritten", "Name another file, or move it away."
        raise InvalidInput(problem, where=str(path), found=", ".join(present), remedy=remedy)
    key, forms = _ed25519().Ed25519PrivateKey.generate(), _serialization()
    pem = forms.Encoding.PEM
    secret = key.private_bytes(pem, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    _create(private, secret, OWNER_ONLY)
    _create(public, key.public_key().public_bytes(pem, forms.PublicFormat.SubjectPublicKeyInfo), EVERYBODY)
    return private, public


def _create(path: Path, content: bytes, mode: int) -> None:
    try:
        place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(place, "wb") as stream:
            stream.write(content)
    except OSError as error:
        text, hint = (
            f"the key cannot be written: {error.strerror or error}.",
            "Name a new file in a folder that exists.",
        )
        raise DiagnosticsError.of("store-unwritable", text, where=str(path), hint=hint) from error


def _content(path: str | Path) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(LARGEST)
    except OSError as error:
        text = f"the key cannot be read: {error.strerror or error}."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint="Name a PEM file.") from error


def _loaded(path: str | Path, loader: str, *arguments: Any) -> Any:
    unsupported = require("cryptography.exceptions", extra="sign", purpose="A signature").UnsupportedAlgorithm
    try:
        return getattr(_serialization(), loader)(*arguments)
    except TypeError as error:
        hint = "Take the password off, for example with: openssl pkey -in KEY -out PLAIN"
        raise _unusable(path, "it is locked with a password", hint) from error
    except (ValueError, unsupported) as error:
        raise _unusable(path, "no key can be read from it", "Give a PEM file with an Ed25519 key.") from error


def _unusable(path: str | Path, why: str, hint: str) -> DiagnosticsError:
    return DiagnosticsError.of("file-unreadable", f"the key cannot be used: {why}.", where=str(path), hint=hint)


def _ed25519() -> Any:
    return require(ED25519, extra="sign", purpose="A signature")


def _serialization() -> Any:
    return require(SERIALIZATION, extra="sign", purpose="A signature")
