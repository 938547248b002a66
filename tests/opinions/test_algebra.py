"""Laws of the algebra as properties of random opinions."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from surefoot.opinions import (
    Opinion,
    abduce,
    add,
    codivide,
    deduce,
    divide,
    fuse,
    marginal_base_rate,
    maximise_uncertainty,
    subtract,
)

law = settings(deadline=None, max_examples=25, derandomize=True)

rates = st.floats(0.01, 0.99)
shares = st.floats(0.0, 1.0)


@st.composite
def opinions(draw, least_uncertainty=0.0, base_rate=None):
    u = draw(st.floats(least_uncertainty, 1.0))
    b = (1.0 - u) * draw(shares)
    return Opinion(b, 1.0 - u - b, u, draw(rates) if base_rate is None else base_rate)


uncertain = opinions(least_uncertainty=0.001)


def masses(opinion):
    return np.array([opinion.belief, opinion.disbelief, opinion.uncertainty, opinion.base_rate])


def same(one, other, tolerance=1e-9):
    np.testing.assert_allclose(masses(one), masses(other), rtol=0, atol=tolerance)


def valid(opinion):
    found = masses(opinion)
    assert (found >= 0).all()
    assert (found <= 1 + 1e-12).all()
    assert found[:3].sum() == pytest.approx(1, abs=1e-12)


@law
@given(uncertain)
def test_opinion_to_beta_to_opinion_is_the_identity(x):
    alpha, beta = x.beta()
    same(Opinion.from_beta(alpha, beta, base_rate=x.base_rate), x)


@law
@given(uncertain, st.floats(0.5, 20))
def test_prior_weight_survives_the_beta_round_trip(x, weight):
    heavy = x.with_prior_weight(weight)
    same(Opinion.from_beta(*heavy.beta(), base_rate=x.base_rate, prior_weight=weight), heavy)
    np.testing.assert_allclose(heavy.counts(), x.counts(), rtol=1e-9, atol=1e-12)


@law
@given(opinions())
def test_complement_twice_is_the_identity(x):
    same(~~x, x)
    assert (~x).probability == pytest.approx(1 - x.probability)


@law
@given(opinions(), opinions())
def test_conjunction_and_disjunction_commute_and_project_to_probability(x, y):
    same(x & y, y & x)
    same(x | y, y | x)
    valid(x & y)
    valid(x | y)
    p, q = x.probability, y.probability
    assert (x & y).probability == pytest.approx(p * q, abs=1e-12)
    assert (x | y).probability == pytest.approx(p + q - p * q, abs=1e-12)


@law
@given(opinions(), opinions(), opinions())
def test_conjunction_and_disjunction_are_associative(x, y, z):
    same((x & y) & z, x & (y & z))
    same((x | y) | z, x | (y | z))


@law
@given(opinions(), opinions())
def test_de_morgan(x, y):
    same(~(x & y), ~x | ~y)


@law
@given(opinions(), opinions())
def test_disjunction_matches_josang_equation_7_3_written_out(x, y):
    a, c = x.base_rate, y.base_rate
    whole = a + c - a * c
    d = x.disbelief * y.disbelief
    d += (a * (1 - c) * x.disbelief * y.uncertainty + (1 - a) * c * x.uncertainty * y.disbelief) / whole
    u = x.uncertainty * y.uncertainty
    u += (c * x.disbelief * y.uncertainty + a * x.uncertainty * y.disbelief) / whole
    same(x | y, Opinion(x.belief + y.belief - x.belief * y.belief, d, u, whole))


@law
@given(opinions(), opinions())
def test_division_undoes_multiplication(x, y):
    assume(y.disbelief < 0.99)
    assume(y.probability > 0.01)
    same(divide(x & y, y), x, 1e-6)
    same(codivide(~(x & y), ~y), ~x, 1e-6)


@law
@given(opinions(), st.floats(0.01, 0.98), shares)
def test_subtraction_undoes_addition(x, part, share):
    a_y = (1 - x.base_rate) * part
    y = Opinion(x.disbelief * share, 1 - x.uncertainty - x.disbelief * share, x.uncertainty, a_y)
    total = add(x, y)
    valid(total)
    same(total, add(y, x))
    assert total.probability == pytest.approx(x.probability + y.probability)
    same(subtract(total, y), x, 1e-7)


@law
@given(opinions())
def test_maximised_uncertainty_keeps_the_probability_and_empties_a_side(x):
    most = maximise_uncertainty(x)
    valid(most)
    assert most.probability == pytest.approx(x.probability, abs=1e-12)
    assert min(most.belief, most.disbelief) == pytest.approx(0, abs=1e-12)
    assert most.uncertainty >= x.uncertainty - 1e-12
    same(maximise_uncertainty(most), most)


@law
@given(uncertain, uncertain, uncertain)
def test_cumulative_fusion_adds_evidence(x, y, z):
    fused = fuse(x, y, z)
    np.testing.assert_allclose(fused.counts(), np.sum([o.counts() for o in (x, y, z)], axis=0), rtol=1e-9, atol=1e-9)


@law
@given(uncertain, uncertain, uncertain)
def test_cumulative_fusion_commutes_and_is_associative(x, y, z):
    same(fuse(x, y), fuse(y, x))
    assume(min(fuse(x, y).uncertainty, fuse(y, z).uncertainty) < 0.999)
    same(fuse(fuse(x, y), z), fuse(x, y, z))
    same(fuse(x, fuse(y, z)), fuse(x, y, z))


@law
@given(uncertain, uncertain)
def test_cumulative_base_rate_is_the_one_of_the_theory(x, y):
    u, v = x.uncertainty, y.uncertainty
    assume(u + v - 2 * u * v > 1e-6)
    expected = (x.base_rate * v + y.base_rate * u - (x.base_rate + y.base_rate) * u * v) / (u + v - 2 * u * v)
    assert fuse(x, y).base_rate == pytest.approx(expected, abs=1e-9)


@law
@given(uncertain, uncertain)
def test_averaging_fusion_averages_evidence(x, y):
    fused = fuse(x, y, how="averaging")
    np.testing.assert_allclose(fused.counts(), np.mean([x.counts(), y.counts()], axis=0), rtol=1e-9, atol=1e-9)


@law
@given(uncertain, uncertain)
def test_weighted_fusion_averages_evidence_by_confidence(x, y):
    confidence = 1 - np.array([x.uncertainty, y.uncertainty])
    assume(confidence.sum() > 1e-6)
    expected = np.average([x.counts(), y.counts()], axis=0, weights=confidence)
    np.testing.assert_allclose(fuse(x, y, how="weighted").counts(), expected, rtol=1e-7, atol=1e-9)


@law
@given(opinions(), opinions(), opinions(), st.sampled_from(["cumulative", "averaging", "weighted", "consensus"]))
def test_fusion_ignores_the_order_of_sources(x, y, z, how):
    fused = fuse(x, y, z, how=how)
    valid(fused)
    same(fuse(z, x, y, how=how), fused, 1e-7)


@law
@given(opinions(), st.sampled_from(["averaging", "weighted", "consensus"]))
def test_fusion_of_equal_opinions_is_that_opinion(x, how):
    same(fuse(x, x, x, how=how), x)


@law
@given(opinions(), st.sampled_from(["cumulative", "weighted", "consensus", "constraint"]), rates)
def test_a_vacuous_source_changes_no_mass(x, how, base_rate):
    fused = fuse(x, Opinion.vacuous(base_rate), how=how)
    np.testing.assert_allclose(masses(fused)[:3], masses(x)[:3], atol=1e-9)


@law
@given(uncertain, uncertain, uncertain)
def test_constraint_fusion_is_associative_in_its_masses(x, y, z):
    chained = fuse(fuse(x, y, how="constraint"), z, how="constraint")
    at_once = fuse(x, y, z, how="constraint")
    np.testing.assert_allclose(masses(chained)[:3], masses(at_once)[:3], atol=1e-9)
    same(fuse(z, y, x, how="constraint"), at_once)


@law
@given(opinions(), rates, st.data())
def test_deduction_obeys_total_probability(x, base_rate, data):
    conditional = opinions(base_rate=base_rate)
    given_true, given_false = data.draw(conditional), data.draw(conditional)
    y = deduce(x, given_true, given_false)
    valid(y)
    p = x.probability
    assert y.probability == pytest.approx(p * given_true.probability + (1 - p) * given_false.probability, abs=1e-12)


@law
@given(shares, shares, shares, rates)
def test_dogmatic_limits_are_plain_probability(p, q, r, a):
    x, y, z = (Opinion(v, 1 - v, 0, a) for v in (p, q, r))
    for result, expected in [
        (x & y, p * q),
        (x | y, p + q - p * q),
        (~x, 1 - p),
        (deduce(x, y, z), p * q + (1 - p) * r),
        (fuse(x, y, how="averaging"), (p + q) / 2),
        (fuse(x, y), (p + q) / 2),
    ]:
        assert result.uncertainty == 0
        assert result.belief == pytest.approx(expected, abs=1e-12)


@law
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), rates, st.booleans())
def test_abduction_with_dogmatic_conditionals_is_bayes_theorem(hit, false_alarm, prior, seen):
    y = Opinion(float(seen), 1.0 - seen, 0.0)
    x = abduce(y, Opinion(hit, 1 - hit, 0), Opinion(false_alarm, 1 - false_alarm, 0), prior)
    valid(x)
    one, other = (hit, false_alarm) if seen else (1 - hit, 1 - false_alarm)
    assert x.probability == pytest.approx(prior * one / (prior * one + (1 - prior) * other))
    assert x.base_rate == prior


@law
@given(opinions(least_uncertainty=0.01, base_rate=0.5), opinions(base_rate=0.5), rates)
def test_an_unseen_consequent_leaves_the_antecedent_at_its_base_rate(given_true, given_false, prior):
    assume(given_true.uncertainty + given_false.uncertainty < 1.9)
    a_y = marginal_base_rate(given_true, given_false, prior)
    assume(0.01 < a_y < 0.99)
    x = abduce(Opinion.vacuous(a_y), given_true, given_false, prior)
    assert x.probability == pytest.approx(prior, abs=1e-9)


@law
@given(opinions(), opinions(), st.sampled_from(["uncertainty", "opposite", "base_rate", "probability"]))
def test_discounting_never_adds_certainty(x, trust, how):
    seen = x.discounted_by(trust, how=how)
    valid(seen)
    assert seen.uncertainty >= x.uncertainty - 1e-12
    assert seen.base_rate == x.base_rate


@law
@given(opinions(), opinions())
def test_base_rate_and_probability_discounting_coincide_for_binomial_trust(x, trust):
    assert x.discounted_by(trust, how="base_rate") == x.discounted_by(trust, how="probability")


@law
@given(opinions(), opinions(), opinions(), st.sampled_from(["uncertainty", "opposite"]))
def test_belief_discountings_are_associative(x, near, far, how):
    same(
        x.discounted_by(near, how=how).discounted_by(far, how=how),
        x.discounted_by(near.discounted_by(far, how=how), how=how),
    )
