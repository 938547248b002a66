"""A page that was edited is found out; one that was not is not."""

import base64
import json
import re
import zlib

import pytest

from surefoot.core import Artefact, Evidence, Table
from surefoot.report import html, same_page, visible_text, write
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


def put(folder, text):
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_forged_page_is_found_out(page, tmp_path):
    for name, forge in FORGERIES.items():
        forged = forge(page)
        assert forged != page, name
        assert not same_page(put(tmp_path, forged)), name


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
    assert "surefoot-result" not in visible_text(page)
    assert "Target violated" in visible_text(page)
