"""The page of a comparison: complete, self-contained, and deaf to hostile names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from surefoot.monitors import Stakes, compare

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "$\\frac{",
    "_hidden",
    "a\u202eb\x07",
    "鳥 🙂",
)
VOID = {"meta", "link", "br", "img", "input"}


def compared(names, rows=400, **options):
    rng = np.random.default_rng(0)
    wrong = rng.random(rows) < 0.3
    one = np.ones(rows)
    stakes = Stakes((~wrong).astype(float), one, one, one, wrong.astype(float), name="<b>errors</b>")
    scores = {name: rng.normal(size=rows) + (2 - i / 5) * wrong for i, name in enumerate(names)}
    return compare(scores, stakes, **({"cost": 0.1} | options))


class Reader(HTMLParser):
    """Collects what is on the page, and whether tags close."""

    def __init__(self):
        super().__init__()
        self.open, self.words, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    return reader


@pytest.fixture(scope="module")
def page():
    return compared(HOSTILE, title="Night & <i>day</i>").page()


def test_nothing_runs_and_nothing_is_fetched(page):
    tags = read(page).tags
    assert not {"script", "img", "iframe", "link", "object", "i", "b"} & {tag for tag, _ in tags}
    attributes = [(name, value or "") for _, found in tags for name, value in found.items()]
    assert not [name for name, _ in attributes if name.startswith("on")]
    links = [value for name, value in attributes if name in ("href", "src", "xlink:href")]
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"url\((?!#)", page)
    assert "@import" not in page


def test_names_are_shown_as_they_are(page):
    words = "".join(read(page).words)
    for name in (*HOSTILE[:4], HOSTILE[5], "Night & <i>day</i>", "<b>errors</b>"):
        assert name in words
    assert "\u202e" not in page
    assert "\x07" not in page


def test_the_page_says_what_the_comparison_does():
    comparison = compared(["alpha", "beta", "gamma"])
    reader = read(comparison.page())
    words = " ".join(reader.words)
    assert "alpha" in words
    assert "comes first" in words
    assert sum(tag == "svg" for tag, _ in reader.tags) == 4
    for heading in ("Ranking by safety gain", "At all thresholds", "Intervals", "Figures", "What this rests on"):
        assert heading in words
    assert "Thresholds were chosen on these rows" in words


def test_own_thresholds_are_said():
    names = ["alpha", "beta"]
    words = " ".join(read(compared(names, cost=None, thresholds=dict.fromkeys(names, 1.0)).page()).words)
    assert "own thresholds" in words
    assert "Thresholds were chosen on these rows" not in words


def test_the_page_is_the_same_each_time_and_can_be_written(tmp_path):
    comparison = compared(["alpha", "beta"])
    comparison.write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == comparison.page()


def test_phones_and_printers_are_thought_of(page):
    assert 'name="viewport"' in page
    assert "@media print" in page
    assert "max-width:600px" in page
