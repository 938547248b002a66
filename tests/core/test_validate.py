"""What counts as numbers."""

from fractions import Fraction

import numpy as np
import pytest

from surefoot.core import InvalidInput, validate


def test_real_numbers_are_taken():
    for values in (
        [1, 2],
        (0.5, 1),
        np.array([True, False]),
        np.array([1, 2.5], dtype=object),
        [Fraction(1, 2)],
        np.ma.array([1.0]),
    ):
        assert validate.numbers(values, where="here", name="x").dtype == np.float64, values


def test_what_is_no_number_is_refused_rather_than_read_as_one(subtests):
    for values in (
        ["0.1", "0.2"],
        [0.1 + 0.5j],
        np.ma.array([0.0, 1.0], mask=[0, 1]),
        np.array(["1970-01-01"], "M8[D]"),
        np.array([1, "a"], dtype=object),
        [[1], [1, 2]],
        None,
        {"a": 1},
        object(),
        (x for x in (1, 2)),
    ):
        with subtests.test(values=values), pytest.raises(InvalidInput, match="here: x must be numbers; found"):
            validate.numbers(values, where="here", name="x")


def test_counts_are_whole_numbers(subtests):
    for value in (-1, 1.5, True, "3", None, float("inf"), float("nan"), 0.1):
        with subtests.test(value=value), pytest.raises(InvalidInput, match="whole number"):
            validate.count(value, where="here", name="n")


def test_a_misspelt_word_gets_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'cumulative'"):
        validate.choice("cumulativ", ("cumulative", "averaging"), where="fuse", name="how")
    with pytest.raises(InvalidInput, match="Choose one of"):
        validate.choice(5, ("a", "b"), where="fuse", name="how")


def test_of_many_words_only_some_are_listed():
    words = [f"w{number:03}" for number in range(100)]
    with pytest.raises(InvalidInput, match=r"Choose one of w000, .*w029 and 70 more\."):
        validate.choice("something else", words, where="here", name="word")


def test_a_number_may_be_infinite_where_that_is_said():
    for value in (np.inf, -np.inf, 0.5, np.float32(2), np.array(3)):
        assert validate.number(value, where="here", name="x", finite=False) == float(value), value


def test_what_is_not_one_number_is_refused(subtests):
    for value in (np.nan, [1.0], "1", None):
        with subtests.test(value=value), pytest.raises(InvalidInput, match="here: x must be one number, not NaN"):
            validate.number(value, where="here", name="x", finite=False)


def test_a_number_may_be_zero_but_not_below():
    assert validate.at_least_zero(0, where="here", name="x") == 0.0
    with pytest.raises(InvalidInput, match=r"here: x must be at least 0; found -0\.1"):
        validate.at_least_zero(-0.1, where="here", name="x")


@validate.arguments
def share(counts: "list[int]", of: "int" = 1):
    return sum(counts) / of


share.__wrapped__.__annotations__ = {"counts": "list[int]", "of": "int"}


def test_an_argument_of_another_kind_is_told_only_where_a_function_fails():
    assert share([1, 2], of=1.5) == 2
    with pytest.raises(InvalidInput) as refused:
        share(3)
    assert isinstance(refused.value.__cause__, TypeError)
    with pytest.raises(ZeroDivisionError):
        share([1, 2], of=0)
