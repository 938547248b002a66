"""What a project file says about its steps is checked against their signatures, and steps against each other."""

from copy import deepcopy
from itertools import pairwise

import pytest

from surefoot.project import load
from tests.project.sample_steps import register
from tests.project.writing import ABSENT, problems, write
from tests.refusals import told

ODD = {"step": "combined", "factors": {"a": "risk.x"}}


@pytest.fixture(autouse=True)
def _steps(monkeypatch):
    register(monkeypatch)


def two_components():
    linear = {"model": {"callable": "linear:predict"}, "data": {"test": "test.npz"}, "classes": ["no", "yes"]}
    return {"components": {"first": linear, "second": deepcopy(linear)}}


def one_problem(small, **changes):
    (found,) = problems(small, **changes)
    return found


def test_each_mistake_of_a_step_is_one_sentence(small):
    for entry, expected in [
        (
            {"step": "talied"},
            "unknown-step: evidence.e.step cannot be used: no step 'talied' is registered. Did you mean 'tallied'?",
        ),
        (
            {"step": "tallied", "levle": 0.9},
            "unknown-key: evidence.e.levle is no parameter of the step 'tallied'. Did you mean 'level'?",
        ),
        (
            {"step": "tallied", "tested": 1},
            "unknown-key: evidence.e.tested is provided by Surefoot and cannot be set here. Leave it out.",
        ),
        ({"step": "tallied", "level": 1}, "wrong-value: evidence.e.level must be below 1; found 1."),
        ({"step": "tallied", "level": "0.9"}, "wrong-value: evidence.e.level must be a number; found '0.9'."),
        ({"step": "tallied", "level": True}, "wrong-value: evidence.e.level must be a number; found true."),
        (
            {"step": "tallied", "of": "yse"},
            "unknown-reference: evidence.e.of names the class 'yse', which the component does not have."
            " Did you mean 'yes'?",
        ),
        (
            {"step": "tallied", "among": ["no", "maybe"]},
            "unknown-reference: evidence.e.among names the class 'maybe', which the component does not have."
            " Known are no, yes.",
        ),
        (
            {"step": "tallied", "component": "linera"},
            "unknown-reference: evidence.e.component names the component 'linera', which is not there."
            " Did you mean 'linear'?",
        ),
        (
            {"step": "tallied", "on": "tset"},
            "unknown-reference: evidence.e.on names the data set 'tset', which the component does not have."
            " Did you mean 'test'?",
        ),
        ({"step": "guessed"}, "missing-key: evidence.e.value is missing."),
        (
            {"step": "guessed", "valeu": 1},
            "unknown-key: evidence.e.valeu is no parameter of the step 'guessed'. Did you mean 'value'?",
        ),
        (
            {"step": "guessed", "value": 1, "how": "bodly"},
            "wrong-value: evidence.e.how must be 'boldly' or 'timidly'; found 'bodly'. Did you mean 'boldly'?",
        ),
        (
            {"step": "guessed", "value": 1, "at": [[1, 2], [3, "x"]]},
            "wrong-value: evidence.e.at[1][1] must be a number; found 'x'.",
        ),
        ({"step": "guessed", "value": 1, "bins": 1}, "wrong-value: evidence.e.bins must be at least 2; found 1."),
        (
            {"step": "guessed", "value": 1, "component": "linear"},
            "unknown-key: evidence.e.component is not needed: the step 'guessed' works on no component. Leave it out.",
        ),
        (
            {"step": "combined", "factor": {"a": "risk.x"}},
            "unknown-key: evidence.e.factor is no parameter of the step 'combined'. Did you mean 'factors'?",
        ),
        (
            {**ODD, "factors": {"a": "rsik.x"}},
            "unknown-reference: evidence.e.factors.a refers to the step 'rsik', which is not there."
            " Did you mean 'risk'?",
        ),
        (
            {**ODD, "others": ["risk.x", "gone.y"]},
            "unknown-reference: evidence.e.others[1] refers to the step 'gone', which is not there. Known are risk, e.",
        ),
    ]:
        with told(entry):
            assert one_problem(small, evidence__e=entry).removesuffix(" ") == expected


@pytest.mark.parametrize(
    "entry",
    [
        {"step": "combined"},
        {"step": "combined", "factors": None},
    ],
)
def test_a_missing_result_says_how_to_write_one(small, entry):
    found = one_problem(small, evidence__e=entry)
    assert found.startswith("missing-key: evidence.e.factors is missing. It must be a mapping of names to results")


def test_results_have_the_shape_the_step_asks_for(small):
    for change in [
        {"factors": "risk.x"},
        {"factors": ["risk.x"]},
        {"factors": {}},
        {"factors": {"a": 3}},
        {"factors": {"a": []}},
        {"factors": {"a": {}}},
        {"factors": {"a": "risk"}},
        {"factors": {"a": "risk."}},
        {"factors": {"a": ".x"}},
        {"extra": ["risk.x"]},
        {"extra": 7},
        {"others": "risk.x"},
        {"others": []},
    ]:
        with told(change):
            found = one_problem(small, evidence__e={**ODD, **change})
            assert found.startswith("wrong-value: evidence.e.")
            assert "step.quantity" in found


def test_quantities_may_hold_spaces_scopes_and_dots(small):
    for quantity in ["x", "failure probability", "recall[class yes]", "a.b.c", "größe"]:
        with told(quantity):
            load(write(small, evidence__e={**ODD, "extra": f"risk.{quantity}"}, targets__low__estimate=f"e.{quantity}"))


def test_good_values_of_every_kind_are_taken(small):
    entry = {"step": "guessed", "value": 3, "how": "boldly", "at": [[1, 2], [3, 4.5]], "bins": 2}
    load(write(small, evidence__e=entry, evidence__f={**ODD, "extra": None, "others": ["e.a", "risk.b"]}))


def test_with_several_components_a_step_says_which(small):
    changes = two_components()
    found = one_problem(small, **changes)
    assert found == (
        "missing-key: evidence.risk.component is missing, and there are several components. Known are first, second."
    )
    project = load(write(small, **changes, evidence__risk__component="second"))
    assert project.component_of("risk") == "second"


def test_a_default_data_set_that_is_not_there_is_blamed_on_the_step(small):
    found = one_problem(small, components__linear__data={"calibration": "test.npz"})
    assert found.startswith("unknown-reference: evidence.risk names the data set 'test', which the component does not")


def test_a_step_that_needs_the_model_or_scores_says_so(small):
    scored = {"test": {"path": "test.npz", "scores": "X"}, "plain": "test.npz"}
    changes = {"components__linear__model": ABSENT, "components__linear__data": scored}
    load(write(small, **changes))
    assert "needs the model" in one_problem(small, **changes, evidence__e={"step": "asked"})
    assert "no scores" in one_problem(small, **changes, evidence__e={"step": "tallied", "on": "plain"})
    load(write(small, **changes, evidence__e={"step": "rows", "on": "plain"}))


def test_every_circle_is_found_once(small):
    for references, circles in [
        ({"a": "a"}, ["a -> a"]),
        ({"a": "b", "b": "a"}, ["a -> b -> a"]),
        ({"a": "b", "b": "c", "c": "a", "d": "a"}, ["a -> b -> c -> a"]),
        ({"a": "b", "b": "a", "c": "d", "d": "c", "e": "c"}, ["a -> b -> a", "c -> d -> c"]),
    ]:
        with told(references):
            steps = {
                f"evidence__{name}": {"step": "combined", "extra": f"{other}.x", "factors": {"r": "risk.x"}}
                for name, other in references.items()
            }
            found = problems(small, **steps)
            assert [line.partition(":")[0] for line in found] == ["cyclic-steps"] * len(circles)
            for line, circle in zip(found, circles, strict=True):
                names = line.partition("itself: ")[2].partition(".")[0].split(" -> ")
                assert names[0] == names[-1]
                assert set(names) == set(circle.split(" -> "))
                assert all(references[name] == after for name, after in pairwise(names))
