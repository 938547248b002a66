import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp, softmax
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Detector, Doctor, Energy, MaxLogit, MaxSoftmax

RNG = np.random.default_rng(0)
LOGITS = RNG.normal(0, 4, (50, 6))
SMALL = arrays(np.float64, (5, 4), elements=st.floats(-30, 30))
TEMPERATURE = st.sampled_from([0.5, 1.0, 2.0, 1000.0])
MAKERS = [MaxLogit, Energy, MaxSoftmax, Doctor, lambda: Doctor(kind="beta")]
NAMES = ["max_logit", "energy", "max_softmax", "doctor_alpha", "doctor_beta"]
few = hypothesis_settings(max_examples=15, deadline=None)


def scores(detector, rows):
    return detector.fit(rows).decision_function(rows)


@few
@given(SMALL, TEMPERATURE)
def test_max_softmax_is_one_minus_scipys_largest_softmax(logits, t):
    expected = 1 - softmax(logits / t, axis=1).max(axis=1)
    assert scores(MaxSoftmax(temperature=t), logits) == pytest.approx(expected, abs=1e-14)


@few
@given(SMALL, TEMPERATURE)
def test_energy_is_scipys_log_sum_exp(logits, t):
    assert scores(Energy(temperature=t), logits) == pytest.approx(-t * logsumexp(logits / t, axis=1), rel=1e-12)


@few
@given(SMALL, TEMPERATURE)
def test_doctor_is_its_definition(logits, t):
    p = softmax(logits / t, axis=1)
    g, largest = (p**2).sum(axis=1), p.max(axis=1)
    assert scores(Doctor(temperature=t), logits) == pytest.approx((1 - g) / g, rel=1e-9, abs=1e-13)
    assert scores(Doctor(kind="beta", temperature=t), logits) == pytest.approx((1 - largest) / largest, abs=1e-13)


def test_max_logit_is_minus_the_largest():
    assert scores(MaxLogit(), LOGITS).tolist() == [-max(row) for row in LOGITS.tolist()]


def test_doubt_keeps_its_digits_where_the_largest_probability_is_one_as_a_float():
    logits = np.array([[60.0, 1.0, 0.0], [50.0, 1.0, 0.0]])
    with mpmath.workdps(60):
        others = [mpmath.exp(1 - z) + mpmath.exp(-z) for z in (60, 50)]
        doubt = [float(o / (1 + o)) for o in others]
        parts = [[mpmath.mpf(1) / (1 + o), mpmath.exp(1 - z) / (1 + o)] for z, o in zip((60, 50), others, strict=True)]
        squares = [a**2 + b**2 + (1 - a - b) ** 2 for a, b in parts]
        alpha = [float((1 - g) / g) for g in squares]
    assert (1 - softmax(logits, axis=1).max(axis=1) == 0).all()
    assert scores(MaxSoftmax(), logits) == pytest.approx(doubt, rel=1e-13)
    assert scores(Doctor(), logits) == pytest.approx(alpha, rel=1e-13)


@pytest.mark.parametrize("kind", ["alpha", "beta"])
@pytest.mark.parametrize("t", [1.0, 3.0])
def test_probabilities_score_as_their_logits(kind, t):
    p = softmax(LOGITS, axis=1)
    assert scores(MaxSoftmax(on="probabilities", temperature=t), p) == pytest.approx(
        scores(MaxSoftmax(temperature=t), LOGITS), rel=1e-9
    )
    assert scores(Doctor(kind=kind, on="probabilities", temperature=t), p) == pytest.approx(
        scores(Doctor(kind=kind, temperature=t), LOGITS), rel=1e-9
    )


def test_detectors_say_what_they_take():
    assert (MaxSoftmax().takes, MaxSoftmax.takes, MaxSoftmax(on="probabilities").takes) == (
        "logits",
        "logits",
        "probabilities",
    )
    assert Doctor(on="probabilities").takes == "probabilities"


def test_a_probability_of_zero_is_no_harm():
    assert scores(MaxSoftmax(on="probabilities"), [[1.0, 0.0], [0.5, 0.5]]).tolist() == [0.0, 0.5]


def test_what_is_no_probability_is_refused():
    for rows in [[[0.2, 0.2]], [[1.5, -0.5]], [[3.0, -2.0]], [[0.3]]]:
        with refused(rows, InvalidInput, match=r"add up to 1 in each row.*row 0.*on='logits'"):
            MaxSoftmax(on="probabilities").fit(rows)
        fitted = MaxSoftmax(on="probabilities").fit(np.full((1, len(rows[0])), 1 / len(rows[0])))
        with refused(rows, InvalidInput, match="add up to 1"):
            fitted.decision_function(rows)


def test_extreme_logits_give_finite_scores_in_order():
    for make in MAKERS:
        largest = np.finfo(float).max
        rows = [
            [largest, -largest],
            [1e300, -1e300],
            [1e300, 1e300],
            [0.0, 0.0],
            [-1e300, -1e300],
            [-largest, -largest],
        ]
        found = scores(make(), rows)
        assert np.isfinite(found).all(), make
        assert found[0] <= found[1] <= found[2] <= found[3] <= found[4] <= found[5], make


def test_an_energy_beyond_the_largest_float_is_the_largest_float():
    found = scores(Energy(temperature=5e307), [[1e308] * 9, [-1e308] * 9])
    assert found[0] == -np.finfo(float).max
    assert found[1] == pytest.approx(1e308 - 5e307 * np.log(9))


def test_a_single_column_gives_finite_scores():
    for make in MAKERS:
        assert np.isfinite(scores(make(), [[-5.0], [0.0], [5.0]])).all(), make


def test_a_single_class_leaves_no_doubt():
    assert scores(MaxSoftmax(), [[-5.0], [5.0]]).tolist() == [0.0, 0.0]


def test_equal_logits_leave_the_most_doubt():
    assert scores(MaxSoftmax(), np.zeros((1, 4))) == pytest.approx([0.75])
    assert scores(Doctor(), np.zeros((1, 4))) == pytest.approx([3.0])
    assert scores(Doctor(kind="beta"), np.zeros((1, 4))) == pytest.approx([3.0])


def test_labels_are_allowed_and_change_nothing():
    for make in MAKERS:
        labels = np.arange(50) % 6
        assert (
            make().fit(LOGITS, labels).decision_function(LOGITS, labels).tolist() == scores(make(), LOGITS).tolist()
        ), make


def test_a_temperature_is_positive():
    for kind in [MaxSoftmax, Energy, Doctor]:
        for temperature in [0.0, -1.0, np.nan, np.inf, "warm"]:
            with refused((kind, temperature), InvalidInput, match="temperature"):
                kind(temperature=temperature)


def test_misspelt_options_get_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'probabilities'"):
        MaxSoftmax(on="probability")
    with pytest.raises(InvalidInput, match="Did you mean 'alpha'"):
        Doctor(kind="alfa")


def test_what_is_not_two_dimensional_is_refused():
    with pytest.raises(InvalidInput, match="logits must have 2 dimensions"):
        MaxLogit().fit([1.0, 2.0])


@pytest.mark.parametrize("made", [Energy(temperature=2), Doctor(kind="beta", on="probabilities")], ids=repr)
def test_files_keep_the_options(made, tmp_path):
    made.fit(softmax(LOGITS, axis=1)).save(tmp_path / "made.npz")
    read = Detector.load(tmp_path / "made.npz")
    assert (type(read), read.parameters, read.takes) == (type(made), made.parameters, made.takes)
