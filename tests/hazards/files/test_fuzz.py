"""Whatever a file holds, reading gives a worksheet or an error that was meant."""

import random
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hazards.files.worksheets import ENDINGS, small

from surefoot.core import SurefootError
from surefoot.hazards import Hazop


def outcome(path: Path) -> None:
    with suppress(SurefootError):
        assert isinstance(Hazop.read(path), Hazop)


def damaged(content: bytes, random_: random.Random) -> bytes:
    """A copy with some bytes changed, cut out, doubled or replaced by what a parser may stumble over."""
    copy = bytearray(content)
    for _ in range(random_.randint(1, 6)):
        at, until = sorted(random_.randrange(len(copy) + 1) for _ in range(2))
        until = min(until, at + 40)
        piece = random_.choice(
            [
                b"",
                bytes([random_.randrange(256)]),
                bytes(copy[at:until]) * 2,
                b"\\",
                b'"',
                b"<",
                b"&#0;",
                b"9" * 40,
                b"\n- ",
                b"{",
            ]
        )
        copy[at:until] = piece
    return bytes(copy)


@pytest.mark.parametrize("ending", ENDINGS)
def test_damaged_files_are_read_or_refused(ending, tmp_path):
    path, random_ = tmp_path / f"a.{ending}", random.Random(7)
    small().write(path)
    files = {each: each.read_bytes() for each in tmp_path.iterdir()}
    for _ in range(150):
        for each, content in files.items():
            each.write_bytes(damaged(content, random_) if random_.random() < 0.7 else content)
        outcome(path)


def test_workbooks_with_damaged_parts_are_read_or_refused(tmp_path):
    path, random_ = tmp_path / "a.xlsx", random.Random(7)
    small().write(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(200):
        chosen = random_.choice(list(parts))
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, damaged(content, random_) if name == chosen else content)
        outcome(path)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=25, deadline=None)
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused(ending, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{ending}"
        path.write_bytes(content)
        outcome(path)
