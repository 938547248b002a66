"""The seal: a small file that notices when what it holds was altered, and that may be signed.

The digest is a hash, which anybody can compute: it finds accidents and edits. Only a signature, checked with a public
key that came another way, says who sealed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date as calendar_date
from pathlib import Path
from typing import Any, Self

from surefoot.case.change.causes import differences, short
from surefoot.case.change.keys import WEAK, PrivateKey, PublicKey, Signature
from surefoot.case.change.snapshot import (
    Snapshot,
    assumptions_of,
    case_digest,
    evidence_below,
    number_changes,
    result_digest,
    stated_below,
    weaker,
)
from surefoot.case.model import Node, Number
from surefoot.case.wording import at_least
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, MissingExtra, Target, validate
from surefoot.core.canonical import FrozenDict, FrozenMap, canonical_json, digest, reading, unthaw
from surefoot.core.diagnostics import WORST_FIRST, Severity
from surefoot.core.target import present
from surefoot.documents import json, listed, write_whole

SEAL_VERSION, FORMER_VERSION = 2, 1
MESSAGE, FORMER_MESSAGE = "surefoot seal 2", "surefoot seal 1\n"
ALGORITHM = "Ed25519"
PARTS = ("surefoot-seal", "sealed", "digest", "signatures")
FORMER_PARTS = (*PARTS[:3], "signature")
SIGNATURE_PARTS = ("algorithm", "by", "date", "public_key", "role", "value")
LENGTHS = {"public_key": 64, "value": 128}


@dataclass(frozen=True)
class Seal:
    """What was sealed, the digest that was written with it, and who signed that digest, as what.

    See Also
    --------
    seal : Makes it.
    verify : Says whether it still holds.

    """

    sealed: Sealed
    digest: str
    signatures: tuple[Signature, ...] = ()
    version: int = SEAL_VERSION

    @property
    def intact(self) -> bool:
        """Whether the digest is that of the content."""
        return self.digest == self.sealed.digest

    def message(self, signature: Signature) -> bytes:
        """What a signature is of: a line that says what it is, the digest, and who signs, as what and when."""
        if self.version == FORMER_VERSION:
            return f"{FORMER_MESSAGE}{self.digest}".encode()
        return "\n".join((MESSAGE, self.digest, signature.by, signature.role, signature.date)).encode()

    def signed(self, key: PrivateKey, *, by: str = "", role: str = "", date: str = "") -> Self:
        """The seal with one more signature.

        Parameters
        ----------
        key
            The signer's own.
        by, role, date
            Who signs, as what, such as ``author`` or ``assessor``, and when; the signature covers them.

        Returns
        -------
        Seal
            With the signatures that were there before.

        Raises
        ------
        InvalidInput
            Where this key has signed it already, a name has several lines, or it is of the former version.

        """
        if self.version == FORMER_VERSION:
            raise InvalidInput("a seal of the former version has one signer", where="seal", remedy="Seal anew.")
        if date:
            _valid(date)
        for name, said in (("by", by), ("role", role)):
            if not said.isprintable():
                raise InvalidInput(f"{name} is one line of text", where="seal", found=repr(said))
        stated = Signature(key.public.raw.hex(), "", by, role, date)
        if any(each.public_key == stated.public_key for each in self.signatures):
            raise InvalidInput("this key has signed the seal already", where="seal", found=str(stated))
        made = replace(stated, value=key.sign(self.message(stated)))
        return replace(self, signatures=(*self.signatures, made))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = {"surefoot-seal": self.version, "sealed": self.sealed.to_dict(), "digest": self.digest}
        if self.signatures and self.version == FORMER_VERSION:
            (only,) = self.signatures
            found["signature"] = {"algorithm": ALGORITHM, "public_key": only.public_key, "value": only.value}
        elif self.signatures:
            found["signatures"] = [{"algorithm": ALGORITHM, **vars(each)} for each in self.signatures]
        return found

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read back what ``to_dict`` wrote, and nothing else."""
        former = isinstance(data, dict) and data.get("surefoot-seal") == FORMER_VERSION
        parts = FORMER_PARTS if former else PARTS
        if not isinstance(data, dict) or not set(PARTS[:3]) <= set(data) <= set(parts):
            raise InvalidInput("this is no seal", found=type(data).__name__)
        version = FORMER_VERSION if former else SEAL_VERSION
        return cls(Sealed.from_dict(data["sealed"]), _hexadecimal(data["digest"], 64), _signatures(data), version)

    def write(self, path: str | Path) -> Path:
        """Write the seal, whole or not at all; the same seal gives the same bytes."""
        write_whole(Path(path), written(self.to_dict()))
        return Path(path)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The seal in a file; one whose text is not exactly as it was written is broken."""
        text = file_text(path)
        data = parsed(text, path)
        if not isinstance(data, dict) or "surefoot-seal" not in data:
            raise DiagnosticsError.of("file-unreadable", "this is no seal.", where=str(path), hint=HINT)
        version = data["surefoot-seal"]
        if version not in (SEAL_VERSION, FORMER_VERSION) or isinstance(version, bool):
            text = f"a seal of version {str(version)[:20]!r} cannot be read here."
            raise DiagnosticsError.of("unsupported-version", text, where=str(path), hint="Upgrade Surefoot.")
        try:
            found = cls.from_dict(data)
            same = written(found.to_dict()) == text
        except (InvalidInput, UnicodeEncodeError) as error:
            raise broken(path, str(error)) from error
        if not same:
            raise broken(path, "its text is not as it was written")
        return found


@validate.arguments
def seal(snapshot: Snapshot, *, by: str = "", date: str = "", key: PrivateKey | None = None, role: str = "") -> Seal:
    """Seal an assessed case: the claims that hold, with digests of everything they rest on.

    Parameters
    ----------
    snapshot
        The case, assessed.
    by, date
        Statements of who seals and when (ISO, such as 2026-05-17), covered by the digest.
    key, role
        Signs the seal, in this role; others may sign it later (``Seal.signed``).

    Returns
    -------
    Seal
        To be written beside the case.

    Raises
    ------
    InvalidInput
        Where no claim holds, because there is nothing to seal then.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.case import Case, Node, Snapshot, Stated, seal
    >>> case = Case.of([Node("C1", "claim", "It stops", stated=Stated(sf.Opinion(0.9, 0.0, 0.1), by="A. Tester"))])
    >>> sealed = seal(Snapshot(case, case.evaluate()), by="A. Tester")
    >>> sealed.intact, list(sealed.sealed.claims)
    (True, ['C1'])

    """
    if date:
        _valid(date)
    content = _content(snapshot, by=by, date=date)
    if not content.claims:
        found = ", ".join(f"{name} is {standing}" for name, standing in list(content.not_held.items())[:6])
        remedy = "Seal once a claim holds."
        raise InvalidInput("no claim holds, so there is nothing to seal", where="seal", found=found, remedy=remedy)
    made = Seal(content, content.digest)
    return made if key is None else made.signed(key, by=by, role=role, date=date)


def _content(snapshot: Snapshot, *, by: str, date: str) -> Sealed:
    """What is sealed, as it will be read back."""
    try:
        data = Sealed.of(snapshot, by=by, date=date).to_dict()
        written(data)
    except UnicodeEncodeError as error:
        raise InvalidInput("half of a surrogate pair is no text and cannot be sealed", where="seal") from error
    return Sealed.from_dict(data)


def _valid(date: str) -> None:
    try:
        calendar_date.fromisoformat(date)
    except ValueError as error:
        raise InvalidInput("a date is written as 2026-05-17", where="seal", found=repr(date)) from error


def _signatures(data: dict[str, Any]) -> tuple[Signature, ...]:
    if not {"signature", "signatures"} & set(data):
        return ()
    if "signature" in data:
        if not isinstance(data["signature"], dict):
            raise InvalidInput("a signature has parts", found=str(data["signature"])[:80])
        return (_signature({"by": "", "role": "", "date": "", **data["signature"]}),)
    each = data["signatures"]
    if not isinstance(each, list) or not each:
        raise InvalidInput("signatures are a list", found=str(each)[:80])
    return tuple(map(_signature, each))


def _signature(parts: Any) -> Signature:
    if not isinstance(parts, dict) or set(parts) != set(SIGNATURE_PARTS) or parts["algorithm"] != ALGORITHM:
        raise InvalidInput(f"a signature has the parts {list(SIGNATURE_PARTS)}", found=str(parts)[:80])
    said = {name: parts[name] for name in ("by", "role", "date")}
    _texts(*said.values())
    return Signature(**{name: _hexadecimal(parts[name], length) for name, length in LENGTHS.items()}, **said)


def _hexadecimal(value: object, length: int) -> str:
    if not isinstance(value, str) or len(value) != length or set(value) - set("0123456789abcdef"):
        raise InvalidInput(f"{length} hexadecimal digits are needed", found=str(value)[:80])
    return value


# What a seal holds: the claims that held, and digests of everything they rest on.

TEXTS = ("system", "by", "date", "case", "result")
MAY_LACK = ("history", "shown")
"""What a seal has where there was a store, and a page; the digest covers whether it has it."""
TEXT_MAPS = ("not_held", "evidence", "digests", "versions", "operation", *MAY_LACK)


@dataclass(frozen=True)
class SealedClaim:
    """A claim that held, as it held; numbers are rounded to 12 significant digits.

    See Also
    --------
    seal : Seals the claims of a case.

    """

    text: str
    number: Number | None
    standing: str
    confidence: float | None = None
    """How surely all its targets hold together; None where that was not known."""
    evidence: tuple[str, ...] = ()
    """References of the evidence directly below it, ``step.quantity``."""
    stated: tuple[str, ...] = ()
    """The stated values below it, each with who answers for it: what of the claim was not measured."""
    opinion: Mapping[str, float] | None = None
    """What seals of version 1 keep in the place of confidence."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        parts = {"text": self.text, "standing": self.standing, "evidence": list(self.evidence)}
        stated = {"stated": list(self.stated)} if self.stated else {}
        surely = {"confidence": self.confidence} if self.opinion is None else {"opinion": dict(self.opinion)}
        return {**parts, **surely, "number": number_to_dict(self.number), **stated}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        former = "opinion" in data
        more = ("stated",) if "stated" in data else ()
        _only(data, ("text", "standing", "evidence", "opinion" if former else "confidence", "number", *more))
        stated = tuple(data.get("stated", ()))
        _texts(data["text"], data["standing"], *data["evidence"], *stated)
        if former:
            _only(data["opinion"], ("belief", "disbelief", "uncertainty", "base_rate"))
        surely = None if former or data["confidence"] is None else float(data["confidence"])
        opinion = FrozenDict({name: float(value) for name, value in data["opinion"].items()}) if former else None
        number, evidence = _number(data["number"]), tuple(data["evidence"])
        return cls(data["text"], number, data["standing"], surely, evidence, stated, opinion)


@dataclass(frozen=True)
class Sealed:
    """Everything that is sealed: the claims that held, and digests of all they rest on.

    See Also
    --------
    seal : Seals an assessed case.

    """

    system: str
    claims: Mapping[str, SealedClaim]
    """The claims that held, by their ids."""
    not_held: Mapping[str, str] = field(default_factory=FrozenDict)
    """The other claims, with how they stood: nobody sealed those."""
    assumptions: Mapping[str, Mapping[str, str]] = field(default_factory=FrozenDict)
    """What the claims rest on, by the id of the side-warrant or assumption: text and standing."""
    case: str = ""
    result: str = ""
    """Digests of what the case says, and of all that was measured with where it comes from."""
    evidence: Mapping[str, str] = field(default_factory=FrozenDict)
    digests: Mapping[str, str] = field(default_factory=FrozenDict)
    versions: Mapping[str, str] = field(default_factory=FrozenDict)
    targets: Mapping[str, Any] = field(default_factory=FrozenDict)
    operation: Mapping[str, str] = field(default_factory=FrozenDict)
    """What operation had brought, by the id of the claim."""
    by: str = ""
    """Who answers for it."""
    date: str = ""
    """When, as stated by who sealed it: nothing proves it."""
    history: Mapping[str, str] = field(default_factory=FrozenDict)
    """The last ``iteration`` in the store, by its hash, and when it was ``created``: it stands for all before it."""
    shown: Mapping[str, str] = field(default_factory=FrozenDict)
    """Digests of all that the page shows, by part; ``text`` is that of the page itself, where a page was sealed."""

    @classmethod
    def of(cls, snapshot: Snapshot, *, by: str = "", date: str = "") -> Self:
        """What is to be sealed of an assessed case."""
        if snapshot.evaluation is None:
            raise InvalidInput("only an assessed case can be sealed", where="seal", remedy="Assess the project first.")
        standing = {node.id: found.standing for node in snapshot.case if (found := snapshot.node(node.id))}
        claims = [node for node in snapshot.case if node.kind == "claim" and node.id in standing]
        held = [node for node in claims if standing[node.id] == "supported"]
        return cls(
            system=snapshot.system or snapshot.case.name,
            claims=FrozenMap({node.id: _claim(snapshot, node) for node in held}),
            not_held={node.id: standing[node.id] for node in claims if standing[node.id] != "supported"},
            assumptions=dict(assumptions_of(snapshot, [node.id for node in held])),
            case=case_digest(snapshot.case),
            result=result_digest(snapshot),
            evidence=snapshot.contents,
            digests=snapshot.digests,
            versions=snapshot.versions,
            targets=snapshot.targets,
            operation=snapshot.operation,
            by=by,
            date=date,
            history=snapshot.history,
            shown=snapshot.page,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data in canonical form: keys sorted, numbers rounded."""
        return dict(json.loads(canonical_json(self._data())))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote, and nothing else."""
        with reading("seal"):
            there = [each.name for each in fields(cls) if each.name not in MAY_LACK or each.name in data]
            _only(data, tuple(there))
            _texts(*(data[name] for name in TEXTS))
            _texts(*(value for name in TEXT_MAPS if name in there for value in data[name].values()))
            for assumption in data["assumptions"].values():
                _only(assumption, ("text", "standing"))
                _texts(*assumption.values())
            claims = {identity: SealedClaim.from_dict(claim) for identity, claim in data["claims"].items()}
            rest = {name: unthaw(value) for name, value in data.items() if name != "claims"}
            return cls(claims=FrozenMap(claims), **rest)

    @property
    def digest(self) -> str:
        """One hash over the canonical form of all of it."""
        return digest(self._data())

    def _data(self) -> dict[str, Any]:
        claims = {identity: claim.to_dict() for identity, claim in self.claims.items()}
        found = {each.name: getattr(self, each.name) for each in fields(self)} | {"claims": claims}
        return {name: value for name, value in found.items() if value or name not in MAY_LACK}


def number_to_dict(number: Number | None) -> dict[str, Any] | None:
    """A stated number as plain data."""
    if number is None:
        return None
    return {"quantity": number.quantity, "strict_level": number.strict_level, "target": number.target.to_dict()}


def rounded(number: Number | None) -> Number | None:
    """The number as a seal keeps it, so that the two can be compared."""
    return _number(json.loads(canonical_json(number_to_dict(number))))


def _claim(snapshot: Snapshot, node: Node) -> SealedClaim:
    assessed = snapshot.node(node.id)
    if assessed is None:
        raise InvalidInput("only an assessed claim can be sealed", where="seal", found=node.id)
    evidence, stated = evidence_below(snapshot, node), stated_below(snapshot, node)
    return SealedClaim(node.text, node.number, assessed.standing, assessed.confidence, evidence, stated)


def _number(data: Any) -> Number | None:
    if data is None:
        return None
    _only(data, ("quantity", "strict_level", "target"))
    return Number(data["quantity"], Target.from_dict(unthaw(data["target"])), data["strict_level"])


def _only(data: Any, names: tuple[str, ...]) -> None:
    if not isinstance(data, Mapping) or set(data) != set(names):
        found = sorted(map(str, data)) if isinstance(data, Mapping) else type(data).__name__
        raise InvalidInput(f"a seal has the parts {sorted(names)} here", found=found)


def _texts(*values: object) -> None:
    wrong = next((value for value in values if not isinstance(value, str)), None)
    if wrong is not None:
        raise InvalidInput("text is needed", found=repr(wrong)[:80])


# Seals as text: strict JSON, written in one way only, so that every changed byte is noticed.

LARGEST = 100_000_000
HINT = "Give a file that surefoot case seal wrote."


def written(data: Mapping[str, Any]) -> str:
    """The one text of a seal."""
    text = json.dumps(data, indent=1) + "\n"
    text.encode()
    return text


def file_text(path: str | Path) -> str:
    """The text of a file; line ends as Windows writes them are taken as one, which changes no content."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError("it is too large")
        return content.decode().replace("\r\n", "\n")
    except FileNotFoundError as error:
        raise DiagnosticsError.of("file-missing", "there is no file", where=str(path), hint=HINT) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text, or too large"
        raise DiagnosticsError.of(
            "file-unreadable", f"it cannot be read: {why}.", where=str(path), hint=HINT
        ) from error


def parsed(text: str, path: str | Path) -> Any:
    """JSON without repeated keys, NaN and infinities."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise broken(path, f"it is no valid JSON ({type(error).__name__}: {str(error)[:120]})") from error


def broken(path: str | Path, why: str) -> DiagnosticsError:
    """The error of a seal that was altered."""
    hint = "Take the seal from where it was kept, or seal anew."
    return DiagnosticsError.of("seal-broken", f"The seal is broken: {why}.", where=str(path), hint=hint)


# Whether a seal is what was sealed, and whether what it holds still does.

LOOKS = "level over all looks"
OTHER_ORIGIN = "Results are the same and come from other code, seeds or parameters than when they were sealed."
SHOWN_BY_DIFF = "surefoot case diff shows what."
SLID = 0.05
"""A confidence that sank by more is told, although the claim still holds."""
INPUTS = (
    ("digests", "data, model or file"),
    ("versions", "version of"),
    ("targets", "target"),
    ("operation", "operation of"),
)


@validate.arguments
def verify(
    seal: Seal,
    now: Snapshot | None = None,
    *,
    public_key: PublicKey | Sequence[PublicKey] | None = None,
    unsigned: bool = True,
) -> list[Diagnostic]:
    """What is wrong with a seal, and with the case as it stands now; worst first, empty where all is well.

    Parameters
    ----------
    seal
        The seal.
    now
        The case as it stands; without it only the seal itself is looked at.
    public_key
        The key, or each of the keys, that it must be signed by.
    unsigned
        Whether a seal that nobody signed will do; a signature can be cut off without a trace.

    Returns
    -------
    list of Diagnostic
        Findings with codes ``seal-broken``, ``seal-unsigned``, ``seal-signature``, ``seal-claim-fell``, ``seal-page``,
        ``seal-history`` and ``seal-moved``.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.case import Case, Node, Snapshot, Stated, seal, verify
    >>> case = Case.of([Node("C1", "claim", "It stops", stated=Stated(sf.Opinion(0.9, 0.0, 0.1), by="A. Tester"))])
    >>> now = Snapshot(case, case.evaluate())
    >>> [finding.code for finding in verify(seal(now), now)]
    ['seal-unsigned']

    """
    if not seal.intact:
        text = "The content of the seal does not have the digest that was written with it."
        return [Diagnostic("seal-broken", text, "error", hint="Take it from where it was kept, or seal anew.")]
    expected = [public_key] if isinstance(public_key, PublicKey) else list(public_key or ())
    found = list(_checked_signatures(seal, expected, unsigned=unsigned))
    if now is not None:
        if not now.assessed:
            raise InvalidInput("a seal is compared with an assessed case", where="verify", remedy="Assess it first.")
        found += [*_claims(seal, now), *_page(seal, now), *_history(seal, now), *_moved(seal, now)]
    return sorted(found, key=lambda each: WORST_FIRST.index(each.severity))


def _checked_signatures(seal: Seal, expected: Sequence[PublicKey], *, unsigned: bool) -> Iterator[Diagnostic]:
    signers = {signature.public_key for signature in seal.signatures}
    if not signers and not expected:
        text = "The seal is not signed, so nothing says who made it."
        hint = "Sign with: surefoot case sign SEAL --key KEY"
        hint = hint if unsigned else f"{hint}; where nobody was to sign it, say --unsigned."
        yield Diagnostic("seal-unsigned", text, "note" if unsigned else "error", hint=hint)
    for key in expected:
        if key.raw.hex() not in signers:
            signed = f"signed by {listed([str(each) for each in seal.signatures])}" if signers else "not signed"
            text = f"The seal is not signed by the key {key}; it is {signed}."
            yield Diagnostic("seal-signature", text, "error", hint="Ask for the seal with this signature.")
    for signature in seal.signatures:
        key = PublicKey(bytes.fromhex(signature.public_key))
        if key.weak:
            text = f"The signature of {signature} is by {WEAK}."
            yield Diagnostic("seal-signature", text, "error", hint="Ask for a seal that is signed with another key.")
            continue
        try:
            good = key.verifies(signature, seal.message(signature))
        except MissingExtra as error:
            if expected:
                raise
            yield Diagnostic("seal-signature", "The signatures were not checked.", "warning", hint=error.remedy)
            return
        if not good:
            text = f"The signature of {signature} is not one of this seal: it was altered, or moved here from another."
            yield Diagnostic("seal-signature", text, "error", hint="Ask for the seal as it was signed.")


def _claims(seal: Seal, now: Snapshot) -> Iterator[Diagnostic]:
    for identity, claim in seal.sealed.claims.items():
        why = list(_fallen(identity, claim, seal, now))
        if why:
            text = f"The sealed claim {claim.text!r} no longer holds: {'; '.join(why)}."
            hint = f"Compare: surefoot case diff. Sealed{_signer(seal)} as {claim.standing}, {_number_words(claim)}."
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
    surely = now.confidence(identity)
    if claim.confidence is not None and (surely is None or claim.confidence - surely > SLID):
        then, since = (at_least(each) if each is not None else "none" for each in (claim.confidence, surely))
        text = f"The claim still holds, with confidence {then} -> {since}."
        yield Diagnostic("seal-moved", text, "warning", identity)


OF_A_PAGE = "text"
"""A seal of a page knows its text."""


def _page(seal: Seal, now: Snapshot) -> Iterator[Diagnostic]:
    """Whether a page shows what was sealed; of a project, and of a seal that knows no page, nothing is said."""
    sealed, shown = seal.sealed.shown, now.page
    if not shown:
        return
    if not sealed:
        text = "The seal does not say what the page showed; its claims and numbers were compared, no other words."
        yield Diagnostic("seal-page", text, "warning", hint="Seal the page anew: surefoot case seal PAGE")
        return
    whole = OF_A_PAGE in sealed and OF_A_PAGE in shown
    more = shown if whole else [name for name in shown if name.startswith("evidence.")]
    names = dict.fromkeys([*sealed, *more] if whole else [*(set(sealed) - {OF_A_PAGE}), *more])
    differing = sorted(name for name in names if sealed.get(name) != shown.get(name))
    if differing:
        text = f"The page is not the one that was sealed; these parts of it differ: {listed(differing)}."
        hint = "Ask for the page that was sealed; surefoot case diff names what changed from a page to another."
        yield Diagnostic("seal-page", text, "error", hint=hint)
    elif OF_A_PAGE not in sealed:
        text = "A project was sealed, not a page: who wrote it, its date and its history are not covered."
        yield Diagnostic("seal-page", text, "note", hint="Seal the page itself: surefoot case seal PAGE")


def _history(seal: Seal, now: Snapshot) -> Iterator[Diagnostic]:
    """Whether the iteration that was sealed is in the store, with all before it."""
    sealed, chain = seal.sealed.history, now.chain
    if not sealed or chain is None:
        return
    hint = "Ask for the store as it was when it was sealed."
    last, when = sealed["iteration"], sealed["created"]
    if last not in chain:
        older = any(created <= when for _, created in chain.values())
        if older:
            text = "The history in the store is another one than was sealed: it reaches back further, without that."
            yield Diagnostic("seal-history", text, "error", hint=hint)
        else:
            text = "The store has no iteration from before the seal, so that nothing is known of the history before."
            yield Diagnostic("seal-history", text, "warning", hint=hint)
        return
    while last in chain:
        last = chain[last][0]
    if last:
        text = "Iterations that came before the seal are missing from the store, or were altered."
        yield Diagnostic("seal-history", text, "error", hint=hint)


def _moved(seal: Seal, now: Snapshot) -> Iterator[Diagnostic]:
    """What differs below the claims, whether or not they noticed."""
    sealed = seal.sealed
    if sealed.result != result_digest(now):
        yield from list(_inputs(seal, now)) or [Diagnostic("seal-moved", OTHER_ORIGIN, hint=SHOWN_BY_DIFF)]
    if sealed.case != case_digest(now.case):
        text = "The case says something else than when it was sealed."
        yield Diagnostic("seal-moved", text, "warning", hint=SHOWN_BY_DIFF)
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


def _number_words(claim: SealedClaim) -> str:
    return "without a number" if claim.number is None else str(claim.number)


def _signer(seal: Seal) -> str:
    return f" by {seal.sealed.by}" if seal.sealed.by else ""
