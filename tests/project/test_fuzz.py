"""Whatever a file holds, loading it gives a project or coded problems, never another exception."""

import string

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from surefoot.core import DiagnosticsError
from surefoot.project import Project, from_data, load
from tests.project.sample_steps import register
from tests.project.writing import definition

GOOD = definition(
    conditions={"assumptions": [{"id": "a", "text": "A.", "column": "age", "at_most": 9}], "odd": {"x": ["y", 1]}},
    evidence__sum={"step": "combined", "factors": {"a": "risk.x"}, "others": ["risk.y"]},
    evidence__guess={"step": "guessed", "value": 1, "at": [[1, 2.0]]},
    case={"claim": "c", "context": ["d"]},
)
TEXT = yaml.safe_dump(GOOD, sort_keys=False)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["step", "path", "callable", "data", "model", "at_most", "risk", "linear", "on", "factors", "version"]
)
FRAGMENTS = st.sampled_from(
    [
        *(
            "&a ",
            "*a",
            "!!x ",
            "- ",
            ": ",
            "{",
            "}",
            "[",
            "]",
            "'",
            '"',
            "\t",
            "\n",
            "---\n",
            "? ",
            "| ",
            "> ",
            "#",
            "%",
        ),
        *("1e9", "\\", "\x00", "\ud800", "\u2028", "\x85", "é", "..", "~", "<<: ", "0x1f", ".nan", "null"),
    ]
)
QUIET = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(autouse=True)
def _steps(monkeypatch):
    register(monkeypatch)


def loads_or_explains(action):
    found = None
    try:
        project = action()
    except DiagnosticsError as error:
        found = error
    if found is None:
        assert isinstance(project, Project)
    else:
        assert found.diagnostics
        assert all(d.where and d.text and d.severity == "error" for d in found.diagnostics)
        assert str(found).encode("utf-8")


def load_text(small, text):
    small.file.write_bytes(text.encode("utf-8", "surrogatepass"))
    loads_or_explains(lambda: load(small.file))


@QUIET
@given(content=st.binary(max_size=200))
def test_any_bytes(small, content):
    small.file.write_bytes(content)
    loads_or_explains(lambda: load(small.file))


@QUIET
@given(text=st.lists(FRAGMENTS | st.text(string.printable, max_size=5), max_size=30).map("".join))
@example(text="? {")
@example(text="a: !<tag:yaml.org,2002:str> b")
def test_any_text_that_looks_like_yaml(small, text):
    load_text(small, text)


@QUIET
@given(at=st.integers(0, len(TEXT)), length=st.integers(0, 30), piece=FRAGMENTS | st.text(max_size=10))
def test_a_good_file_with_a_piece_replaced(small, at, length, piece):
    load_text(small, TEXT[:at] + piece + TEXT[at + length :])


def changed(draw, data):
    """The data with one value, anywhere, replaced, removed or given a new neighbour."""
    if not isinstance(data, dict | list) or not data or draw(st.integers(0, 3)) == 0:
        return draw(VALUES)
    if isinstance(data, list):
        position = draw(st.integers(0, len(data) - 1))
        return [*data[:position], changed(draw, data[position]), *data[position + 1 :]]
    key = draw(st.sampled_from(sorted(data)))
    kind = draw(st.sampled_from(["inside", "inside", "inside", "removed", "renamed", "added"]))
    rest = {name: value for name, value in data.items() if name != key}
    return {
        "inside": lambda: {**data, key: changed(draw, data[key])},
        "removed": lambda: rest,
        "renamed": lambda: {**rest, draw(KEYS | st.text(max_size=8)): data[key]},
        "added": lambda: {**data, draw(KEYS | st.text(max_size=8)): draw(VALUES)},
    }[kind]()


@QUIET
@given(data=st.composite(lambda draw: changed(draw, changed(draw, GOOD)))())
def test_a_good_definition_with_values_changed(small, data):
    loads_or_explains(lambda: from_data(data, folder=small.folder))


@QUIET
@given(data=st.composite(lambda draw: changed(draw, GOOD))())
def test_the_same_through_yaml(small, data):
    small.file.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8", errors="surrogatepass")
    loads_or_explains(lambda: load(small.file))
