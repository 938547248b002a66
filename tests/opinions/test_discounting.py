"""The four discountings that Herd & Burton 2024 name."""

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.opinions import Opinion

X = Opinion(0.45, 0.35, 0.2, 0.25)
TRUST = Opinion(0.2, 0.4, 0.4, 0.75)


def masses(opinion):
    return [opinion.belief, opinion.disbelief, opinion.uncertainty]


def test_probability_sensitive_example_of_josang_equation_14_8():
    np.testing.assert_allclose(masses(X.discounted_by(TRUST, "probability")), (0.225, 0.175, 0.6))
    assert X.discounted_by(TRUST, "probability").probability == pytest.approx(0.375)


def test_restaurant_advice_of_josang_figure_14_6():
    advice = Opinion(0.95, 0, 0.05, 0.2).discounted_by(Opinion.vacuous(0.9), "probability")
    np.testing.assert_allclose(masses(advice), (0.855, 0, 0.145))


def test_multi_edge_path_of_josang_table_14_2():
    opinion = Opinion(0.8, 0.2, 0.0, 0.1)
    for _ in range(3):
        opinion = opinion.discounted_by(Opinion(0.2, 0.1, 0.7, 0.8), "probability")
    np.testing.assert_allclose(masses(opinion), (0.351, 0.088, 0.561), atol=5e-4)


def test_uncertainty_favouring_is_equations_11_to_14_of_herd_and_burton():
    np.testing.assert_allclose(masses(X.discounted_by(TRUST)), (0.2 * 0.45, 0.2 * 0.35, 0.4 + 0.4 + 0.2 * 0.2))


def test_opposite_belief_favouring_takes_distrust_as_a_sign_of_the_contrary():
    seen = X.discounted_by(TRUST, "opposite")
    expected = (0.2 * 0.45 + 0.4 * 0.35, 0.2 * 0.35 + 0.4 * 0.45, 0.4 + 0.6 * 0.2)
    np.testing.assert_allclose(masses(seen), expected)
    assert Opinion(1, 0, 0).discounted_by(Opinion(0, 1, 0), "opposite") == Opinion(0, 1, 0)


def test_full_trust_changes_nothing_and_no_trust_leaves_nothing():
    for how in ("uncertainty", "opposite", "base_rate", "probability"):
        assert X.discounted_by(Opinion(1, 0, 0), how).isclose(X), how
        assert X.discounted_by(Opinion(0, 0, 1, 0.0), how).uncertainty == pytest.approx(1), how


def test_calibration_chain_of_herd_and_burton_with_all_images():
    recall, squared_errors, images = Opinion.from_counts(470, 10), 2.148, 12_629
    d, u = squared_errors / (480 + 2), 2 / (images + 2)
    seen = recall.discounted_by(Opinion(1 - d - u, d, u))
    np.testing.assert_allclose(masses(seen), (0.9706, 0.0207, 0.0087), atol=2e-4)


def test_trust_may_have_another_prior_weight():
    seen = X.discounted_by(Opinion.from_counts(5, 5, prior_weight=10))
    assert seen.prior_weight == 2
    assert seen.belief == pytest.approx(0.25 * 0.45)


def test_unknown_way_is_an_error_with_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'probability'"):
        X.discounted_by(TRUST, "probabilty")
