"""Lazy enumeration agrees with lists of all sets, in order, and knows what it leaves out."""

import math
from fractions import Fraction
from functools import cache
from itertools import islice, product

import numpy as np
import pytest
from tests.faulttree.cutsets.families import choices, compiled_sets, expanded, random_families

from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.faulttree import cutsets

SEEDS = range(4)


@cache
def case(seed):
    """A compiled tree, its probabilities (many of them equal), and its sets with their exact probabilities."""
    events, families = random_families(seed)
    few = [0.0, 1e-3, 1e-3, 0.01, 0.25, 0.25, 0.5, 0.5, 0.5, 1.0]
    drawn = np.random.default_rng(seed).choice(few, len(events))
    p = dict(zip(events, drawn.tolist(), strict=True))
    exact = {found: math.prod(Fraction(p[event]) for event in found) for found in expanded(events, families)}
    return compiled_sets(events, families), p, exact


def names(sets):
    return [frozenset(found.events) for found in sets]


def test_by_order_all_sets_come_once_small_ones_first_then_probable_ones_then_by_name():
    for seed in SEEDS:
        compiled, p, exact = case(seed)
        found = list(cutsets.cut_sets(compiled, p))
        assert sorted(names(found), key=sorted) == sorted(exact, key=sorted), seed
        keys = [(found.order, -found.probability, found.events) for found in found]
        assert keys == sorted(keys), seed


def test_by_probability_all_sets_come_once_probable_ones_first_then_by_name():
    for seed in SEEDS:
        compiled, p, exact = case(seed)
        found = list(cutsets.cut_sets(compiled, p, by="probability"))
        assert sorted(names(found), key=sorted) == sorted(exact, key=sorted), seed
        keys = [(-found.probability, found.events) for found in found]
        assert keys == sorted(keys), seed
        values = [float(exact[frozenset(item.events)]) for item in found]
        assert [item.probability for item in found] == pytest.approx(values, rel=1e-14), seed
        first = [item.probability for item in cutsets.cut_sets(compiled, p, by="probability", limit=5)]
        assert first == pytest.approx([float(v) for v in sorted(exact.values(), reverse=True)[:5]], rel=1e-14), seed


@pytest.mark.parametrize(
    "options",
    [
        {"order": 0},
        {"order": 3},
        {"order": 5},
        {"cutoff": 1e-3},
        {"cutoff": 1e-9},
        {"cutoff": 0.0},
        {"cutoff": 1.0},
        {"order": 4, "cutoff": 1e-5},
        {"limit": 7},
        {"limit": 0},
        {"order": 4, "limit": 5},
        {"cutoff": 1e-6, "limit": 9},
    ],
    ids=str,
)
def test_a_selection_keeps_what_it_says_and_bounds_the_rest(options):
    for by, seed in product(("order", "probability"), SEEDS):
        compiled, p, exact = case(seed)
        selected = cutsets.cut_sets(compiled, p, by=by, **options)
        kept = names(selected)
        limitless = {found for found, value in exact.items() if passes(found, value, options)}
        assert set(kept) == limitless if "limit" not in options else set(kept) <= limitless, (by, seed)
        assert len(kept) == len(set(kept)) == min(len(limitless), options.get("limit", len(limitless))), (by, seed)
        assert selected.kept_count == len(kept), (by, seed)
        assert selected.omitted_count == len(exact) - len(kept), (by, seed)
        assert selected.kept_sum == pytest.approx(float(sum(exact[found] for found in kept)), rel=1e-12), (by, seed)
        omitted = sum(value for found, value in exact.items() if found not in set(kept))
        assert omitted <= Fraction(selected.omitted_sum), (by, seed)
        slack = 1e-12 * float(sum(exact.values())) if "limit" in options else 1e-12 * float(omitted) + 1e-300
        assert selected.omitted_sum <= float(omitted) + slack, (by, seed)


def passes(found, value, options):
    return len(found) <= options.get("order", 99) and value >= Fraction(options.get("cutoff", 0)) * (
        1 - Fraction(1, 10**12)
    )


def test_a_tiny_omitted_sum_keeps_its_digits():
    compiled = compiled_sets("abcd", [[(0,), (1, 2, 3)]])
    p = {"a": 0.5, "b": 1e-9, "c": 1e-9, "d": 1e-9}
    for options in ({"order": 1}, {"cutoff": 0.1}):
        assert cutsets.cut_sets(compiled, p, **options).omitted_sum == pytest.approx(1e-27, rel=1e-12)


def test_nothing_left_out_is_a_bound_of_zero():
    compiled, p, _ = case(0)
    assert cutsets.cut_sets(compiled, p).omitted_sum == 0.0
    assert cutsets.cut_sets(compiled, p, cutoff=0.0).omitted_count == 0


def test_a_set_exactly_at_the_cutoff_is_kept_whatever_the_order_of_multiplication():
    compiled = compiled_sets("abc", [[(0, 1, 2)]])
    for cutoff in (1e-6, 0.001 * 0.01 * 0.1):
        selected = cutsets.cut_sets(compiled, {"a": 0.001, "b": 0.01, "c": 0.1}, cutoff=cutoff)
        assert len(list(selected)) == selected.kept_count == 1, cutoff


@pytest.mark.parametrize("by", ["order", "probability"])
def test_the_first_of_ten_to_the_forty_sets_come_at_once(by):
    compiled = choices(40, 10)
    p = {event: 0.1 + 1e-3 * index for index, event in enumerate(compiled.events)}
    sets = cutsets.cut_sets(compiled, p, by=by)
    first = list(islice(sets, 50))
    assert len({item.events for item in first}) == 50
    assert sets.kept_count == 10**40
    if by == "probability":
        best = math.prod(sorted(max(p[f"e{10 * g + m}"] for m in range(10)) for g in range(40)))
        assert first[0].probability == best
    equal = cutsets.cut_sets(compiled, dict.fromkeys(compiled.events, 0.5), by=by)
    assert [item.probability for item in islice(equal, 50)] == [0.5**40] * 50


def test_more_ties_than_are_sorted_still_come_once_each(monkeypatch):
    monkeypatch.setattr(cutsets.enumeration, "MOST_SORTED", 10)
    monkeypatch.setattr(cutsets.enumeration, "MOST_TIES", 10)
    compiled = choices(3, 5)
    for by in ("order", "probability"):
        found = names(cutsets.cut_sets(compiled, dict.fromkeys(compiled.events, 0.5), by=by))
        assert len(found) == len(set(found)) == 125


def test_a_search_that_would_take_too_much_memory_says_so(monkeypatch):
    monkeypatch.setattr(cutsets.enumeration, "MOST_WAITING", 20)
    compiled = choices(10, 10)
    p = {event: 0.1 + 1e-3 * index for index, event in enumerate(compiled.events)}
    with pytest.raises(DiagnosticsError) as caught:
        list(cutsets.cut_sets(compiled, p, by="probability"))
    assert caught.value.diagnostics[0].code == "tree-beyond-budget"


def test_events_without_a_probability_can_be_enumerated_by_order():
    compiled = compiled_sets("abc", [[(0,), (1, 2)]])
    found = list(cutsets.cut_sets(compiled, {"a": 0.25}))
    assert [(item.events, item.probability) for item in found] == [(("a",), 0.25), (("b", "c"), None)]
    assert cutsets.cut_sets(compiled, order=1).omitted_count == 1


def test_what_needs_probabilities_refuses_without_and_names_the_events():
    for options in ({"cutoff": 1e-9}, {"by": "probability"}):
        with pytest.raises(InvalidInput, match="b, c"):
            cutsets.cut_sets(compiled_sets("abc", [[(0,), (1, 2)]]), {"a": 0.25}, **options)
    with pytest.raises(InvalidInput, match="probability"):
        _ = cutsets.cut_sets(compiled_sets("ab", [[(0, 1)]]), order=1).omitted_sum


@pytest.mark.parametrize("options", [{"order": -1}, {"limit": 1.5}, {"cutoff": 2.0}, {"by": "size"}], ids=str)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InvalidInput):
        cutsets.cut_sets(compiled_sets("a", [[(0,)]]), {"a": 0.5}, **options)


def test_constant_top_events_have_no_set_or_the_empty_one():
    for by, (family, count) in product(("order", "probability"), (([], 0), ([()], 1))):
        sets = cutsets.cut_sets(compiled_sets("", [family]), by=by)
        assert [item.events for item in sets] == [()] * count, (by, count)
        assert (bool(sets), sets.kept_sum) == (bool(count), count), (by, count)


def test_the_table_and_the_text_show_the_first_sets():
    sets = cutsets.cut_sets(compiled_sets("abc", [[(0,), (1, 2)]]), {"a": 0.25, "b": 0.5, "c": 0.5}, order=3)
    assert sets.to_table().rows == (("a", 1, 0.25), ("b, c", 2, 0.25))
    assert sets.to_table(1).rows == (("a", 1, 0.25),)
    assert str(sets).splitlines()[0] == "CutSets(2 in all, order=3, by=order)"
    assert "b, c" in str(sets)
    assert str(cutsets.cut_sets(choices(2, 8))).endswith("and more")
