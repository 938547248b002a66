"""A scene is written as well-formed SVG in every theme, and no text becomes markup."""

import re
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from surefoot.core import InvalidInput
from surefoot.drawing import Group, Letters, Path, Pen, Scene, Text, clean_svg, legend, pdf, save, shapes, svg

SVG = "{http://www.w3.org/2000/svg}"
THEMES = ("auto", "light", "dark", "print")
MUTED = {"light": "#55616e", "dark": "#a3afbb", "print": "#55616e"}
PAPER = {"light": "#ffffff", "dark": "#18202a", "print": "#ffffff"}
BOX, SAYS = Pen("box", "muted", "paper", 1.4, dashed=True), Letters("says", 12.5, bold=True)
NODE = Group((Path(shapes.outline("rounded", 80.0, 40.0), BOX), Text(8.0, 20.0, "It holds.", SAYS)), node="C1")
SCENE = Scene((NODE,), 100.0, 60.0, "A title", "A description")


def parsed(scene, **options):
    return etree.fromstring(svg(scene, **options).encode())


def luminance(colour):
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=60), st.sampled_from(THEMES))
def test_whatever_is_said_stays_text(said, chosen):
    group = Group((Text(1.0, 2.0, said, SAYS),), said, said, "node", said or "x")
    root = parsed(Scene((group,), 10.0, 10.0, said, said), theme=chosen, prefix=said[:5])
    assert {etree.QName(element).localname for element in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "g", "text",
    }  # fmt: skip
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]


def test_looks_stand_in_attributes_so_that_a_page_can_take_the_drawing():
    for chosen in ("light", "dark", "print"):
        root = parsed(SCENE, theme=chosen)
        path, text = root.find(f".//{SVG}path"), root.find(f".//{SVG}text")
        assert path.get("stroke") == MUTED[chosen], chosen
        assert path.get("stroke-dasharray")
        assert (text.get("font-size"), text.get("font-weight")) == ("12.5", "600")
        assert root.find(f"{SVG}rect").get("fill") == PAPER[chosen], chosen
        assert "stroke" in clean_svg(svg(SCENE, theme=chosen).encode(), "p")


def test_a_style_sheet_has_every_look_once_with_its_dark_colours_for_screens():
    other = Path("M 0 0 L 1 1", replace(BOX, width=9.0))
    style = parsed(Scene((NODE, Group((other, other))), 9.0, 9.0, "", ""), theme="auto").find(f"{SVG}style").text
    rules = dict(re.findall(r"^\.sf-graph (\S+?)\{(.*?)\}$", style, re.MULTILINE))
    assert set(rules) == {".sheet", ".box", ".says", ".box.box-2"}
    assert "stroke-width:9" in rules[".box.box-2"]
    used = set(re.findall(r"var\(--sf-([\w-]+),", style))
    dark = style[style.index("@media screen and (prefers-color-scheme:dark)") :]
    assert used == set(re.findall(r"--sf-([\w-]+):#", dark)) == {"muted", "paper", "ink"}


def test_ids_are_only_where_they_are_wanted_and_told_apart():
    assert not [element for element in parsed(SCENE).iter() if element.get("id")]
    root = parsed(SCENE, prefix="one")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) == 3
    assert all(name.startswith("one-") for name in ids)
    assert root.get("aria-labelledby") == "one-title one-desc"


def test_a_picture_with_parts_that_can_be_heard_is_a_group_for_those_who_listen():
    assert parsed(SCENE).get("role") == "img"
    assert parsed(replace(SCENE, groups=(replace(NODE, label="claim C1"),))).get("role") == "group"


def test_a_scene_is_shown_at_the_width_that_it_asks_for():
    root = parsed(replace(SCENE, shown=50.0))
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("50", "30", "0 0 100 60")


def test_words_can_be_read_and_what_is_highlighted_seen():
    """Contrast as WCAG 2 defines it."""
    names = ("ink", "learned", "paper", "subtle", "symbol", "learned-tint", "highlight")
    scene = Scene((Group(tuple(Path("M 0 0 L 9 9", Pen(name, name)) for name in names)),), 9.0, 9.0, "", "")
    for chosen in ("light", "dark", "print"):
        palette = dict(
            zip(names, (path.get("stroke") for path in parsed(scene, theme=chosen).iter(f"{SVG}path")), strict=True)
        )
        for ink, ground in product(("ink", "learned"), ("paper", "subtle", "symbol", "learned-tint")):
            assert contrast(palette[ink], palette[ground]) >= 4.5, (chosen, ink, ground)
        assert contrast(palette["highlight"], palette["paper"]) >= 3.0, chosen


def test_a_scene_is_saved_by_the_ending_of_its_name_in_every_theme(tmp_path):
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    for (suffix, start), chosen in product(starts.items(), (None, *THEMES)):
        path = save(SCENE, tmp_path / f"{chosen}{suffix}", theme=chosen)
        assert path.read_bytes().startswith(start), (suffix, chosen)
    for suffix in starts:
        assert (tmp_path / f"dark{suffix}").read_bytes() != (tmp_path / f"light{suffix}").read_bytes(), suffix
    assert (tmp_path / "None.svg").read_text() == svg(SCENE, theme="light")
    assert (tmp_path / "None.pdf").read_bytes() == (tmp_path / "auto.pdf").read_bytes() == pdf(SCENE, theme="print")


def test_other_endings_and_themes_are_refused_before_anything_is_written(tmp_path):
    for name, chosen, found in (
        ("a.jpg", None, ".jpg"),
        ("a", None, "''"),
        ("a.svg", "drak", "drak"),
        ("a.pdf", "drak", "drak"),
    ):
        with pytest.raises(InvalidInput) as error:
            save(SCENE, tmp_path / name, theme=chosen)
        assert found in str(error.value), name
    assert list(tmp_path.iterdir()) == []


def test_the_reach_of_an_outline_is_where_it_is_drawn():
    """Along each side, what ``top_at`` and the others say against the outline, sampled point by point."""
    for shape in ("rounded", "rectangle", "slanted", "circle", "oval", "stadium", "folder", "octagon"):
        width, height = (90.0, 90.0) if shape == "circle" else (160.0, 60.0)
        points = sampled(shapes.outline(shape, width, height))
        for x in (0.5 * width, 0.7 * width):
            column = [y for at, y in points if abs(at - x) < 0.8]
            assert min(column) == pytest.approx(shapes.top_at(shape, width, height, x), abs=2.5), shape
            assert max(column) == pytest.approx(height - shapes.bottom_at(shape, width, height, x), abs=2.5), shape
        row = [x for x, at in points if abs(at - height / 2) < 0.8]
        left, right = shapes.side_at(shape, width, height, height / 2)
        assert min(row) == pytest.approx(left, abs=2.0), shape
        assert max(row) == pytest.approx(width - right, abs=2.0), shape


def sampled(steps, pieces=400):
    """Points along a path of M, L, C and Z."""
    words, found = iter(steps.split()), []
    for kind in words:
        if kind == "Z":
            ends = [found[0]]
        else:
            ends = [(float(next(words)), float(next(words))) for _ in range(3 if kind == "C" else 1)]
        if kind == "M":
            found += ends
            continue
        corners = [found[-1], *(ends if kind == "C" else [found[-1], ends[-1], ends[-1]])]
        for piece in range(1, pieces + 1):
            t = piece / pieces
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            found.append(tuple(sum(w * c[side] for w, c in zip(weights, corners, strict=True)) for side in (0, 1)))
    return found


def test_entries_of_a_legend_stay_within_its_width():
    entries = [legend.Entry((), f"meaning number {n}") for n in range(9)]
    groups, end = legend.legend(entries, SAYS, left=5.0, top=7.0, width=300.0, sample=20.0)
    assert [group.at[0] for group in groups].count(5.0) == len({group.at[1] for group in groups}) > 1
    assert end == groups[-1].at[1] + 24.0
    assert legend.legend([], SAYS, left=5.0, top=7.0, width=300.0, sample=20.0) == ([], 7.0)
