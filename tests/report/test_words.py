"""Words that say no more than was found."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

import surefoot as sf
from surefoot.core import Assumption, Bound, Check, Estimate, Evidence, Provenance
from surefoot.report import headline, html, junit, markdown
from tests.report import results
from tests.report.test_page import Outline


def several(*limits, looks=None):
    few = results.counted()
    answers = [
        results.answer(f"t{place}", f"Claim {place}.", "c.x", few, sf.Target(at_most=limit), looks=looks)
        for place, limit in enumerate(limits)
    ]
    return results.result(answers, {"c": results.evidence_of(few, "binomial_bound")})


def section(result, name):
    text = html(result)
    return Outline(text[(start := text.index(f'<section id="{name}"')) : text.index("</section>", start) + 10]).text


def test_targets_met_at_this_look_alone_are_counted_apart():
    found = headline(several(0.04, 0.9, looks=50))
    assert found.status == "not shown"
    assert found.title.startswith("Not shown: 1 of 2 numbers met, 1 more at this look alone")
    worse = headline(several(0.04, 0.9, 0.02, looks=50))
    assert worse.title.startswith("Not shown: 1 of 3 numbers met, 1 more at this look alone")


def test_every_format_says_that_a_target_is_met_at_this_look_alone():
    result = several(0.04, looks=50)
    assert "**met at this look alone**" in markdown(result)
    case, _ = ElementTree.fromstring(junit(result).encode()).iter("testcase")
    assert case.find("failure").get("type") == "met at this look alone"
    assert "At level 99.99" in section(result, "targets")
    assert "valid for models and targets fixed beforehand" in section(result, "targets")


def test_a_bound_without_a_level_has_no_correction_for_repeated_looks():
    for kind, alpha in (("expectation", 0.05), ("certain", 0.0)):
        estimate = Estimate("risk", 0.001, bounds=(Bound(0.01, "upper", alpha, kind),))
        answer = results.answer("risk", "Small.", "s.risk", estimate, sf.Target(at_most=0.05, kinds=(kind,)), looks=2)
        said = section(results.result([answer], {"s": Evidence((estimate,))}), "targets")
        assert "No correction for repeated looks exists for this kind of bound" in said, kind
        assert "At level" not in said, kind


def test_the_level_of_all_verdicts_together_is_told():
    lines = headline(several(0.05, 0.06, 0.07, 0.08, 0.09)).lines
    assert "Each verdict holds at its own level; all 5 together at least at 75%." in lines
    assert not [line for line in headline(several(0.05)).lines if "together" in line]
    assert [line for line in headline(several(*[0.05] * 20)).lines if "at no level" in line]


def test_unchecked_assumptions_are_counted_in_the_headline():
    assert "3 of which nobody checked" in headline(results.met()).text


def two_components():
    def counted(component, check):
        estimate = results.counted(scope=component)
        condition = Assumption("adult", "Patients are adults.", check, component)
        other = Assumption("adult", "Another statement with the same id.", None, component)
        return Evidence((estimate,), assumptions=(condition, other))

    outside = Check("contradicted", "rows outside the condition", {"rows": 300, "outside age": 33}, 0.11)
    inside = Check("supported", "rows outside the condition", {"rows": 300, "outside age": 0}, 0.0)
    return results.result([], {"ea": counted("a", outside), "eb": counted("b", inside)})


def test_a_condition_that_one_of_two_components_contradicts_is_shown_as_contradicted():
    text = section(two_components(), "conditions")
    row = text[text.index("Patients are adults.") : text.index("Operational design domain")]
    assert row.index("contradicted a") < row.index("not contradicted b")
    assert "not checked" not in row


def test_one_assumption_is_shown_once_with_a_line_for_each_look():
    text = section(two_components(), "assumptions")
    assert text.count("Patients are adults.") == 1
    assert "Contradicted in ea (about a)" in text
    assert "Not contradicted in eb (about b)" in text


def test_a_value_is_called_what_it_is():
    normal = sf.bounds.normal_exact(np.random.default_rng(2).normal(3, 1, 50), level=0.95)
    computed = sf.propagate(lambda a: a, {"a": results.counted()}, quantity="q", direction={"a": 1})
    for word, estimate in {
        "counted": results.counted(),
        "implied by the normal model": normal,
        "believed": results.opinion(),
        "computed": computed,
        "stated": Estimate.known("share", 0.1, source="data sheet"),
        "estimated": Estimate("share", 0.1, provenance=Provenance("bounds.hoeffding")),
    }.items():
        asked = sf.Target(at_most=0.5, kinds=("confidence", "credible", "heuristic", "certain"))
        found = results.result([results.answer("t", "T.", "s.q", estimate, asked)], {"s": Evidence((estimate,))})
        assert f"({word})" in markdown(found), word


def test_two_bounds_side_by_side_are_said_to_be_one_sided():
    assert "one-sided, each at 95%" in section(results.full(), "evidence")


def test_figures_of_a_check_are_words_without_those_that_only_serve_it():
    inner = {"status": "supported", "statistic": 3.0, "p_value": 0.25, "n": 9000, "rows_used": 5000, "seed": 20240101}
    figures = {"rows": 1000, "copies": 2, "shapiro_wilk": inner}
    looked = Assumption("copies", "No copies.", Check("supported", "no identical rows among 1,000", figures))
    found = Evidence((Estimate("risk", 0.1, assumptions=(looked,)),))
    text = section(results.result([], {"s": found}), "assumptions")
    assert "2 copies" in text
    assert "Shapiro-Wilk: not contradicted, p-value 0.25, 9,000 samples, seed 20240101" in text
    assert not [word for word in ("1,000 rows", "statistic", "rows used", "5,000") if word in text]


def test_one_state_has_one_word_in_every_format():
    result = results.contradicted()
    (answer,) = result.answers
    assert answer.verdict.status == answer.to_dict()["status"] == "not shown"
    for told in (markdown(result), junit(result), Outline(html(result)).text):
        assert "not shown" in told
        assert "unproven" not in told


def test_what_was_asked_earlier_is_told():
    met = results.met()
    answer = replace(met.answers[0], previous="limit was 0.02 at an earlier assessment")
    result = replace(met, answers=(answer,))
    assert "Earlier Limit was 0.02 at an earlier assessment." in section(result, "targets")
    assert "limit was 0.02 at an earlier assessment" in markdown(result)
    assert "limit was 0.02 at an earlier assessment" in junit(result)


def test_a_figure_has_a_sentence_below_it():
    assert caption(html(results.full())).startswith("Margins and the fitted normal: density against margin.")


def caption(page):
    start = page.index("<figcaption>", page.index('<div class="light"')) + len("<figcaption>")
    return page[start : page.index("</figcaption>", start)]


def test_thirty_components_stay_small():
    few = results.counted()
    answers = [results.answer(f"t{n}", f"Claim {n}.", "c.x", few, sf.Target(at_most=0.05)) for n in range(30)]
    evidence = {f"s{n}": results.evidence_of(few, "binomial_bound") for n in range(30)}
    assert len(html(results.result(answers, evidence)).encode()) < 600_000
