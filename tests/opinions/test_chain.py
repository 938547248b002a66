import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.opinions.refusals import refusal

from surefoot.core import InvalidInput
from surefoot.opinions import Link, Opinion, chain, chain_steps, coverage, coverage_sensitivity, recall, score

RECALL = recall(470, 10)


def masses(opinion):
    return [float(opinion.belief), float(opinion.disbelief), float(opinion.uncertainty)]


def printed_calibration():
    disbelief, uncertainty = 2.148 / 482, 2 / 12_631
    return Opinion(1 - disbelief - uncertainty, disbelief, uncertainty)


def test_chain_matches_errata_item_4_with_all_images():
    result = chain(RECALL, printed_calibration())
    assert masses(result) == pytest.approx([0.9706, 0.0207, 0.0087], abs=1e-4)
    assert result.interval(0.99) == pytest.approx((0.9409, 0.9938), abs=1e-4)


def test_chain_matches_errata_item_4_with_480_images():
    result = chain(RECALL, score(1 - 2.148 / 480, 480))
    assert masses(result) == pytest.approx([0.9667, 0.0206, 0.0127], abs=5e-5)
    assert result.interval(0.99) == pytest.approx((0.9291, 0.9951), abs=5e-5)


weights = st.tuples(*[st.floats(1e-3, 1)] * 3)
opinions = weights.map(lambda w: Opinion(w[0] / sum(w), w[1] / sum(w), 1 - w[0] / sum(w) - w[1] / sum(w)))


@settings(deadline=None)
@given(opinions, opinions, opinions)
def test_chain_is_associative_as_josang_2001_says(primary, inner, outer):
    assert chain(primary, inner, outer).isclose(chain(primary, chain(inner, outer)))


@settings(deadline=None)
@given(opinions, opinions, opinions)
def test_every_link_adds_uncertainty(primary, inner, outer):
    uncertainties = [float(step.uncertainty) for step in chain_steps(primary, inner, outer)]
    assert len(uncertainties) == 3
    assert uncertainties == sorted(uncertainties)


@settings(deadline=None)
@given(opinions, opinions)
def test_chain_multiplies_belief_and_disbelief_by_the_trust(primary, trust):
    result = chain(primary, trust)
    assert result.belief == pytest.approx(float(primary.belief * trust.belief))
    assert result.disbelief == pytest.approx(float(primary.disbelief * trust.belief))


def test_chain_without_links_is_the_primary():
    assert chain(RECALL) == RECALL


def test_links_ascend_through_the_layers():
    calibration = Link("calibration", "model", Opinion(0.99, 0.01, 0))
    data = Link("coverage", "data", Opinion(0.9, 0.1, 0))
    table = Link("completeness of the table", "input space", Opinion(0.8, 0.0, 0.2))
    assert chain(RECALL, calibration, data, table).belief == pytest.approx(float(RECALL.belief) * 0.99 * 0.9 * 0.8)
    with pytest.raises(InvalidInput, match="ascend"):
        chain(RECALL, data, calibration)


def test_unknown_layer_is_refused():
    with pytest.raises(InvalidInput, match="layer"):
        Link("x", "modle", RECALL)


def test_unknown_operator_is_refused():
    with pytest.raises(InvalidInput):
        chain(RECALL, RECALL, how="optimism")


def test_something_else_than_an_opinion_is_refused():
    with pytest.raises(InvalidInput):
        chain(RECALL, 0.9)
    with pytest.raises(InvalidInput):
        chain(0.9)


def test_sensitivity_starts_where_figure_3_of_herd_burton_starts():
    curve = coverage_sensitivity(chain(RECALL, printed_calibration()), [1e-5], level=0.99)
    assert curve.lower[0] == pytest.approx(0.94, abs=0.001)
    assert curve.upper[0] == pytest.approx(0.994, abs=0.001)


def test_sensitivity_matches_one_chain_at_a_time():
    losses = np.logspace(-5, -1, 7)
    curve = coverage_sensitivity(RECALL, losses, level=0.9)
    for i, loss in enumerate(losses):
        single = chain(RECALL, Opinion(1 - loss, loss, 0))
        assert (curve.lower[i], curve.upper[i]) == pytest.approx(single.interval(0.9))
        assert curve.mean[i] == pytest.approx(float(single.probability))
    assert (np.diff(curve.lower) < 0).all()
    assert (np.diff(curve.mean) < 0).all()


def test_bad_sensitivity_is_refused():
    wrong = (([], 0.9), ([1.5], 0.9), ([-0.1], 0.9), ([np.nan], 0.9), ([0.1], 0), ([0.1], 1), (0.1, 0.9))
    for loss, level in wrong:
        assert refusal(coverage_sensitivity, RECALL, loss, level=level), (loss, level)


def test_chain_broadcasts_over_arrays():
    result = chain(recall([470, 480], [10, 0]), coverage([0.9, 0.99], 1.0, prior_weight=0))
    assert result.shape == (2,)
