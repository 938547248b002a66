"""Words and numbers as people read them."""

import math

from hypothesis import given
from hypothesis import strategies as st

from surefoot.documents import percent, sentence, shortened, significant, visible
from surefoot.drawing import text_width, wrapped


def test_numbers_have_three_significant_digits_and_counts_all():
    shown = {
        0.0383097: "0.0383",
        0.05: "0.05",
        1.0: "1",
        -0.25: "−0.25",
        0.0: "0",
        3.14159e-7: "3.14×10⁻⁷",
        2.5e-5: "2.5×10⁻⁵",
        0.0001234: "0.000123",
        1234567.0: "1.23×10⁶",
        12345.0: "12,300",
        10_000_000: "10,000,000",
        math.inf: "∞",
        -math.inf: "−∞",
    }
    assert {value: significant(value) for value in shown} == shown


def test_a_bound_is_rounded_to_its_cautious_side():
    assert significant(0.05001, rounding="up") == "0.0501"
    assert significant(0.94999, rounding="down") == "0.949"
    assert significant(0.9999, rounding="up") == "1"


def test_the_last_bits_of_a_sum_do_not_move_a_cautious_limit():
    assert significant(0.1 + 0.2, rounding="up") == "0.3"


@given(st.floats(1e-300, 1e300))
def test_rounding_up_never_goes_below_and_down_never_above(value):
    def number(text):
        mantissa, _, power = text.replace(",", "").partition("×10")
        digits = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(f"{mantissa}e{digits or 0}")

    assert number(significant(value, rounding="up")) >= value * (1 - 1e-11)
    assert number(significant(value, rounding="down")) <= value * (1 + 1e-11)


def test_levels_are_shown_in_percent():
    shown = {0.95: "95%", 0.995: "99.5%", 1 - 0.05 / 3: "98.33%", 1.0: "100%", 0.0: "0%"}
    assert {share: percent(share) for share in shown} == shown


@given(st.floats(0.5, 1, exclude_max=True))
def test_no_level_below_one_is_shown_as_100_percent(share):
    assert percent(share) != "100%" or share > 1 - 1e-11


def test_controls_and_direction_marks_become_visible():
    assert visible("a\x00b\u202ec\ud800d\ne") == "a\ufffdb\ufffdc\ufffdd e"


@given(st.text(alphabet=st.characters()))
def test_visible_text_can_always_be_written_and_keeps_its_length(text):
    assert len(visible(text).encode().decode()) == len(text)


@given(st.text(max_size=200), st.floats(60, 400))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    lines = wrapped(text, width, 14, most=10_000)
    assert all(text_width(line, 14) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(visible(text).split())


def test_what_does_not_fit_ends_with_an_ellipsis():
    lines = wrapped("word " * 100, 100, 14, most=3)
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert all(text_width(line, 14) <= 100 for line in lines)


def test_a_very_long_word_is_broken():
    assert len(wrapped("x" * 1000, 100, 14, most=200)) > 50


def test_text_is_cut_at_its_limit():
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"


def test_a_sentence_has_a_capital_and_a_full_stop():
    assert sentence("belief is Beta distributed") == "Belief is Beta distributed."
    assert sentence("Why?") == "Why?"
