import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from surefoot.core import InvalidInput
from surefoot.hazards import Hazop, Item, Mitigation, Property, RiskMatrix, Row, drawing, start, with_every_deviation

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\u202e"


class Page(HTMLParser):
    """Counts elements, checks that they close, and collects words and attributes."""

    VOID = frozenset({"col", "meta"})

    def __init__(self, text):
        super().__init__()
        self.counts, self.open, self.words, self.attributes = Counter(), [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.counts[tag] += 1
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(text):
    page = Page(text)
    assert page.open == []
    return page


def hostile_hazop():
    items = [
        Item(HOSTILE, learned=True, description=HOSTILE, parameters={HOSTILE: (HOSTILE,)}),
        Item("f", HOSTILE, "x"),
    ]
    lists = dict.fromkeys(("causes", "consequences", "endangers"), (HOSTILE, HOSTILE))
    row = Row(HOSTILE, HOSTILE, HOSTILE, HOSTILE, **lists, mitigations=(Mitigation(HOSTILE, (HOSTILE,)),))
    matrix = RiskMatrix(
        (HOSTILE,), ("l",), {"l": (HOSTILE,)}, order=(HOSTILE,), meaning={HOSTILE: HOSTILE}, source=HOSTILE
    )
    rated = Row("R2", "f", "p", "w", severity=HOSTILE, likelihood="l", reviewer=HOSTILE, remark=HOSTILE)
    kept = Property(HOSTILE, HOSTILE, HOSTILE, "is", HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    return Hazop(HOSTILE, items, [row, rated], [kept], matrix, HOSTILE)


@pytest.mark.parametrize("render", [drawing.worksheet_html, drawing.worksheet_page])
def test_hostile_cells_stay_text(render):
    text = render(hostile_hazop())
    page = read(text)
    assert not {"script", "img", "iframe", "link", "a"} & set(page.counts)
    assert not any(name.startswith("on") or name in ("src", "href") for name, _ in page.attributes)
    assert "\u202e" not in text
    assert "<script>alert(1)</script>" in "".join(page.words)


@pytest.mark.parametrize("render", [drawing.worksheet_html, drawing.worksheet_page])
def test_nothing_is_loaded_from_elsewhere(render):
    text = render(start("vehicle")).replace("http://www.w3.org/2000/svg", "")
    assert "http" not in text
    assert "url(" not in text
    assert "@import" not in text


def test_every_row_stands_in_the_page():
    hazop = with_every_deviation(start("vehicle"))
    page = read(drawing.worksheet_page(hazop))
    assert page.counts["tr"] == 1 + len(hazop.rows) + 1 + len(hazop.properties)
    assert {row.id for row in hazop.rows} <= set(page.words)
    assert page.counts["svg"] == 2


def test_the_page_prints_on_a4_landscape_with_its_header_on_every_page():
    text = drawing.worksheet_page(start("vehicle"))
    assert "size:A4 landscape" in text
    assert "thead{display:table-header-group}" in text
    assert "tr{break-inside:avoid}" in text


def test_the_fragment_of_a_long_sheet_is_cut_and_says_so():
    hazop = Hazop("long", [Item("a")], [Row(f"R{place}", "a", "p", "w") for place in range(1000)])
    cut, whole = read(drawing.worksheet_html(hazop)), read(drawing.worksheet_html(hazop, most=None))
    assert (cut.counts["tr"], whole.counts["tr"]) == (301, 1001)
    assert "and 700 more rows" in cut.words
    assert not any("more rows" in words for words in whole.words)


def test_the_style_can_be_left_out():
    assert drawing.worksheet_html(start("v")).count("<style>") == 1
    assert "<style>" not in drawing.worksheet_html(start("v"), styled=False)


def test_a_row_shows_all_that_is_said():
    mitigations = (Mitigation("m1", ("P4",)), Mitigation("m2", ()), Mitigation("m3"))
    chain = (("c1", "c2"), ("d1",), mitigations, ("P1", "P2"))
    row = Row("R1", "f", "value", "wrong", *chain, "critical", "frequent", "reviewed", "Ada", "a remark")
    words = [
        each.strip() for each in read(drawing.worksheet_html(Hazop("v", [Item("f", "a", "b", True)], [row]))).words
    ]
    said = ["R1", "f", "ML", "value", "wrong", "c1", "c2", "d1", "m1", "m2", "m3", "intolerable", "reviewed", "Ada"]
    said += ["a → b", "creates P4", "creates no property", "P1, P2", "critical, frequent", "a remark"]
    assert set(said) <= set(words)


def test_empty_worksheets_are_pages_too():
    words = read(drawing.worksheet_page(Hazop("empty"))).words
    assert "There are no rows yet." in words
    assert "None is stated." in words


def test_widths_fill_the_page():
    for table in drawing.worksheet_page(start("vehicle")).split("<colgroup>")[1:]:
        widths = [float(width) for width in re.findall(r'<col style="width:([0-9.]+)%">', table)]
        assert (sum(widths), len(widths)) == (100.0, table.partition("</thead>")[0].count("</th>"))


def test_no_rows_at_all_cannot_be_asked_for():
    with pytest.raises(InvalidInput):
        drawing.worksheet_html(start("v"), most=0)
