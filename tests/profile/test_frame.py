import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist
from statsmodels.stats.proportion import proportion_confint

from surefoot.core import InvalidInput
from surefoot.profile import FrameWatch, PCAEncoder, frame_check


def rows(count, seed=0, dimensions=4, shift=0.0, scale=1.0):
    return np.random.default_rng(seed).normal(shift, scale, (count, dimensions))


def test_a_frame_from_operation_is_kept():
    check = frame_check(rows(600), rows(600, 1))
    assert not check.rebuild
    assert check.reason.startswith("No difference found")


def test_operation_that_leaves_the_frame_asks_for_a_new_one():
    operation = np.concatenate([rows(500, 1), rows(60, 2, shift=9.0)])
    check = frame_check(rows(600), operation)
    assert check.rebuild
    assert check.is_outgrown
    assert check.uncovered_share == pytest.approx(60 / 560, abs=0.03)
    assert "has no inputs" in check.reason


def test_operation_in_one_corner_of_the_frame_asks_for_weights():
    frame = rows(1500)
    inside = frame[(frame[:, 0] > 0)] + rows(len(frame[frame[:, 0] > 0]), 3, scale=0.01)
    check = frame_check(frame, inside)
    assert check.rebuild
    assert not check.is_outgrown
    assert "ratio of densities" in check.reason


def test_uncovered_rows_match_a_loop():
    frame, operation = rows(300), rows(200, 1, scale=1.3)
    check = frame_check(frame, operation)
    own = cdist(frame / frame.std(axis=0), frame / frame.std(axis=0))
    np.fill_diagonal(own, np.inf)
    reach = np.sort(own.min(axis=1))[296]
    assert check.reach == pytest.approx(reach)
    assert (
        check.uncovered == (cdist(operation / frame.std(axis=0), frame / frame.std(axis=0)).min(axis=1) > reach).sum()
    )
    assert check.p_value == pytest.approx(1 - stats.betabinom(200, 4, 297).cdf(check.uncovered - 1))


def test_limits_are_exact():
    check = frame_check(rows(300), rows(200, 1, scale=1.3))
    assert check.limits(0.9) == pytest.approx(proportion_confint(check.uncovered, 200, 0.1, "beta"))


def test_frames_as_operation_are_rarely_called_outgrown():
    p_values = []
    for seed in range(100):
        both = rows(240, seed, dimensions=3)
        p_values.append(frame_check(both[:120], both[120:]).p_value)
    assert np.mean(np.array(p_values) < 0.05) < 0.1


def test_units_of_features_do_not_matter():
    units = np.array([1.0, 1e3, 1e-5, 7.0])
    one, other = (frame_check(rows(200) * u, rows(200, 1, scale=1.2) * u) for u in (1.0, units))
    assert (one.uncovered, one.p_value) == (other.uncovered, other.p_value)


def test_the_encoder_decides_what_is_compared():
    frame, operation = rows(400), rows(400, 1)
    operation[:, 3] += 5
    assert frame_check(frame, operation).rebuild
    assert not frame_check(frame, operation, lambda x: x[:, :3]).rebuild
    assert frame_check(frame, operation, PCAEncoder(4).fit(frame)).rebuild


def test_few_rows_are_no_support():
    check = frame_check(rows(8), rows(8, 1))
    assert not check.rebuild
    assert "few inputs" in check.reason


def test_shapes_that_differ_are_refused():
    with pytest.raises(InvalidInput, match="as many numbers"):
        frame_check(rows(20), rows(20, dimensions=3))
    with pytest.raises(InvalidInput, match="at least one input"):
        frame_check(rows(20), np.empty((0, 4)))


def test_a_watch_stays_calm_while_operation_is_as_the_frame():
    watch = FrameWatch(None, rows(400))
    assert not watch.update(rows(400, 1)).alarmed
    assert "calm" in repr(watch)


def test_a_watch_says_when_operation_changed():
    frame = rows(400, dimensions=9).reshape(400, 3, 3)
    watch = FrameWatch(PCAEncoder(3).fit(frame), frame)
    watch.update(rows(200, 1, dimensions=9).reshape(200, 3, 3))
    state = watch.update(rows(200, 2, dimensions=9, shift=2.0).reshape(200, 3, 3))
    assert state.alarmed
    assert state == watch.state
    assert 190 <= state.since <= state.row < 260


def test_a_watch_refuses_inputs_of_another_shape():
    with pytest.raises(InvalidInput, match="as many numbers"):
        FrameWatch(None, rows(50)).update(rows(5, dimensions=3))


def test_halves_of_the_mnist_test_set_differ_as_its_authors_say():
    """Its first 5,000 images are of Census employees, cleaner than the last 5,000 of students."""
    datasets = pytest.importorskip("surefoot.datasets")
    from surefoot.core import SurefootError

    try:
        images = np.load(datasets.locate("mnist") / "mnist.npz")["x_test"] / 255
    except (SurefootError, OSError) as error:
        pytest.skip(f"MNIST is not here: {error}")
    encoder = PCAEncoder(8).fit(images[::2])
    mixed = np.random.default_rng(0).permutation(len(images))
    assert frame_check(images[:5000], images[5000:], encoder).rebuild
    assert not frame_check(images[mixed[:5000]], images[mixed[5000:]], encoder).rebuild
