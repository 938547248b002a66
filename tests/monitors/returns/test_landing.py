import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from surefoot.core import InvalidInput, Undefined
from surefoot.monitors import Sweep, returns

Landing, disc, zone_hazard, zone_safety = returns.Landing, returns.disc, returns.zone_hazard, returns.zone_safety

HAZARDS = {"grass": 0.1, "tree": 0.6, "human": 1.0}


def safety(pixels, kappa=0.4):
    return zone_safety(pixels, forbidden={"road", "building"}, hazards=HAZARDS, kappa=kappa)


def test_zone_safety_is_eqn_18():
    assert safety([["grass", "road"], ["grass", "grass"]]) == 0
    assert safety([["grass", "tree"], ["grass", "grass"]]) == pytest.approx(0.4 + 0.6 * (1 - 0.9 / 4))
    assert safety(["human"]) == pytest.approx(0.4)
    assert safety(["human"], kappa=0) == 0
    assert safety(["tree"], kappa=1) == 1


def test_zone_hazard_is_the_sum_over_pixels():
    assert zone_hazard(["grass", "tree", "grass"], hazards=HAZARDS) == pytest.approx(0.8)


def test_a_disc_holds_the_pixels_within_its_radius():
    image = np.arange(25).reshape(5, 5)
    assert disc(image, (2, 2), 1).tolist() == [7, 11, 12, 13, 17]
    assert disc(image, (2, 2), 1.5).size == 9
    with pytest.raises(InvalidInput, match="inside the image"):
        disc(image, (0, 2), 1)
    with pytest.raises(InvalidInput, match="a row and a column"):
        disc(image, (2, 2, 2), 1)
    with pytest.raises(InvalidInput, match="rows x columns"):
        disc(image.ravel(), (2, 2), 1)


def test_rejecting_the_only_safe_zone_costs_safety():
    landing = Landing([[0.9, 0.0]], [[0.1, 0.2]], None, 0.3)
    assert landing.returns([[1, 1]]).gains.tolist() == pytest.approx([-0.6])
    assert landing.returns([[1, 0]]).gains.tolist() == pytest.approx([-0.9])
    assert landing.returns([[0, 1]]).gains.tolist() == [0]


def test_rejecting_an_unsafe_zone_leads_to_the_next_or_to_the_parachute():
    landing = Landing([[0.0, 0.8], [0.0, 0.0], []], [[0.1, 0.2], [0.2, 0.1], []], None, [0.3, 0.2, 0.5])
    returns = landing.returns([[1, 0], [1, 1], []])
    np.testing.assert_allclose(returns.gains, [0.8, 0.2, 0.0])
    np.testing.assert_allclose(returns.residuals, [0, 0, 0])
    np.testing.assert_allclose(returns.safety_alone, [0, 0, 0.5])
    assert returns.costs.tolist() == [0, 0, 0]
    assert (returns.unit, returns.unit_count) == ("image", 3)


def test_the_first_of_equal_candidates_is_chosen():
    assert Landing([[0.2, 0.9]], [[1, 1]], None, 0).returns([[0, 0]]).safety_alone.tolist() == [0.2]


def test_the_best_zone_can_be_one_that_the_model_did_not_propose():
    landing = Landing([[0.5]], [[0.1]], None, 0.3, ideal=[1.0])
    assert landing.returns([[0]]).residuals.tolist() == [0.5]
    with pytest.raises(InvalidInput, match="the best there is"):
        Landing([[0.5]], [[0.1]], None, 0.3, ideal=[0.4])


images = st.lists(st.lists(st.tuples(*[st.sampled_from([0.0, 0.3, 0.6, 1.0])] * 3), max_size=5), min_size=1, max_size=8)


def as_landing(drawn, parachute, **words):
    zones, hazards, scores = ([[c[part] for c in image] for image in drawn] for part in range(3))
    return Landing(zones, hazards, scores, parachute, **words)


def landed(image, parachute, threshold):
    """What the paper's system does with one image, step by step."""
    for safety_, _, score in sorted(image, key=lambda candidate: candidate[1]):
        if not score > threshold:
            return safety_
    return parachute


@given(images, st.sampled_from([0.0, 0.4, 0.9]))
@settings(max_examples=25, deadline=None)
def test_every_threshold_does_what_the_system_does_step_by_step(drawn, parachute):
    landing, thresholds = as_landing(drawn, parachute), [-np.inf, 0.0, 0.45, 2.0]
    sweep = landing.sweep(thresholds)
    for column, threshold in enumerate(thresholds):
        returns = landing.returns(threshold=threshold)
        expected = [landed(image, parachute, threshold) for image in drawn]
        np.testing.assert_array_equal(returns.safety_monitored, expected)
        np.testing.assert_array_equal(returns.safety_alone, [landed(image, parachute, np.inf) for image in drawn])
        best = [max([parachute, *(candidate[0] for candidate in image)]) for image in drawn]
        np.testing.assert_array_equal(returns.safety_ideal, best)
        np.testing.assert_allclose(sweep.gains[:, column], returns.gains)
        np.testing.assert_allclose(sweep.residuals[:, column], returns.residuals)
    assert not sweep.costs.any()


def test_gain_is_not_monotone_in_the_threshold():
    landing = Landing([[0.0, 1.0]], [[0.1, 0.2]], [[0.9, 0.5]], 0.4)
    assert landing.sweep([0.3, 0.7, 1.0]).gains.tolist() == [[0.4, 1.0, 0.0]]


def test_units_of_a_sweep_are_mean_over_their_images():
    words = {
        "zones": [[0.0], [0.0], [1.0]],
        "predicted_hazards": [[1]] * 3,
        "scores": [[2], [0], [2]],
        "parachute": 0.5,
    }
    sweep = Landing(**words, units=["a", "a", "b"]).sweep([1.0])
    assert sweep.gains.tolist() == [[0.25], [-0.5]]
    assert sweep.residuals.tolist() == [[0.25], [0.5]]
    with pytest.raises(InvalidInput, match="exchangeable"):
        Landing(**words, weights=[1, 1, 2]).sweep([1.0])


def test_candidates_are_averaged_over_each_image():
    landing = Landing([[0, 0, 0, 0.5], [0], [], [0.7]], [[1] * 4, [1], [], [1]], None, 0)
    returns = landing.candidates().under([1, 0, 0, 1, 1, 0])
    assert np.average(returns.gains, weights=returns.weights) == pytest.approx((1 / 4 + 1 + 0) / 3)
    assert np.average(returns.hazards, weights=returns.weights) == pytest.approx((3 / 4 + 1 + 0) / 3)
    assert returns.units.tolist() == [0, 0, 0, 0, 1, 3]
    assert not returns.costs.any()


def test_candidates_normalised_by_the_unsafe_ones_sum_to_1():
    landing = Landing([[0, 0, 0, 0.5], [0], [], [0.7]], [[1] * 4, [1], [], [1]], None, 0)
    returns = landing.candidates("unsafe").under([1, 0, 0, 1])
    assert (returns.gains.mean(), returns.residuals.mean()) == (0.5, 0.5)
    assert returns.weights is None


def test_images_that_stand_for_more_of_operation_weigh_more():
    landing = Landing([[0, 0.5], [0]], [[1, 1], [1]], None, 0.5, weights=[3, 1])
    assert landing.returns([[0, 0], [1]]).weights.tolist() == [3, 1]
    assert landing.candidates().weights.tolist() == [1.5, 1.5, 1]
    assert landing.candidates("unsafe").weights.tolist() == [3, 1]


def test_scores_of_candidates_give_a_sweep_of_evaluation_1():
    landing = Landing([[0, 0.5], [0]], [[1, 1], [1]], [[0.9, 0.1], [0.2]], 0.5)
    stakes = landing.candidates("unsafe")
    sweep = Sweep.of(stakes, landing.all_candidates.scores[landing.all_candidates.safety <= 0], [0.0, 0.5, 1.0])
    assert sweep.gains.tolist() == [[1, 1, 0], [1, 0, 0]]


def test_landing_refuses_what_it_cannot_use():
    for call, words in [
        (lambda: safety(["water"]), "none for water"),
        (lambda: safety([]), "non-empty"),
        (lambda: safety(["grass"], kappa=2), "kappa"),
        (lambda: zone_safety(["a"], forbidden=(), hazards={"a": 1.5}), "hazard of a"),
        (lambda: Landing([], [], None, 0), "at least one"),
        (lambda: Landing([[0.1]], [[0.1], [0.2]], None, 0), "one list an image"),
        (lambda: Landing([[0.1]], [[0.1, 0.2]], None, 0), "2 for 1 candidates in image 0"),
        (lambda: Landing([[0.1], [1.1]], [[0], [0]], None, 0), "zones of image 1"),
        (lambda: Landing([[0.1]], [[np.nan]], None, 0), "predicted_hazards of image 0 must be finite"),
        (lambda: Landing([[0.1]], [[0]], None, 2), "stated range"),
        (lambda: Landing([[0.1]], [[0]], None, [0, 0]), "one an image"),
        (lambda: Landing([[0.1]], [[0]], None, 0, units=["a", "b"]), "units"),
        (lambda: Landing([[0.1]], [[0]], None, 0).returns(threshold=1), "needs the monitor's scores"),
        (lambda: Landing([[0.1]], [[0]], None, 0).returns(), "either rejected"),
        (lambda: Landing([[0.1]], [[0]], None, 0).returns([[0.5]]), "true or false"),
        (lambda: Landing([[0.1]], [[0]], [[0]], 0).sweep([]), "rise"),
        (lambda: Landing([[0.1]], [[0]], [[0]], 0).sweep([1, 0]), "rise"),
        (lambda: Landing([[0.1]], [[0]], [[0]], 0).candidates("all"), "unknown average"),
    ]:
        with refused((call, words), InvalidInput, match=words):
            call()


def test_shares_of_no_candidate_are_undefined():
    with pytest.raises(Undefined, match="none of them unsafe"):
        Landing([[0.1]], [[0]], None, 0).candidates("unsafe")
    with pytest.raises(Undefined, match="no candidate"):
        Landing([[]], [[]], None, 0).candidates()
