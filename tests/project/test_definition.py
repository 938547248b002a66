"""The models of the file alone: short forms, exact types, values that cannot change."""

import pytest
from pydantic import ValidationError

from surefoot.core import Target
from surefoot.project import Conditions, definition
from tests.refusals import told


def test_a_word_is_a_file_or_a_callable():
    for text, key in [
        ("model.onnx", "path"),
        ("sub/model.onnx", "path"),
        ("C:\\models\\m.onnx", "path"),
        ("a:b/c.onnx", "path"),
        ("module:name", "callable"),
        ("package.module:name", "callable"),
    ]:
        with told(text):
            for kind in (definition.ModelSource, definition.DataSource):
                assert kind.model_validate(text).model_dump(exclude_defaults=True) == {key: text}


def test_a_target_becomes_what_estimates_are_compared_with():
    source = definition.TargetSource(
        estimate="a.b", at_least=0.9, level=0.99, per="year", source="s", kinds=["heuristic"]
    )
    assert source.target == Target(at_least=0.9, level=0.99, per="year", source="s", kinds=("heuristic",))


def test_limits_are_finite_numbers_and_nothing_that_looks_like_one():
    for value in ["0.5", True, float("inf"), float("nan"), None, [0.5]]:
        with told(value), pytest.raises(ValidationError):
            definition.TargetSource(estimate="a.b", at_most=value)


def test_values_of_the_operating_conditions_keep_their_type():
    conditions = Conditions.model_validate_json('{"odd": {"x": ["no", true, 1, 2.5]}}')
    assert [type(value) for value in conditions.odd["x"]] == [str, bool, float, float]


def test_nothing_can_be_changed_afterwards():
    with pytest.raises(ValidationError):
        definition.ModelSource(path="a.onnx").path = "b.onnx"
