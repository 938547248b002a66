"""Targets that a principle gives: derived from a reference, uncertain as it is, and checked before anything runs."""

import inspect
from copy import deepcopy

import pytest
import yaml
from jsonschema import Draft202012Validator
from scipy import stats

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.hazards import targets
from surefoot.project import Asked, Result, definition, json_schema, load, moved, plan, read_lock, write_lock
from tests.refusals import told

REFERENCE = {"events": 30, "exposure": 200, "per": "mission", "name": "divers", "source": "dive logs"}
SAFER = {
    "estimate": "counted.failure probability",
    "principle": "safer",
    "factor": 1.5,
    "reference": REFERENCE,
    "exposure": {"demands_per_mission": 2},
    "source": "contract, section 3",
}
TREE = {
    "inline": {"gates": {"harm": {"or": ["miss", "loss"]}}, "events": {"miss": None, "loss": 1e-3}},
    "events": {"miss": "counted.failure probability"},
}


def asking(small, **changes):
    """The project with one target, derived; None takes a key away."""
    said = {key: value for key, value in {**deepcopy(SAFER), **changes}.items() if value is not None}
    small.set_definition(evidence={"counted": {"step": "binomial_bound"}}, targets={"distance": said})
    return small.file


def problems(small, **changes):
    with pytest.raises(DiagnosticsError) as caught:
        load(asking(small, **changes))
    return [(d.code, _line(small, d.where), f"{d.text} {d.hint}".strip()) for d in caught.value.diagnostics]


def _line(small, where):
    return small.file.read_text().splitlines()[int(where.rpartition(":")[2]) - 1].strip()


def test_the_target_is_the_one_that_the_principle_gives(small):
    target = load(asking(small)).definition.targets["distance"].target
    same = targets.safer(
        targets.Reference(**REFERENCE), 1.5, exposure=targets.Exposure(demands_per_mission=2), per="demand"
    )
    assert (target.at_most, target.uncertainty, target.per) == (same.at_most, same.uncertainty, "demand")
    assert target.at_most == pytest.approx(1 - (1 - 30 / 200 / 1.5) ** 0.5)
    assert target.source == f"{same.source}; contract, section 3"


def test_the_answer_compares_with_the_cautious_end_and_carries_the_derivation(small):
    (answer,) = sf.run(load(asking(small))).answers
    low = 1 - (1 - stats.beta.ppf(0.025, 30, 171) / 1.5) ** 0.5
    assert answer.verdict.limit == pytest.approx(low, rel=1e-9)
    assert answer.verdict.bound.level == pytest.approx(0.975)
    assert answer.margin == pytest.approx(low / answer.verdict.bound.limit, rel=1e-9)
    assert answer.verdict.status == ("met" if answer.verdict.bound.limit <= low else "not shown")
    assert any("dive logs" in str(row) for row in answer.derivation.rows)


def test_results_with_a_derived_target_are_read_back(small):
    result = sf.run(load(asking(small)))
    again = Result.from_dict(result.to_dict())
    assert again == result
    assert again.answers[0].target == result.answers[0].target


def test_new_tests_are_planned_against_the_cautious_end(small):
    (answer,) = sf.run(load(asking(small, factor=1))).answers
    assert answer.verdict.status == "not shown"
    failures, trials = (answer.estimate.details[name] for name in ("failures", "trials"))
    assert [row[1] for row in answer.new_tests.rows] == pytest.approx(
        [failures / trials] * 3 + [failures / trials / 2] * 3
    )
    planned = [row for row in answer.new_tests.rows if row[3] is not None]
    assert len(planned) >= 3
    for _, rate, probability, tests, allowed in planned:
        # Half of what the first look may miss is the bound's.
        bounds = [stats.beta.ppf(0.9875, allowed + 1, size - allowed) for size in (tests, tests - 1)]
        assert bounds[0] <= answer.corrected.limit < bounds[1]
        assert stats.binom.cdf(allowed, tests, rate) >= probability


def test_another_reference_is_another_look_and_tells_the_earlier_one(small):
    sf.run(load(asking(small)))
    (answer,) = sf.run(load(asking(small, reference={**REFERENCE, "events": 60, "exposure": 400}))).answers
    assert answer.looks == 2
    assert answer.previous.startswith("Earlier assessments asked for at most 0.0513167 (itself between ")
    assert sf.run(load(asking(small))).looks[0].count == 2


def test_steps_that_use_the_target_depend_on_its_uncertainty(small):
    def asked(reference):
        target = {key: value for key, value in SAFER.items() if key != "estimate"} | {"reference": reference}
        small.set_definition(tree={**TREE, "target": target}, targets={})
        project = load(small.file)
        return Asked.of_step(project.definition, "tree").content, {task.name: task for task in plan(project)}["tree"]

    (one, first), (two, second) = asked(REFERENCE), asked({**REFERENCE, "events": 60, "exposure": 400})
    assert one[0][:4] == two[0][:4]
    assert one != two
    assert first.asked != second.asked


def test_the_section_tree_takes_a_principle_and_its_needs_are_at_the_level_of_the_bound(small):
    target = {key: value for key, value in SAFER.items() if key != "estimate"} | {"factor": 1}
    small.set_definition(tree={**TREE, "target": target}, targets={})
    result = sf.run(load(small.file))
    (answer,) = result.answers
    assert answer.verdict.status == "not shown"
    needed = result.evidence["tree"].tables["requirements"]
    assert needed.rows[0][3] == pytest.approx((answer.verdict.limit - 1e-3) / (1 - 1e-3), rel=1e-3)
    assert "97.5%" in needed.columns[2]


def test_the_lock_file_notices_another_reference(small, tmp_path):
    path = write_lock(sf.run(load(asking(small))), tmp_path / "surefoot.lock")
    assert moved(read_lock(path), sf.run(load(asking(small)))) == []
    changed = sf.run(load(asking(small, reference={**REFERENCE, "events": 60, "exposure": 400})))
    assert "targets" in [found.where for found in moved(read_lock(path), changed)]


def test_whatever_is_wrong_is_a_coded_problem_at_its_line(small):
    for changes, code, line, words in [
        ({"factor": None}, "missing-key", "distance:", "targets.distance.factor is missing; the principle safer needs"),
        ({"reference": None}, "missing-key", "distance:", "targets.distance.reference is missing"),
        ({"principle": "gale"}, "unknown-key", "factor: 1.5", "is no key of the principle gale."),
        ({"principle": "safr"}, "wrong-value", "principle: safr", "Did you mean 'safer'?"),
        ({"at_most": 0.1}, "wrong-value", "distance:", "needs exactly one of at_most, at_least and principle"),
        ({"principle": None}, "wrong-value", "distance:", "needs exactly one of at_most, at_least and principle"),
        ({"factor": 0}, "wrong-value", "factor: 0", "must be above 0"),
        ({"exposure": {"demand_per_mission": 2}}, "unknown-key", "demand_per_mission: 2", "'demands_per_mission'"),
        ({"exposure": None}, "wrong-value", "distance:", "nothing says how to get from per mission to per demand"),
        ({"per": "fortnight"}, "wrong-value", "exposure:", "fortnight"),
        ({"reference": {"exposure": 5}}, "missing-key", "reference:", "targets.distance.reference.events is missing"),
        ({"reference": {**REFERENCE, "events": 300}}, "wrong-value", "reference:", "more events than missions"),
        ({"reference": {**REFERENCE, "events": 0}}, "wrong-value", "reference:", "event"),
        ({"reference": {**REFERENCE, "evens": 3}}, "unknown-key", "evens: 3", "Did you mean 'events'?"),
        ({"reference": {**REFERENCE, "events": 1.5}}, "wrong-value", "events: 1.5", "must be a whole number"),
    ]:
        with told(changes):
            ((found, where, text),) = problems(small, **changes)
            assert (found, where) == (code, line)
            assert words in text


def test_a_limit_above_one_is_a_problem_before_anything_runs(small):
    crowded = {"reference": {"events": 900, "exposure": 10, "per": "hour"}, "exposure": {"demands_per_hour": 2}}
    ((code, _, text),) = problems(small, **crowded)
    assert code == "wrong-value"
    assert "between 0 and 1" in text
    assert small.calls == 0


def test_keys_of_a_principle_beside_a_stated_limit_are_problems(small):
    found = problems(small, principle=None, at_most=0.1, factor=None)
    assert [(code, line) for code, line, _ in found] == [("unknown-key", "reference:"), ("unknown-key", "exposure:")]


def test_all_keys_of_all_principles_can_stand_in_the_file():
    for name, principle in targets.PRINCIPLES.items():
        keys = set(inspect.signature(principle).parameters) - {"terms"}
        assert keys <= set(definition.LimitSource.model_fields), name


@pytest.fixture(scope="module")
def validator():
    return Draft202012Validator(json_schema())


GOOD = [{}, {"principle": "gale", "factor": None}, {"principle": "se", "factor": None}]
GOOD += [{"principle": name, "factor": None, "reference": None} for name in ("mem", "alarp")]
BAD = [{"factor": None}, {"at_most": 0.1}, {"principle": "gale"}, {"principle": None, "at_most": 0.1}]
BAD += [{"reference": {**REFERENCE, "evens": 1}}, {"exposure": {"demands": 1}}, {"factor": "2"}]


def test_the_schema_for_editors_takes_what_is_right(small, validator):
    for change in GOOD:
        with told(change):
            asking(small, **change)
            assert [error.message for error in validator.iter_errors(yaml.safe_load(small.file.read_text()))] == []


def test_the_schema_for_editors_refuses_what_does_not_load(small, validator):
    for change in BAD:
        with told(change):
            assert not validator.is_valid(yaml.safe_load(asking(small, **change).read_text()))
            assert problems(small, **change)


def test_what_a_stated_limit_asks_for_is_told_as_ever():
    asked = Asked({"low": ("risk", sf.Target(at_most=0.2))})
    assert asked.content == [["risk", "at most", 0.2, 0.95, ["certain", "confidence", "credible"]]]
