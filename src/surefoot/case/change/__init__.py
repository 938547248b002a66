"""What changed between two assessments of a case, and the seal that notices when something did.

Evidence is known by the hash of its content, so that a comparison names the claims that fell or rose, what below them
changed, and which data, model, code, seed, parameter or target was behind it. A seal holds digests of everything a case
rests on, and may be signed (Ed25519, RFC 8032). May import the model of a case, ``opinions`` and ``core``;
``cryptography`` (extra ``sign``) is loaded when a key is used.
"""

from surefoot.case.change.causes import Cause, EvidenceChange
from surefoot.case.change.diff import CaseDiff, ClaimChange, compare
from surefoot.case.change.seal import (
    PrivateKey,
    PublicKey,
    Seal,
    Sealed,
    SealedClaim,
    Signature,
    make_key,
    seal,
    verify,
)
from surefoot.case.change.snapshot import NodeChange, Snapshot

__all__ = [
    "CaseDiff",
    "Cause",
    "ClaimChange",
    "EvidenceChange",
    "NodeChange",
    "PrivateKey",
    "PublicKey",
    "Seal",
    "Sealed",
    "SealedClaim",
    "Signature",
    "Snapshot",
    "compare",
    "make_key",
    "seal",
    "verify",
]
