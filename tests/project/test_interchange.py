"""A result as data for files: nothing of any size stands in it twice, and all of it comes back."""

import base64
import json
import zlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.project import condensed, expanded
from tests.report import results

LONG = 160
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab€"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4),
    max_leaves=20,
)


def drawn():
    """A result whose number has draws, asked about twice."""
    risk = sf.bounds.jeffreys(2, 1000, level=0.95)
    product = sf.propagate(lambda a: a * 0.5, {"a": risk}, quantity="hazard")
    answers = [
        results.answer(name, "Rare.", "p.hazard", product, sf.Target(at_most=limit))
        for name, limit in (("hazard", 0.01), ("strict", 0.001))
    ]
    return results.result(answers, {"p": results.evidence_of(product, "product")})


def test_a_small_file_that_would_become_a_huge_one_is_refused():
    doubling = {f"a{level}": {"x": {"$same": f"a{level + 1}"}, "y": {"$same": f"a{level + 1}"}} for level in range(40)}
    endless = {"a0": {"x": {"$same": "a0"}}}
    zeros = base64.b64encode(zlib.compress(bytes(8 * 21_000_000), 9)).decode()
    for shared in (doubling, endless, {"a0": {"$numbers": zeros}}):
        with pytest.raises(ValueError, match="more than any"):
            expanded({"evidence": {}, "answers": [], "more": {"$same": "a0"}, "shared": shared})


def large_parts(data):
    """Every mapping, and every list of numbers, of some length, as text."""
    if isinstance(data, dict):
        if len(written := json.dumps(data)) > LONG:
            yield written
        for item in data.values():
            yield from large_parts(item)
    elif isinstance(data, list):
        if len(data) > LONG and all(isinstance(each, float) for each in data):
            yield json.dumps(data)
        for item in data:
            yield from large_parts(item)


@pytest.mark.parametrize("make", [results.met, results.full, results.without_targets, drawn])
def test_nothing_of_any_size_stands_in_a_file_twice(make):
    result = make()
    data = json.loads(sf.report.as_json(result))
    assert [part[:200] for part, times in Counter(large_parts(data)).items() if times > 1] == []
    assert expanded(data) == json.loads(json.dumps(result.to_dict()))
    assert sf.Result.from_dict(data).digest == result.digest


def test_draws_stand_in_a_file_as_their_bytes_and_come_back_to_the_last_digit():
    result = drawn()
    whole = json.dumps(result.to_dict(), indent=2)
    assert len(sf.report.as_json(result)) < len(whole) / 10
    back = sf.Result.from_dict(json.loads(sf.report.as_json(result)))
    assert back["p.hazard"].dist.draws == result["p.hazard"].dist.draws
    assert back.answers[1].estimate == result.answers[1].estimate


@given(st.dictionaries(st.text("ab", min_size=1, max_size=2), plain, max_size=3), plain, st.integers(1, 3))
def test_any_data_come_back(more, part, times):
    twice = {str(place): [part, {"same": part, "list": [0.5] * 60}] for place in range(times)}
    whole = {**more, "answers": [], "evidence": {}, "twice": twice}
    assert expanded(json.loads(json.dumps(condensed(whole)))) == whole
    assert expanded(whole) == whole


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data["answers"][0]["estimate"].update({"$measured": ["p", 7]}),
        lambda data: data["answers"][0]["estimate"].update({"$measured": "p"}),
        lambda data: data["shared"].clear(),
        lambda data: data["evidence"]["p"].pop("artefacts"),
    ],
)
def test_damaged_data_are_refused(damage, tmp_path):
    data = json.loads(sf.report.as_json(drawn()))
    damage(data)
    path = tmp_path / "result.json"
    path.write_text(json.dumps(data))
    with pytest.raises(sf.SurefootError):
        sf.Result.from_dict(sf.report.read(path))
