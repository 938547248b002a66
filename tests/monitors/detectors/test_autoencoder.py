import numpy as np
import pytest
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Autoencoder, Detector
from surefoot.testing import check_detector

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(12)
PLANE = RNG.normal(size=(2, 6))
ROWS = RNG.normal(size=(400, 2)) @ PLANE * 5 + 100
HELD_OUT = RNG.normal(size=(200, 2)) @ PLANE * 5 + 100


@pytest.fixture(scope="module")
def detector():
    return Autoencoder(hidden=(16, 4), epochs=30, batch=32, learning_rate=5e-3).fit(ROWS)


def test_rows_on_the_plane_are_rebuilt_and_others_are_not(detector):
    off = HELD_OUT + np.linalg.svd(PLANE)[2][-1] * 10
    assert np.median(detector.decision_function(HELD_OUT)) < 0.05
    strange = detector.decision_function(off)[:, None] > detector.decision_function(HELD_OUT)[None]
    assert strange.mean() > 0.95


def test_scores_equal_those_of_the_same_network_in_torch(detector):
    learned = detector.learned
    network = torch.nn.Sequential()
    for n in range(4):
        layer = torch.nn.Linear(*learned[f"weight_{n}"].shape)
        layer.weight.data = torch.from_numpy(learned[f"weight_{n}"].T)
        layer.bias.data = torch.from_numpy(learned[f"bias_{n}"])
        network.extend([layer, torch.nn.ReLU()] if n < 3 else [layer])
    standard = (HELD_OUT - ROWS.mean(axis=0)) / ROWS.std(axis=0)
    with torch.no_grad():
        rebuilt = network.double()(torch.from_numpy(standard)).numpy()
    expected = np.square(rebuilt - standard).mean(axis=1)
    np.testing.assert_allclose(detector.decision_function(HELD_OUT), expected, rtol=1e-9)


def test_the_seed_settles_all_and_the_state_of_torch_is_left_alone():
    before = torch.get_rng_state()
    one, same, other = (Autoencoder(hidden=(4,), epochs=2, seed=seed).fit(ROWS) for seed in (0, 0, 1))
    assert torch.equal(before, torch.get_rng_state())
    np.testing.assert_array_equal(one.learned["weight_0"], same.learned["weight_0"])
    assert not np.allclose(one.learned["weight_0"], other.learned["weight_0"])


def test_units_of_features_do_not_matter():
    units = np.array([1e-6, 1e6, 1, 1, 1, 1e3])
    one = Autoencoder(hidden=(4,), epochs=2).fit(ROWS)
    other = Autoencoder(hidden=(4,), epochs=2).fit(ROWS * units)
    expected = one.decision_function(HELD_OUT)
    np.testing.assert_allclose(other.decision_function(HELD_OUT * units), expected, rtol=1e-3)


def test_a_file_holds_it_and_one_row_scores_as_in_a_batch(detector, tmp_path):
    detector.save(tmp_path / "network.npz")
    loaded = Detector.load(tmp_path / "network.npz")
    assert loaded.parameters == detector.parameters
    scores = detector.decision_function(HELD_OUT)
    np.testing.assert_array_equal(loaded.decision_function(HELD_OUT), scores)
    np.testing.assert_allclose([detector.score_one(x) for x in HELD_OUT], scores, rtol=1e-12)


@pytest.mark.parametrize("rows", [np.zeros((3, 2)), [[1.0, 2.0]], [[1e300, 0.1], [-1e300, 0.1]]])
def test_constant_single_and_huge_rows_have_scores(rows):
    detector = Autoencoder(hidden=(2,), epochs=1).fit(rows)
    assert np.isfinite(detector.decision_function([*rows, [1e300, -1e300]])).all()


def test_divergence_is_an_error():
    with pytest.raises(InvalidInput, match="diverged"):
        Autoencoder(hidden=(8, 8), epochs=5, learning_rate=1e30).fit(ROWS)


def test_parameters_are_checked():
    for wrong in [
        {"hidden": ()},
        {"hidden": (0,)},
        {"hidden": "64"},
        {"hidden": 64},
        {"epochs": 0},
        {"learning_rate": 0.0},
    ]:
        with refused(wrong, InvalidInput, match=next(iter(wrong))):
            Autoencoder(**wrong)


def test_it_is_complete():
    assert check_detector(lambda: Autoencoder(hidden=(4,), epochs=1)).passed
