"""The page to sign: what is claimed and what is not, what it rests on, digests that can be compared by eye."""

import re
from dataclasses import replace

import surefoot as sf
from surefoot.case import Stated
from surefoot.opinions import Opinion
from surefoot.report import html, read, same_page, signature, write
from tests.report import results
from tests.report.test_hostile import ATTACKS
from tests.report.test_page import Outline
from tests.report.test_tree_chapter import assessed


def grouped(digest):
    return " ".join(digest[place : place + 8] for place in range(0, len(digest), 8))


def chapter(result):
    page = html(result)
    return page[page.index('<section id="signature">') : page.index('<section id="glossary">')]


def test_only_claims_that_hold_are_signed_and_the_others_are_named():
    found = signature(results.full(looks=None))
    assert [each.name for each in found.signed] == ["misses"]
    assert [each.name for each in found.not_signed] == ["recall", "risk"]
    (claim,) = found.signed
    assert claim.number == "at most 0.0384 per demand"
    assert claim.level == "confidence, 95%"
    assert claim.asked == "at most 0.05 per demand at level 0.95"
    assert claim.digest == grouped(results.full()["counted.failure probability"].digest[:16])
    assert [each.word for each in found.not_signed] == ["Target not shown", "Target violated"]


def test_a_claim_that_is_met_at_this_look_alone_is_not_signature():
    few = results.counted()
    answer = results.answer("misses", "Few.", "counted.x", few, sf.Target(at_most=0.04), looks=50)
    found = signature(results.result([answer], {"counted": results.evidence_of(few, "binomial_bound")}))
    assert found.signed == ()
    assert found.not_signed[0].word == "Met at this look alone"


def test_where_nothing_holds_there_is_nothing_to_sign():
    text = Outline(chapter(results.contradicted())).text
    assert "No claim holds, so there is nothing to sign but that this is what was found." in text
    assert "normal-margins" in text


def test_a_claim_that_the_case_contradicts_is_not_signed():
    result = results.met()
    claim = result.case["misses"]
    against = replace(claim, id="against", kind="evidence", text="Field record.", supported_by=(), number=None)
    against = replace(against, in_context_of=(), challenges=("misses",), stated=Stated(Opinion(1, 0, 0), by="A"))
    broken = replace(result, case=result.case.with_nodes([against]))
    assert broken.evaluation["misses"].standing == "contradicted"
    found = signature(broken)
    assert found.signed == ()
    assert found.not_signed[0].word == "Contradicted in the case"


def test_every_assumption_of_a_signed_number_is_there_once_the_doubtful_first():
    result = results.full(looks=None)
    found = signature(result).assumptions
    held = {(each.id, each.text) for each in result.answers[0].estimate.assumptions}
    assert {(each.id, each.text) for each in found} == held
    assert len(found) == len(held)
    order = ["contradicted", "unchecked", "supported"]
    assert [each.status for each in found] == sorted((each.status for each in found), key=order.index)


def test_numbers_that_would_be_the_same_are_told_once():
    few = results.counted()
    answers = [
        results.answer(name, "Few.", "counted.failure probability", few, sf.Target(at_most=0.05)) for name in "ab"
    ]
    found = signature(results.result(answers, {"counted": results.evidence_of(few, "binomial_bound")}))
    assert {told.names for each in found.assumptions for told in each.suppositions} == {("a", "b")}
    assert found.many


def test_who_answers_for_an_assumption_is_named():
    result = results.met()
    name = next(node.id for node in result.case if node.assumption.startswith("operational-profile"))
    node = replace(result.case[name], stated=Stated(Opinion(0.9, 0, 0.1), by="J. Smith", why="field study"))
    text = Outline(chapter(replace(result, case=result.case.with_nodes([node])))).text
    assert "Answered for by J. Smith: field study." in text
    assert "Nobody is named who answers for it." in text


def test_digests_stand_in_groups_and_those_of_one_file_together():
    result = replace(results.met(), digests={"a.model": "0" * 64, "b.model": "0" * 64, "a.test": "1" * 64})
    digests = dict(signature(result).digests)
    assert digests["result"] == grouped(result.digest)
    other = result.case.with_nodes([replace(result.case["misses"], text="Another claim.")])
    assert digests["case"] != dict(signature(replace(result, case=other)).digests)["case"]
    assert re.fullmatch(r"[0-9a-f]{8}( [0-9a-f]{8}){7}", digests["case"])
    assert digests["a.model, b.model"] == " ".join(["0" * 8] * 8)
    assert re.findall(r"<code>1{8}( 1{8}){7}</code>", chapter(result))


def test_the_page_has_commands_versions_date_and_lines_to_sign():
    text = Outline(chapter(results.met())).text
    for words in (
        "surefoot assess PROJECT --verify report.html",
        "surefoot case seal PROJECT --by NAME",
        f"surefoot {sf.__version__}",
        "2025-01-31T12:00:00+00:00",
        "Name Role Date Signature",
    ):
        assert words in text


def test_the_page_is_made_again_from_the_data_alone(tmp_path):
    for place, result in enumerate((results.full(), results.met(), results.contradicted(), assessed(0.01))):
        path = write(result, tmp_path / "report.html")
        assert same_page(path), place
        page = path.read_text(encoding="utf-8")
        forged = tmp_path / "forged.html"
        forged.write_text(page.replace("No bound: it may be", "A bound: it is not").replace("breaks the", "keeps the"))
        assert not same_page(forged), place


def test_an_edited_number_that_is_signed_is_found_out(tmp_path):
    page = html(results.met())
    start = page.index('<section id="signature">')
    forged = tmp_path / "forged.html"
    forged.write_text(page[:start] + page[start:].replace("at most 0.0384", "at most 0.0184"), encoding="utf-8")
    assert read(forged)["met"]
    assert not same_page(forged)


def hostile(text):
    """Text in every place that the page to sign shows, of a claim that holds."""
    few = replace(
        results.counted(),
        scope=text,
        assumptions=(*results.counted().assumptions, sf.core.Assumption(text, text, scope=text)),
    )
    answer = results.answer(text, text, "counted.failure probability", few, sf.Target(at_most=0.05, source=text))
    definition = {"system": {"name": text}, "conditions": {"assumptions": [{"id": text, "text": text}]}}
    result = results.result([answer], {"counted": results.evidence_of(few, text)}, definition=definition)
    nodes = [
        replace(node, stated=Stated(Opinion(1, 0, 0), by=text, why=text)) for node in result.case if node.assumption
    ]
    return replace(
        result,
        case=result.case.with_nodes(nodes),
        digests={text: text},
        versions={text: text, "surefoot": text},
        created=text,
    )


def test_no_text_becomes_markup():
    def parts(page):
        return [(tag, sorted(found)) for tag, found in Outline(page).tags]

    for name, attack in ATTACKS.items():
        assert signature(hostile(attack)).signed, name
        page = chapter(hostile(attack))
        assert parts(page) == parts(chapter(hostile("h" * len(attack)))), name
        assert not set(page) & {"\u202e", "\u2066", "\x00", "\x1b", "\x7f", "\x85"}, name
