"""Numbers in sentences, by hand; and texts that must raise no alarm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.case.checks.figures import figures


@pytest.mark.parametrize(
    ("text", "value", "rounding"),
    [
        ("fails on 0.001 of demands", 0.001, 0.0005),
        ("at most 1e-3 per demand", 0.001, 0.0005),
        ("below 1.50E-06/h", 1.5e-6, 5e-9),
        ("at most 2×10⁻⁴", 2e-4, 5e-5),
        ("under 10^-3 per hour", 1e-3, 5e-4),
        ("under 10^{-4}", 1e-4, 5e-5),
        ("less than 2.5 x 10^−5", 2.5e-5, 5e-7),
        ("99.9% of signs", 0.999, 0.0005),
        ("95 per cent of signs", 0.95, 0.005),
        ("1 in 10,000 demands", 1e-4, 5e-9),
        ("one in 20", 0.05, 0.00125),
        ("at most 5 per hour", 5.0, 0.5),
        ("p < .05", 0.05, 0.005),
    ],
)
def test_a_number_is_read_with_its_rounding(text, value, rounding):
    (found,), levels = figures(text)
    assert (found.value, found.rounding) == (pytest.approx(value, rel=1e-12), pytest.approx(rounding, rel=1e-12))
    assert levels == []


@pytest.mark.parametrize(
    "text",
    [
        "All 8 hazards of the analysis are covered",
        "As ISO 26262 and ISO/PAS 8800 ask",
        "Section 3.1 and Figure 8.2 hold",
        "Version 1.2 of 2025-03-01",
        "It stops within 0.3 m and 1.5 s",
        "At 30 km/h, or at 1.5 km/h",
        "G1.2 and x2.5 hold",
        "Over 4 functions, under 3 conditions, at least 2 sensors agree",
        "Release 3.1.4 of the library",
        "ASIL 2.0 is met",
        "At SAE level 4 and level 3 of confidence",
        "",
    ],
)
def test_a_number_that_is_no_limit_is_left_alone(text):
    assert figures(text) == ([], [])


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("at 95% confidence", 0.95),
        ("with a confidence level of 99 %", 0.99),
        ("at level 0.999", 0.999),
        ("90 per cent credible", 0.9),
    ],
)
def test_a_level_is_told_from_a_limit(text, level):
    limits, (found,) = figures(f"At most 1e-3 per demand {text}")
    assert found.value == pytest.approx(level)
    assert [each.value for each in limits] == [pytest.approx(1e-3)]


@given(st.floats(1e-12, 0.999), st.integers(1, 6))
def test_a_number_written_with_some_digits_may_be_the_number(value, digits):
    for text in (f"{value:.{digits}e}", f"{100 * value:.{digits}f}%"):
        (found,), _ = figures(f"It is {text} of demands")
        assert found.rounds(value)
        assert not found.rounds(value + 3 * found.rounding)


@given(st.text(alphabet="0123456789.,eE-−%×x^10⁻⁴ inlevlconfidence{}", max_size=60))
def test_no_text_is_too_strange(text):
    figures(text)


@pytest.mark.parametrize("part", ["1", "1,", "level ", "1 ", "at most 9e999 per hour", "{a", "1 in "])
def test_long_texts_take_no_time(part):
    figures(part * (20_000 // len(part)))
