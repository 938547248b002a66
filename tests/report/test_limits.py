"""A page stays small whatever it is made from, and is never cut where it matters."""

import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import surefoot as sf
from surefoot.core import Artefact, Table
from surefoot.report import html, read, same_page, write
from tests.report import argued, results

MOST_PICTURES = 12
PICTURES = re.compile(r'<div class="light" data-sha256="')
SQUARE = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><desc>%d</desc><rect width="9" height="9"/></svg>'


def png(seed, size):
    """A valid PNG of noise, which cannot be packed, of about so many bytes."""
    side = round((size / 3) ** 0.5)
    noise = np.random.default_rng(seed).integers(0, 256, (side, 3 * side), dtype=np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in noise)

    def chunk(name, content):
        check = struct.pack(">I", zlib.crc32(name + content))
        return struct.pack(">I", len(content)) + name + content + check

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def with_pictures(*counts, make=lambda seed: Artefact("image/svg+xml", SQUARE % seed), base=results.met):
    """A result whose steps have so many pictures; the first step is the one that the target asks about."""
    met = base()
    evidence = dict(met.evidence)
    seed = 0
    for place, count in enumerate(counts):
        name = "counted" if not place else f"step {place}"
        item = evidence.get(name, met.evidence["counted"])
        pictures = {}
        for number in range(count):
            seed += 1
            pictures[f"picture {number}"] = make(seed)
        evidence[name] = replace(item, artefacts=pictures)
    return replace(met, evidence=evidence)


def shown(result):
    page = html(result)
    assert len(PICTURES.findall(page)) == page.count("<figcaption>") - page.count('class="left-out"')
    return len(PICTURES.findall(page))


def most_bytes(result):
    """A megabyte, and a kilobyte for each node of the case."""
    return 1_000_000 + 1_000 * len(result.case)


def test_no_more_than_twelve_pictures_are_shown():
    for counts, expected in {(3,): 3, (12,): 12, (9, 9): 12, (20, 1, 5): 12}.items():
        assert shown(with_pictures(*counts)) == expected, counts


def test_the_first_picture_of_each_step_comes_first_and_what_is_asked_before_the_rest():
    page = html(with_pictures(9, 9, 1))
    left_out = re.findall(r"Not shown here, to keep this page small: (.*?)\.", page)
    assert left_out == ["picture 6, picture 7, picture 8", "picture 5, picture 6, picture 7, picture 8"]


def test_pictures_that_are_left_out_are_named_with_how_to_get_them():
    page = html(with_pictures(MOST_PICTURES + 2))
    assert "Not shown here, to keep this page small: picture 12, picture 13." in page
    assert "<code>surefoot evidence export</code> writes them all." in page
    assert "figure left out" not in page


@pytest.fixture(scope="module")
def heavy():
    """Fourteen pictures of nearly 300 KB."""
    return with_pictures(9, 5, make=lambda seed: Artefact("image/png", png(seed, 290_000)))


def test_large_pictures_give_way_to_the_limit_of_the_page(heavy, tmp_path):
    path = write(heavy, tmp_path / "report.html")
    page = path.read_text(encoding="utf-8")
    assert len(page.encode()) <= most_bytes(heavy)
    assert 1 <= len(PICTURES.findall(page)) <= 2
    assert 'id="signature"' in page
    assert page.count('id="case-node-') == len(heavy.case)
    assert same_page(path)


def test_a_page_with_few_small_pictures_is_left_alone():
    result = with_pictures(2, make=lambda seed: Artefact("image/png", png(seed, 20_000)))
    assert shown(result) == 2


def test_long_tables_are_cut_further_where_pictures_are_not_enough(tmp_path):
    met = results.met()
    words = [f"{place} " + "word " * 80 for place in range(60)]
    tables = {f"table {place}": Table(("a", "b"), [(word, word) for word in words]) for place in range(40)}
    evidence = {"counted": replace(met.evidence["counted"], tables=tables)}
    result = replace(met, evidence=evidence)
    path = write(result, tmp_path / "report.html")
    page = path.read_text(encoding="utf-8")
    assert len(page.encode()) <= most_bytes(result)
    assert "40 more rows are left out here" in page or "55 more rows are left out here" in page
    assert same_page(path)
    assert read(path)["evidence"]["counted"]["tables"]["table 0"]["left_out"] in (40, 55)


def test_a_case_of_two_thousand_nodes_is_shown_whole_within_the_limit(heavy):
    case = argued.wide(2_000)
    result = replace(heavy, case=case)
    page = html(result)
    assert len(case) >= 1_900
    assert page.count('<li id="case-node-') == len(case)
    assert len(page.encode()) <= most_bytes(result)


def test_a_drawing_is_written_shorter_and_looks_and_says_the_same():
    said = 'x="1.23456"; a: b'
    inside = f'<path style="fill: none" d="M0.125 1"></path><text x="1.23456" y="2">{said}</text>'
    long = Artefact(
        "image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{inside}</svg>'.encode()
    )
    page = html(with_pictures(1, make=lambda seed: long))
    assert f'<path style="fill:none" d="M0.125 1"/><text x="1.23" y="2">{said}</text></svg>' in page


def test_a_figure_keeps_its_elements_words_and_paths():
    from xml.etree import ElementTree

    figure = results.normal_figure()
    page = html(with_pictures(1, make=lambda seed: Artefact("image/svg+xml", figure)))
    start = page.index("<svg", PICTURES.search(page).end())
    one, other = sf.drawing.clean_svg(figure, "p"), page[start : page.index("</svg>", start) + 6]
    one, other = (list(ElementTree.fromstring(text).iter()) for text in (one, other))
    assert [(each.tag, each.text) for each in one] == [(each.tag, each.text) for each in other]
    assert [each.get("d") for each in one] == [each.get("d") for each in other]


@pytest.fixture(scope="module")
def many():
    """A run with more targets than the page tells one by one, of which some are not met."""
    by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    targets = {
        f"rare-{place}": {"estimate": "demands.demand rate", "at_most": 0.02 if place % 9 else 0.009}
        for place in range(130)
    }
    file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": targets}
    return sf.run(sf.project.from_data(file, folder=Path()))


def test_of_very_many_targets_the_worst_are_told_and_each_other_one_has_a_row(many, tmp_path):
    path = write(many, tmp_path / "report.html")
    page = path.read_text(encoding="utf-8")
    told = re.findall(r'<article class="card target ([a-z-]+)" id="target-(\d+)"', page)
    rows = re.findall(r'<tr id="target-(\d+)">', page)
    assert len(told) == 12
    assert {status for status, _ in told} == {"violated"}
    assert sorted(int(place) for place in [*rows, *(place for _, place in told)]) == list(range(1, 131))
    assert all(f'href="#target-{place}"' in page for place in rows)
    assert len(re.findall(r'<li id="case-node-rare-\d+"', page)) == 130
    signed = page[page.index('<section id="signature">') :]
    assert all(f"<code>{answer.name}</code>" in signed for answer in many.answers)
    assert [answer["name"] for answer in read(path)["answers"]] == [answer.name for answer in many.answers]
    assert same_page(path)
    altered = page.replace(f'<tr id="target-{rows[0]}"><td>', f'<tr id="target-{rows[0]}"><td>not ', 1)
    path.write_text(altered, encoding="utf-8")
    assert altered != page
    assert not same_page(path)


def test_caveats_of_a_kind_are_told_in_full_up_to_twenty_and_counted(many):
    diagnostics = tuple(sf.core.Diagnostic("repeated-looks", f"Look {place}.", "warning") for place in range(30))
    page = html(replace(many, caveats=diagnostics))
    assert "<p>Look 19. " in page
    assert "<p>Look 20. " not in page
    assert "<strong>10 more</strong> <code>repeated-looks</code>" in page
