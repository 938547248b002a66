"""Whether a seal is what was sealed, and whether what it holds still does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.case.change.numbers import number_changes, weaker
from surefoot.case.change.origin import differences, short
from surefoot.case.change.plain import case_digest
from surefoot.case.change.resting import assumptions_of, result_digest
from surefoot.case.change.seal import Seal
from surefoot.case.change.sealed import SealedClaim, rounded
from surefoot.case.change.sign import PublicKey
from surefoot.case.change.snapshot import Snapshot
from surefoot.core import Diagnostic, InvalidInput, MissingExtra
from surefoot.core.canonical import canonical_json, unthaw
from surefoot.core.diagnostics import WORST_FIRST, Severity
from surefoot.core.target import present
from surefoot.documents import json, listed

LOOKS = "level over all looks"
OTHER_ORIGIN = "Results are the same and come from other code, seeds or parameters than when they were sealed."
HINT = "surefoot case diff shows what."
SLID = 0.05
"""A probability that sank by more is told, although the claim still holds."""
INPUTS = (
    ("digests", "data, model or file"),
    ("versions", "version of"),
    ("targets", "target"),
    ("operation", "operation of"),
)


def verify(seal: Seal, now: Snapshot | None = None, *, public_key: PublicKey | None = None) -> list[Diagnostic]:
    """What is wrong with a seal, and with the case as it stands now; worst first, empty where all is well.

    Without ``now`` only the seal itself is looked at. With ``public_key`` it must be signed by that key.
    """
    if not seal.intact:
        text = "The content of the seal does not have the digest that was written with it."
        return [Diagnostic("seal-broken", text, "error", hint="Take it from where it was kept, or seal anew.")]
    found = list(_signature(seal, public_key))
    if now is not None:
        if not now.assessed:
            raise InvalidInput("a seal is compared with an assessed case", where="verify", remedy="Assess it first.")
        found += [*_claims(seal, now), *_moved(seal, now)]
    return sorted(found, key=lambda each: WORST_FIRST.index(each.severity))


def _signature(seal: Seal, expected: PublicKey | None) -> Iterator[Diagnostic]:
    signature = seal.signature
    if signature is None:
        text = "The seal is not signed, so nothing says who made it."
        if expected is None:
            yield Diagnostic("seal-unsigned", text, "note", hint="Sign with: surefoot case seal --key KEY")
        else:
            yield Diagnostic("seal-signature", text, "error", hint="Ask for the signed seal.")
        return
    if expected is not None and signature.public_key != expected.raw.hex():
        text = f"The seal is signed by the key {signature.public_key[:16]}..., not by {expected}."
        yield Diagnostic("seal-signature", text, "error", hint="Ask who signed it.")
        return
    key = expected or PublicKey(bytes.fromhex(signature.public_key))
    try:
        good = key.verifies(signature, seal.message)
    except MissingExtra as error:
        if expected is not None:
            raise
        yield Diagnostic("seal-signature", "The signature was not checked.", "warning", hint=error.remedy)
        return
    if not good:
        text = "The signature is not one of this seal: it was altered, or moved here from another."
        yield Diagnostic("seal-signature", text, "error", hint="Ask for the seal as it was signed.")


def _claims(seal: Seal, now: Snapshot) -> Iterator[Diagnostic]:
    for identity, claim in seal.sealed.claims.items():
        why = list(_fallen(identity, claim, seal, now))
        if why:
            text = f"The sealed claim {claim.text!r} no longer holds: {'; '.join(why)}."
            hint = f"Compare: surefoot case diff. Sealed{_signer(seal)} as {claim.standing}, {_number(claim)}."
            yield Diagnostic("seal-claim-fell", text, "error", identity, hint)
        else:
            yield from _still_held(identity, claim, now)


def _fallen(identity: str, claim: SealedClaim, seal: Seal, now: Snapshot) -> Iterator[str]:
    node, assessed = now.case.nodes.get(identity), now.node(identity)
    if node is None or assessed is None:
        yield "it is gone"
        return
    if node.kind != "claim":
        yield f"it is {node.kind} now"
    yield from (str(change) for change in weaker(claim.number, rounded(node.number)) if change.part != LOOKS)
    if assessed.standing != claim.standing:
        why = f" ({assessed.why.rstrip('.')})" if assessed.why else ""
        yield f"it was {claim.standing} and is {assessed.standing}{why}"
        changed = [each for each in claim.evidence if _differs(each, seal, now)]
        if changed:
            yield f"evidence changed: {listed(changed)}"


def _differs(reference: str, seal: Seal, now: Snapshot) -> bool:
    """Whether any estimate that a reference may mean has another content."""
    names = {name for name in {*seal.sealed.evidence, *now.contents} if name.partition("[")[0] == reference}
    names = names or {reference}
    return any(seal.sealed.evidence.get(name) != now.contents.get(name) for name in names)


def _still_held(identity: str, claim: SealedClaim, now: Snapshot) -> Iterator[Diagnostic]:
    node = now.case[identity]
    if node.text != claim.text:
        text = f"The sealed claim is worded differently: {claim.text!r} -> {node.text!r}."
        yield Diagnostic("seal-moved", text, "warning", identity, "Seal anew if it still means the same.")
    for change in number_changes(claim.number, rounded(node.number)):
        severity: Severity = "note" if change.direction == "tightened" else "warning"
        yield Diagnostic("seal-moved", f"The claim still holds, with {change}.", severity, identity)
    probability = now.probability(identity) or 0.0
    if claim.probability - probability > SLID:
        text = f"The claim still holds, with probability {claim.probability:.3f} -> {probability:.3f}."
        yield Diagnostic("seal-moved", text, "warning", identity)


def _moved(seal: Seal, now: Snapshot) -> Iterator[Diagnostic]:
    """What differs below the claims, whether or not they noticed."""
    sealed = seal.sealed
    if sealed.result != result_digest(now):
        yield from list(_inputs(seal, now)) or [Diagnostic("seal-moved", OTHER_ORIGIN, hint=HINT)]
    if sealed.case != case_digest(now.case):
        text = "The case says something else than when it was sealed."
        yield Diagnostic("seal-moved", text, "warning", hint=HINT)
    for name, old, new in differences(_assumptions(seal), dict(assumptions_of(now, sealed.claims))):
        before, after = (each if isinstance(each, str) else each["standing"] for each in (old, new))
        changed = f"{before} -> {after}" if before != after else "is worded differently"
        yield Diagnostic("seal-moved", f"An assumption differs: {name}, {changed}.", "warning", name)


def _assumptions(seal: Seal) -> dict[str, dict[str, str]]:
    """As they stood, in the words of now; the seal itself keeps its own, which its digest covers."""
    found = seal.sealed.assumptions.items()
    return {name: {**each, "standing": present(each["standing"])} for name, each in found}


def _inputs(seal: Seal, now: Snapshot) -> Iterator[Diagnostic]:
    for part, words in INPUTS:
        for name, old, new in differences(getattr(seal.sealed, part), _rounded(getattr(now, part))):
            yield _told(f"{words} {name}", old, new, name)
    for name, old, new in differences(seal.sealed.evidence, now.contents):
        yield _told(f"evidence {name}", old, new, name)


def _rounded(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return dict(unthaw(json.loads(canonical_json(values))))


def _told(what: str, old: Any, new: Any, where: str) -> Diagnostic:
    return Diagnostic("seal-moved", f"Changed since it was sealed: {what}, {short(old)} -> {short(new)}", where=where)


def _number(claim: SealedClaim) -> str:
    return "without a number" if claim.number is None else str(claim.number)


def _signer(seal: Seal) -> str:
    return f" by {seal.sealed.by}" if seal.sealed.by else ""
