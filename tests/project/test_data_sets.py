"""Steps that name data sets of their component."""

from copy import deepcopy
from dataclasses import replace
from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

import surefoot as sf
from surefoot.adapters import Data, Tested
from surefoot.project import AnotherDataSet, Step, find_step, step, step_schema
from tests.project.conftest import DEFINITION
from tests.project.writing import problems, write
from tests.refusals import told


def compared(tested: Tested, rows: Data, *, more: Data | None = None) -> list[sf.Estimate]:
    """Count rows."""
    sizes = {"tested": len(tested), "rows": len(rows), "more": 0 if more is None else len(more)}
    return [sf.Estimate.known(name, float(size), source="counted") for name, size in sizes.items()]


def parted(
    tested: Tested, other: Annotated[Data, Field(description="The other half."), AnotherDataSet]
) -> list[sf.Estimate]:
    """Need two halves."""
    return compared(tested, other)


@pytest.fixture(autouse=True)
def _steps(monkeypatch):
    for function in (compared, parted):
        name = function.__name__
        monkeypatch.setitem(step.own, name, replace(step.own["stated"], name=name, module=__name__, attribute=name))
    find_step.cache_clear()


@pytest.fixture
def two_sets(small):
    with np.load(small.folder / "test.npz") as data:
        np.savez(small.folder / "field.npz", **{name: column[:150] for name, column in data.items()})
    return small


def sizes(two_sets, **entry):
    components = deepcopy(DEFINITION["components"])
    components["linear"]["data"]["field"] = {"path": "field.npz", "inputs": "X", "labels": "y"}
    entries = {"sizes": {"step": "compared", **entry}}
    two_sets.set_definition(components=components, evidence=entries, targets={})
    result = sf.run(sf.load(two_sets.file))
    return {estimate.quantity: int(estimate.value) for estimate in result.evidence["sizes"].estimates}, result


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({}, {"tested": 400, "rows": 400, "more": 0}),
        ({"rows": "field"}, {"tested": 400, "rows": 150, "more": 0}),
        ({"more": "field"}, {"tested": 400, "rows": 400, "more": 150}),
        ({"on": "field", "rows": "test", "more": None}, {"tested": 150, "rows": 400, "more": 0}),
    ],
    ids=str,
)
def test_a_named_set_goes_in_and_otherwise_that_of_on_or_none(two_sets, entry, expected):
    assert sizes(two_sets, **entry)[0] == expected


def test_content_and_reading_of_a_named_set_enter_the_key_and_its_name_does_not(two_sets):
    _, plain = sizes(two_sets)
    _, named = sizes(two_sets, more="field")
    assert plain.keys != named.keys
    assert set(plain.digests) == {"linear.test", "linear.model"}
    assert set(named.digests) == {"linear.test", "linear.model", "linear.field"}
    with np.load(two_sets.folder / "field.npz") as data:
        np.savez(two_sets.folder / "field.npz", **{**data, "y": 1 - data["y"]})
    _, changed = sizes(two_sets, more="field")
    assert changed.keys != named.keys
    assert changed.digests["linear.test"] == named.digests["linear.test"]


def test_only_the_set_of_on_counts_as_looked_at(two_sets):
    _, result = sizes(two_sets, rows="field", more="field")
    assert [looks.data for looks in result.looks] == ["linear.test"]


def test_a_model_in_memory_is_also_known_by_its_answers_on_named_rows():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    data = {"test": (X[:20], y[:20]), "field": (X[20:] + 10, y[20:])}

    def run(slope):
        def model(inputs):
            return np.column_stack([np.zeros(len(inputs)), np.where(inputs[:, 0] > 5, slope, 1) * inputs[:, 1]])

        evidence = {"sizes": {"step": "compared", "rows": "field"}}
        return sf.run(sf.Project.of("s", model=model, data=data, evidence=evidence)).keys["sizes"]

    assert run(1) == run(1)
    assert run(1) != run(-1)


def test_wrong_names_are_reported_with_a_suggestion(small):
    for entry, expected in [
        (
            {"step": "compared", "rows": "tset"},
            "unknown-reference: evidence.e.rows names the data set 'tset', which the component does not have."
            " Did you mean 'test'?",
        ),
        ({"step": "compared", "more": 7}, "wrong-value: evidence.e.more must be the name of a data set; found 7."),
        (
            {"step": "compared", "rows": None},
            "wrong-value: evidence.e.rows must be the name of a data set; found nothing.",
        ),
        (
            {"step": "compared", "rosw": "test"},
            "unknown-key: evidence.e.rosw is no parameter of the step 'compared'. Did you mean 'rows'?",
        ),
        (
            {"step": "parted"},
            "missing-key: evidence.e.other is missing. Name another data set of the component than test, and add it"
            " to the component.",
        ),
        (
            {"step": "parted", "other": "test"},
            "wrong-value: evidence.e.other names the data set 'test', which is that of on. Name another data set of the"
            " component than test, and add it to the component.",
        ),
        ({"step": "parted", "othr": "test"}, "unknown-key: evidence.e.othr is no parameter of the step 'parted'."),
    ]:
        with told(entry):
            (found,) = problems(small, evidence={"e": entry}, targets={})
            assert found.startswith(expected)


def test_the_schema_knows_the_names():
    schema = step_schema()["$defs"]
    assert schema["step.parted"]["required"] == ["step", "other"]
    assert schema["step.parted"]["properties"]["other"]["description"] == "The other half."
    assert schema["step.compared"]["required"] == ["step"]
    assert schema["step.compared"]["properties"]["more"]["default"] is None


def test_keys_list_the_data_sets():
    assert Step.of("compared", compared).keys == ("step", "component", "on", "rows", "more")


def test_a_good_name_loads(small):
    assert sf.load(write(small, evidence={"e": {"step": "compared", "rows": "test"}}, targets={}))


def test_a_data_set_says_that_its_rows_are_a_sequence(small):
    plain = sf.run(sf.load(write(small, evidence={"risk": {"step": "binomial_bound"}})))["risk.failure probability"]
    said = {"components__linear__data__test__rows": "sequence", "components__linear__data__test__block": 4}
    found = sf.run(sf.load(write(small, evidence={"risk": {"step": "binomial_bound"}}, **said)))
    bound = found["risk.failure probability"]
    assert bound.details["block"] == 4
    assert bound.upper(0.95) > plain.upper(0.95)
    assert bound.value == plain.value
    assert bound.key != plain.key


def test_a_block_goes_with_a_sequence(small):
    assert any("block" in text for text in problems(small, components__linear__data__test__block=4))
