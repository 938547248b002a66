"""Reports as files: written whole, read back, and refused in words when they are none."""

import base64
import json
import os
import zlib

import pytest

import surefoot as sf
from surefoot.core import DiagnosticsError, Evidence, Table
from surefoot.project import Result
from surefoot.report import as_json, html, read, write
from tests.report import results

SCRIPT = '<script type="application/json;deflate;base64" id="surefoot-result">'


def code_of(error):
    return error.value.diagnostics[0].code


def test_what_was_written_is_read_back(tmp_path):
    result = results.full()
    digests = [e.digest for step in result.evidence.values() for e in step.estimates]
    for suffix in (".html", ".HTM", ".json"):
        back = Result.from_dict(read(write(result, tmp_path / f"report{suffix}")))
        assert back.answers == result.answers, suffix
        assert back.case == result.case, suffix
        assert [e.digest for step in back.evidence.values() for e in step.estimates] == digests, suffix


def test_json_holds_the_whole_result(tmp_path):
    assert Result.from_dict(read(write(results.full(), tmp_path / "r.json"))).digest == results.full().digest


def test_a_page_holds_pictures_once_and_tells_their_digest(tmp_path):
    data = read(write(results.full(), tmp_path / "r.html"))
    (artefact,) = data["evidence"]["normal"]["artefacts"].values()
    assert artefact["content"] == ""
    assert len(artefact["left_out"]["digest"]) == len(artefact["left_out"]["sha256"]) == 64


def test_a_page_holds_as_many_rows_as_it_shows(tmp_path):
    table = Table(("n",), [(n,) for n in range(80)])
    result = results.result([], {"counted": Evidence((results.counted(),), {"Long": table})})
    found = read(write(result, tmp_path / "r.html"))["evidence"]["counted"]["tables"]["Long"]
    assert len(found["rows"]) == 50
    assert found["left_out"] == 30


def test_draws_are_written_once_and_read_back_everywhere(tmp_path):
    risk = sf.bounds.jeffreys(2, 1000, level=0.95)
    product = sf.propagate(lambda a: a * 0.5, {"a": risk}, quantity="hazard")
    answer = results.answer("hazard", "Rare.", "p.hazard", product, sf.Target(at_most=0.01))
    result = results.result([answer], {"p": Evidence((product,))})
    once = len(json.dumps(product.dist.to_dict()))
    # Once as they are, and once each for the least favourable prior of either side; never once a place.
    assert len(html(result)) < 3 * once
    (tmp_path / "r.json").write_text(as_json(result))
    assert read(write(result, tmp_path / "r.html"))["answers"] == read(tmp_path / "r.json")["answers"]


def test_a_definition_that_looks_like_a_reference_is_left_alone(tmp_path):
    definition = {**results.DEFINITION, "components": {"c": {"model": {"$same": "x"}}}}
    result = results.result([], {"counted": Evidence((results.counted(),))}, definition=definition)
    assert read(write(result, tmp_path / "r.html"))["definition"]["components"]["c"]["model"] == {"$same": "x"}


def test_what_is_no_report_is_refused_in_words(tmp_path):
    inside = [
        b"{broken",
        b"abc",
        b"QUJD",
        base64.b64encode(zlib.compress(b"[]")),
        base64.b64encode(zlib.compress(b"{}")[:-3]),
    ]
    pages = [b"<html>no report</html>", *(SCRIPT.encode() + each + b"</script>" for each in inside)]
    data = [b"{}", b"[1]", b"not json", b"[" * 100_000, b"\xff\xfe", b""]
    (tmp_path / "folder").mkdir()
    for name, contents in {"r.html": pages, "r.json": data, "absent.html": [None], "folder": [None]}.items():
        for content in contents:
            if content is not None:
                (tmp_path / name).write_bytes(content)
            with pytest.raises(DiagnosticsError) as error:
                read(tmp_path / name)
            assert (code_of(error), error.value.diagnostics[0].where) == ("file-unreadable", str(tmp_path / name)), (
                content
            )


def test_a_report_of_another_version_is_told_apart(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({**results.met().to_dict(), "version": 99}))
    with pytest.raises(DiagnosticsError, match="99") as error:
        read(path)
    assert code_of(error) == "unsupported-version"


def test_an_unknown_suffix_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(DiagnosticsError, match=r"\.docx") as error:
        write(results.met(), tmp_path / "report.docx")
    assert code_of(error) == "wrong-value"
    assert os.listdir(tmp_path) == []


def test_a_place_that_cannot_be_written_is_told_in_words_and_left_as_it_was(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DiagnosticsError) as error:
        write(results.met(), tmp_path / "file" / "report.html")
    assert code_of(error) == "store-unwritable"
    assert (tmp_path / "file").read_text() == "mine"


def test_an_older_report_is_replaced_whole(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    write(results.met(), path)
    assert path.read_text(encoding="utf-8") == html(results.met())
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_path_that_is_no_utf8_works(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.json"
    assert read(write(results.met(), os.fsdecode(path)))["met"] is True
