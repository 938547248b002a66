"""Prime implicants agree with brute force over all products of literals."""

import math
from itertools import product

import numpy as np
import pytest
from tests.faulttree.brute_force import Table
from tests.faulttree.cutsets.families import compiled_functions

from surefoot.core import DiagnosticsError
from surefoot.faulttree import Budget, Literal, cutsets


def by_brute_force(events, table):
    """The truth from a table with one axis an event."""
    return Table(tuple(events), np.ravel(np.transpose(table))).prime_implicants


def literals(found):
    return {frozenset((literal.event, literal.present) for literal in item.literals) for item in found}


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_random_function_has_the_primes_of_brute_force(share):
    for events in range(1, 9):
        names = [f"e{i}" for i in range(events)]
        table = np.random.default_rng(events).random((2,) * events) < share
        found = cutsets.prime_implicants(compiled_functions(names, [(range(events), table)]))
        truth = by_brute_force(names, table)
        assert literals(found) == truth, events
        assert found.total_count == len(truth), events


@pytest.mark.parametrize("seed", range(4))
def test_modules_are_replaced_by_their_primes_and_those_of_their_complements(seed):
    rng = np.random.default_rng(seed)
    names = [f"e{i}" for i in range(9)]
    first, second, third = (rng.random((2, 2, 2)) < 0.5 for _ in range(3))
    top = rng.random((2, 2, 2)) < 0.5
    functions = [((0, 1, 2), first), ((3, 4, 9), second), ((5, 6, 7), third), ((10, 11, 8), top)]
    whole = np.empty((2,) * 9, dtype=bool)
    for state in product((0, 1), repeat=9):
        a = int(first[state[0:3]])
        b, c = int(second[state[3], state[4], a]), int(third[state[5:8]])
        whole[state] = top[b, c, state[8]]
    assert literals(cutsets.prime_implicants(compiled_functions(names, functions))) == by_brute_force(names, whole)


def test_a_constant_has_no_prime_or_the_empty_one():
    for value in (False, True):
        found = cutsets.prime_implicants(compiled_functions((), [((), np.array(value))]))
        assert [item.literals for item in found] == [()] * value, value


def test_the_probability_of_an_absent_event_is_its_complement():
    exclusive = np.array([[False, True], [True, False]])
    found = list(
        cutsets.prime_implicants(
            compiled_functions("ab", [((0, 1), exclusive)]), {"a": 0.25, "b": 0.125}, by="probability"
        )
    )
    assert [str(item) for item in found] == ["a, -b", "-a, b"]
    assert [item.probability for item in found] == [0.25 * 0.875, 0.75 * 0.125]
    assert found[0].literals == (Literal("a", True), Literal("b", False))
    assert found[0].order == 2


def test_the_omitted_sum_bounds_what_is_lost_of_the_top_event():
    rng = np.random.default_rng(5)
    table, p = rng.random((2,) * 6) < 0.4, dict(zip("abcdef", rng.uniform(0.01, 0.3, 6).tolist(), strict=True))
    compiled = compiled_functions("abcdef", [(range(6), table)])
    weight = {
        s: math.prod(p[e] if v else 1 - p[e] for e, v in zip("abcdef", s, strict=True))
        for s in product((0, 1), repeat=6)
    }
    top = sum(w for s, w in weight.items() if table[s])
    for cutoff in (1e-4, 1e-3, 1e-2):
        sets = cutsets.prime_implicants(compiled, p, cutoff=cutoff)
        kept = [{"abcdef".index(x.event): x.present for x in item.literals} for item in sets]
        union = sum(w for s, w in weight.items() if any(all(s[i] == v for i, v in item.items()) for item in kept))
        assert union <= top + 1e-15
        assert top - union <= sets.omitted_sum


def parity(events):
    return np.indices((2,) * events).sum(axis=0) % 2 == 1


def test_parity_has_every_odd_state_as_a_prime():
    found = cutsets.prime_implicants(compiled_functions("abcdefghij", [(range(10), parity(10))]))
    assert found.total_count == 2**9
    assert found.by_order == {10: 2**9}


@pytest.mark.parametrize("budget", [Budget(nodes=1024), Budget(seconds=1e-9)], ids=str)
def test_a_budget_that_does_not_suffice_is_an_error_that_says_so(budget):
    table = np.random.default_rng(3).random((2,) * 10) < 0.7
    with pytest.raises(DiagnosticsError) as caught:
        cutsets.prime_implicants(compiled_functions("abcdefghij", [(range(10), table)]), budget=budget)
    assert caught.value.diagnostics[0].code == "tree-beyond-budget"
