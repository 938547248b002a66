"""Numbers in sentences, by hand; and texts that must raise no alarm."""

from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.case import Case, Node, Number
from surefoot.core import Target

WRITTEN = [
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
]
NO_LIMITS = """
All 8 hazards of the analysis are covered
As ISO 26262 asks
As ISO/PAS 8800 asks
Section 3.1 holds
Figure 8.2 holds
Version 1.2 is used
It was seen on 2025-03-01
It stops within 0.3 m
It stops within 1.5 s
At 30 km/h
At 1.5 km/h
G1.2 holds
x2.5 holds
Over 4 functions
Under 3 conditions
At least 2 sensors agree
Release 3.1.4 of the library
ASIL 2.0 is met
At SAE level 4
At level 3 of confidence
It holds
"""
LEVELS = [
    ("at 95% confidence", 0.95),
    ("with a confidence level of 99 %", 0.99),
    ("at level 0.999", 0.999),
    ("90 per cent credible", 0.9),
]


def disagrees(text, limit, level=0.95):
    """How many numbers of the text are not those of the claim."""
    number = Number("failures", Target(at_most=limit, level=level, per="hour" if limit > 1 else "demand"))
    found = Case.of([Node("C1", "claim", text, number=number)]).check()
    return sum(each.code == "case-number-text" for each in found)


def test_a_number_is_read_with_its_rounding():
    for text, value, rounding in WRITTEN:
        for said in (value, value - 0.999 * rounding, value + 0.999 * rounding):
            assert not disagrees(text, said), (text, said)
        for other in (value - 1.001 * rounding, value + 1.001 * rounding):
            assert disagrees(text, other) == 1, (text, other)


def test_a_number_that_is_no_limit_is_left_alone():
    for text in NO_LIMITS.split("\n"):
        for limit in (0.0123, 123.0):
            assert not disagrees(text, limit, level=0.123), text


def test_a_level_is_told_from_a_limit():
    for text, level in LEVELS:
        said = f"At most 1e-3 per demand {text}"
        assert not disagrees(said, 1e-3, level), text
        assert disagrees(said, 1e-3, level - 0.1) == 1, text
        assert disagrees(said, 1e-2, level) == 1, text


@given(st.floats(1e-12, 0.999), st.integers(1, 6))
@settings(deadline=None)
def test_a_number_written_with_some_digits_may_be_the_number(value, digits):
    for text in (f"{value:.{digits}e}", f"{100 * value:.{digits}f}%"):
        assert not disagrees(f"It is {text} of demands", value), text


@given(st.text(alphabet="0123456789.,eE-−%×x^10⁻⁴ inlevlconfidence{}", max_size=60))
@settings(deadline=None)
def test_no_text_is_too_strange(text):
    assert disagrees(text, 0.01) in (0, 1, 2)


def test_long_texts_take_no_time():
    for part in ("1", "1,", "level ", "1 ", "at most 9e999 per hour", "{a", "1 in "):
        assert disagrees(part * (20_000 // len(part)), 0.01) in (0, 1, 2), part
