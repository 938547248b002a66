"""Text from files never becomes markup, whatever it holds and wherever it stands."""

import json
import re
from functools import cache
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import surefoot as sf
from surefoot.case import Goal, Ingredients, instantiate
from surefoot.core import Artefact, Assumption, Check, Diagnostic, Estimate, Evidence, Provenance, Table
from surefoot.project import Answer, Looks, Result
from surefoot.report import html, markdown, read, result_schema, write
from tests.report.test_page import Outline

ATTACKS = {
    "script": "<script>document.title='owned'</script>",
    "end of script": "</script><script>document.title='owned'</script>",
    "image": '"><img src=x onerror="document.title=\'owned\'" id=injected>',
    "single quotes": "' onmouseover='alert(1)",
    "template": "{{7*7}}{% if 1 %}x{% endif %}${7*7}",
    "list": "1. - = + first",
    "comment": "<!-- --> <![CDATA[ ]]> &lt;b&gt;",
    "direction": "\u202esafe\u2066 yrev",
    "controls": "a\x00b\x1b[31mc\x7f\x85\ufffe",
    "long word": "w" * 10_000,
    "markdown": "| `x` **b** [l](http://e.org) @octocat #1 <br> www.e.org https://e.org",
}


def hostile(text):
    """A result with the text in every place that holds text."""
    check = Check("contradicted", text, {text: text, "n": [text]}, 1.0)
    assumption = Assumption(text, text, check, text)
    caveat = Diagnostic("shared-data", text, "warning", text, text)
    bound = sf.Bound(0.2, "upper", 0.05, "confidence")
    provenance = Provenance(text, {text: text}, (text,), {text: text}, 1, {text: text})
    estimate = Estimate(
        text, 0.1, "per demand", text, (bound,), None, (assumption,), (caveat,), {text: text}, provenance
    )
    target = sf.Target(at_most=0.1, source=text)
    verdict = estimate.meets(target)
    answer = Answer(text, text, text, target, estimate, verdict, 0.5, (text,), 2, 0.975, verdict)
    figures = {text: Artefact("image/svg+xml", text.encode("utf-8", "replace")), f"{text}2": Artefact(text, b"x")}
    evidence = Evidence((estimate,), {text: Table((text, "n"), [(text, 1)])}, figures, (assumption,), provenance)
    definition = {
        "system": {"name": text, "description": text, "hazard": text},
        "conditions": {
            "assumptions": [{"id": text, "text": text, "column": text, "one_of": [text, 1]}],
            "odd": {text: [text, 1, True]},
        },
        "components": {text: {"model": {"path": text}}},
        "evidence": {text: {"step": text, "parameter": [text]}},
        "targets": {text: {"estimate": text}},
    }
    goal = Goal(text, text, verdict, estimate, text)
    return Result(
        definition=definition,
        evidence={text: evidence},
        answers=(answer,),
        case=instantiate(Ingredients(text, (goal,), {text: evidence}, text, hazard=text, context=(text,))),
        keys={text: text},
        digests={text: text},
        versions={text: text, "surefoot": text},
        looks=(Looks(text, 2),),
        caveats=(caveat,),
        created=text,
    )


@cache
def page(text):
    return html(hostile(text))


@pytest.fixture(params=ATTACKS.values(), ids=ATTACKS.keys())
def attack(request):
    return request.param


def harmless(text):
    """As long, and with the same characters that part names from each other."""
    return re.sub(r"[^.\s\[\]/%@]", "h", text)


def test_the_page_has_the_same_elements_and_attributes_as_with_harmless_text(attack):
    wrapping = {"rect", "path", "text"}
    text = page(attack).encode().decode()
    found, expected = (Outline(each).tags for each in (text, page(harmless(attack))))
    assert [tag for tag, _ in found if tag not in wrapping] == [tag for tag, _ in expected if tag not in wrapping]
    assert {name for _, names in found for name in names} == {name for _, names in expected for name in names}
    assert not set(text) & {"\u202e", "\u2066", "\x00", "\x1b", "\x7f", "\x85"}


def test_every_format_can_be_written_and_the_result_read_back_exactly(attack, tmp_path):
    result = hostile(attack)
    for suffix in (".json", ".md"):
        assert write(result, tmp_path / f"report{suffix}").stat().st_size > 0, suffix
    root = ElementTree.fromstring(write(result, tmp_path / "report.xml").read_bytes())
    tags = [element.tag for element in root.iter()]
    assert tags[:6] == ["testsuites", "testsuite", "properties", "property", "property", "testcase"]
    assert tags[6:] == ["failure", "testcase", "system-out"]
    back, plain = read(write(result, tmp_path / "report.html")), json.loads(json.dumps(result.to_dict()))
    assert back["answers"] == plain["answers"]
    assert back["definition"] == plain["definition"]
    assert Result.from_dict(back).case == result.case
    Draft202012Validator(result_schema()).validate(plain)


def test_markdown_renders_without_links_elements_or_further_cells(attack):
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table")

    def outline(text):
        tokens = parser.parse(markdown(hostile(text)))
        flat = [child for token in tokens for child in (token, *(token.children or ()))]
        return [token.type for token in flat if token.type not in ("text", "softbreak")]

    assert outline(attack) == outline("harmless")


def test_markdown_mentions_nobody_and_links_nothing():
    text = markdown(hostile(ATTACKS["markdown"]))
    assert "@octocat" not in text
    assert "#1" not in text
    assert "http://" not in text
    assert "www.e" not in text


def test_direction_marks_and_controls_become_visible():
    assert "\ufffdsafe\ufffd yrev" in page(ATTACKS["direction"])
    assert "a\ufffdb\ufffd[31mc\ufffd" in page(ATTACKS["controls"])
