import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.opinions.refusals import refusal

from surefoot.core import InvalidInput, Undefined
from surefoot.opinions import MultinomialOpinion, Opinion, fuse

COUNTS = st.lists(st.floats(0, 1e6), min_size=2, max_size=6)


def test_trinomial_projection_of_josang_example_3_3():
    opinion = MultinomialOpinion([0.2, 0.2, 0.2], 0.4, [0.75, 0.125, 0.125])
    np.testing.assert_allclose(opinion.probability, (0.5, 0.25, 0.25))


@given(COUNTS, st.floats(0.5, 20))
@settings(deadline=None, derandomize=True)
def test_opinion_to_dirichlet_to_opinion_is_the_identity(counts, weight):
    opinion = MultinomialOpinion.from_counts(counts, prior_weight=weight)
    alpha = opinion.dirichlet()
    np.testing.assert_allclose(alpha, np.array(counts) + weight / len(counts), rtol=1e-9)
    back = MultinomialOpinion.from_dirichlet(alpha, prior_weight=weight)
    np.testing.assert_allclose(back.belief, opinion.belief, atol=1e-9)
    np.testing.assert_allclose(back.uncertainty, opinion.uncertainty, rtol=1e-6)


def test_intervals_are_those_of_the_beta_marginals():
    opinion = MultinomialOpinion.from_counts([3, 5, 9], base_rate=[0.2, 0.3, 0.5])
    alpha = np.array([3.4, 5.6, 10.0])
    expected = stats.beta(alpha, alpha.sum() - alpha).ppf([[0.05], [0.95]])
    np.testing.assert_allclose(opinion.interval(0.9), expected)


def test_interval_of_an_excluded_value_is_the_point_0():
    low, high = MultinomialOpinion.from_counts([3, 0], base_rate=[1, 0]).interval(0.9)
    assert (low[1], high[1]) == (0, 0)


def test_coarsening_keeps_probability_and_evidence():
    opinion = MultinomialOpinion.from_counts([3, 5, 9], base_rate=[0.2, 0.3, 0.5])
    part = opinion.coarsened([0, 2])
    assert part.isclose(Opinion.from_counts(12, 5, base_rate=0.7))
    assert part.probability == pytest.approx(opinion.probability[[0, 2]].sum())


def test_two_values_are_the_binomial_opinion():
    opinion = MultinomialOpinion.from_counts([8, 2])
    assert opinion.coarsened([0]).isclose(Opinion.from_counts(8, 2))
    np.testing.assert_allclose(opinion.interval(0.9)[0][0], Opinion.from_counts(8, 2).interval(0.9)[0])


def test_cumulative_fusion_adds_counts():
    fused = fuse(MultinomialOpinion.from_counts([1, 2, 3]), MultinomialOpinion.from_counts([4, 0, 6]))
    np.testing.assert_allclose(fused.belief, MultinomialOpinion.from_counts([5, 2, 9]).belief)


def test_uncertainty_is_maximised_until_one_belief_is_0():
    opinion = MultinomialOpinion([0.2, 0.3, 0.4], 0.1, [0.5, 0.3, 0.2])
    most = opinion.maximise_uncertainty()
    np.testing.assert_allclose(most.probability, opinion.probability)
    assert most.uncertainty == pytest.approx(0.25 / 0.5)
    assert most.belief.min() == pytest.approx(0)


def test_discounting_of_josang_equation_14_8():
    opinion = MultinomialOpinion([0.45, 0.35], 0.2, [0.25, 0.75])
    seen = opinion.discounted_by(Opinion(0.2, 0.4, 0.4, 0.75), "probability")
    np.testing.assert_allclose(seen.belief, (0.225, 0.175))
    assert seen.uncertainty == pytest.approx(0.6)


def test_opposite_discounting_needs_two_values():
    with pytest.raises(InvalidInput, match="opposite"):
        MultinomialOpinion([0.5, 0.2, 0.1], 0.2).discounted_by(Opinion.vacuous(), "opposite")


def test_product_of_genders_and_mutations_of_josang_table_8_3():
    pair = MultinomialOpinion([0.6, 0.3], 0.1).times(MultinomialOpinion([0.7, 0.2], 0.1))
    np.testing.assert_allclose(pair.belief, (0.46, 0.135, 0.235, 0.06))
    assert pair.uncertainty == pytest.approx(0.11)
    np.testing.assert_allclose(pair.probability, np.outer([0.65, 0.35], [0.75, 0.25]).ravel())


def test_many_opinions_at_once():
    counts = np.random.default_rng(0).integers(0, 50, (1000, 4))
    many = MultinomialOpinion.from_counts(counts)
    assert (len(many), many.shape, many.values) == (1000, (1000,), 4)
    one = MultinomialOpinion.from_counts(counts[17])
    assert many[17] == one
    fused = fuse(many, one, how="weighted")
    np.testing.assert_allclose(fused.belief[5], fuse(many[5], one, how="weighted").belief)
    low, high = many.interval(0.9)
    assert ((low < many.probability) & (many.probability < high)).all()


def test_round_trips_equality_and_immutability():
    opinion = MultinomialOpinion.from_counts([[1, 2, 3], [4, 5, 6]], prior_weight=3)
    assert MultinomialOpinion.from_dict(opinion.to_dict()) == opinion
    assert pickle.loads(pickle.dumps(opinion)) == opinion
    assert len({opinion[0], opinion[0], opinion[1]}) == 2
    assert opinion != 1
    with pytest.raises(ValueError, match="read-only"):
        opinion.belief[0, 0] = 1
    with pytest.raises(InvalidInput, match="has the fields"):
        MultinomialOpinion.from_dict({})
    with pytest.raises(TypeError):
        len(opinion[0])
    with pytest.raises(TypeError):
        opinion[0][0]


def test_repr():
    assert repr(MultinomialOpinion.from_counts([[1, 2, 3]])) == "MultinomialOpinion(shape=(1,), values=3)"
    assert "uncertainty=0.2" in repr(MultinomialOpinion([0.5, 0.3], 0.2))


def test_dogmatic_opinion_has_no_dirichlet():
    with pytest.raises(Undefined, match="dogmatic"):
        MultinomialOpinion([0.5, 0.5], 0).dirichlet()


def test_bad_components_are_named():
    cases = [
        (([0.5, 0.4], 0.2), "all belief \\+ uncertainty must be 1; found a sum of 1.1"),
        (([0.5], 0.5), "at least two values"),
        ((0.5, 0.5), "at least two values"),
        (([0.5, 0.5], 0, [0.5, 0.6]), "the sum of base rates must be 1"),
        (([0.5, 0.5], 0, [0.2, 0.3, 0.5]), "one base rate for each value"),
        (([0.5, np.nan], 0), "belief must be finite"),
        (([[0.5, 0.5], [0.5, 0.5]], [0, 0, 0]), "do not fit together"),
        (([], 1), "belief is empty"),
    ]
    for arguments, message in cases:
        assert re.search(message, refusal(MultinomialOpinion, *arguments)), message


def test_bad_counts_and_parameters_are_named():
    with pytest.raises(InvalidInput, match="found -2 at index 1"):
        MultinomialOpinion.from_counts([1, -2])
    with pytest.raises(InvalidInput, match="alpha"):
        MultinomialOpinion.from_dirichlet([0.5, 3])
    with pytest.raises(InvalidInput, match="some, not all, of the values 0 to 1"):
        MultinomialOpinion.from_counts([1, 2]).coarsened([0, 1])
