"""Colours have enough contrast, light and dark, and what is drawn uses the same ones."""

import re
from importlib.resources import files

import pytest

from surefoot.drawing import theme
from surefoot.report.case_assets import case_style

CSS = files("surefoot.report").joinpath("templates", "page.css").read_text()
COLOUR = re.compile(r"(--sf-[a-z-]+):(#[0-9a-f]{6})\b")
TONES = ("--sf-good", "--sf-open", "--sf-bad")
GROUNDS = ("--sf-page", "--sf-paper", "--sf-subtle", "--sf-good-tint", "--sf-open-tint", "--sf-bad-tint")


def palettes():
    blocks = [block for block in re.findall(r":root\{(.*?)\}", CSS, re.DOTALL) if COLOUR.search(block)]
    light, dark = (dict(COLOUR.findall(block)) for block in blocks)
    return {"light": light, "dark": dark}


def luminance(colour):
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("ink", ["--sf-ink", *TONES])
def test_words_and_verdicts_can_be_read_on_every_ground(mode, ground, ink):
    palette = palettes()[mode]
    assert contrast(palette[ink], palette[ground]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("ground", ["--sf-page", "--sf-paper", "--sf-subtle"])
@pytest.mark.parametrize("ink", ["--sf-muted", "--sf-link"])
def test_quiet_words_and_links_can_be_read(mode, ground, ink):
    palette = palettes()[mode]
    assert contrast(palette[ink], palette[ground]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("tone", TONES)
def test_the_sign_of_a_verdict_stands_out_of_its_circle(mode, tone):
    palette = palettes()[mode]
    assert contrast(palette["--sf-paper"], palette[tone]) >= 4.5


def test_both_palettes_have_the_same_colours_and_every_colour_in_use_is_one_of_them():
    both = palettes()
    assert set(both["light"]) == set(both["dark"])
    used = set(re.findall(r"var\((--sf-[a-z-]+)", CSS + case_style())) - {"--sf-mono"}
    assert used <= set(both["light"])


def test_a_diagram_drawn_alone_has_the_colours_of_the_page():
    both = palettes()
    shared = {name: pair for name, pair in theme.COLOURS.items() if f"--sf-{name}" in both["light"]}
    assert {"ink", "muted", "paper", "good", "open", "bad"} <= set(shared)
    for name, pair in shared.items():
        assert pair == (both["light"][f"--sf-{name}"], both["dark"][f"--sf-{name}"])


def test_dark_colours_are_for_screens_only():
    assert CSS.count("prefers-color-scheme:dark") == CSS.count("@media screen and (prefers-color-scheme:dark)") == 1
