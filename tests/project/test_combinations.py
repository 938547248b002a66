"""What `check` says of results that do not combine, and what `assess` then does."""

from itertools import product

import numpy as np
import pytest

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.project import Asked, find_step, load

STEPS = {
    "average": {"step": "normal_score"},
    "confidence": {"step": "binomial_bound"},
    "exact": {"step": "normal_bound"},
    "credible": {"step": "binomial_bound", "method": "jeffreys"},
    "heuristic": {"step": "loss_bound", "method": "normal_approximation"},
    "stated": {"step": "stated", "quantity": "failure probability", "value": 0.01, "source": "a guess"},
}
GATES = {
    "or": {"or": ["a", "b", "c"]},
    "and not": {"and": ["a", "b", {"not": "c"}]},
    "xor": {"xor": ["a", "b", "c"]},
}
OWN = {
    "number": 0.001,
    "belief": {"failures": 1, "trials": 1000},
}


@pytest.fixture
def normal(small):
    """The small project with margins that are normal, and groups of two rows."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 400)
    inputs = np.column_stack([np.where(labels == 1, 1, -1) * rng.normal(2.2, 1, 400), np.zeros(400)])
    np.savez(small.folder / "test.npz", X=inputs, y=labels, age=rng.integers(18, 90, 400), film=np.arange(400) // 2)
    return small


def written(small, evidence, *, own=0.001, gate="or", mix=False, kinds=("expectation", "confidence", "heuristic")):
    events = {name: f"{step}.failure probability" for name, step in zip("ab", evidence, strict=True)}
    tree = {"top": "top", "gates": {"top": GATES[gate]}, "events": {"a": {}, "b": {}, "c": own}}
    section = {"inline": tree, "events": events, "mix": mix, "target": {"at_most": 1e-6, "kinds": list(kinds)}}
    small.set_definition(evidence={name: STEPS[name] for name in evidence}, tree=section, targets={})
    return small.file


def checked(file):
    """The codes that stop a project from being loaded."""
    try:
        load(file)
    except DiagnosticsError as error:
        return [d.code for d in error.diagnostics]
    return []


PAIRS = [*product(["average"], STEPS), ("confidence", "credible"), ("confidence", "exact")]
COMBINATIONS = [
    *product(PAIRS, ["or"], ["number", "belief"], [False, True]),
    *product([("average", "stated")], ["and not", "xor"], ["number"], [False, True]),
]


def test_check_foretells_what_the_step_does(normal):
    """The step is called with what each result is, without any check before."""
    normal.set_definition(evidence=STEPS, targets={})
    result = sf.run(load(normal.file))
    for pair, gate, own, mix in COMBINATIONS:
        foretold = checked(written(normal, pair, own=OWN[own], gate=gate, mix=mix))
        events = {name: result[f"{step}.failure probability"] for name, step in zip("ab", pair, strict=True)}
        tree = {"top": "top", "gates": {"top": GATES[gate]}, "events": {"a": {}, "b": {}, "c": OWN[own]}}
        try:
            find_step("fault_tree")(asked=Asked({}), inline=tree, events=events, mix=mix)
            combined = True
        except sf.SurefootError:
            combined = False
        assert foretold == ([] if combined else ["cannot-combine"]), (pair, gate, own, mix)


def test_the_place_is_named(normal):
    file = written(normal, ("average", "credible"))
    with pytest.raises(DiagnosticsError) as caught:
        load(file)
    (problem,) = caught.value.diagnostics
    lines = file.read_text().splitlines()
    assert lines[int(problem.where.rpartition(":")[2]) - 1].strip() == "events:"
    assert "mix: true" in problem.hint
    assert "credible, expectation" in problem.text


def test_the_bound_of_the_classifier_reaches_the_target(normal):
    file = written(normal, ("average", "stated"))
    found = sf.run(load(file))["tree.top event probability"]
    (bound,) = found.bounds
    single = sf.run(load(file))["average.failure probability"]
    assert bound.kind == "expectation"
    assert bound.limit == pytest.approx(1 - (1 - single.details["bound"]) * 0.99 * 0.999)
    assert "plug-in-value" in {caveat.code for caveat in found.caveats}


def test_two_steps_on_one_data_set_are_taken_for_one_event(normal):
    found = sf.run(load(written(normal, ("average", "confidence"))))["tree.top event probability"]
    result = sf.run(load(normal.file))
    single, counted = (result[f"{name}.failure probability"] for name in ("average", "confidence"))
    together = single.details["bound"] + counted.upper(0.95) / 0.95
    assert found.bounds[0].limit == pytest.approx(1 - (1 - together) * 0.999)
    assert "taken-together" in {caveat.code for caveat in found.caveats}


@pytest.mark.parametrize(("second", "code"), [("credible", ["cannot-combine"]), ("confidence", []), ("stated", [])])
def test_products_are_checked_too(normal, second, code):
    factors = {"a": "average.failure probability", "b": f"{second}.failure probability"}
    evidence = {"average": STEPS["average"], second: STEPS[second], "both": {"step": "product", "factors": factors}}
    normal.set_definition(evidence=evidence, targets={})
    assert checked(normal.file) == code
    if not code:
        (bound,) = sf.run(load(normal.file))["both.hazard probability"].bounds
        assert bound.kind == "expectation"
