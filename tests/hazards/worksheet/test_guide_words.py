import pytest

from surefoot.core import InvalidInput
from surefoot.hazards import GUIDE_WORDS, MEANINGS, guide_words


def test_process_words_are_those_of_iec_61882():
    basic = {"no", "more", "less", "as well as", "part of", "reverse", "other than", "early", "late", "before", "after"}
    assert set(GUIDE_WORDS["process"]) == basic


def test_words_of_table_2_are_in_their_sets():
    assert "too late" in GUIDE_WORDS["data flow"]
    assert {"wrong value", "no value"} <= set(GUIDE_WORDS["data value"])
    assert {"wrong value", "no value", "too late"} <= set(GUIDE_WORDS["learned value"])


def test_every_word_has_its_own_meaning():
    for name, words in GUIDE_WORDS.items():
        assert tuple(MEANINGS[name]) == words, name
        assert all(MEANINGS[name].values()), name
        assert len(set(MEANINGS[name].values())) == len(words), name


def test_a_name_stands_for_its_set():
    assert guide_words(" data flow ") == GUIDE_WORDS["data flow"]


def test_words_stand_for_themselves_once_each():
    assert guide_words(["frozen", " no value ", "frozen"]) == ("frozen", "no value")


def test_a_misspelt_set_gets_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'learned value'"):
        guide_words("learned values")


def test_blank_words_are_refused():
    for said, found in [([], "none"), (["no", " "], "' '"), (["no", 3], "3")]:
        with pytest.raises(InvalidInput) as error:
            guide_words(said)
        assert error.value.found == found
