"""YAML is read as people mean it, and everything dangerous or ambiguous is refused at its place."""

from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import documents
from surefoot.core import DiagnosticsError
from surefoot.documents import Findings, Kind

KIND = Kind("yaml-syntax", "yaml-forbidden", "missing-key", columns=True, deepest=50, most_values=50_000)


def parse(text, file="f", kind=KIND, **options):
    """What the text says; problems that did not end the reading are raised too."""
    findings = Findings(file, kind)
    document = documents.yaml.parse(text, findings, **options)
    findings.raise_if_any()
    return document


@pytest.fixture(params=["C", "Python"], autouse=True)
def parser(request, monkeypatch):
    """Both parsers of PyYAML, because the faster one is not everywhere."""
    if request.param == "Python":
        monkeypatch.setattr(documents.yaml, "LOADER", yaml.SafeLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML was built without libyaml")


def refused(text, kind=KIND):
    with pytest.raises(DiagnosticsError) as caught:
        parse(text, "surefoot.yaml", kind)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def value(text):
    return parse(f"x: {text}", "surefoot.yaml").data["x"]


def test_only_true_and_false_are_truth_values():
    for word in ("no", "yes", "on", "off", "y", "N", "No", "OFF"):
        assert value(word) == word, word
        assert value(f"[{word}]") == [word], word
        assert parse(f"{word}: 1", "f").data == {word: 1}, word


def test_numbers_and_words_are_those_of_yaml_1_2():
    for text, expected in (
        ("true", True),
        ("False", False),
        ("", None),
        ("~", None),
        ("null", None),
        ("12", 12),
        ("-3", -3),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("1e-3", 0.001),
        ("1E6", 1e6),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("-1.5e+3", -1500.0),
    ):
        found = value(text)
        assert found == expected, text
        assert type(found) is type(expected), text


def test_dates_times_and_the_rest_stay_text():
    for text in (
        "12:30",
        "190:20:30",
        "2024-01-31",
        "2024-01-31T10:00:00Z",
        "1_000",
        "0b101",
        "1e",
        ".",
        "+",
        "<<",
        "=",
        "08x",
    ):
        assert value(text) == text, text


def test_what_is_no_finite_number_stays_text():
    for text in (".inf", "-.inf", ".nan", "1e999", "9" * 301, "0x" + "f" * 5000):
        assert value(text) == text, text


def test_quoted_and_block_text_is_text():
    for text in ("'no'", '"12"', "'1e-3'", "'~'", "|-\n  7", ">-\n  true"):
        assert isinstance(value(text), str), text


def test_every_key_and_item_has_its_place():
    text = "a: 1\nb:\n  - x\n  - c: 2\n    d:\n      {e: 3,\n       f: 4}\n"
    document = parse(text, "f")
    assert document.data == {"a": 1, "b": ["x", {"c": 2, "d": {"e": 3, "f": 4}}]}
    assert document.places == {
        (): (1, 1),
        ("a",): (1, 1),
        ("b",): (2, 1),
        ("b", 0): (3, 5),
        ("b", 1): (4, 5),
        ("b", 1, "c"): (4, 5),
        ("b", 1, "d"): (5, 5),
        ("b", 1, "d", "e"): (6, 8),
        ("b", 1, "d", "f"): (7, 8),
    }
    assert document.line(("b", 1, "d", "g")) == 5
    assert document.written(("b", 1, "d", "g", 0)) == ("b", 1, "d")


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("a: &x 1", "yaml-forbidden", "1:4"),
        ("a: 1\nb: *x", "yaml-forbidden", "2:4"),
        ("a: !!python/object:os.system 1", "yaml-forbidden", "1:4"),
        ("a: !!str 1", "yaml-forbidden", "1:4"),
        ("!mine {a: 1}", "yaml-forbidden", "1:1"),
        ("? &k a\n: 1", "yaml-forbidden", "1:3"),
        ("a: 1\n---\nb: 2", "yaml-forbidden", "2:1"),
        ("a: 1\nb: 2\na: 3", "duplicate-key", "3:1"),
        ("x:\n  a: 1\n  'a': 3", "duplicate-key", "3:3"),
        ("1: a", "wrong-value", "1:1"),
        ("a: {true: 1}", "wrong-value", "1:5"),
        ("? [a, b]\n: 1", "wrong-value", "1:3"),
        ("~: 1", "wrong-value", "1:1"),
        ("", "missing-key", "1:1"),
        ("# nothing but words\n", "missing-key", None),
        ("a: b: c", "yaml-syntax", "1:5"),
        ("a: [1, 2\nb: 3", "yaml-syntax", None),
        ("a: 'x", "yaml-syntax", None),
        ("a:\n\t- b", "yaml-syntax", "2:1"),
        ("a: @x", "yaml-syntax", "1:4"),
        ("a: 1\n b: 2", "yaml-syntax", None),
        ("{a: 1}}", "yaml-syntax", "1:7"),
        ("a: 1\nb: \x07", "yaml-syntax", "2:4"),
        ("a: \x00", "yaml-syntax", "1:4"),
        ("\ufffe", "yaml-syntax", "1:1"),
        ('a: "\\0"', "wrong-value", "1:4"),
        ('a: "\\x1b[31m"', "wrong-value", "1:4"),
    ],
)
def test_what_is_refused_says_what_and_where(text, code, where):
    found = refused(text)
    assert found.code == code
    assert found.where.startswith("surefoot.yaml:")
    assert where is None or found.where == f"surefoot.yaml:{where}"
    assert found.text.endswith(".")


def test_a_lone_surrogate_is_refused():
    assert refused('a: "\\ud800"').code in {"yaml-syntax", "wrong-value"}


@pytest.mark.parametrize(
    ("text", "hint"),
    [("a: b: c", "quotes"), ("a:\n\t- b", "not tabs"), ("a: [1, 2\nb: 3", "bracket"), ("a: 'x", "quote")],
)
def test_common_slips_get_a_hint(text, hint):
    assert hint in refused(text).hint


def test_the_duplicate_says_where_the_first_is():
    assert "first in line 2" in refused("b: 1\na: 1\nc: 2\na: 3").text


def billion_laughs():
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "bomb",
    [billion_laughs(), "a: " + "[" * 900_000, "a: " + "{a: " * 200_000, "a: [" + "*x, " * 200_000, "- " * 400_000],
    ids=["laughs", "brackets", "braces", "aliases", "dashes"],
)
def test_bombs_are_refused_before_they_are_read(bomb, monkeypatch):
    events = []
    parse_events = yaml.parse
    monkeypatch.setattr(yaml, "parse", lambda *args, **kw: (events.append(e) or e for e in parse_events(*args, **kw)))
    assert refused(bomb).code in {"yaml-forbidden", "yaml-syntax"}
    assert len(events) < 200


def test_nesting_has_a_limit_well_above_need():
    assert parse("a: " + "[" * 40 + "]" * 40, "f").data
    assert refused("a: " + "[" * 60 + "]" * 60).code == "yaml-forbidden"


def test_the_number_of_values_has_a_limit():
    few = replace(KIND, most_values=10)
    assert len(parse("a: [1, 2, 3, 4, 5, 6, 7, 8]", kind=few).data["a"]) == 8
    assert refused("a: [1, 2, 3, 4, 5, 6, 7, 8, 9]", few).code == "yaml-forbidden"


def test_a_result_with_a_scope_between_braces_needs_quotes():
    with pytest.raises(DiagnosticsError) as caught:
        parse("targets:\n  a: {estimate: misses.failure probability[night], at_most: 0.1}\n", "a.yaml")
    (found,) = caught.value.diagnostics
    assert found.where.startswith("a.yaml:2:")
    assert found.hint == 'Put quotes around it: "misses.failure probability[night]".'


def test_problems_that_do_not_end_the_reading_are_told_together():
    with pytest.raises(DiagnosticsError) as caught:
        parse('a: 1\n2: b\na: "\\x07"\nc: 1\nc: 2\n')
    assert [(each.code, each.where) for each in caught.value.diagnostics] == [
        ("wrong-value", "f:2:1"),
        ("duplicate-key", "f:3:1"),
        ("wrong-value", "f:3:4"),
        ("duplicate-key", "f:5:1"),
    ]


def test_names_of_a_section_may_have_a_code_of_their_own():
    kind = Kind("tree-syntax", named={"gates": "tree-duplicate"})
    with pytest.raises(DiagnosticsError) as caught:
        parse("gates: {a: {b: 1, b: 2}, a: 3}\nhouses: {a: 1, a: 2}", kind=kind)
    codes = [each.code for each in caught.value.diagnostics]
    assert codes == ["duplicate-key", "tree-duplicate", "duplicate-key"]
    assert caught.value.diagnostics[0].where == "f:1"


@given(st.from_regex(r"[-+]?[0-9]{1,3}(\.[0-9]{1,3})?|[a-z]{1,5}|true|null|~", fullmatch=True))
@settings(deadline=None)
def test_words_can_be_kept_as_they_are_written(word):
    found = parse(f"x: {word}", meaning=documents.yaml.as_written).data["x"]
    assert found == word
    assert isinstance(found, documents.yaml.Word) == (not isinstance(documents.yaml.resolve(word), str))
