import numpy as np
import pytest
from scipy.stats import binom

from surefoot import InvalidInput
from surefoot.corruptions import common_misspellings, corrupt

NUMBER = 3000


def likely(count, number, probability):
    low, high = binom.interval(1 - 1e-6, number, probability) if probability < 1 else (number, number)
    return low <= count <= high


def test_the_built_in_list_has_a_few_hundred_words_and_no_right_one_is_wrong():
    known = common_misspellings()
    assert len(known) >= 300
    for right, wrong in known.items():
        assert right == right.lower()
        assert wrong
        assert len({right, *wrong}) == 1 + len(wrong)
        assert all(each.strip() == each and each == each.lower() for each in wrong)


def test_words_are_misspelt_with_the_probability_of_the_paper():
    for severity, probability in enumerate((0.2, 0.4, 0.6, 0.8, 1.0), 1):
        found = corrupt("xyz ".join(["receive "] * NUMBER), "misspellings", severity).split("xyz ")
        assert likely(sum(each.strip() == "recieve" for each in found), NUMBER, probability), severity


def test_misspellings_by_hand():
    for right, wrong in (
        ("receive", "recieve"),
        ("Receive", "Recieve"),
        ("RECEIVE", "RECIEVE"),
        ("I received, friend!", "I recieved, freind!"),
        ("don't DON'T Don't", "dont DONT Dont"),
        ("un-receive_d", "un-recieve_d"),
        ("unreceived receive\u0301", "unreceived receive\u0301"),
        ("xyzzy Привет 42", "xyzzy Привет 42"),
    ):
        assert corrupt(right, "misspellings", 5) == wrong


def test_words_can_be_given():
    words = {"cat": ["kat", "catt"], "Paris": ("Pariss",), "NASA": ["NSAA"], "same": ["Same"], "none": []}
    assert (
        corrupt("PARIS Paris nasa NASA same none", "misspellings", 5, words=words)
        == "PARISS Pariss nasa NSAA same none"
    )
    found = corrupt(" ".join(["cat"] * NUMBER), "misspellings", 5, words=words).split()
    assert set(found) == {"kat", "catt"}
    assert likely(found.count("kat"), NUMBER, 0.5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cat"], "must map right spellings"),
        ({"cat": "kat"}, "'kat' for 'cat'"),
        ({"cat": [3]}, "list of words"),
        ({"cat": [""]}, "list of words"),
        ({"cat": None}, "list of words"),
        ({"cat": {"kat"}}, "list of words"),
    ],
)
def test_words_of_another_kind_are_refused(words, message):
    with pytest.raises(InvalidInput, match=message):
        corrupt("a cat", "misspellings", 1, words=words)


def test_characters_are_misread_with_their_probability():
    for severity, probability in enumerate((0.03, 0.06, 0.12, 0.2, 0.3), 1):
        found = corrupt("O " * NUMBER, "ocr_errors", severity)
        assert likely(found.count("0"), NUMBER, probability), severity
        assert set(found) == {"O", "0", " "}, severity


def test_pairs_are_misread_as_one():
    found = set(corrupt("modern " * 800, "ocr_errors", 5).split())
    assert {"modem", "modcrn", "moclern", "rnodern"} <= found
    assert {"clear", "dear"} <= set(corrupt("clear " * 300, "ocr_errors", 5).split())


def test_misread_letters_are_letters_or_numbers_and_new():
    for seen in (*"abcdefghilmnoqstuwyzBDEGIOQSTZ0125689", "rn", "nn", "cl", "vv", "li", "ri", "ii", "fi", "tl", "in"):
        read = {*corrupt([seen] * 200, "ocr_errors", 5)} - {seen}
        assert read, seen
        assert all(each.isalnum() for each in read), seen


def test_other_scripts_and_marked_letters_are_read_right():
    for text in ("Привет", "नमस्ते", "한국어", "m\u0301w\u0301", "سلام", "日本"):
        assert corrupt([text] * 50, "ocr_errors", 5) == [text] * 50


def test_words_have_wrong_capitals_with_their_probability():
    for severity, probability in enumerate((0.15, 0.3, 0.45, 0.6, 0.75), 1):
        found = corrupt("Hello " * NUMBER, "case_errors", severity).split()
        changed = [word for word in found if word != "Hello"]
        assert likely(len(changed), NUMBER, probability), severity
        assert set(changed) == {"hello", "HELLO", "hELLO"}, severity


def test_letters_keep_their_place_and_number():
    text = ["Straße ŉ İstanbul ΣΊΣΥΦΟΣ ǆ ﬁne привет"] * 60
    for found in corrupt(text, "case_errors", 5):
        assert len(found) == len(text[0])
        assert found.casefold() == text[0].casefold()
    assert np.unique(corrupt(text, "case_errors", 5)).size > 10


def test_letters_without_capitals_stay():
    text = "नमस्ते 123 한국어 ß"
    assert corrupt([text] * 20, "case_errors", 5) == [text] * 20
