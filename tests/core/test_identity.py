"""Names of functions: equal for equal code and values, different otherwise."""

import inspect
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from surefoot.core import InvalidInput, Point, function_identity


def scaled(x, by=1.0):
    return x * by


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by

    def method(self, x):
        return x * self.by


FACTOR = 1.0


def uses_a_global(x):
    return FACTOR * x


def calls_another(x):
    return uses_a_global(x)


def counts_down(n):
    return 0 if n == 0 else counts_down(n - 1)


def closing_over(value):
    return lambda x: (x, value)


def test_equal_functions_have_one_name():
    assert function_identity(closing_over(np.arange(3))) == function_identity(closing_over([0, 1, 2]))
    assert function_identity(partial(scaled, by=2)) == function_identity(partial(scaled, by=2))
    assert function_identity(Scale(2)) == function_identity(Scale(2))
    assert function_identity(np.multiply) == function_identity(np.multiply)


def test_looking_at_a_function_does_not_change_its_name():
    before = function_identity(np.multiply)
    inspect.signature(np.multiply)
    assert function_identity(np.multiply) == before


def test_other_values_give_other_names():
    functions = [
        scaled,
        partial(scaled, by=2),
        partial(scaled, by=3),
        Scale(2),
        Scale(3),
        Scale(2).method,
        Scale(3).method,
        closing_over(1),
        closing_over({"a": (1, 2)}),
        closing_over(Point(1)),
        closing_over(scaled),
        np.multiply,
        np.add,
    ]
    assert len({function_identity(f) for f in functions}) == len(functions)


def test_a_value_that_cannot_be_recorded_is_refused():
    with pytest.raises(InvalidInput, match="cannot be recorded; found set_iterator"):
        function_identity(closing_over(iter({1})))


def test_a_changed_module_variable_changes_the_name_of_all_that_use_it(monkeypatch):
    before = [function_identity(f) for f in (uses_a_global, calls_another, scaled)]
    monkeypatch.setitem(uses_a_global.__globals__, "FACTOR", 2.0)
    after = [function_identity(f) for f in (uses_a_global, calls_another, scaled)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True]


def test_a_recursive_function_has_a_name():
    assert function_identity(counts_down) == function_identity(counts_down)


def test_the_name_of_a_function_with_a_set_is_the_same_in_every_process():
    script = (
        "from surefoot.core import function_identity\n"
        "def f(a): return a * (2.0 if 'x' in {'x', 'y', 'zed', 'w'} else 1.0)\n"
        "print(function_identity(f))"
    )
    names = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "0123"
    }
    assert len(names) == 1
