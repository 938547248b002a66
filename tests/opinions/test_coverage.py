from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.opinions.refusals import accepted

from surefoot.core import InvalidInput
from surefoot.opinions import EXAMPLE_ODD, covering_rows, t_way_coverage

SMALL = {"sky": ("cloudy", "clear"), "rain": ("no", "yes"), "road": ("dry", "wet", "snow")}
NO_RAIN_FROM_CLEAR_SKY = [{"sky": "clear", "rain": "yes"}]


def all_rows(odd):
    return [dict(zip(odd, values, strict=True)) for values in product(*odd.values())]


def allowed(row, forbidden):
    return not any(all(row[k] == v for k, v in part.items()) for part in forbidden)


def brute_force(rows, odd, t, forbidden=()):
    """Possible combinations are those shown by some allowed row of the full product."""

    def shown(table):
        return {tuple((k, row[k]) for k in keys) for row in table for keys in combinations(odd, t)}

    possible = shown([row for row in all_rows(odd) if allowed(row, forbidden)])
    return possible, possible & shown(rows)


def test_pairs_of_table_1_of_herd_burton_are_counted_by_hand():
    sizes = [4, 2, 5, 2, 2, 2, 2]
    pairs = sum(a * b for a, b in combinations(sizes, 2))
    assert pairs == 150
    assert t_way_coverage([], EXAMPLE_ODD).total == pairs


def test_one_row_covers_one_combination_of_each_choice_of_dimensions():
    row = {name: values[0] for name, values in EXAMPLE_ODD.items()}
    result = t_way_coverage([row, row], EXAMPLE_ODD, t=3)
    assert result.covered == 35
    assert len(result.missing) == result.total - 35


odds = st.lists(st.integers(1, 4), min_size=1, max_size=5).map(
    lambda sizes: {f"d{i}": tuple(range(n)) for i, n in enumerate(sizes)}
)


@st.composite
def problems(draw):
    odd = draw(odds)
    names = list(odd)
    part = st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True).flatmap(
        lambda keys: st.fixed_dictionaries({k: st.sampled_from(odd[k]) for k in keys})
    )
    forbidden = draw(st.lists(part, max_size=4))
    rows = [row for row in all_rows(odd) if allowed(row, forbidden)]
    chosen = draw(st.lists(st.sampled_from(rows), max_size=8)) if rows else []
    return odd, draw(st.integers(1, min(3, len(odd)))), forbidden, chosen, bool(rows)


@settings(deadline=None, max_examples=50)
@given(problems())
def test_coverage_matches_brute_force(problem):
    odd, t, forbidden, rows, feasible = problem
    if not feasible:
        with pytest.raises(InvalidInput, match="forbidden"):
            t_way_coverage(rows, odd, t, forbidden=forbidden)
        return
    possible, covered = brute_force(rows, odd, t, forbidden)
    result = t_way_coverage(rows, odd, t, forbidden=forbidden)
    assert (result.covered, result.total) == (len(covered), len(possible))
    assert {tuple(part.items()) for part in result.missing} == possible - covered


@settings(deadline=None, max_examples=40)
@given(problems())
def test_covering_rows_cover_everything(problem):
    odd, t, forbidden, present, feasible = problem
    made = covering_rows(odd, t, forbidden=forbidden, present=present)
    if not feasible:
        assert made == ()
        return
    assert all(allowed(row, forbidden) for row in made)
    assert len(made) == len(set(made))
    result = t_way_coverage([*present, *made], odd, t, forbidden=forbidden)
    assert result.share == 1.0
    assert result.missing == ()


def test_covering_rows_of_table_1_are_few():
    rows = covering_rows(EXAMPLE_ODD)
    assert t_way_coverage(rows, EXAMPLE_ODD).share == 1.0
    assert 20 <= len(rows) <= 26


def test_covering_rows_add_only_what_is_missing():
    rows = covering_rows(SMALL)
    assert covering_rows(SMALL, present=rows) == ()
    assert 1 <= len(covering_rows(SMALL, present=rows[1:])) <= 2


def test_forbidden_combination_is_not_asked_for():
    free, bound = (t_way_coverage([], SMALL, forbidden=f) for f in ((), NO_RAIN_FROM_CLEAR_SKY))
    assert (free.total, bound.total) == (16, 15)


def test_combination_excluded_only_indirectly_is_not_asked_for():
    odd = {"a": (0, 1), "b": (0, 1), "c": (0, 1)}
    forbidden = [{"a": 0, "b": 0, "c": 0}, {"a": 0, "b": 0, "c": 1}]
    missing = t_way_coverage([], odd, forbidden=forbidden).missing
    assert {"a": 0, "b": 0} not in [dict(part) for part in missing]
    assert len(missing) == 11


def test_opinion_of_coverage():
    result = t_way_coverage(all_rows(SMALL)[:3], SMALL)
    opinion = result.opinion(prior_weight=0)
    assert opinion.belief == pytest.approx(result.share)
    assert opinion.uncertainty == 0
    assert result.opinion().uncertainty == pytest.approx(2 / (result.total + 2))


def test_rows_may_carry_more_than_the_table():
    rows = [row | {"image": i} for i, row in enumerate(all_rows(SMALL))]
    assert t_way_coverage(rows, SMALL, t=3).share == 1.0


def test_bad_input_is_refused():
    calls = [
        lambda: t_way_coverage([], {}),
        lambda: t_way_coverage([], {"a": ()}),
        lambda: t_way_coverage([], {"a": (1, 1)}),
        lambda: t_way_coverage([], SMALL, t=0),
        lambda: t_way_coverage([], SMALL, t=4),
        lambda: t_way_coverage([], SMALL, t=1.5),
        lambda: t_way_coverage([], SMALL, t=np.nan),
        lambda: t_way_coverage([{"sky": "clear"}], SMALL),
        lambda: t_way_coverage([{"sky": "clear", "rain": "no", "road": "ice"}], SMALL),
        lambda: t_way_coverage([], SMALL, forbidden=[{}]),
        lambda: t_way_coverage([], SMALL, forbidden=[{"skye": "clear"}]),
        lambda: t_way_coverage([], SMALL, forbidden=[{"sky": "green"}]),
        lambda: t_way_coverage(
            [{"sky": "clear", "rain": "yes", "road": "wet"}], SMALL, forbidden=NO_RAIN_FROM_CLEAR_SKY
        ),
        lambda: t_way_coverage([None], SMALL),
        lambda: t_way_coverage(None, SMALL),
        lambda: t_way_coverage({"sky": "clear"}, SMALL),
        lambda: t_way_coverage([{"sky": ["clear"], "rain": "no", "road": "dry"}], SMALL),
        lambda: t_way_coverage([], None),
        lambda: t_way_coverage([], {"rain": "yes"}),
        lambda: t_way_coverage([], {"rain": 5}),
        lambda: t_way_coverage([], {"rain": [[], []]}),
        lambda: t_way_coverage([], SMALL, forbidden=[None]),
        lambda: t_way_coverage([], SMALL, forbidden={"sky": "clear"}),
        lambda: covering_rows(SMALL, present=[5]),
        lambda: covering_rows(SMALL, t=9),
        lambda: covering_rows(SMALL, present=[{"sky": "clear"}]),
    ]
    assert accepted(calls) == []
