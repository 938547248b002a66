"""A page that was edited is found out; one that was not is not."""

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace

import pytest

from surefoot.core import Artefact, DiagnosticsError, Evidence, Table
from surefoot.report import html, same_page, shown_digests, visible_text, write
from tests.report import results
from tests.report.test_hostile import ATTACKS, hostile

SCRIPT = '<script type="application/json;deflate;base64" id="surefoot-result">'
OTHER = '<svg viewBox="0 0 9 9"><rect width="9" height="9"></rect></svg>'
FIGURE = re.compile(r'(<div class="light" data-sha256="[0-9a-f]{64}">)(.*?)(</div>)', re.DOTALL)


def in_data(page, change):
    """The page with its data edited."""
    start = page.index(SCRIPT) + len(SCRIPT)
    end = page.index("</script>", start)
    data = json.loads(zlib.decompress(base64.b64decode(page[start:end])))
    return page[:start] + packed(change(data) or json.dumps(data, separators=(",", ":"))) + page[end:]


def packed(text):
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def figure_in(data):
    (artefact,) = data["evidence"]["normal"]["artefacts"].values()
    return artefact["left_out"]


FORGERIES = {
    "verdict word": lambda page: page.replace("Target violated", "Target met"),
    "title": lambda page: page.replace("1 of 3 numbers met, 1 violated</title>", "3 of 3 numbers met</title>"),
    "number": lambda page: page.replace(">0.0384</data>", ">0.0084</data>", 1),
    "exact number": lambda page: page.replace('title="0.0', 'title="0.00', 1),
    "figure": lambda page: FIGURE.sub(rf"\1{OTHER}\3", page, count=1),
    "figure left out": lambda page: FIGURE.sub("", page, count=1),
    "style": lambda page: page.replace("</style>", "#caveats{display:none}</style>"),
    "hidden section": lambda page: page.replace('<section id="caveats">', '<section id="caveats" hidden>'),
    "script": lambda page: page.replace("</body>", "<script>document.title='fine'</script></body>"),
    "policy": lambda page: page.replace("img-src data:", "img-src *"),
    "comment": lambda page: page.replace("</main>", "<!--><b>fine</b>--></main>"),
    "second result": lambda page: page.replace("<header>", page[page.index(SCRIPT) : page.index("</body>")]),
    "data in a rule": lambda page: moved(page, "</style>"),
    "data in a comment": lambda page: moved(page, "<header>").replace("<script type=", "<!--<script type=", 1),
    "separator for a space": lambda page: page.replace("<meta http-equiv", "<meta\x1chttp-equiv"),
    "no-break space": lambda page: page.replace("Target violated", "Target\xa0violated"),
    "look-alike": lambda page: page.replace("not met", "n\u043et met").replace("violated", "viol\u0430ted", 1),
    "another order": lambda page: page.replace("<header>", "<!--x--><header>"),
    "key twice in the data": lambda page: in_data(
        page, lambda data: json.dumps(data, separators=(",", ":"))[:-1] + ',"met":true}'
    ),
    "NaN in the data": lambda page: in_data(
        page, lambda data: json.dumps({**data, "x": float("nan")}, separators=(",", ":"))
    ),
    "markup in the data": lambda page: in_data(
        page, lambda data: data["definition"]["system"].update(description="</SCRIPT><h1>fine</h1>")
    ),
    "status in the data": lambda page: in_data(
        page, lambda data: data["answers"][2]["verdict"].update(status="met")
    ),
    "digest of a figure": lambda page: in_data(page, lambda data: figure_in(data).update(sha256="0" * 64)),
    "spaces in the data": lambda page: in_data(page, json.dumps),
    "nothing to render": lambda page: in_data(page, lambda data: data["definition"].update(system={})),
}  # fmt: skip


@pytest.fixture(scope="module")
def page():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPLBACKEND", "Agg")
        return html(results.full())


def moved(page, place):
    """The page with its data before another place."""
    start = page.index(SCRIPT)
    end = page.index("</script>", start) + len("</script>")
    data, rest = page[start:end], page[:start] + page[end:]
    return rest.replace(place, data + place, 1)


def put(folder, text):
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def genuine(path):
    try:
        return same_page(path)
    except DiagnosticsError:
        return False


def test_a_result_as_json_says_nothing_that_does_not_follow(tmp_path):
    path = write(results.full(), tmp_path / "r.json")
    assert same_page(path)
    data = json.loads(path.read_text())
    for change in (
        {"met": not data["met"]},
        {"headline": {**data["headline"], "text": "Yes."}},
        {"answers": [{**data["answers"][0], "status": "alone"}, *data["answers"][1:]]},
        {"confidence": {name: ["supported", 1.0] for name in data["confidence"]}},
        {"more": "x"},
    ):
        path.write_text(json.dumps({**data, **change}))
        assert not same_page(path), change


def test_what_a_seal_holds_of_a_page_tells_every_part_of_it(page, tmp_path):
    path = put(tmp_path, page)
    before = shown_digests(path)
    assert {"text", "created", "document", "iterations", "evidence.normal"} <= set(before)
    other = in_data(page, lambda data: data.update(created="2026-01-01T00:00:00+00:00"))
    with pytest.raises(DiagnosticsError, match="report-edited"):
        shown_digests(put(tmp_path, other))
    write(replace(results.full(), created="2026-01-01T00:00:00+00:00"), path)
    after = shown_digests(path)
    assert {name for name in before if before[name] != after[name]} == {"created", "text"}
    assert "created" not in shown_digests(results.full())
    assert shown_digests(results.full()).items() <= after.items()


def test_a_page_of_another_version_is_known_by_its_text(page, tmp_path):
    path = put(tmp_path, page.replace("<main", "<main data-version='other'"))
    text = hashlib.sha256(visible_text(path.read_text()).encode()).hexdigest()
    assert shown_digests(path, sealed=text)["text"] == text
    with pytest.raises(DiagnosticsError, match="report-edited"):
        shown_digests(path)


def test_a_forged_page_is_found_out(page, tmp_path):
    for name, forge in FORGERIES.items():
        forged = forge(page)
        assert forged != page, name
        assert not genuine(put(tmp_path, forged)), name


def test_a_page_as_it_was_written_is_the_same(tmp_path):
    for make in (results.full, results.met, results.contradicted, results.without_targets):
        assert same_page(write(make(), tmp_path / "r.html")), make.__name__


def test_line_ends_of_another_system_change_nothing(page, tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(page.replace("\n", "\r\n").encode())
    assert same_page(path)


def test_odd_text_does_not_make_a_page_differ(tmp_path):
    for name, attack in ATTACKS.items():
        assert same_page(write(hostile(attack), tmp_path / "r.html")), name


def test_long_tables_files_and_shared_figures_do_not_make_a_page_differ(tmp_path):
    figure = Artefact("image/svg+xml", results.normal_figure())
    long = Evidence(
        (results.counted(),),
        {"Long": Table(("n",), [(n,) for n in range(80)])},
        {"rows": Artefact("text/csv", b"a,b"), "margins": figure},
    )
    result = results.result([], {"one": long, "two": Evidence((results.counted(),), artefacts={"margins": figure})})
    path = write(result, tmp_path / "r.html")
    assert same_page(path)
    text = path.read_text(encoding="utf-8")
    assert text.count('<div class="light"') == 1
    assert "The same figure as under one." in text


def test_the_text_of_a_page_leaves_its_data_out(page):
    start = page.index(SCRIPT) + len(SCRIPT)
    assert page[start : start + 100] not in visible_text(page)
    assert "Target violated" in visible_text(page)
