import gzip
import re

import pytest
from tests.refusals import refusal

from surefoot import datasets
from surefoot.core import MissingData
from surefoot.corruptions import common_misspellings, corrupt

FOLDER, FILE = "misspellings", "codespell_dictionary.txt.gz"


@pytest.fixture
def file(folder):
    """Where the file is looked for; not there yet."""
    return folder / FILE


@pytest.fixture(scope="module")
def words():
    try:
        datasets.locate(FOLDER)
    except MissingData as missing:
        pytest.skip(str(missing))
    return datasets.misspellings()


def test_lines_become_wrong_spellings_of_right_ones(file):
    lines = (
        "recieve->receive\nrecive->receive\nabck->back, aback,\nclas->class, a name in some languages\nalot->a lot\n"
    )
    file.write_bytes(gzip.compress((lines + "chateu->château\n").encode()))
    assert datasets.misspellings() == {
        "receive": ("recieve", "recive"),
        "back": ("abck",),
        "aback": ("abck",),
        "class": ("clas",),
        "a lot": ("alot",),
        "château": ("chateu",),
    }


def test_a_missing_set_says_what_to_do(file):
    with pytest.raises(MissingData, match=r"lacks codespell_dictionary\.txt\.gz.*dictionary\.txt of https://"):
        datasets.misspellings()
    assert datasets.known("misspellings").folder == file.parent


def test_a_line_that_is_no_misspelling_is_named(file):
    for line in ("recieve", "->receive", "recieve->", "recieve->, ,", ""):
        file.write_bytes(gzip.compress(f"teh->the\n{line}\nadn->and\n".encode()))
        assert re.search("line 2 of", refusal(MissingData, datasets.misspellings)), line


@pytest.mark.parametrize(
    "content", [b"teh->the\n", gzip.compress(b"teh->the\n" * 99, mtime=0)[:-9], gzip.compress(b"\xff->a\n", mtime=0)]
)
def test_a_broken_file_is_refused(file, content):
    file.write_bytes(content)
    with pytest.raises(MissingData, match="cannot be read"):
        datasets.misspellings()


def test_the_set_has_the_known_counts(words):
    assert len({wrong for spellings in words.values() for wrong in spellings}) == 64_992
    assert "recieve" in words["receive"]
    assert {"abck"} <= set(words["back"]) & set(words["aback"])


def test_most_of_the_built_in_list_is_in_the_set(words):
    pairs = [(right, each) for right, wrong in common_misspellings().items() for each in wrong]
    known = {(right.lower(), each) for right, wrong in words.items() for each in wrong}
    assert sum(pair in known for pair in pairs) > 0.85 * len(pairs)


def test_texts_are_misspelt_with_the_set(words):
    text = "The government will definitely accommodate WEDNESDAY meetings"
    found = corrupt([text] * 50, "misspellings", 5, words=words)
    assert len(set(found)) > 20
    for wrong in found:
        for new, old in zip(wrong.split(), text.split(), strict=True):
            assert new != old
            assert new.lower() in words[old.lower() if old != "WEDNESDAY" else "Wednesday"]
            assert new.isupper() == old.isupper()
