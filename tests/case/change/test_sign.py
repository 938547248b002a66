"""Signatures, checked by openssl as well."""

import shutil
import stat
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.case.change.assessed import case, snapshot, step

from surefoot.case import PrivateKey, PublicKey, Seal, Signature, make_key, seal, verify
from surefoot.core import DiagnosticsError, InvalidInput, MissingExtra

pytest.importorskip("cryptography", reason="the extra sign is not installed")
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return make_key(tmp_path_factory.mktemp("keys") / "key.pem")


@pytest.fixture(scope="module")
def stands():
    return snapshot(case(), step("misses", 1), step("alarms", 1))


@pytest.fixture(scope="module")
def signed(keys, stands):
    return seal(stands, by="A. Assessor", key=PrivateKey.read(keys[0]))


def openssl(*words):
    return subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, timeout=60)


def test_a_signed_seal_is_well(signed, keys, stands):
    assert verify(signed, stands) == []
    assert verify(signed, stands, public_key=PublicKey.read(keys[1])) == []


def test_it_survives_a_file(signed, keys, tmp_path):
    again = Seal.read(signed.write(tmp_path / "x.json"))
    assert again == signed
    assert verify(again, public_key=PublicKey.read(keys[1])) == []


def test_the_private_key_is_for_its_owner_alone_and_not_shown(keys):
    private, public = keys
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert public.name == "key.pem.pub"
    assert "Ed25519" not in repr(PrivateKey.read(private))


def test_keys_are_never_overwritten(keys, tmp_path):
    before = keys[0].read_bytes()
    with pytest.raises(InvalidInput, match="never overwritten"):
        make_key(keys[0])
    (tmp_path / "other.pub").write_text("mine")
    with pytest.raises(InvalidInput, match="never overwritten"):
        make_key(tmp_path / "other")
    assert keys[0].read_bytes() == before
    assert not (tmp_path / "other").exists()


def test_two_keys_differ(keys, tmp_path):
    other = make_key(tmp_path / "b")
    assert PublicKey.read(other[1]) != PublicKey.read(keys[1])


@pytest.mark.parametrize("forge", ["value", "key", "content", "name", "role", "none"])
def test_forgeries_are_noticed(forge, signed, keys, stands, tmp_path):
    expected = PublicKey.read(keys[1])
    mallory = PrivateKey.read(make_key(tmp_path / "m")[0])
    (genuine,) = signed.signatures
    value = genuine.value
    forged = {
        "value": replace(signed, signatures=(replace(genuine, value=value[:-1] + "01"[value[-1] == "0"]),)),
        "key": replace(signed, signatures=()).signed(mallory, by="A. Assessor"),
        "content": replace(seal(stands, by="Mallory"), signatures=signed.signatures),
        "name": replace(signed, signatures=(replace(genuine, by="Mallory"),)),
        "role": replace(signed, signatures=(replace(genuine, role="regulator"),)),
        "none": replace(signed, signatures=()),
    }[forge]
    (found,) = verify(forged, stands, public_key=expected)
    assert (found.code, found.severity) == ("seal-signature", "error")


def test_without_an_expected_key_any_good_signature_passes_and_a_wrong_one_does_not(signed, stands, tmp_path):
    mallory = PrivateKey.read(make_key(tmp_path / "m")[0])
    assert verify(signed.signed(mallory), stands) == []
    wrong = replace(signed, signatures=(replace(signed.signatures[0], value="00" * 64),))
    assert [each.code for each in verify(wrong)] == ["seal-signature"]


def test_an_author_and_an_assessor_sign_one_seal(stands, tmp_path):
    author, assessor = (make_key(tmp_path / name) for name in ("author", "assessor"))
    keys = [PublicKey.read(public) for _, public in (author, assessor)]
    made = seal(stands, by="A. Author", key=PrivateKey.read(author[0]), role="author")
    (missing,) = verify(made, stands, public_key=keys)
    assert missing.code == "seal-signature"
    both = made.signed(PrivateKey.read(assessor[0]), by="B. Assessor", role="assessor", date="2026-05-17")
    again = Seal.read(both.write(tmp_path / "seal.json"))
    assert verify(again, stands, public_key=keys) == []
    assert [(each.by, each.role) for each in again.signatures] == [("A. Author", "author"), ("B. Assessor", "assessor")]
    exchanged = replace(
        again,
        signatures=tuple(
            reversed(
                [replace(s, role=r.role) for s, r in zip(again.signatures, reversed(again.signatures), strict=True)]
            )
        ),
    )
    assert {each.code for each in verify(exchanged, stands)} == {"seal-signature"}


def test_nobody_signs_twice_or_in_several_lines(signed, keys):
    with pytest.raises(InvalidInput, match="signed the seal already"):
        signed.signed(PrivateKey.read(keys[0]))
    with pytest.raises(InvalidInput, match="one line"):
        replace(signed, signatures=()).signed(PrivateKey.read(keys[0]), by="A\nB")


def test_every_changed_byte_of_a_signed_seal_is_noticed(signed, tmp_path):
    content = signed.write(tmp_path / "x.json").read_bytes()
    start = content.index(b'"signatures"')
    for place in range(start, len(content), 3):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        (tmp_path / "y.json").write_bytes(changed)
        try:
            found = verify(Seal.read(tmp_path / "y.json"))
        except DiagnosticsError as error:
            found = error.diagnostics
        assert [each for each in found if each.severity == "error"], place


@needs_openssl
def test_openssl_accepts_our_signature(signed, keys, tmp_path):
    (signature,) = signed.signatures
    message = signed.message(signature)
    (tmp_path / "message").write_bytes(message)
    (tmp_path / "signature").write_bytes(bytes.fromhex(signature.value))
    words = ("-pubin", "-inkey", keys[1], "-rawin", "-in", tmp_path / "message", "-sigfile", tmp_path / "signature")
    found = openssl("pkeyutl", "-verify", *words)
    assert found.returncode == 0, found.stderr
    (tmp_path / "message").write_bytes(message[:-1])
    assert openssl("pkeyutl", "-verify", *words).returncode != 0


@needs_openssl
def test_keys_of_openssl_can_be_used(stands, tmp_path):
    private, public = tmp_path / "k.pem", tmp_path / "k.pub"
    assert openssl("genpkey", "-algorithm", "ed25519", "-out", private).returncode == 0
    assert openssl("pkey", "-in", private, "-pubout", "-out", public).returncode == 0
    found = seal(stands, key=PrivateKey.read(private))
    assert verify(found, stands, public_key=PublicKey.read(public)) == []


@needs_openssl
def test_openssl_reads_our_keys(keys):
    assert "ED25519" in openssl("pkey", "-in", keys[0], "-text", "-noout").stdout
    assert PublicKey.read(keys[1]).raw.hex() in "".join(
        openssl("pkey", "-pubin", "-in", keys[1], "-text", "-noout").stdout.split()
    ).replace(":", "")


@needs_openssl
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-algorithm", "rsa"), "no Ed25519 key"),
        (("-algorithm", "ed25519", "-aes256", "-pass", "pass:x"), "locked with a password"),
    ],
)
def test_other_keys_are_refused(words, why, tmp_path):
    assert openssl("genpkey", *words, "-out", tmp_path / "k").returncode == 0
    with pytest.raises(DiagnosticsError, match=why):
        PrivateKey.read(tmp_path / "k")


def test_what_is_no_key_is_refused(keys, tmp_path):
    (tmp_path / "text").write_text("-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n")
    for path in (tmp_path / "text", tmp_path / "missing", tmp_path, keys[1]):
        with pytest.raises(DiagnosticsError, match="the key cannot be"):
            PrivateKey.read(path)
    with pytest.raises(DiagnosticsError, match="it holds a private key"):
        PublicKey.read(keys[0])
    with pytest.raises(DiagnosticsError, match="cannot be written"):
        make_key(tmp_path / "no" / "key")


@pytest.fixture
def without_extra(monkeypatch):
    gone = [name for name in sys.modules if name.partition(".")[0] == "cryptography"]
    for name in {*gone, "cryptography"}:
        monkeypatch.setitem(sys.modules, name, None)


def test_without_the_extra_it_says_what_to_install(signed, keys, stands, tmp_path, without_extra):
    with pytest.raises(MissingExtra, match=r"pip install 'surefoot\[sign\]'"):
        make_key(tmp_path / "k")
    with pytest.raises(MissingExtra, match=r"surefoot\[sign\]"):
        PrivateKey.read(keys[0])
    (found,) = verify(signed, stands)
    assert (found.code, found.severity) == ("seal-signature", "warning")
    assert "surefoot[sign]" in found.hint
    with pytest.raises(MissingExtra):
        verify(signed, public_key=PublicKey(bytes.fromhex(signed.signatures[0].public_key)))
    assert [each.code for each in verify(seal(stands), stands)] == ["seal-unsigned"]


SMALL_ORDER = (
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
)
"""All points of small order in canonical form, as libsodium lists them (ge25519_has_small_order)."""
NOT_CANONICAL = ("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "01" + "00" * 30 + "80")


def pem(raw):
    from base64 import b64encode

    der = bytes.fromhex("302a300506032b6570032100") + bytes.fromhex(raw)
    return f"-----BEGIN PUBLIC KEY-----\n{b64encode(der).decode()}\n-----END PUBLIC KEY-----\n"


def test_keys_by_which_anybody_can_sign_are_refused(stands, tmp_path):
    for raw in (*SMALL_ORDER, *NOT_CANONICAL):
        assert PublicKey(bytes.fromhex(raw)).weak, raw
        (tmp_path / "weak.pub").write_text(pem(raw))
        with pytest.raises(DiagnosticsError, match="the key cannot be used"):
            PublicKey.read(tmp_path / "weak.pub")
        forged = replace(seal(stands), signatures=(Signature(raw, f"{SMALL_ORDER[0]}{'00' * 32}"),))
        assert [each.code for each in verify(forged, stands) if each.severity == "error"] == ["seal-signature"], raw
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    neutral = Ed25519PublicKey.from_public_bytes(bytes.fromhex(SMALL_ORDER[0]))
    neutral.verify(bytes.fromhex(SMALL_ORDER[0]) + bytes(32), b"whatever")  # without a secret


def test_keys_that_are_made_are_of_large_order(tmp_path):
    assert not any(PublicKey.read(make_key(tmp_path / str(number))[1]).weak for number in range(20))


def test_a_seal_that_lost_its_signature_will_not_do_unless_that_is_said(signed, stands):
    stripped = replace(signed, signatures=())
    (found,) = verify(stripped, stands, unsigned=False)
    assert (found.code, found.severity) == ("seal-unsigned", "error")
    assert [each.severity for each in verify(stripped, stands)] == ["note"]
    assert verify(signed, stands, unsigned=False) == []


def test_a_former_signed_seal_is_still_read_and_has_one_signer(stands, keys, tmp_path):
    key = PrivateKey.read(keys[0])
    former = replace(seal(stands, by="A. Assessor"), version=1)
    value = key.sign(f"surefoot seal 1\n{former.digest}".encode())
    former = replace(former, signatures=(Signature(key.public.raw.hex(), value),))
    again = Seal.read(former.write(tmp_path / "former.json"))
    assert verify(again, stands, public_key=key.public) == []
    with pytest.raises(InvalidInput, match="one signer"):
        again.signed(PrivateKey.read(make_key(tmp_path / "other")[0]))
