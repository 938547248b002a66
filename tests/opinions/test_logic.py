"""Worked examples of Jøsang 2016 and the edges of the inverse operators."""

import numpy as np
import pytest

from surefoot.core import InvalidInput, Undefined
from surefoot.opinions import Opinion, add, codivide, conjunction, disjunction, divide, maximise_uncertainty, subtract


def close(opinion, masses, base_rate, tolerance=0.005):
    found = [opinion.belief, opinion.disbelief, opinion.uncertainty, opinion.base_rate]
    np.testing.assert_allclose(found, [*masses, base_rate], rtol=0, atol=tolerance + 1e-9)


def test_addition_of_figure_6_2():
    close(add(Opinion(0.2, 0.4, 0.4, 0.25), Opinion(0.1, 0.5, 0.4, 0.5)), (0.3, 0.3, 0.4), 0.75, 1e-12)


def test_subtraction_of_figure_6_3():
    close(subtract(Opinion(0.7, 0.1, 0.2, 0.75), Opinion(0.5, 0.3, 0.2, 0.25)), (0.2, 0.6, 0.2), 0.5, 1e-12)


def test_complement_of_figure_6_5():
    close(~Opinion(0.5, 0.1, 0.4, 0.25), (0.1, 0.5, 0.4), 0.75, 1e-12)


def test_multiplication_of_figure_7_2():
    close(Opinion(0.75, 0.15, 0.1, 0.5) & Opinion(0.1, 0, 0.9, 0.2), (0.15, 0.15, 0.7), 0.1)


def test_comultiplication_of_figure_7_3():
    close(Opinion(0.75, 0.15, 0.1, 0.5) | Opinion(0.35, 0, 0.65, 0.2), (0.84, 0.06, 0.1), 0.6)


def test_division_of_figure_7_7():
    quotient = divide(Opinion(0.1, 0.8, 0.1, 0.2), Opinion(0.4, 0.0, 0.6, 0.5))
    close(quotient, (0.15, 0.8, 0.05), 0.4)
    assert quotient.probability == pytest.approx(0.12 / 0.7)


def test_division_matches_josang_equation_7_12_written_out():
    whole, part = Opinion(0.1, 0.8, 0.1, 0.2), Opinion(0.4, 0.0, 0.6, 0.5)
    a, c = 0.2, 0.5
    ratio = c * whole.probability / ((c - a) * part.probability)
    belief = ratio - a * (1 - whole.disbelief) / ((c - a) * (1 - part.disbelief))
    uncertainty = c * (1 - whole.disbelief) / ((c - a) * (1 - part.disbelief)) - ratio
    close(divide(whole, part), (belief, 0.8, uncertainty), 0.4, 1e-12)


def test_operators_are_the_functions():
    x, y = Opinion(0.7, 0.1, 0.2), Opinion(0.4, 0.3, 0.3, 0.6)
    assert conjunction(x, y) == (x & y)
    assert disjunction(x, y) == (x | y)


def test_conjunction_at_base_rate_1_is_the_limit_along_equal_base_rates():
    def at(base_rate):
        return Opinion(0.5, 0.2, 0.3, base_rate) & Opinion(0.1, 0.4, 0.5, base_rate)

    assert at(1.0).isclose(at(1 - 1e-12))
    assert at(1.0).probability == pytest.approx(0.8 * 0.6)


def test_arrays_and_single_opinions_broadcast():
    x = Opinion.from_counts([[1], [2]], [3, 4, 5])
    y = Opinion(0.4, 0.3, 0.3, 0.6)
    assert (x & y).shape == (2, 3)
    assert (x & y)[1, 2] == (x[1, 2] & y)


@pytest.mark.parametrize(
    ("whole", "part", "message"),
    [
        (Opinion(0.1, 0.8, 0.1, 0.5), Opinion(0.4, 0.0, 0.6, 0.5), "base rate of the whole must be below"),
        (Opinion(0.1, 0.8, 0.1, 0.2), Opinion(0.0, 1.0, 0.0, 0.5), "disbelieved altogether"),
        (Opinion(0.7, 0.1, 0.2, 0.2), Opinion(0.4, 0.3, 0.3, 0.6), "would lie outside"),
        (Opinion(0.0, 0.9, 0.1, 0.2), Opinion(0.9, 0.1, 0.0, 0.5), "would lie outside"),
    ],
)
def test_quotients_that_do_not_exist_are_undefined(whole, part, message):
    with pytest.raises(Undefined, match=message):
        divide(whole, part)
    with pytest.raises(Undefined, match=message):
        codivide(~whole, ~part)


def test_sums_that_no_variable_can_have_are_undefined():
    with pytest.raises(Undefined, match=r"belief 1\.3"):
        add(Opinion(0.7, 0.2, 0.1, 0.3), Opinion(0.6, 0.3, 0.1, 0.3))
    with pytest.raises(Undefined, match="disbelief"):
        add(Opinion(0.9, 0.0, 0.1, 0.5), Opinion(0.1, 0.0, 0.9, 0.5))
    with pytest.raises(Undefined, match="base_rate"):
        add(Opinion(0.1, 0.1, 0.8, 0.7), Opinion(0.1, 0.1, 0.8, 0.7))


def test_differences_that_do_not_exist_are_undefined():
    with pytest.raises(Undefined, match="base rate"):
        subtract(Opinion(0.5, 0.3, 0.2, 0.25), Opinion(0.7, 0.1, 0.2, 0.75))
    with pytest.raises(Undefined, match="uncertainty"):
        subtract(Opinion(0.5, 0.5, 0.0, 0.5), Opinion(0.2, 0.3, 0.5, 0.25))


def test_addition_at_base_rate_0_takes_the_mean_uncertainty():
    total = add(Opinion(0.2, 0.5, 0.3, 0.0), Opinion(0.1, 0.8, 0.1, 0.0))
    close(total, (0.3, 0.5, 0.2), 0.0, 1e-12)


@pytest.mark.parametrize(
    ("opinion", "expected"),
    [
        (Opinion(0.3, 0.5, 0.2, 0.0), (0.3, 0.0, 0.7)),
        (Opinion(0.3, 0.5, 0.2, 1.0), (0.0, 0.5, 0.5)),
        (Opinion(0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        (Opinion(0.5, 0.5, 0.0, 0.5), (0.0, 0.0, 1.0)),
    ],
)
def test_maximised_uncertainty_at_the_edges(opinion, expected):
    close(maximise_uncertainty(opinion), expected, opinion.base_rate, 1e-12)


def test_mismatched_shapes_are_an_error():
    with pytest.raises(InvalidInput, match=r"opinion 1 \(2,\), opinion 2 \(3,\)"):
        Opinion.from_counts([1, 2], 3) & Opinion.from_counts([1, 2, 3], 3)


def test_what_is_no_opinion_is_an_error():
    with pytest.raises(InvalidInput, match="found float"):
        divide(Opinion.vacuous(), 0.5)
