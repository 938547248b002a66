"""Whatever a file holds, reading it ends in a case or in problems with codes."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.case.formats.cases import small
from tests.case.formats.test_gsn2x import ONE

from surefoot.case import Case, Node, formats
from surefoot.core import DiagnosticsError

CONFIDENCE = "confidence: {checked: {belief: 1, disbelief: 0, uncertainty: 0}, discounting: uncertainty}\n"
GOOD = {
    "a.yaml": formats.text(small(), "yaml").replace("modules:", CONFIDENCE + "modules:"),
    "a.json": formats.text(small(), "json"),
    "b.gsn.yaml": ONE,
    "c.gsn.yaml": formats.gsn2x_texts(small())["index.gsn.yaml"].replace("uses:", "ignored:"),
}
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
PARTS = ["{", "}", "[", "]", ":", "- ", "\n", "  ", '"', "1e999", "null", "true", "surefoot-", "id", "claim", "~", "é"]
ANYTHING = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=40).map(str.encode),
    st.lists(st.sampled_from(PARTS)).map("".join).map(str.encode),
)


def is_read_or_refused(path, content):
    path.write_bytes(content)
    try:
        return isinstance(Case.read(path), Case)
    except DiagnosticsError as error:
        return bool(error.diagnostics) and all(found.severity == "error" for found in error.diagnostics)


@pytest.mark.parametrize("name", GOOD)
def test_the_good_files_are_good(name, tmp_path):
    (tmp_path / name).write_text(GOOD[name])
    assert len(Case.read(tmp_path / name)) > 5


@pytest.mark.parametrize("name", [*GOOD, "a"])
@MANY
@given(content=ANYTHING)
def test_anything_is_refused_or_read(name, content, tmp_path):
    assert is_read_or_refused(tmp_path / name, content)


@pytest.mark.parametrize("name", GOOD)
def test_every_beginning_is_refused_or_read(name, tmp_path):
    whole = GOOD[name].encode()
    assert all(is_read_or_refused(tmp_path / name, whole[:end]) for end in range(0, len(whole), 7))


@pytest.mark.parametrize("name", GOOD)
def test_mutated_files_are_refused_or_read(name, tmp_path):
    chance = random.Random(7)
    whole = GOOD[name]
    for _ in range(300):
        text = whole
        for _ in range(chance.randint(1, 4)):
            at, until = sorted(chance.randrange(len(text)) for _ in range(2))
            piece = chance.choice([*PARTS, whole[at:until][:40], "", "\x00", "\ufeff", "🙂"])
            text = text[:at] + piece + text[at + chance.randint(0, 12) :]
        assert is_read_or_refused(tmp_path / name, text.encode())


VALUES = [
    "3",
    "{}",
    "[]",
    "[[1]]",
    "{a: 1}",
    "null",
    "'x'",
    "[null]",
    "1e400",
    "{1: 2}",
    "{belief: x}",
    "[{id: []}]",
    "true",
]


def test_every_field_with_a_value_of_another_kind_is_refused_or_read(tmp_path):
    for value in VALUES:
        for name in ("a.yaml", "b.gsn.yaml", "c.gsn.yaml"):
            lines = GOOD[name].splitlines()
            for index, line in enumerate(lines):
                key, colon, _ = line.partition(":")
                text = "\n".join([*lines[:index], f"{key}{colon} {value}", *lines[index + 1 :]])
                assert is_read_or_refused(tmp_path / name, text.encode()), (value, name, line)


def test_a_distribution_that_is_nested_too_deep_is_refused(tmp_path):
    inner = "{type: mixture, parts: " * 240 + "1" + "}" * 240
    number = f"{{quantity: q, at most: 0.1, uncertainty: {inner}}}"
    text = f"surefoot-case: 1\nnodes:\n  C:\n    claim: x\n    number: {number}\n"
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(DiagnosticsError, match="no distribution"):
        Case.read(tmp_path / "a.yaml")


def big(count=10_000):
    text = "The vehicle keeps its distance in situation {} of all that were described"
    nodes = {}
    for n in range(count):
        below = (f"C{n + 1}",) if n + 1 < count else ()
        nodes[f"C{n}"] = Node(f"C{n}", "claim", text.format(n), below, (f"C{n // 2}",), tags=("AMLAS: stage 5",))
    return Case(nodes)


def test_a_chain_of_ten_thousand_nodes_is_read(tmp_path):
    case = big()
    for name in ("a.yaml", "a.json", "a.gsn.yaml"):
        assert Case.read(case.write(tmp_path / name)) == case
