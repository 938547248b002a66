"""Figures inside a page: nothing runs, loads or hides."""

import base64
import contextlib
import re
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest

import surefoot as sf
from surefoot.core import InvalidInput
from surefoot.drawing import clean_svg, figure_svg, new_axes

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">'
XLINK = "xlink:href"


def svg(inside):
    return f"{HEAD}{inside}</svg>".encode()


def figure(title="a title"):
    axes = new_axes(3, 2)
    axes.scatter([1, 2, 3], [1, 2, 3])
    axes.imshow(np.arange(9).reshape(3, 3))
    axes.set_title(title)
    return axes.figure


@pytest.fixture(autouse=True)
def _without_display(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")


def test_a_figure_of_matplotlib_passes_whole():
    cleaned = clean_svg(figure_svg(figure()), "p")
    original = ElementTree.fromstring(figure_svg(figure()))
    kept = ElementTree.fromstring(cleaned.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1))
    tags = [element.tag for element in original.iter()]
    left_out = [tag for tag in tags if tag.endswith(("}style", "}metadata"))]
    drawn = [tag for tag in tags if tag.startswith("{http://www.w3.org/2000/svg}") and tag not in left_out]
    assert [element.tag for element in kept.iter()] == drawn
    assert "data:image/png;base64," in cleaned


def test_figures_of_checks_pass():
    for plot in (sf.bounds.plot_anderson_darling, sf.bounds.plot_jarque_bera, sf.bounds.plot_split_half_drift):
        axes = plot(np.random.default_rng(1).normal(2, 1, 200))
        assert clean_svg(figure_svg(axes.figure), "p").startswith("<svg"), plot.__name__


def test_ids_and_links_to_them_get_the_prefix():
    cleaned = clean_svg(svg(f'<path id="a" d="M0 0"/><use {XLINK}="#a"/><g clip-path="url(#c)"/>'), "fig-1")
    assert 'id="fig-1-a"' in cleaned
    assert 'href="#fig-1-a"' in cleaned
    assert "url(#fig-1-c)" in cleaned


def test_two_figures_of_one_page_share_no_id():
    content = figure_svg(figure())
    ids = [set(re.findall(r' id="([^"]+)"', clean_svg(content, prefix))) for prefix in ("a", "b")]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_the_style_rule_of_matplotlib_moves_to_the_root():
    cleaned = clean_svg(svg('<defs><style type="text/css">*{stroke-linejoin: round}</style></defs>'), "p")
    assert "<style" not in cleaned
    assert 'style="stroke-linejoin: round"' in cleaned


def test_unknown_attributes_and_properties_are_dropped():
    cleaned = clean_svg(svg('<rect data-x="1" style="fill: red; position: fixed" tabindex="0"/>'), "p")
    assert cleaned.endswith('<rect style="fill: red"></rect></svg>')


def test_text_stays_text():
    assert "&lt;script&gt;" in clean_svg(svg("<text>&lt;script&gt;</text>"), "p")


BOMB = b"""<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<svg xmlns="http://www.w3.org/2000/svg"><text>&b;</text></svg>"""
OUTSIDE = (
    b"""<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>"""
)
GROWING = "".join(f'<g id="g{n}"><use href="#g{n + 1}"/><use href="#g{n + 1}"/></g>' for n in range(30))


REFUSED = {
    "script": svg("<script>alert(1)</script>"),
    "event handler": svg('<g onload="alert(1)"/>'),
    "event handler in capitals": svg('<g OnLoad="alert(1)"/>'),
    "foreign object": svg("<foreignObject><b xmlns='http://www.w3.org/1999/xhtml'>x</b></foreignObject>"),
    "element of HTML": svg("<b xmlns='http://www.w3.org/1999/xhtml'>x</b>"),
    "link": svg('<a href="https://example.org"><text>x</text></a>'),
    "copy from outside": svg(f'<use {XLINK}="https://example.org/x.svg#a"/>'),
    "picture from outside": svg('<image href="https://example.org/x.png"/>'),
    "SVG as picture": svg('<image href="data:image/svg+xml;base64,PHN2Zz4="/>'),
    "quote in a picture": svg('<image href="data:image/png;base64,AA&quot; onerror=&quot;x"/>'),
    "fill from outside": svg('<rect fill="url(https://example.org/x)"/>'),
    "style from outside": svg('<rect style="fill: url(//example.org/x)"/>'),
    "escaped url": svg('<rect style="fill: \\75rl(x)"/>'),
    "style sheet": svg("<style>body{display:none}</style>"),
    "style sheet from outside": svg("<style>*{fill:url(https://example.org)}</style>"),
    "element in a style": svg("<style><g/></style>"),
    "animation": svg('<animate attributeName="href" to="javascript:alert(1)"/>'),
    "set": svg('<set attributeName="onload" to="alert(1)"/>'),
    "odd id": svg('<rect id="a b"/>'),
    "copies of copies": svg(GROWING),
    "copy of nothing": svg('<use href="#missing"/>'),
    "very deep": svg("<g>" * 200 + "</g>" * 200),
    "no SVG": b"<html/>",
    "no XML": b"not xml",
    "empty": b"",
    "no text": b"\xff\xfe\x00",
    "unknown encoding": b'<?xml version="1.0" encoding="nope"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    "odd encoding": b'<?xml version="1.0" encoding="utf-7"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    "entity bomb": BOMB,
    "entity from outside": OUTSIDE,
    "very large": svg(f"<!-- {'x' * 500_000} -->"),
}


def test_what_could_run_load_or_hide_is_refused():
    passed = []
    for name, content in REFUSED.items():
        with contextlib.suppress(InvalidInput):
            clean_svg(content, "p")
            passed.append(name)
    assert passed == []


def test_a_picture_inside_a_figure_must_be_png_data():
    from PIL import Image

    target = BytesIO()
    Image.new("RGB", (2, 2)).save(target, "png")
    data = base64.b64encode(target.getvalue()).decode()
    assert data in clean_svg(svg(f'<image href="data:image/png;base64,{data}"/>'), "p")
