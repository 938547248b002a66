"""Seals notice every changed byte, and every sealed claim that no longer holds."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.change.assessed import case, node, snapshot, step

from surefoot.case import Assessed, Case, Evaluation, Feedback, Seal, Snapshot, seal, verify
from surefoot.core import Beta, DiagnosticsError, InvalidInput

GOOD, SO_SO, BAD = 1, 9, 60


def now(misses=GOOD, *, limit=0.01, level=0.95, given=None, **rest):
    """The case as it stands; by default as it was sealed."""
    known = {name: rest.pop(name) for name in ("versions", "targets") if name in rest}
    return snapshot(given or case(limit, level), step("misses", misses, **rest), step("alarms", GOOD), **known)


def codes(found):
    return [each.code for each in found]


def errors(found):
    return [each for each in found if each.severity == "error"]


@pytest.fixture(scope="module")
def sealed():
    return seal(now(), by="A. Assessor", date="2026-05-17")


@pytest.fixture(scope="module")
def written(sealed, tmp_path_factory):
    return sealed.write(tmp_path_factory.mktemp("seal") / "a.seal.json").read_bytes()


def test_a_seal_of_what_did_not_change_is_well(sealed):
    assert codes(verify(sealed, now())) == ["seal-unsigned"]
    assert verify(sealed)[0].severity == "note"


def test_it_holds_claims_numbers_and_digests(sealed):
    content = sealed.sealed
    assert list(content.claims) == ["alarms", "misses", "top"]
    misses = content.claims["misses"]
    assert (misses.text, misses.number.target.limit, misses.number.target.level) == ("It misses little", 0.01, 0.95)
    assert misses.evidence == ("misses.failure probability",)
    assert misses.confidence is None
    assert content.digests == {"door.model": "m1" * 32, "door.test": "d1" * 32}
    assert content.assumptions["iid"] == {"text": "side-claim iid", "standing": "supported"}
    assert content.evidence["misses.failure probability"] == now().evidence["misses"]["failure probability"].digest


def test_it_can_be_written_and_read(sealed, written, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(written)
    assert Seal.read(path) == sealed
    assert Seal.read(path).write(tmp_path / "y.json").read_bytes() == written
    assert json.loads(written)["surefoot-seal"] == 2


def test_line_ends_of_windows_are_no_content(sealed, written, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(written.replace(b"\n", b"\r\n"))
    assert Seal.read(path) == sealed


PAGE = {"created": "a", "evidence.misses": "b", "text": "c"}
LINKS = {"1": ("", "2026-05-01"), "2": ("1", "2026-05-02"), "3": ("2", "2026-05-03")}


def test_a_page_is_the_one_that_was_sealed_or_not():
    kept = seal(replace(now(), page=PAGE))
    assert Seal.from_dict(kept.to_dict()) == kept
    for page, code in (
        (PAGE, None),
        ({}, None),
        ({name: PAGE[name] for name in ("created", "evidence.misses")}, None),
        ({**PAGE, "created": "other"}, "seal-page"),
        ({**PAGE, "evidence.more": "d"}, "seal-page"),
    ):
        found = [each.code for each in errors(verify(kept, replace(now(), page=page)))]
        assert found == ([code] if code else []), page
    former = [each for each in verify(seal(now()), replace(now(), page=PAGE)) if each.code == "seal-page"]
    assert [each.severity for each in former] == ["warning"]


def test_the_history_before_a_seal_is_there_or_missed():
    kept = seal(replace(now(), history={"iteration": "2", "created": "2026-05-02"}))
    for chain, severity in (
        (LINKS, None),
        (None, None),
        ({"2": LINKS["2"], "3": LINKS["3"]}, "error"),
        ({"1": LINKS["1"], "x": ("1", "2026-05-02"), "y": ("x", "2026-05-03")}, "error"),
        ({"z": ("", "2026-05-09")}, "warning"),
        ({}, "warning"),
    ):
        found = [each.severity for each in verify(kept, replace(now(), chain=chain)) if each.code == "seal-history"]
        assert found == ([severity] if severity else []), chain


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_every_changed_byte_is_noticed(data, written, tmp_path_factory):
    place = data.draw(st.integers(0, len(written) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != written[place]))
    path = tmp_path_factory.getbasetemp() / "mutated.json"
    path.write_bytes(written[:place] + bytes([byte]) + written[place + 1 :])
    assert noticed(path)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_every_lost_or_added_part_is_noticed(data, written, tmp_path_factory):
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(written))] * 2)))
    text = data.draw(st.binary(max_size=3))
    path = tmp_path_factory.getbasetemp() / "cut.json"
    changed = written[:start] + text + written[stop:]
    path.write_bytes(changed)
    assert noticed(path) == (changed.replace(b"\r\n", b"\n") != written)


def noticed(path):
    try:
        return bool(errors(verify(Seal.read(path))))
    except DiagnosticsError:
        return True


@given(content=st.binary(max_size=200) | st.text().map(str.encode))
@settings(max_examples=25, deadline=None)
def test_whatever_bytes_there_are_only_diagnostics_come(content, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(content)
    with pytest.raises(DiagnosticsError):
        Seal.read(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_foreign_content_anywhere_raises_diagnostics_alone(data, written, tmp_path_factory):
    content = json.loads(written)
    here = content
    while True:
        key = data.draw(st.sampled_from(sorted(here)))
        if not (isinstance(here[key], dict) and here[key] and data.draw(st.booleans())):
            break
        here = here[key]
    here[key] = data.draw(JSON)
    path = tmp_path_factory.getbasetemp() / "foreign.json"
    path.write_text(json.dumps(content), encoding="utf-8", errors="replace")
    with pytest.raises(DiagnosticsError):
        Seal.read(path)


def test_what_is_no_seal_says_so(tmp_path, subtests):
    for text, code in (
        ('{"surefoot-seal": 1}', "seal-broken"),
        ('{"surefoot-seal": 3}', "unsupported-version"),
        ('{"surefoot-seal": true}', "unsupported-version"),
        ("[]", "file-unreadable"),
        ('{"a": 1}', "file-unreadable"),
        ('{"surefoot-seal": 2}', "seal-broken"),
        ('{"a": 1, "a": 1}', "seal-broken"),
        ("NaN", "seal-broken"),
        ("[" * 100_000, "seal-broken"),
        ("1" * 10_000, "seal-broken"),
    ):
        with subtests.test(text=text):
            path = tmp_path / "x.json"
            path.write_text(text)
            with pytest.raises(DiagnosticsError) as error:
                Seal.read(path)
            assert codes(error.value.diagnostics) == [code]


def test_missing_files_and_folders_are_told(tmp_path):
    for path, code in ((tmp_path / "none.json", "file-missing"), (tmp_path, "file-unreadable")):
        with pytest.raises(DiagnosticsError) as error:
            Seal.read(path)
        assert codes(error.value.diagnostics) == [code]


def test_altered_content_in_memory_is_broken(sealed):
    forged = replace(sealed, sealed=replace(sealed.sealed, by="somebody else"))
    assert codes(verify(forged, now())) == ["seal-broken"]


def test_a_sealed_claim_falls(sealed):
    for after, words in (
        (now(SO_SO, data="d2"), "it was supported and is not shown"),
        (now(BAD, data="d2"), "it was supported and is contradicted"),
        (now(limit=0.02), "limit loosened: at most 0.01 -> at most 0.02"),
        (now(level=0.9), "level loosened: 0.95 -> 0.9"),
        (now(limit=0.001), "is not shown"),
        (now(check="contradicted", data="d2"), "is not shown"),
    ):
        fell = {each.where: each for each in errors(verify(sealed, after))}
        assert {each.code for each in fell.values()} == {"seal-claim-fell"}, words
        assert words in fell["misses"].text, words


def test_changed_evidence_is_named_where_a_claim_fell(sealed):
    fell = {each.where: each.text for each in errors(verify(sealed, now(SO_SO, data="d2")))}
    assert set(fell) == {"misses", "top"}
    assert "evidence changed: misses.failure probability" in fell["misses"]
    assert "evidence changed" not in fell["top"]


def test_a_claim_that_is_gone_fell(sealed):
    nodes = {i: n for i, n in case().nodes.items() if i != "alarms"}
    nodes["over"] = replace(nodes["over"], supported_by=("misses",))
    (fell,) = errors(verify(sealed, now(given=Case(nodes))))
    assert (fell.where, "it is gone" in fell.text) == ("alarms", True)


def test_a_claim_that_states_something_else_fell(sealed):
    without = replace(case()["misses"], number=None)
    (fell, *_) = errors(verify(sealed, now(given=case().with_nodes([without]))))
    assert "number loosened" in fell.text
    other = replace(case()["misses"], number=replace(case()["misses"].number, quantity="recall"))
    (fell, *_) = errors(verify(sealed, now(given=case().with_nodes([other]))))
    assert "number changed" in fell.text


def test_what_moved_below_claims_that_hold_is_a_warning(sealed):
    for after, words in (
        (now(model="m2"), "data, model or file door.model, m1m1m1m1m1m1... -> m2m2m2m2m2m2..."),
        (now(2, data="d2"), "evidence misses.failure probability"),
        (now(versions={"numpy": "3.0", "python": "3.11"}), "version of numpy, 2.0 -> 3.0"),
        (now(targets={"misses": {"at_most": 0.01}}), "target misses, absent ->"),
        (replace(now(), feedback=(Feedback("misses", 100.0, "demand", 0),)), "operation of misses, absent -> 0 in 100"),
        (now(limit=0.009), "The case says something else"),
        (
            now(
                given=case().with_nodes(
                    [node("iid", "side-claim", assumption="iid", rests_on="misses.failure probability", text="changed")]
                )
            ),
            "iid, is worded differently",
        ),
        (now(given=case().with_nodes([replace(case()["misses"], text="It misses a little")])), "worded differently"),
    ):
        found = verify(sealed, after)
        assert not errors(found), words
        moved = [each for each in found if each.severity == "warning"]
        assert {each.code for each in moved} == {"seal-moved"}, words
        assert any(words in each.text for each in moved), words


def test_a_code_change_alone_is_seen_in_the_result_digest_and_told(sealed):
    assert sealed.sealed.result != seal(now(sources="s2")).sealed.result
    (found,) = [each for each in verify(sealed, now(sources="s2")) if each.code == "seal-moved"]
    assert (found.severity, "other code" in found.text) == ("warning", True)


def test_a_number_that_says_more_is_a_note(sealed):
    found = verify(sealed, now(limit=0.009))
    assert not errors(found)
    told = [each for each in found if each.where == "misses" and each.severity == "note"]
    assert [each.text for each in told] == [
        "The claim still holds, with limit tightened: at most 0.01 -> at most 0.009."
    ]


def test_confidence_that_sank_is_told():
    def surely(confidence):
        nodes = {**now().evaluation.nodes, "top": Assessed("supported", confidence=confidence)}
        return replace(now(), evaluation=Evaluation(now().case, nodes))

    kept = seal(surely(0.95))
    for confidence, told in ((0.8, "80%"), (None, "none")):
        found = verify(kept, surely(confidence))
        expected = f"The claim still holds, with confidence 95% -> {told}."
        assert [each.text for each in found if each.where == "top"] == [expected]
    assert not [each for each in verify(kept, surely(0.92)) if each.where == "top"]


def test_more_looks_are_no_fall():
    """The ledger of looks stays where it was written, so that CI may count fewer."""

    def looked(strict):
        number = replace(case()["misses"].number, strict_level=strict)
        return now(given=case().with_nodes([replace(case()["misses"], number=number)]))

    found = verify(seal(looked(0.99)), looked(None))
    assert not errors(found)
    assert "level over all looks loosened: 0.99 -> none" in found[0].text


def test_numbers_that_seals_round_do_not_fall():
    third = now(limit=0.1 / 9)
    assert codes(verify(seal(third), third)) == ["seal-unsigned"]


def test_an_uncertain_limit_is_kept_and_a_more_lenient_one_is_weaker(tmp_path):
    number = case()["misses"].number

    def unsure(alpha, beta):
        target = replace(number.target, uncertainty=Beta(alpha, beta))
        return now(given=case().with_nodes([replace(case()["misses"], number=replace(number, target=target))]))

    again = Seal.read(seal(unsure(100, 9900)).write(tmp_path / "x.json"))
    assert codes(verify(again, unsure(100, 9900))) == ["seal-unsigned"]
    (fell,) = errors(verify(again, unsure(400, 9600)))
    assert "uncertainty of the limit loosened" in fell.text


def test_only_what_holds_is_sealed():
    found = seal(now(BAD)).sealed
    assert list(found.claims) == ["alarms"]
    assert found.not_held == {"misses": "contradicted", "top": "contradicted"}


def test_assumptions_of_what_did_not_hold_are_not_sealed():
    """The side-claim stands well, but only a claim that did not hold rests on it."""
    assert seal(now()).sealed.assumptions["iid"]["text"] == "side-claim iid"
    stands = now(BAD, data="d2")
    assert stands.node("iid").standing == "supported"
    found = seal(stands)
    assert found.sealed.assumptions["iid"]["text"] == "Rows are independent"  # of the tests of alarms, unstated there
    assert codes(verify(found, stands)) == ["seal-unsigned"]


def test_assumptions_that_no_side_claim_states_are_sealed_too():
    bare = case().with_nodes([replace(case()["counted"], in_context_of=())])
    assert seal(now(given=bare)).sealed.assumptions["iid"] == {"text": "Rows are independent", "standing": "supported"}


def test_nothing_to_seal_is_an_error():
    both = snapshot(case(), step("misses", BAD), step("alarms", BAD))
    with pytest.raises(InvalidInput, match="nothing to seal"):
        seal(both)
    with pytest.raises(InvalidInput, match="assessed"):
        seal(Snapshot(case()))
    with pytest.raises(InvalidInput, match="assessed"):
        verify(seal(now()), Snapshot(case()))


def test_dates_are_dates():
    with pytest.raises(InvalidInput, match="2026-05-17"):
        seal(now(), date="yesterday")


def test_half_a_character_cannot_be_sealed(tmp_path):
    with pytest.raises(InvalidInput, match="surrogate"):
        seal(now(), by="\ud800").write(tmp_path / "x.json")


@given(st.text(), st.text())
@settings(max_examples=25, deadline=None)
def test_texts_survive(by, text):
    if any("\ud800" <= c <= "\udfff" for c in by + text):
        return
    given_case = case().with_nodes([replace(case()["top"], text=text)])
    found = seal(now(given=given_case), by=by)
    assert Seal.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert found.sealed.claims["top"].text == text
