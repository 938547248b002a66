"""Files are text up to a size, and are written whole or not at all."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import DiagnosticsError
from surefoot.documents import Findings, Kind, decoded, read_text, write_whole


def unread(path):
    with pytest.raises(DiagnosticsError) as caught:
        read_text(path, Findings(path.name, Kind("yaml-syntax", largest=1_000_000)))
    return caught.value.diagnostics[0]


def test_a_byte_order_mark_and_line_ends_of_windows_are_fine(tmp_path):
    path = tmp_path / "surefoot.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: x\r\n")
    assert read_text(path, Findings("surefoot.yaml")) == "a: 1\r\nb: x\r\n"


@pytest.mark.parametrize("content", ["a: 1\nb: caf\u00e9".encode("latin-1"), "a: 1\n".encode("utf-16")], ids=len)
def test_other_encodings_are_refused_with_their_line(tmp_path, content):
    path = tmp_path / "surefoot.yaml"
    path.write_bytes(content)
    found = unread(path)
    assert found.code == "file-unreadable"
    assert "UTF-8" in found.text
    assert found.where in {"surefoot.yaml:1", "surefoot.yaml:2"}


def test_a_large_file_is_not_read_whole(tmp_path):
    path = tmp_path / "surefoot.yaml"
    with open(path, "wb") as stream:
        stream.truncate(2**34)
    assert unread(path).code == "file-unreadable"


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "surefoot.yaml")
    assert unread(tmp_path / "surefoot.yaml").code == "file-unreadable"


def test_a_name_that_is_no_utf_8_can_be_shown(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.yaml")
    found = unread(path)
    assert found.code == "file-missing"
    assert "caf" in found.where
    assert found.where.encode("utf-8")


@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(content):
    with pytest.raises(DiagnosticsError) as caught:
        decoded(content, Findings("a"))
    assert caught.value.diagnostics[0].code == "file-unreadable"
    with pytest.raises(DiagnosticsError) as caught:
        decoded(content, Findings("a", Kind("yaml-syntax", empty="missing-key")))
    assert caught.value.diagnostics[0].code == "missing-key"


@given(st.binary(max_size=30))
@settings(deadline=None)
def test_bytes_are_text_or_an_error_with_a_code(content):
    found = ()
    try:
        text = decoded(content, Findings("a"))
    except DiagnosticsError as error:
        found = error.diagnostics
    if found:
        assert [each.code for each in found] == ["file-unreadable"]
    else:
        assert text.encode() == content.removeprefix(b"\xef\xbb\xbf")


def test_a_file_is_replaced_whole_and_a_link_stays(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "new é\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == "new é\n".encode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


@pytest.mark.parametrize("text", ["a\x00", "\x1b[31m", "\x7f", "\x9b", "\ud800"])
def test_what_no_document_holds_is_not_written(tmp_path, text):
    (tmp_path / "a").write_text("old")
    with pytest.raises(DiagnosticsError) as caught:
        write_whole(tmp_path / "a", text, code="case-value")
    assert caught.value.diagnostics[0].code == "case-value"
    assert (tmp_path / "a").read_text() == "old"


def test_a_folder_that_is_not_there_is_an_error_with_a_code(tmp_path):
    with pytest.raises(DiagnosticsError) as caught:
        write_whole(tmp_path / "no" / "a", "x")
    assert caught.value.diagnostics[0].code == "store-unwritable"
