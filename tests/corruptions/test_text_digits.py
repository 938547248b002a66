import re

from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from surefoot.corruptions import corrupt

SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
UNITS = {word: value for value, word in enumerate(SMALL.split())}
UNITS |= {word: 10 * value for value, word in enumerate(TENS.split(), 2)}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
PLACES = {"first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine"}


def heard(words):
    """The number that words say: an adding machine, written apart from the code under test."""
    total = part = 0
    for word in re.split("[ -]", words):
        if word == "hundred":
            part *= 100
        elif word in SCALES:
            total, part = total + part * SCALES[word], 0
        else:
            part += UNITS[word]
    return total + part


def place_heard(words):
    head, last = re.fullmatch(r"(.*?)([a-z]+)", words).groups()
    if last == "twelfth":
        return heard(head + "twelve")
    return heard(head + (PLACES.get(last) or re.sub("ieth$", "yth", last).removesuffix("th")))


def spoken(texts):
    """Texts with all their numbers written out."""
    return corrupt(texts, "digits_to_words", 5)


def test_numbers_by_hand():
    for text, words in (
        ("0", "zero"),
        ("7", "seven"),
        ("13", "thirteen"),
        ("40", "forty"),
        ("42", "forty-two"),
        ("100", "one hundred"),
        ("115", "one hundred fifteen"),
        ("1984", "one thousand nine hundred eighty-four"),
        ("250000", "two hundred fifty thousand"),
        ("1,234,567", "one million two hundred thirty-four thousand five hundred sixty-seven"),
        ("1,000,000,000,000", "one trillion"),
        ("3.14", "three point one four"),
        ("0.50", "zero point five zero"),
        ("1,250.5", "one thousand two hundred fifty point five"),
        ("1st 2nd 3rd 4th 5th 8th 9th", "first second third fourth fifth eighth ninth"),
        ("11th 12th 20th 21st 30TH", "eleventh twelfth twentieth twenty-first thirtieth"),
        ("100th 1,000th 112th", "one hundredth one thousandth one hundred twelfth"),
        ("10:30", "ten thirty"),
        ("9:05", "nine oh five"),
        ("16:00", "sixteen o'clock"),
        ("00:15", "zero fifteen"),
        ("5pm", "five pm"),
        ("10:30PM", "ten thirty PM"),
        ("7:00 am", "seven o'clock am"),
        ("8:00am", "eight am"),
        ("01223456789", "zero one two two three four five six seven eight nine"),
        ("5551234", "five five five one two three four"),
        ("007", "zero zero seven"),
        ("$5.50, 20%, #1", "$five point five zero, twenty%, #one"),
        ("2-3 or 1/2", "two-three or one/two"),
        ("2020-01-05", "two thousand twenty-zero one-zero five"),
        ("-5 +6", "-five +six"),
        ("1.2.3", "one.two.three"),
        ("12:30:45", "twelve:thirty:forty-five"),
        ("1,2,3", "one,two,three"),
        ("25:00", "twenty-five:zero zero"),
        ("I am 9.", "I am nine."),
        ("(8)\n8,", "(eight)\neight,"),
    ):
        assert spoken(text) == words, text


def test_digits_that_are_no_numbers_by_themselves_stay():
    for text in (
        "A4",
        "mp3",
        "v1.2",
        "1.5m",
        "B2B",
        "x_1",
        "1st2",
        "1.5th",
        "१२",
        "٣",
        "３",
        "1️⃣ 2️⃣",
        "4\u0301",
        "3rds",
        "12ab",
        "我有3只猫",
    ):
        assert spoken(text) == text


def test_words_say_the_number():
    numbers = [*range(3000), *range(3000, 10**15, 7**17), 10**6, 10**15 - 1, 10**9 + 1, 10**5]
    assert [heard(words) for words in spoken([f"{number:,}" for number in numbers])] == numbers
    assert [place_heard(words) for words in spoken([f"{number:,}th" for number in numbers])] == numbers


@given(st.integers(0, 10**15 - 1))
@settings(max_examples=40, deadline=None)
def test_written_numbers_are_heard_as_they_were(number):
    words, plain, place = spoken([f"{number:,}", str(number), f"{number:,}th"])
    assert heard(words) == number
    assert place_heard(place) == number
    if number < 10**6:
        assert plain == words
    else:
        assert "".join(str(UNITS[word]) for word in plain.split()) == str(number)


@given(st.integers(0, 10**6 - 1), st.text("0123456789", min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_decimals_are_heard_as_they_were(whole, part):
    words = corrupt(f"{whole}.{part}", "digits_to_words", 5)
    left, right = words.split(" point ")
    assert (heard(left), "".join(str(UNITS[word]) for word in right.split())) == (whole, part)


def test_times_are_heard_as_they_were():
    times = [(hour, minute) for hour in range(25) for minute in (0, 1, 9, 10, 30, 59)]
    said = [
        words.replace(" o'clock", " zero").replace("oh ", "") for words in spoken([f"{h}:{m:02}" for h, m in times])
    ]
    assert [tuple(map(heard, words.split(" "))) for words in said] == times


def test_numbers_change_with_the_probability_of_the_paper():
    for severity, probability in enumerate((0.2, 0.4, 0.6, 0.8, 1.0), 1):
        found = corrupt(" and ".join(["12"] * 3000), "digits_to_words", severity, seed=1).split(" and ")
        low, high = binom.interval(1 - 1e-6, 3000, probability) if probability < 1 else (3000, 3000)
        assert low <= found.count("twelve") <= high, severity
        assert set(found) <= {"12", "twelve"}, severity


def test_a_huge_number_is_read_digit_by_digit():
    assert corrupt("9" * 5000, "digits_to_words", 5) == " ".join(["nine"] * 5000)
    assert corrupt("1" + ",000" * 6, "digits_to_words", 5) == "one" + " zero" * 18
