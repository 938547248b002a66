import numpy as np
import pytest
from scipy.stats import binom

from surefoot import InvalidInput
from surefoot.corruptions import corrupt

WORDS = (0.15, 0.3, 0.45, 0.6, 0.75)
NAMES = ("remove_characters", "change_characters", "swap_characters")
NUMBER = 4000


def words(length, number=NUMBER):
    letters = np.random.default_rng(length).permuted(np.tile(np.array([*"abcdefghijklmnop"]), (number, 1)), axis=1)
    return ["".join(row[:length]) for row in letters]


def likely(count, number, probability):
    """Whether a count lies in the central exact binomial interval of all but one in a million."""
    low, high = binom.interval(1 - 1e-6, number, probability)
    return low <= count <= high


@pytest.mark.parametrize("name", NAMES)
def test_words_change_with_the_probability_of_the_paper(name):
    text = words(6)
    for severity, probability in enumerate(WORDS, 1):
        found = corrupt(" ".join(text), name, severity, seed=severity).split(" ")
        changed = sum(new != old for new, old in zip(found, text, strict=True))
        assert likely(changed, NUMBER, probability), severity


@pytest.mark.parametrize("name", NAMES)
def test_words_of_a_better_severity_change_in_a_worse_one_too(name):
    text, before = words(6, 300), set()
    for severity in range(1, 6):
        found = corrupt(" ".join(text), name, severity).split(" ")
        changed = {i for i, (new, old) in enumerate(zip(found, text, strict=True)) if new != old}
        assert changed >= before
        before = changed


@pytest.mark.parametrize("length", [2, 5, 12])
@pytest.mark.parametrize("name", ["remove_characters", "change_characters"])
def test_characters_change_with_the_probability_of_the_paper_and_at_least_one(name, length):
    text = words(length)
    found = corrupt(" ".join(text), name, 5, seed=length).split(" ")
    if name == "remove_characters":
        counts = [len(old) - len(new) for new, old in zip(found, text, strict=True)]
    else:
        counts = [sum(a != b for a, b in zip(new, old, strict=True)) for new, old in zip(found, text, strict=True)]
    counts = [count for count in counts if count]
    one = binom.pmf([0, 1], length, 0.1).sum() if (name, length) != ("remove_characters", 2) else 1
    assert likely(counts.count(1), len(counts), one)
    two = binom.pmf(2, length, 0.1) if one < 1 else 0
    assert likely(counts.count(2), len(counts), two)


def test_every_character_is_removed_as_often():
    from scipy.stats import chisquare

    found = corrupt(" ".join(["abcde"] * NUMBER), "remove_characters", 5).split(" ")
    gone = [next(iter(set("abcde") - set(word))) for word in found if len(word) == 4]
    assert chisquare(np.unique(gone, return_counts=True)[1]).pvalue > 1e-4


def test_removed_characters_leave_the_others_in_order():
    for word in corrupt(" ".join(["abcdefghij"] * 200), "remove_characters", 5).split(" "):
        assert list(word) == sorted(word)
        assert len(word) >= 1


def test_swapped_characters_are_neighbours_and_differ():
    text = words(5, 500)
    for new, old in zip(corrupt(" ".join(text), "swap_characters", 5).split(" "), text, strict=True):
        differ = [i for i in range(5) if new[i] != old[i]]
        assert differ in ([], *([i, i + 1] for i in range(4)))
        assert sorted(new) == sorted(old)
    assert set(corrupt(" ".join(["aab"] * 300), "swap_characters", 5).split(" ")) == {"aab", "aba"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("remove_characters", "a b 1 中 é क्षि"),
        ("swap_characters", "a aa 111 中中 e\u0301e\u0301"),
        ("change_characters", "한국어 ᚠᚢᚦ ꙮ"),
    ],
)
def test_words_that_cannot_change_stay(name, text):
    for seed in range(20):
        assert corrupt(text, name, 5, seed=seed) == text


def test_letters_of_many_scripts_have_look_alikes():
    for text in (
        *("привет мир", "καλημέρα κόσμε", "שלום עולם", "مرحبا بالعالم"),
        *("नमस्ते दुनिया", "สวัสดีชาวโลก", "さようなら", "日本人"),
    ):
        found = [corrupt(text, "change_characters", 5, seed=seed) for seed in range(20)]
        assert any(each != text for each in found), text
        # Marks stay, so that letters alone differ.
        apart = [[i for i, c in enumerate(each) if not c.isalnum()] for each in (text, *found)]
        assert apart == [apart[0]] * 21, text


def test_marks_stay_on_the_letter_that_replaces_theirs():
    found = {corrupt("o\u0308", "change_characters", 5, seed=seed) for seed in range(40)}
    assert found == {"o\u0308", "0\u0308", "a\u0308", "c\u0308"}
    assert {corrupt("é", "change_characters", 5, seed=seed) for seed in range(40)} == {"é", "e"}


def looked_like(character, by):
    """What a character is changed to."""
    return {*corrupt([character] * 120, "change_characters", 5, by=by)} - {character}


def test_every_latin_letter_and_digit_looks_like_others_and_all_are_letters_or_numbers():
    for character in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ßøØđłŁıæœ":
        for by in ("sight", "keyboard") if character.isascii() else ("sight",):
            options = looked_like(character, by)
            assert options, (character, by)
            assert all(len(option) == 1 and option.isalnum() for option in options), (character, by)


def test_neighbours_on_the_keyboard():
    for key, near in {"s": "adwezx", "Q": "WA12", "m": "njk", "p": "ol0", "é": ""}.items():
        assert looked_like(key, "keyboard") == set(near), key


def test_unknown_similarities_and_options_are_refused():
    with pytest.raises(InvalidInput, match="Did you mean 'sight'"):
        corrupt("a", "change_characters", 1, by="sigth")
    with pytest.raises(InvalidInput, match="unknown option"):
        corrupt("a", "swap_characters", 1, by="sight")
