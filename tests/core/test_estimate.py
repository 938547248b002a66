"""Estimate, Evidence, Target and Verdict."""

import json
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings

from surefoot.bounds import clopper_pearson
from surefoot.core import (
    CODES,
    Answer,
    Artefact,
    Assumption,
    Beta,
    Bound,
    Check,
    Diagnostic,
    DiagnosticsError,
    Estimate,
    Evidence,
    InvalidInput,
    LevelUnavailable,
    LogNormal,
    MixedKinds,
    Provenance,
    QuantileBound,
    SurefootError,
    Table,
    Target,
    certain,
    propagate,
    union,
)
from tests.core.strategies import estimates


def measured(**changes):
    """Two failures in a hundred trials, with exact confidence bounds."""
    bounds = (QuantileBound(Beta(3, 98), "upper", "confidence"), QuantileBound(Beta(2, 99), "lower", "confidence"))
    return replace(Estimate("pmi", 0.02, bounds=bounds, provenance=Provenance("test")), **changes)


@settings(deadline=None)
@given(estimates)
def test_json_round_trip_is_the_identity(estimate):
    again = Estimate.from_dict(json.loads(json.dumps(estimate.to_dict(), allow_nan=False)))
    assert again == estimate
    assert (again.key, again.digest) == (estimate.key, estimate.digest)


@settings(deadline=None)
@given(estimates)
def test_pickle_round_trip_is_the_identity(estimate):
    assert pickle.loads(pickle.dumps(estimate)) == estimate


def test_key_depends_on_provenance_quantity_and_scope_not_on_the_result():
    base = measured()
    assert measured(value=0.5).key == base.key
    others = [
        measured(scope="camera"),
        measured(quantity="pfd"),
        measured(provenance=Provenance("test", {"n": 1})),
        measured(provenance=Provenance("test", seed=1)),
        measured(provenance=Provenance("test", inputs=("a",))),
        measured(provenance=Provenance("test", data={"x": "0"})),
        measured(provenance=Provenance("test", versions={"surefoot": "9"})),
    ]
    assert len({e.key for e in [base, *others]}) == len(others) + 1


def test_digest_depends_on_the_result_not_on_provenance():
    base = measured()
    assert measured(provenance=Provenance("other")).digest == base.digest
    assert measured(value=0.02 * (1 + 1e-15)).digest == base.digest
    assert measured(value=0.0200001).digest != base.digest


def test_an_estimate_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        measured().value = 0.0
    with pytest.raises(TypeError):
        measured(details={"a": 1}).details["a"] = 2


def test_interval_gives_each_side_half_of_alpha():
    low, high = measured().interval(0.95)
    assert (low, high) == (measured().lower(0.975), measured().upper(0.975))
    assert low == pytest.approx(0.0024313, rel=1e-4)  # statsmodels proportion_confint(2, 100, method="beta")
    assert high == pytest.approx(0.0703839, rel=1e-4)


def test_a_certain_limit_caps_a_levelled_one():
    e = measured(bounds=(*measured().bounds, certain(0.01, "upper")))
    assert e.upper(0.95) == 0.01


def test_confidence_and_credible_are_kept_apart():
    e = measured(bounds=(*measured().bounds, QuantileBound(Beta(2.5, 98.5), "upper", "credible")))
    with pytest.raises(MixedKinds, match="confidence, credible"):
        e.upper(0.95)
    assert e.upper(0.95, kind="credible") < e.upper(0.95, kind="confidence")


def test_a_missing_bound_is_an_error_that_says_what_there_is():
    with pytest.raises(LevelUnavailable, match=r"no lower bound; found upper confidence"):
        measured(bounds=measured().bounds[:1]).lower(0.95)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (Target(at_most=0.1), "met"),
        (Target(at_most=0.03), "not shown"),
        (Target(at_most=0.001), "violated"),
        (Target(at_least=0.001), "met"),
        (Target(at_least=0.01), "not shown"),
        (Target(at_least=0.1), "violated"),
    ],
)
def test_verdicts(target, status):
    verdict = measured().meets(target)
    assert verdict.status == status
    assert bool(verdict) == (status == "met")


ANSWER = Answer("A. Berg", "2026-05-01", "Twice what any maker states.")


def test_a_stated_value_meets_nothing_until_somebody_answers_for_it():
    """0.05 against 0.07 is only typed in; with an answer it is met, and marked; above the limit it violates."""
    stated = Estimate.known("pfd", 0.05, source="data sheet")
    verdict = stated.meets(Target(at_most=0.07))
    assert (verdict.status, verdict.answered_by) == ("not shown", ())
    assert "nobody answers for what is stated: pfd" in verdict.text
    assert stated.as_if_answered.meets(Target(at_most=0.07))
    answered = Estimate.known("pfd", 0.05, source="data sheet", answer=ANSWER)
    verdict = answered.meets(Target(at_most=0.07))
    assert (verdict.status, verdict.answered_by) == ("met", ("A. Berg",))
    assert "on a stated value that A. Berg answers for" in verdict.text
    assert "certain" not in verdict.text
    for each in (stated, answered):
        violated = each.meets(Target(at_most=0.04))
        assert (violated.status, violated.answered_by) == ("violated", ())


def test_what_is_stated_survives_every_combination():
    """One stated factor among measured ones is enough, and so is one of two that nobody answers for."""
    counts = clopper_pearson(0, 1000, level=0.95)
    a = Estimate.known("a", 0.1, source="s", answer=ANSWER)
    b = Estimate.known("b", 0.1, source="s")

    def multiplied(**factors):
        return propagate(
            lambda **f: np.prod([*f.values()], axis=0),
            factors,
            quantity="q",
            direction=dict.fromkeys(factors, 1),
        )

    target = Target(at_most=0.5)
    assert multiplied(n=counts, a=a).meets(target).answered_by == ("A. Berg",)
    assert multiplied(n=counts, a=a, b=b).meets(target).status == "not shown"
    assert multiplied(n=counts, a=a, b=b).unanswered == b.stated


def test_records_from_before_stated_values_are_still_read():
    plain = Assumption("iid", "independent")
    assert plain.to_dict() == {"id": "iid", "text": "independent", "check": None, "scope": ""}
    assert Assumption.from_dict(plain.to_dict()) == plain
    stated = Estimate.known("pfd", 0.05, source="data sheet", answer=ANSWER)
    assert Estimate.from_dict(json.loads(json.dumps(stated.to_dict()))) == stated


@pytest.mark.parametrize(
    "said", [("", "2026-05-01", "r"), ("A", "2026-5-1", "r"), ("A", "May", "r"), ("A", "2026-05-01", " ")]
)
def test_an_answer_names_who_when_and_why(said):
    with pytest.raises(InvalidInput):
        Answer(*said)


def test_an_uncertain_target_is_harder_to_meet_and_to_violate():
    fuzzy = Target(at_most=0.08, uncertainty=LogNormal.from_error_factor(0.08, 3))
    assert measured().meets(Target(at_most=0.08)).status == "met"
    assert measured().meets(fuzzy).status == "not shown"
    low = Target(at_most=0.003, uncertainty=LogNormal.from_error_factor(0.003, 3))
    assert measured().meets(Target(at_most=0.003)).status == "violated"
    assert measured().meets(low).status == "not shown"


@pytest.mark.parametrize("kind", ["heuristic", "expectation"])
def test_bounds_without_guarantee_count_only_where_the_target_names_them(kind):
    e = measured(bounds=(Bound(0.05, "upper", 0.05, kind),))
    refused = e.meets(Target(at_most=0.1))
    assert refused.status == "not shown"
    assert kind in refused.text
    assert e.meets(Target(at_most=0.1, kinds=("confidence", kind))).status == "met"


def test_a_contradicted_assumption_blocks_the_verdict_met():
    broken = Assumption("iid", "inputs are independent", Check("contradicted", "duplicates", {"share": 0.3}))
    verdict = measured(assumptions=(broken,)).meets(Target(at_most=0.1))
    assert verdict.status == "not shown"
    assert "iid" in verdict.text


def test_a_contradicted_assumption_blocks_the_verdict_violated_too():
    broken = Assumption("normal", "margins are normal", Check("contradicted", "test"))
    verdict = measured(assumptions=(broken,)).meets(Target(at_most=0.001))
    assert verdict.status == "not shown"
    assert "contradicted: normal" in verdict.text


UNTESTED = Assumption("spread", "inputs are spread evenly between those tested", beyond_tests=True)


@pytest.mark.parametrize(
    ("status", "verdict"), [(None, "not shown"), ("supported", "violated"), ("contradicted", "not shown")]
)
def test_what_carries_a_number_beyond_the_tests_shows_no_violation_while_unchecked(status, verdict):
    check = Check(status, "looked") if status else None
    found = measured(assumptions=(replace(UNTESTED, check=check),)).meets(Target(at_most=0.001))
    assert found.status == verdict
    assert ("spread" in found.text) == (verdict == "not shown")


def test_it_takes_nothing_from_what_is_met_and_other_unchecked_assumptions_take_no_violation():
    assert measured(assumptions=(UNTESTED,)).meets(Target(at_most=0.1)).status == "met"
    plain = replace(UNTESTED, beyond_tests=False)
    assert measured(assumptions=(plain,)).meets(Target(at_most=0.001)).status == "violated"


def test_the_mark_survives_the_way_to_a_file_and_back_and_costs_other_assumptions_no_digest():
    e = measured(assumptions=(UNTESTED,))
    assert Estimate.from_dict(e.to_dict()) == e
    assert "beyond_tests" not in replace(UNTESTED, beyond_tests=False).to_dict()


def test_a_verdict_names_what_it_is_about_its_level_and_its_caveats():
    e = measured(scope="camera", caveats=(Diagnostic("approximate-coverage", "worst coverage 0.93"),))
    expected = "met: pmi of camera, upper bound 0.06162 (confidence at level 0.95), target at most 0.1"
    assert str(e.meets(Target(at_most=0.1))) == f"{expected}; caveat approximate-coverage"


def test_units_must_agree():
    with pytest.raises(InvalidInput, match="per demand, the target per hour"):
        measured().meets(Target(at_most=0.1, per="hour"))


def test_a_limit_of_a_quantity_that_is_per_nothing_says_its_unit():
    error = replace(measured(), quantity="error", unit="m")
    target = Target(at_most=3.0, unit="m")
    assert error.meets(target).status == "met"
    assert "at most 3 m at level" in str(target)
    assert Target.from_dict(target.to_dict()) == target
    with pytest.raises(InvalidInput) as refused:
        error.meets(Target(at_most=0.3))
    assert refused.value.remedy == "Say unit: m in the target."
    with pytest.raises(InvalidInput):
        error.meets(Target(at_most=3.0, unit="km"))


def test_bad_input_is_refused(subtests):
    for build in (
        lambda: Target(),
        lambda: Target(at_most=1, at_least=0),
        lambda: Target(at_most=0.1, level=1),
        lambda: Target(at_most=float("nan")),
        lambda: Target(at_most=[1, 2]),
        lambda: Target(at_most=5),
        lambda: Target(at_least=95),
        lambda: Target(at_most=0.1, level="0.95"),
        lambda: Target(at_most=0.1, uncertainty=0.05),
        lambda: Target(at_most=0.1, kinds=("heuristics",)),
        lambda: Target(at_most=0.1, kinds="heuristic"),
        lambda: measured().meets(0.1),
        lambda: measured().upper("0.95"),
        lambda: measured().summary(2.0),
        lambda: Estimate("p", [0.1, 0.2]),
        lambda: Estimate(5, 0.1),
        lambda: Estimate("p", 0.1, bounds=certain(1.0, "upper")),
        lambda: Estimate("p", 0.1, bounds=5),
        lambda: Estimate("p", 0.1, dist=0.1),
        lambda: Estimate("", 0.1),
        lambda: Estimate("p", float("nan")),
        lambda: Estimate("p", 0.1, details={"f": object()}),
        lambda: Estimate("p", 0.1, bounds=measured().bounds + measured().bounds),
        lambda: Estimate.from_dict({"quantity": "p"}),
        lambda: Assumption("", "text"),
        lambda: Check("maybe", "method"),
        lambda: Diagnostic("no-such-code", "text"),
        lambda: Table(("a", "b"), ((1,),)),
        lambda: Evidence((measured(), measured())),
        lambda: Evidence((measured(),))["pfd"],
    ):
        with subtests.test(line=build.__code__.co_firstlineno), pytest.raises(InvalidInput):
            build()


def damaged(**changes):
    return measured().to_dict() | changes


def test_damaged_data_is_refused_with_one_kind_of_error(subtests):
    for data in (
        None,
        5,
        {},
        damaged(bounds=5),
        damaged(bounds=None),
        damaged(bounds=[{"type": "quantile", "dist": 5, "side": "upper", "kind": "confidence"}]),
        damaged(bounds=[{"type": "quantile", "dist": {"type": []}, "side": "upper", "kind": "confidence"}]),
        damaged(
            bounds=[{"type": "quantile", "dist": {"type": "beta", "a": 1, "b": 1}, "side": "upper", "kind": "certain"}]
        ),
        damaged(bounds=[{"type": "bound", "limit": "a", "side": "upper", "alpha": 0.05, "kind": "confidence"}]),
        damaged(bounds=[{"type": "bound", "limit": None, "side": "upper", "alpha": 0.05, "kind": "confidence"}]),
        damaged(
            bounds=[{"type": "tabulated", "levels": [2.0], "limits": [0.0], "side": "upper", "kind": "confidence"}]
        ),
        damaged(bounds=[{"type": "wilson", "failures": 0, "trials": 0, "side": "upper", "kind": "heuristic"}]),
        damaged(
            bounds=[{"type": "hoeffding", "mean": 0.1, "n": 9, "width": -5, "side": "upper", "kind": "confidence"}]
        ),
        damaged(bounds=[{"type": "hoeffding", "mean": 0.1, "n": 9, "width": 1, "side": "upper", "kind": "certain"}]),
        damaged(dist={"type": "mixture", "parts": [1], "weights": [1]}),
        damaged(assumptions=[{}]),
        damaged(caveats=[{"foo": 1}]),
        damaged(details=5),
        damaged(details={"a": {"$float": "banana"}}),
        damaged(provenance={}),
        damaged(value=[0.5]),
        damaged(quantity=5),
        damaged(unit=None),
    ):
        with subtests.test(data=data), pytest.raises(InvalidInput):
            Estimate.from_dict(data)


def test_deeply_nested_data_is_refused():
    deep = 0.0
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(InvalidInput):
        Estimate.from_dict(damaged(details=deep))


def test_damaged_evidence_is_refused(subtests):
    for changes in (
        {"estimates": 5},
        {"tables": {"t": {}}},
        {"artefacts": {"a": {"media_type": "image/png", "content": "!!!!"}}},
        {"unknown": 1},
    ):
        with subtests.test(changes=changes), pytest.raises(InvalidInput):
            Evidence.from_dict(Evidence((measured(),)).to_dict() | changes)


def test_evidence_cannot_be_changed_through_what_was_passed():
    tables = {"t": Table(("a",), ((1,),))}
    evidence = Evidence((measured(),), tables)
    before = evidence.digest
    tables["u"] = Table(("a",), ((2,),))
    assert set(evidence.tables) == {"t"}
    assert evidence.digest == before
    with pytest.raises(TypeError):
        evidence.tables["u"] = tables["u"]
    assert pickle.loads(pickle.dumps(evidence)) == evidence


def test_assumptions_are_unioned_and_never_dropped():
    a, b = Assumption("iid", "independent"), Assumption("iid", "independent", Check("supported", "duplicates"))
    assert union([a, b], [b, a]) == (a, b)


def test_evidence_round_trip_lookup_and_digest():
    assumption = Assumption("iid", "independent")
    evidence = Evidence(
        (measured(scope="day", assumptions=(assumption,)), measured(scope="night")),
        {"counts": Table(("class", "n"), (("a", 1), ("b", 2.5)))},
        {"plot": Artefact("image/png", b"\x89PNG")},
        provenance=Provenance("test"),
    )
    again = Evidence.from_dict(json.loads(json.dumps(evidence.to_dict())))
    assert again == evidence
    assert (again.key, again.digest) == (evidence.key, evidence.digest)
    assert evidence.assumptions == (assumption,)
    assert evidence["pmi[night]"].scope == "night"
    with pytest.raises(InvalidInput, match="several scopes"):
        evidence["pmi"]
    whole = replace(evidence, estimates=(*evidence.estimates, measured()))
    assert whole["pmi"].scope == ""
    changed = replace(evidence, artefacts={"plot": Artefact("image/png", b"\x89PNH")})
    assert changed.digest != evidence.digest


def test_summary_shows_value_bounds_assumptions_and_caveats():
    e = measured(
        details={"failures": 2, "trials": 100},
        assumptions=(Assumption("iid", "inputs are independent", scope="camera"),),
        caveats=(Diagnostic("approximate-coverage", "worst coverage 0.93"),),
    )
    text = str(e)
    for part in ("pmi", "0.02 per demand", "2 failures, 100 trials", "confidence at level 0.95, one-sided"):
        assert part in text
    for part in ("assumes (camera)", "(unchecked)", "approximate-coverage"):
        assert part in text
    assert len(repr(e)) < 120
    assert "<table>" in e._repr_html_()
    assert "<script>" not in measured(quantity="<script>")._repr_html_()


def test_problems_are_shown_together():
    errors = [Diagnostic("shared-data", text, "error", where=f"file:{i}") for i, text in enumerate(("one", "two"))]
    with pytest.raises(DiagnosticsError, match=r"2 problems:\n  file:0: error \[shared-data\] one\n  file:1"):
        DiagnosticsError.raise_if_any([*errors, Diagnostic("shared-data", "fine")])
    DiagnosticsError.raise_if_any([Diagnostic("shared-data", "fine")])


def test_every_code_is_lower_case_words_and_explained():
    assert all(code == code.lower().replace(" ", "-") and text for code, text in CODES.items())


def test_errors_survive_pickling_and_derive_from_one_base():
    error = InvalidInput("bad", where="here", found=3, remedy="Fix it.")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "here: bad; found 3. Fix it."
    assert isinstance(error, SurefootError)
    assert isinstance(error, ValueError)


def test_a_verdict_tells_which_end_of_an_uncertain_limit_it_compared_with():
    fuzzy = Target(at_most=0.08, uncertainty=LogNormal.from_error_factor(0.08, 3))
    low, high = fuzzy.interval
    assert (low, high) == pytest.approx((fuzzy.cautious_limit(0.025), fuzzy.lenient_limit(0.025)))
    assert Estimate.known("risk", 0.001, source="s").meets(fuzzy).limit == low
    assert Estimate.known("risk", 0.9, source="s").meets(fuzzy).limit == high
    assert str(fuzzy) == f"at most 0.08 (itself between {low:g} and {high:g}) per demand at level 0.95"
    certain = Target(at_most=0.08)
    assert (certain.interval, certain.alpha, fuzzy.alpha) == ((0.08, 0.08), pytest.approx(0.05), pytest.approx(0.025))
