"""The profile of a stream: false alarms, detection, what moved, and large inputs."""

import numpy as np
import pytest
from scipy import stats

from surefoot import watch as watches
from surefoot.core import InvalidInput
from surefoot.profile import ChangeAlarm


def reference(inputs, scores=None):
    made = np.zeros((len(inputs), 2)) if scores is None else scores
    return watches.Reference("test", inputs, made, "score", ("a", "b"), None, {})


def watching(inputs, alpha=0.01, scores=None, names=("left", "right")):
    return watches.ProfileWatch(watches.Features.of(reference(inputs, scores), names), alpha=alpha)


def feed(watch, inputs, scores=None):
    made = np.zeros((len(inputs), 2)) if scores is None else scores
    return watch.update(inputs, made, np.arange(watch.rows + 1, watch.rows + 1 + len(inputs)))


def test_false_alarms_stay_below_alpha_over_whole_streams():
    rng, streams, alpha = np.random.default_rng(0), 80, 0.1
    alarms = sum(
        bool(feed(watching(rng.normal(size=(80, 2)), alpha), rng.normal(size=(400, 2)))) for _ in range(streams)
    )
    assert alarms <= stats.binom.ppf(0.999, streams, alpha)


def test_a_shift_is_noticed_and_the_column_that_moved_is_named():
    rng = np.random.default_rng(1)
    watch = watching(rng.normal(size=(500, 2)))
    assert feed(watch, rng.normal(size=(600, 2))) == []
    (event,) = feed(watch, rng.normal([0, 1], size=(400, 2)))
    assert event.code == "watch-profile"
    assert 600 < event.row < 800
    assert watch.since == pytest.approx(600, abs=60)
    assert watch.moved[0].name == "right"
    assert watch.moved[0].shift == pytest.approx(1, abs=0.4)
    assert watch.broken.status == "contradicted"
    assert "right averages " in event.text
    assert feed(watch, rng.normal([0, 1], size=(50, 2))) == []  # it is told once


def test_distances_are_those_of_scipy():
    rng = np.random.default_rng(2)
    known, seen = rng.integers(0, 20, (300, 2)).astype(float), rng.integers(3, 25, (70, 2)).astype(float)
    watch = watching(known)
    feed(watch, seen)
    for moved in watch.moved:
        place = ("left", "right").index(moved.name)
        expected = stats.ks_2samp(known[:, place], seen[-moved.rows :, place]).statistic
        assert moved.distance == pytest.approx(expected), moved.name


def test_images_are_compared_along_principal_axes_and_by_scores():
    rng = np.random.default_rng(3)
    images = rng.normal(128, 20, (300, 12, 12)).astype(np.uint8)
    scores = rng.random((300, 2))
    watch = watching(images, scores=scores)
    assert watch.features.names[-1] == "score of b"
    assert len(watch.features.reference) == 150  # the half that did not shape the axes
    assert feed(watch, rng.normal(128, 20, (200, 12, 12)).astype(np.uint8), rng.random((200, 2))) == []
    assert feed(watch, rng.normal(128, 20, (300, 12, 12)).astype(np.uint8), 0.3 + 0.7 * rng.random((300, 2)))


def test_texts_are_compared_by_scores():
    rng = np.random.default_rng(4)
    texts = np.array(["word"] * 100, dtype=object)
    watch = watching(texts, scores=rng.random((100, 2)))
    assert watch.features.names == ("score of a", "score of b")
    assert feed(watch, texts, 1 + rng.random((100, 2)))


def test_images_that_never_vary_are_compared_by_scores():
    features = watches.Features.of(reference(np.zeros((60, 10, 10)), np.random.default_rng(5).random((60, 2))))
    assert features.names == ("score of a", "score of b")


def test_huge_numbers_do_no_harm():
    rng = np.random.default_rng(6)
    assert feed(watching(rng.normal(size=(100, 2))), np.full((50, 2), 1e300))


def test_a_restart_changes_nothing():
    rng = np.random.default_rng(7)
    known, calm, moved = rng.normal(size=(200, 2)), rng.normal(size=(300, 2)), rng.normal(1.5, size=(300, 2))
    whole, first, second = watching(known), watching(known), watching(known)
    expected = [*feed(whole, calm), *feed(whole, moved)]
    assert feed(first, calm) == []
    second.resume(first.snapshot())
    assert feed(second, moved) == expected
    assert second.value == whole.value


def test_alarms_refuse_damaged_snapshots():
    alarm = ChangeAlarm(np.random.default_rng(8).normal(size=(60, 2)))
    good = alarm.snapshot()
    for damage in ({"counts": []}, {"random": {}}, {"capital": [{}]}, {"state": {"rows": 1}}, {"stride": "x"}):
        with pytest.raises(InvalidInput):
            ChangeAlarm(np.random.default_rng(8).normal(size=(60, 2))).resume({**good, **damage})
