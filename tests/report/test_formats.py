"""JUnit, Markdown and the JSON Schema."""

import copy
import json
from itertools import cycle
from xml.etree import ElementTree

from jsonschema import Draft202012Validator

from surefoot.core import CODES, SurefootError
from surefoot.project import Result
from surefoot.report import html, junit, markdown, read, result_schema, write
from tests.report import results


def plain(result):
    return json.loads(json.dumps(result.to_dict()))


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(result_schema())
    json.dumps(result_schema())


def test_real_results_and_what_a_page_holds_are_as_the_schema_says(tmp_path):
    schema = Draft202012Validator(result_schema())
    for make in (results.full, results.met, results.contradicted, results.without_targets):
        assert list(schema.iter_errors(plain(make()))) == [], make.__name__
    schema.validate(read(write(results.full(), tmp_path / "r.html")))


def test_the_schema_refuses_what_is_no_result():
    damages = [
        lambda data: data.pop("answers"),
        lambda data: data.update(extra=1),
        lambda data: data.update(version=1),
        lambda data: data["answers"][0]["verdict"].update(status="fine"),
        lambda data: data["answers"][0]["estimate"].update(value="0.1"),
        lambda data: data.update(case="wish"),
    ]
    schema = Draft202012Validator(result_schema())
    for place, damage in enumerate(damages):
        data = plain(results.met())
        damage(data)
        assert not schema.is_valid(data), place


def test_the_schema_knows_every_field_and_every_code():
    schema = result_schema()
    assert set(schema["required"]) == set(results.met().to_dict())
    assert set(schema["properties"]) == {*schema["required"], "shared", "history"}
    assert schema["$defs"]["diagnostic"]["properties"]["code"]["enum"] == list(CODES)


def test_junit_has_a_test_case_a_target_and_fails_what_is_not_met():
    root = ElementTree.fromstring(junit(results.full()).encode())
    assert root.attrib["tests"] == "4"
    assert root.attrib["failures"] == "2"
    failed = {case.get("name"): case.find("failure") is not None for case in root.iter("testcase")}
    assert failed == {"misses": False, "recall": True, "risk": True, "assurance case": False}
    said = {each.get("name"): each.get("value") for each in root.iter("property")}
    assert said == {"headline": "No: 1 of 3 numbers met, 1 violated.", "status": "violated"}


def test_junit_says_why_and_what_is_needed():
    root = ElementTree.fromstring(junit(results.full()).encode())
    failure = next(case.find("failure") for case in root.iter("testcase") if case.get("name") == "risk")
    assert failure.get("type") == "violated"
    assert failure.get("message").startswith("Target violated: failure probability")
    assert "147 new tests" in failure.text


def test_junit_skips_the_case_that_leaves_something_open():
    root = ElementTree.fromstring(junit(results.without_targets()).encode())
    (case,) = root.iter("testcase")
    assert root.find("testsuite").attrib["skipped"] == "1"
    assert case.find("skipped").get("message") == "Open: claim."


def test_markdown_is_a_table_of_the_targets():
    lines = markdown(results.full()).splitlines()
    assert lines[0] == "### Breast cancer screening: No: 1 of 3 numbers met, 1 violated"
    assert "| misses | **met** | 0.015 (counted) | 0.0384 (confidence, 95%) | at most 0.05 | 1.3 |" in lines
    assert "| recall | **not shown** | 0.944 (believed) | 0.86 (heuristic, 95%) | at least 0.95 | 0.905 |" in lines
    assert "- 147 new tests show it with probability 80%." in lines


def test_markdown_tells_what_to_know():
    text = markdown(results.full())
    assert "Assumptions: 4 not checked, 4 not contradicted. Caveats: pickle-trusted." in text
    assert f"`{results.full().digest[:12]}`" in text


def test_markdown_without_targets_concludes_nothing():
    text = markdown(results.without_targets())
    assert "Nothing is concluded: the project states no target" in text
    assert "|" not in text


def test_markdown_shows_no_margin_of_a_bound_that_does_not_count():
    assert "| none counts | at most 0.5 | – |" in markdown(results.contradicted())


JUNK = (None, "x", -1, [], {}, [None], {"x": 1}, True, float("nan"))


def paths(value, at=()):
    yield at
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(item, (*at, key))


def test_a_damaged_result_is_refused_or_can_be_reported():
    whole = plain(results.met())
    assert markdown(Result.from_dict(whole)) == markdown(results.met())
    refused = reported = 0
    for number, (path, junk) in enumerate(zip([path for path in paths(whole) if path][::3], cycle(JUNK), strict=False)):
        damaged = copy.deepcopy(whole)
        inner = damaged
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = junk
        try:
            result = Result.from_dict(damaged)
            for made in (markdown, junit, html) if number % 10 == 0 else (markdown, junit):
                made(result)
            reported += 1
        except SurefootError:
            refused += 1
    assert refused > 30
    assert reported > 30
