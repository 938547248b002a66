"""Deduction against the nine cases of Jøsang 2016 written out, and against geometry; abduction against the book."""

from itertools import product

import numpy as np
import pytest

from surefoot.core import InvalidInput, Undefined
from surefoot.opinions import Opinion, abduce, deduce, invert, marginal_base_rate


def nine_cases(x, yes, no):
    """K and the name of the case: Jøsang 2016, definition 9.1."""
    b, d, u, ax, ay = x.belief, x.disbelief, x.uncertainty, x.base_rate, yes.base_rate
    b1, d1, b0, d0 = yes.belief, yes.disbelief, no.belief, no.disbelief

    def mixed(one, other):
        return b * one + d * other + u * (ax * one + (1 - ax) * other)

    bi, di, px = mixed(b1, b0), mixed(d1, d0), b + ax * u
    apex = b1 * ax + b0 * (1 - ax) + ay * (yes.uncertainty * ax + no.uncertainty * (1 - ax))
    if (b1 > b0 and d1 > d0) or (b1 <= b0 and d1 <= d0):
        return "I", 0.0
    if b1 > b0:
        part = "A" if apex <= b0 + ay * (1 - b0 - d1) else "B"
        case = f"II.{part}.{1 if px <= ax else 2}"
    else:
        part = "A" if apex <= b1 + ay * (1 - b1 - d0) else "B"
        case = f"III.{part}.{1 if px <= ax else 2}"
    p, q = b + ax * u, d + (1 - ax) * u
    return case, {
        "II.A.1": lambda: ax * u * (bi - b0) / (p * ay),
        "II.A.2": lambda: ax * u * (di - d1) * (b1 - b0) / (q * ay * (d0 - d1)),
        "II.B.1": lambda: (1 - ax) * u * (bi - b0) * (d0 - d1) / (p * (1 - ay) * (b1 - b0)),
        "II.B.2": lambda: (1 - ax) * u * (di - d1) / (q * (1 - ay)),
        "III.A.1": lambda: (1 - ax) * u * (di - d0) * (b0 - b1) / (p * ay * (d1 - d0)),
        "III.A.2": lambda: (1 - ax) * u * (bi - b1) / (q * ay),
        "III.B.1": lambda: ax * u * (di - d0) / (p * (1 - ay)),
        "III.B.2": lambda: ax * u * (bi - b1) * (d1 - d0) / (q * (1 - ay) * (b0 - b1)),
    }[case]()


def random_conditionals(count, seed):
    rng = np.random.default_rng(seed)
    ay = rng.uniform(0.05, 0.95, count)
    parts = [rng.dirichlet([1, 1, 1], count).T for _ in range(3)]
    x = Opinion(*parts[0], rng.uniform(0.05, 0.95, count))
    return x, Opinion(*parts[1], ay), Opinion(*parts[2], ay)


def test_deduction_matches_every_case_of_josang_definition_9_1():
    x, yes, no = random_conditionals(1_000, 11)
    y = deduce(x, yes, no)
    seen = {}
    for i in range(1_000):
        case, k = nine_cases(x[i], yes[i], no[i])
        seen[case] = seen.get(case, 0) + 1
        mixture = x.probability[i] * yes.uncertainty[i] + (1 - x.probability[i]) * no.uncertainty[i]
        assert y.uncertainty[i] == pytest.approx(mixture + k, abs=1e-10), case
    parts = {f"{case}.{part}.{sub}" for case in ("II", "III") for part in "AB" for sub in "12"}
    assert set(seen) == {"I", *parts}
    assert min(seen.values()) >= 20


def test_deduction_is_the_affine_image_of_the_opinion_triangle():
    """Outside case I the vacuous vertex goes to the most uncertain point above both conditionals."""
    x, yes, no = random_conditionals(400, 12)
    y = deduce(x, yes, no)
    for i in range(400):
        if nine_cases(x[i], yes[i], no[i])[0] == "I":
            continue
        a, ay = x.base_rate[i], yes.base_rate[i]
        probability = a * yes.probability[i] + (1 - a) * no.probability[i]
        floor = min(yes.belief[i], no.belief[i]), min(yes.disbelief[i], no.disbelief[i])
        grid = np.linspace(0, 1, 200_001)
        inside = (probability - ay * grid >= floor[0]) & (1 - probability - (1 - ay) * grid >= floor[1])
        apex = grid[inside].max()
        expected = x.belief[i] * yes.uncertainty[i] + x.disbelief[i] * no.uncertainty[i] + x.uncertainty[i] * apex
        assert y.uncertainty[i] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("x", "yes", "no", "expected"),
    [
        ((0, 0, 1, 0.8), (0.4, 0.5, 0.1, 0.4), (0, 0.4, 0.6, 0.4), (0.32, 0.48, 0.2)),
        ((0.1, 0.8, 0.1, 0.8), (0.4, 0.5, 0.1, 0.4), (0, 0.4, 0.6, 0.4), (0.072, 0.418, 0.51)),
        ((0, 0.4, 0.6, 0.5), (0.55, 0.3, 0.15, 0.38), (0.1, 0.75, 0.15, 0.38), (0.151, 0.48, 0.369)),
    ],
    ids=["figure 9.5", "udatatypes", "figure 9.9"],
)
def test_deduction_matches_published_examples(x, yes, no, expected):
    y = deduce(Opinion(*x), Opinion(*yes), Opinion(*no))
    np.testing.assert_allclose([y.belief, y.disbelief, y.uncertainty], expected, atol=3e-3)


def test_deduction_at_extreme_base_rates_keeps_total_probability():
    for base_rate, a_x in product((0.0, 1.0), (0.0, 0.5, 1.0)):
        yes, no = Opinion(0.7, 0.1, 0.2, base_rate), Opinion(0.2, 0.6, 0.2, base_rate)
        x = Opinion(0.3, 0.2, 0.5, a_x)
        y = deduce(x, yes, no)
        p = x.probability
        assert y.probability == pytest.approx(p * yes.probability + (1 - p) * no.probability), (base_rate, a_x)
        assert y.belief + y.disbelief + y.uncertainty == pytest.approx(1), (base_rate, a_x)


def test_a_known_antecedent_gives_its_conditional():
    yes, no = Opinion(0.7, 0.1, 0.2, 0.3), Opinion(0.2, 0.6, 0.2, 0.3)
    assert deduce(Opinion(1, 0, 0), yes, no).isclose(yes)
    assert deduce(Opinion(0, 1, 0), yes, no).isclose(no)


def test_conditionals_with_different_base_rates_are_an_error():
    with pytest.raises(InvalidInput, match=r"0\.5 and 0\.4"):
        deduce(Opinion.vacuous(), Opinion(0.7, 0.1, 0.2, 0.5), Opinion(0.2, 0.6, 0.2, 0.4))
    with pytest.raises(InvalidInput, match=r"0\.5 and 0\.4 at index 1"):
        abduce(Opinion.vacuous(), Opinion(0.7, 0.1, 0.2, [0.4, 0.5]), Opinion(0.2, 0.6, 0.2, 0.4), 0.5)


def test_inversion_of_josang_figure_10_1():
    inverted = invert(Opinion(0.8, 0.2, 0), Opinion(0.2, 0.8, 0), 0.5)
    assert inverted.given_true.isclose(Opinion(0.72, 0.12, 0.16))
    assert inverted.given_false.isclose(Opinion(0.12, 0.72, 0.16))


@pytest.mark.parametrize(
    ("prior", "expected"),
    [(0.5, (0.89, 0.04, 0.07)), (0.01, (0.14, 0.53, 0.33))],
    ids=["figure 10.5", "figure 10.6"],
)
def test_medical_tests_of_josang_section_10_5(prior, expected):
    sensitivity, false_alarm = Opinion(0.9, 0.05, 0.05), Opinion(0.05, 0.9, 0.05)
    x = abduce(Opinion(1, 0, 0), sensitivity, false_alarm, prior)
    np.testing.assert_allclose([x.belief, x.disbelief, x.uncertainty], expected, atol=0.005)


def test_irrelevant_conditionals_say_nothing_about_the_antecedent():
    same = Opinion(0.6, 0.4, 0)
    assert abduce(Opinion(1, 0, 0), same, same, 0.3).isclose(Opinion.vacuous(0.3))


def test_marginal_base_rate_of_josang_section_9_4():
    rate = marginal_base_rate(Opinion(0.4, 0.5, 0.1, 0.4), Opinion(0.0, 0.4, 0.6, 0.4), 0.8)
    assert rate == pytest.approx(0.32 / 0.8)
    assert marginal_base_rate(Opinion.vacuous(0.7), Opinion.vacuous(0.7), 0.2) == 0.7


def test_abduction_is_vectorised():
    priors = np.array([0.5, 0.01])
    both = abduce(Opinion(1, 0, 0), Opinion(0.9, 0.05, 0.05), Opinion(0.05, 0.9, 0.05), priors)
    one = abduce(Opinion(1, 0, 0), Opinion(0.9, 0.05, 0.05), Opinion(0.05, 0.9, 0.05), 0.01)
    assert both[1].isclose(one, tolerance=1e-14)


def test_inversion_on_an_impossible_observation_is_undefined():
    never = Opinion(0, 1, 0)
    with pytest.raises(Undefined, match="probability 0"):
        invert(never, never, 0.5)


def test_bad_prior_is_an_error():
    with pytest.raises(InvalidInput, match="base_rate must lie in"):
        abduce(Opinion.vacuous(), Opinion.vacuous(), Opinion.vacuous(), 1.2)
