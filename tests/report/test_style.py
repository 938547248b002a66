"""Colours have enough contrast, light and dark, and what is drawn uses the same ones."""

import re
from itertools import product

import pytest

from surefoot.case import Case
from surefoot.drawing import Group, Path, Pen, Scene, svg
from surefoot.report import case_page

CSS = re.search("<style>(.*?)</style>", case_page(Case.of([]), Case.of([]).evaluate()), re.DOTALL)[1]
COLOUR = re.compile(r"(--sf-[a-z-]+):(#[0-9a-f]{6})\b")
TONES = ("--sf-good", "--sf-warn", "--sf-bad")
GROUNDS = ("--sf-page", "--sf-paper", "--sf-subtle", "--sf-good-tint", "--sf-warn-tint", "--sf-bad-tint")


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
def test_words_verdicts_links_and_signs_can_be_read_on_every_ground(mode):
    palette = palettes()[mode]
    pairs = [
        *product(("--sf-ink", *TONES), GROUNDS),
        *product(("--sf-muted", "--sf-link"), ("--sf-page", "--sf-paper", "--sf-subtle")),
        *product(("--sf-paper",), TONES),
    ]
    assert [(ink, ground) for ink, ground in pairs if contrast(palette[ink], palette[ground]) < 4.5] == []


def test_both_palettes_have_the_same_colours_and_every_colour_in_use_is_one_of_them():
    both = palettes()
    assert set(both["light"]) == set(both["dark"])
    used = set(re.findall(r"var\((--sf-[a-z-]+)", CSS)) - {"--sf-mono"}
    assert used <= set(both["light"])


def test_a_diagram_drawn_alone_has_the_colours_of_the_page():
    both = palettes()
    names = (
        "ink",
        "muted",
        "paper",
        "subtle",
        "line",
        "link",
        "good",
        "warn",
        "bad",
        "good-tint",
        "warn-tint",
        "bad-tint",
    )
    pens = [Path("M 0 0 L 9 9", Pen(name, name)) for name in names]
    drawn = svg(Scene((Group(tuple(pens)),), 9.0, 9.0, "", ""), theme="auto")
    light, dark = dict(re.findall(r"var\((--sf-[a-z-]+),(#[0-9a-f]{6})\)", drawn)), dict(COLOUR.findall(drawn))
    assert set(light) == set(dark) == {f"--sf-{name}" for name in names}
    for name in light:
        assert (light[name], dark[name]) == (both["light"][name], both["dark"][name]), name


def test_dark_colours_are_for_screens_only():
    assert CSS.count("prefers-color-scheme:dark") == CSS.count("@media screen and (prefers-color-scheme:dark)") == 1
