import re

import numpy as np
import pytest
from tests.opinions.refusals import refusal

from surefoot.core import InvalidInput
from surefoot.opinions import HyperOpinion, MultinomialOpinion, fuse

RATES = [0.2, 0.3, 0.5]
MASS_SUM = {(0,): 0.1, (1,): 0.1, (0, 1): 0.2, (0, 2): 0.3, (1, 2): 0.1}


def hyper(masses, uncertainty, rates=RATES):
    return HyperOpinion({frozenset(s): m for s, m in masses.items()}, uncertainty, rates)


def test_projection_shares_belief_out_by_base_rate_by_brute_force():
    opinion = hyper(MASS_SUM, 0.2)
    expected = [
        sum(m * RATES[v] / sum(RATES[w] for w in s) for s, m in MASS_SUM.items() if v in s) + RATES[v] * 0.2
        for v in range(3)
    ]
    np.testing.assert_allclose(opinion.probability, expected)
    assert opinion.probability.sum() == pytest.approx(1)


def test_projection_to_a_multinomial_opinion_keeps_probability_and_uncertainty():
    opinion = hyper(MASS_SUM, 0.2)
    np.testing.assert_allclose(opinion.to_multinomial().probability, opinion.probability)
    assert opinion.to_multinomial().uncertainty == 0.2
    assert opinion.coarsened([0, 1]).probability == pytest.approx(opinion.probability[:2].sum())


def test_a_set_of_base_rate_0_is_shared_out_equally():
    opinion = hyper({(0, 1): 1.0}, 0.0, [0.0, 0.0, 1.0])
    np.testing.assert_allclose(opinion.probability, (0.5, 0.5, 0.0))


def test_multinomial_opinion_as_hyper_opinion():
    opinion = MultinomialOpinion([0.2, 0.3, 0.4], 0.1, RATES)
    wide = opinion.to_hyper()
    assert wide.belief == {frozenset({0}): 0.2, frozenset({1}): 0.3, frozenset({2}): 0.4}
    assert wide.to_multinomial() == opinion


def test_cumulative_fusion_adds_evidence_on_sets():
    one, other = hyper({(0, 1): 0.5}, 0.5), hyper({(0, 1): 0.2, (2,): 0.4}, 0.4)
    fused = fuse(one, other)
    evidence = {s: 2 * m / fused.uncertainty for s, m in fused.belief.items()}
    assert evidence == pytest.approx({frozenset({0, 1}): 2 + 1, frozenset({2}): 2})


def test_arrays_of_hyper_opinions():
    many = hyper({(0, 1): [0.5, 0.1], (2,): [0.2, 0.6]}, 0.3)
    assert many.shape == (2,)
    fused = fuse(many, many, how="constraint")
    single = fuse(*[hyper({(0, 1): 0.1, (2,): 0.6}, 0.3)] * 2, how="constraint")
    np.testing.assert_allclose(fused.probability[1], single.probability)


def test_round_trip_equality_and_repr():
    opinion = hyper(MASS_SUM, 0.2)
    assert HyperOpinion.from_dict(opinion.to_dict()) == opinion
    assert opinion != hyper({(0, 1): 0.8}, 0.2)
    assert len({opinion, hyper(MASS_SUM, 0.2)}) == 1
    assert opinion != 1
    assert repr(hyper({(0, 1): 0.8}, 0.2)) == "HyperOpinion(belief={{0, 1}: 0.8}, uncertainty=0.2)"
    assert repr(hyper({(0, 1): [0.8, 0.8]}, 0.2)) == "HyperOpinion(shape=(2,), values=3, sets=1)"
    with pytest.raises(InvalidInput, match="has the fields"):
        HyperOpinion.from_dict({})


def test_bad_masses_are_named():
    cases = [
        ({(0, 1): 0.5}, 0.2, "must be 1; found a sum of 0.7"),
        ({(0, 1, 2): 0.5}, 0.5, "some, not all, of the values 0 to 2"),
        ({(): 0.5}, 0.5, "some, not all"),
        ({(0, 3): 0.5}, 0.5, "some, not all"),
        ({(0,): -0.5}, 1.5, "must lie in"),
        ({(0,): [0.5, 0.5]}, [0.5, 0.5, 0.5], "do not fit together"),
    ]
    for masses, uncertainty, message in cases:
        assert re.search(message, refusal(hyper, masses, uncertainty)), message


def test_base_rates_are_needed():
    with pytest.raises(InvalidInput, match="base rates"):
        hyper({(0, 1): 1.0}, 0.0, [0.5, 0.5, 0.5])
    with pytest.raises(InvalidInput, match="at least two values"):
        hyper({(0, 1): 1.0}, 0.0, [1.0])
