"""Whatever stands in a damaged or hostile file is refused with ``InvalidInput``, never with a raw error."""

import contextlib
import copy
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.opinions.refusals import refusal

from surefoot.core import InvalidInput, SurefootError
from surefoot.opinions import HyperOpinion, MultinomialOpinion, Opinion, TrustNetwork, conjunction, maximise_uncertainty

BINOMIAL = Opinion(0.6, 0.1, 0.3)
MULTINOMIAL = MultinomialOpinion([0.2, 0.3, 0.4], 0.1)
HYPER = HyperOpinion({(0, 1): 0.5, (2,): 0.2}, 0.3, [0.2, 0.3, 0.5])
NETWORK = TrustNetwork({("A", "B"): BINOMIAL, ("A", "C"): BINOMIAL}, {("B", "x"): BINOMIAL})
EVERYTHING = [BINOMIAL, MULTINOMIAL, HYPER, NETWORK]

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just(10**400)
json = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))


def paths(data, path=()):
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from paths(value, (*path, key))


def changed(data, path, value):
    if not path:
        return value
    data = copy.copy(data)
    data[path[0]] = changed(data[path[0]], path[1:], value)
    return data


@settings(deadline=None, max_examples=80)
@given(st.data(), st.sampled_from(EVERYTHING), json)
def test_any_part_may_be_damaged(data, value, damage):
    recorded = value.to_dict()
    path = data.draw(st.sampled_from(list(paths(recorded))))
    with contextlib.suppress(SurefootError):
        type(value).from_dict(changed(recorded, path, damage))


@pytest.mark.parametrize("kind", [type(value) for value in EVERYTHING])
def test_what_is_no_record_says_where_and_what_was_found(kind):
    for data in (None, 5, "x", [], {}, {"belief": 1}, {1: 2, "a": 3}):
        said = refusal(kind.from_dict, data)
        assert re.match(rf"{kind.__name__}\.from_dict: .*; found ", said), data


def test_damaged_hyper_belief():
    cases = [
        (5, "no recorded hyper-opinion"),
        ([5], "no recorded hyper-opinion"),
        ([[[0], 0.4], [[0], 0.3]], r"belief in a set is given twice; found \[0\]"),
        ([[[0, 1], 0.4], [[1, 0], 0.3]], r"given twice; found \[0, 1\]"),
        ([[["a"], 0.7]], "a set of value numbers is needed"),
        ([[[0.0], 0.7]], "a set of value numbers is needed"),
        ([[[True], 0.7]], "a set of value numbers is needed"),
        ([[0, 0.7]], "a set of value numbers is needed; found 0"),
        ([[[0], "0.7"]], "must be numbers"),
    ]
    for belief, message in cases:
        assert re.search(message, refusal(HyperOpinion.from_dict, HYPER.to_dict() | {"belief": belief})), message


def test_hyper_belief_in_memory_is_checked_alike():
    with pytest.raises(InvalidInput, match="found int"):
        HyperOpinion(5, 0.3, [0.2, 0.3, 0.5])
    with pytest.raises(InvalidInput, match="given twice"):
        HyperOpinion({(0, 1): 0.4, (1, 0): 0.3}, 0.3, [0.2, 0.3, 0.5])


def test_damaged_trust():
    cases = [
        (5, "no recorded trust network"),
        ([["A", "B"]], "no recorded trust network"),
        ([["A", "B", None]], "recorded data must be a mapping; found NoneType"),
        ([["A", "B", BINOMIAL.to_dict()]] * 2, r"an edge is given twice; found \('A', 'B'\)"),
        ([["A", 5, BINOMIAL.to_dict()]], "an edge is a pair of names"),
        ([["A", "", BINOMIAL.to_dict()]], "an edge is a pair of names"),
        ([["A", [], BINOMIAL.to_dict()]], "no recorded trust network"),
    ]
    for trust, message in cases:
        assert re.search(message, refusal(TrustNetwork.from_dict, {"trust": trust, "opinions": []})), message


def test_edges_in_memory_are_checked_alike():
    for edges in (None, 5, {"AB": BINOMIAL}, {("A",): BINOMIAL}, {5: BINOMIAL}):
        assert refusal(TrustNetwork, edges), edges
        assert refusal(TrustNetwork, {}, edges), edges


def test_an_unknown_operator_is_refused_even_where_nothing_is_fused():
    for options in ({"how": "optimism"}, {"discount": "optimism"}):
        assert "'optimism'" in refusal(NETWORK.opinion, "B", "x", **options), options


def test_operators_name_the_kind_of_opinion_they_need():
    with pytest.raises(InvalidInput, match=r"conjunction: .*found MultinomialOpinion"):
        conjunction(BINOMIAL, MULTINOMIAL)
    with pytest.raises(InvalidInput, match=r"times: .*found Opinion"):
        MULTINOMIAL.times(BINOMIAL)
    with pytest.raises(InvalidInput, match="found float"):
        MULTINOMIAL.discounted_by(0.9)
    with pytest.raises(InvalidInput, match="found float"):
        BINOMIAL.isclose(0.9)
    with pytest.raises(InvalidInput, match="found float"):
        maximise_uncertainty(0.9)


def test_uncertainty_of_every_kind_is_maximised_by_one_function():
    assert maximise_uncertainty(MULTINOMIAL) == MULTINOMIAL.maximise_uncertainty()
    assert maximise_uncertainty(HYPER) == HYPER.to_multinomial().maximise_uncertainty()
    two = MultinomialOpinion([0.6, 0.1], 0.3)
    assert maximise_uncertainty(two).coarsened([0]).isclose(maximise_uncertainty(BINOMIAL))
