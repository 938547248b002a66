"""A limit that is uncertain itself is shown with where it lies, what the verdict compared with, and its derivation."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from scipy import stats

import surefoot as sf
from surefoot.core import Answer, Estimate, Table
from surefoot.documents import significant
from surefoot.project import Result
from surefoot.report import bound_picture, headline, html, junit, markdown, read, result_schema, same_page, write
from tests.report import results
from tests.report.test_hostile import ATTACKS
from tests.report.test_page import Outline

EVENTS, EXPOSURE = 12, 100
LOW = stats.gamma.ppf(0.025, EVENTS) / EXPOSURE
HIGH = stats.gamma.ppf(0.975, EVENTS + 1) / EXPOSURE
STEPS = Table(
    ("step", "figure", "basis"), (("reference", "12 events in 100 demands", "logs"), ("limit", "0.12", "GALE"))
)


def target(**options):
    return sf.Target(at_most=EVENTS / EXPOSURE, uncertainty=sf.CountedRate(EVENTS, EXPOSURE), source="GALE", **options)


def answered(failures, trials=200, *, name="misses", looks=None, asked=None, derivation=STEPS):
    counted, asked = results.counted(failures, trials), asked or target()
    found = results.answer(name, "Few are missed.", "counted.failure probability", counted, asked, looks=looks)
    return replace(found, derivation=derivation)


def result(*answers):
    return results.result(answers, {"counted": results.evidence_of(answers[0].estimate, "binomial_bound")})


def card(found):
    page = html(found)
    start = page.index('<section id="targets"')
    return Outline(page[start : page.index("</section>", start) + 10]).text


def test_the_verdict_holds_the_bound_against_the_end_of_the_limit_that_makes_it_surer():
    for failures, status in ((3, "met"), (10, "not shown"), (80, "violated")):
        verdict = answered(failures).verdict
        assert verdict.status == status, failures
        assert verdict.bound.level == pytest.approx(0.975), failures
        assert verdict.limit == pytest.approx(HIGH if status == "violated" else LOW, rel=1e-9), failures
    # Between the ends nothing is shown, although the bound keeps the limit.
    assert LOW < answered(10).verdict.bound.limit < EVENTS / EXPOSURE


def test_the_card_tells_the_limit_its_interval_what_was_compared_and_the_derivation():
    text, ends = card(result(answered(3))), f"{significant(LOW, rounding='down')} to {significant(HIGH, rounding='up')}"
    assert f"0.12 at level 95%, itself {ends}" in text
    assert f"The verdict compares with {significant(LOW, rounding='down')}, its cautious end." in text
    assert "Half of the 5% that may be missed is the limit’s, half the bound’s." in text
    assert "How the target was derived step figure basis reference 12 events in 100 demands logs" in text
    assert "cautious limit ÷ bound" in text


def test_a_violated_target_is_compared_with_the_lenient_end():
    text = card(result(answered(80)))
    assert f"The verdict compares with {significant(HIGH, rounding='up')}, its lenient end." in text
    assert "lenient limit ÷ bound" in text


def test_a_certain_limit_is_shown_as_ever():
    text = card(results.met())
    assert not [word for word in ("itself", "cautious", "derived", "Compared") if word in text]


def test_every_format_says_what_the_verdict_rests_on():
    found, cautious = result(answered(3)), f"{significant(LOW, rounding='down')}, its cautious end"
    assert f"compared with {cautious}" in markdown(found)
    case = next(ElementTree.fromstring(junit(found).encode()).iter("testcase"))
    assert cautious in "".join(case.itertext())
    assert cautious in str([node.note for node in found.case])
    assert cautious in headline_finding(found)


def headline_finding(found):
    page = html(found)
    start = page.index('<section id="verdict"')
    return Outline(page[start : page.index("</section>", start) + 10]).text


def test_the_level_of_all_verdicts_together_counts_what_uncertain_limits_miss():
    found = result(*(answered(3, name=name) for name in ("first", "second", "third")))
    assert "all 3 together at least at 85%" in headline(found).text


def test_a_certain_bound_against_an_uncertain_limit_has_a_level_too():
    answer = Answer("A. Berg", "2026-05-01", "Twice what the maker says.")
    known = Estimate.known("risk", 0.01, source="data sheet", answer=answer)
    asked = replace(answered(3), estimate=known, verdict=known.meets(target()))
    assert "all 2 together at least at 95%" in headline(result(asked, replace(asked, name="other"))).text
    assert asked.verdict.status == "met"


def test_the_picture_draws_the_uncertainty_as_a_band_that_begins_where_the_allowed_ends():
    root = ElementTree.fromstring(bound_picture(answered(10), "picture"))
    allowed, band = (next(e for e in root.iter() if e.get("class") == name) for name in ("allowed", "unsure"))
    limit = next(e for e in root.iter() if e.get("class") == "limit")
    start, width = float(band.get("x")), float(band.get("width"))
    assert start == pytest.approx(float(allowed.get("x")) + float(allowed.get("width")), abs=0.11)
    assert start < float(re.match(r"M([\d.]+)", limit.get("d"))[1]) < start + width


def test_the_allowed_side_of_at_least_begins_at_the_high_end():
    unsure = sf.Target(at_least=0.9, uncertainty=sf.Beta(90, 10), kinds=("credible", "heuristic"))
    root = ElementTree.fromstring(bound_picture(results.answer("r", "R.", "s.r", results.opinion(), unsure), "picture"))
    allowed, band = (next(e for e in root.iter() if e.get("class") == name) for name in ("allowed", "unsure"))
    assert float(allowed.get("x")) == pytest.approx(float(band.get("x")) + float(band.get("width")), abs=0.11)


def test_an_uncertain_limit_and_its_derivation_are_read_back(tmp_path):
    found = result(answered(10, looks=3))
    for suffix in (".html", ".json"):
        again = Result.from_dict(read(write(found, tmp_path / f"report{suffix}")))
        assert again == found, suffix
        assert again.digest == found.digest, suffix
        assert again.answers[0].target.uncertainty == sf.CountedRate(EVENTS, EXPOSURE), suffix
        assert again.answers[0].corrected.limit == found.answers[0].corrected.limit < found.answers[0].verdict.limit
    assert same_page(tmp_path / "report.html")


def test_a_page_whose_limit_was_made_certain_is_found_out(tmp_path):
    path = write(result(answered(10)), tmp_path / "report.html")
    page = path.read_text()
    path.write_text(page.replace(f"itself {significant(LOW, rounding='down')}", "itself 0.11"))
    assert path.read_text() != page
    assert not same_page(path)


def test_results_without_an_uncertain_limit_are_written_and_read_as_before():
    data = results.met().to_dict()
    assert "uncertainty" not in data["answers"][0]["target"]
    assert "derivation" not in data["answers"][0]
    assert Result.from_dict(data) == results.met()


def test_the_schema_of_results_knows_uncertain_limits():
    Draft202012Validator(result_schema()).validate(result(answered(3)).to_dict())


def test_text_of_a_derivation_never_becomes_markup(tmp_path):
    for name, attack in ATTACKS.items():
        table = Table((attack, "figure", "basis"), ((attack, attack, attack),))
        found = result(answered(3, asked=replace(target(), source=attack), derivation=table))
        path = write(found, tmp_path / "report.html")
        page = path.read_text(encoding="utf-8")
        assert "<script>document" not in page, name
        assert "<img" not in page, name
        assert same_page(path), name
