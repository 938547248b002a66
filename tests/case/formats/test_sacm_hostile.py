"""SACM files from strangers: whatever they hold, the reader says what is wrong and does nothing else."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.case.formats.cases import small
from tests.case.formats.test_sacm_foreign import BY_PATH, ONE_NAMESPACE, read

from surefoot.case import formats
from surefoot.core import DiagnosticsError

SEEDS = [text.encode() for text in (ONE_NAMESPACE, BY_PATH, formats.text(small(), "sacm"))]
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><ArgumentPackage name="&b;"/>'
OUTSIDE = (
    '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><ArgumentPackage><claim id="a">&a;</claim></ArgumentPackage>'
)


TAGS = ["claim", "argumentReasoning", "artifactReference", "assertedInference", "assertedContext"]
NAMES = ["id", "gid", "name", "source", "target", "reasoning", "citedElement", "metaClaim", "isCounter", "isCitation"]
NAMES += ["referencedArtifactElement", "assertionDeclaration"]
VALUES = ["a", "b", "c", "true", "a b", "//@claim.0", "assumed", "asCited", "", " "]
ELEMENTS = st.tuples(st.sampled_from(TAGS), st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES)))


def outcome(text, folder):
    """The case, or its problems; anything else that is raised fails the test."""
    try:
        return read(text, folder).case, ()
    except DiagnosticsError as error:
        return None, error.diagnostics


def test_what_a_safe_reader_refuses(tmp_path, subtests):
    for text, said in (
        (LAUGHS, "document type"),
        (OUTSIDE, "document type"),
        ('<!DOCTYPE x SYSTEM "http://example.org/x.dtd"><ArgumentPackage/>', "document type"),
        ("<ArgumentPackage>&unknown;</ArgumentPackage>", "undefined entity"),
        ("<a>" * 5000, "nested deeper"),
        ("<a:b/>", "unbound prefix"),
        ("<html><body/></html>", "no file of SACM"),
        ("<ArgumentPackage", "not well-formed"),
        ("", "empty"),
        ('<?xml version="1.0" encoding="klingon"?><ArgumentPackage/>', "unknown encoding"),
    ):
        with subtests.test(text=text):
            with pytest.raises(DiagnosticsError, match=said) as error:
                read(text, tmp_path)
            assert {problem.code for problem in error.value.diagnostics} == {"case-syntax"}


def test_nothing_outside_the_file_is_opened(tmp_path):
    """XInclude and references to other files are only names."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    text = f"""<ArgumentPackage xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{secret}" parse="text"/>
      <claim id="a" name="a"/><assertedInference><source href="{secret}#b"/><target href="#a"/></assertedInference>
      </ArgumentPackage>"""
    reading = read(text, tmp_path)
    assert "secret" not in repr([node.text for node in reading.case])
    assert len(reading.notes) == 3


def test_huge_attributes_and_texts_are_read_in_time(tmp_path):
    long = "x" * 1_000_000
    case = read(f'<ArgumentPackage><claim id="a" description="{long}"/></ArgumentPackage>', tmp_path).case
    assert len(case["a"].text) == len(long)
    pieces = "a<b/>" * 60_000
    assert len(read(f'<ArgumentPackage><claim id="a">{pieces}</claim></ArgumentPackage>', tmp_path).notes) == 100


def test_very_many_problems_are_counted(tmp_path):
    wrong = '<assertedInference source="q" target="w"/>' * 20_000
    with pytest.raises(DiagnosticsError, match="39,800 more problems"):
        read(f"<ArgumentPackage>{wrong}</ArgumentPackage>", tmp_path)


def test_strange_places_are_nowhere(tmp_path):
    for path in ("/", "//@claim.99999999999", "/5/@a.0", "//@@", "/x", "//@claim.0/@name.0", "///", "/²"):
        text = f'<ArgumentPackage><claim id="a"/><assertedInference source="{path}" target="a"/></ArgumentPackage>'
        case, problems = outcome(text, tmp_path)
        assert case["a"].supported_by == () if case else "not in the file" in problems[0].text, path


FIELDS = [
    "number",
    "stated",
    "multiplicity",
    "choice",
    "supported_by",
    "tag",
    "text",
    "of",
    "id",
    "kind",
    "format",
    "name",
]
FIELDS += ["notation", "policy", "order", "module", "unlisted", "brief", "extends", "rests_on", "undeveloped"]
WRONG = ["1", "[]", "{}", "null", '"x"', "[[1]]", '{"a": 1}', "1e999", "NaN", "[" * 100_000, "9" * 5000, '"\\ud800"']


def test_tagged_values_of_any_content_in_any_place(tmp_path):
    for ending in ("", ".json"):
        for field in FIELDS:
            for data in WRONG:
                tagged = f"<taggedValue key='surefoot.{field}{ending}' content='{data}'/>"
                # Deep and long values are as bad in every place, so that each place takes its turn.
                for place in range(4) if len(data) < 1000 else (len(field) % 4,):
                    case, package, claim, artifact = (tagged if place == each else "" for each in range(4))
                    text = f"""<AssuranceCasePackage>{case}<argumentPackage>{package}
              <claim gid="a">{claim}<taggedValue key="surefoot.kind" content="claim"/></claim>
              <artifactReference id="b" referencedArtifactElement="c"/></argumentPackage>
              <artifactPackage><artifact id="c">{artifact}</artifact></artifactPackage></AssuranceCasePackage>"""
                    found, problems = outcome(text, tmp_path)
                    assert problems or len(found) == 2, (field, ending, data, place)
                    assert problems or read(formats.text(found, "sacm"), tmp_path).case == found, (
                        field,
                        ending,
                        data,
                        place,
                    )


@settings(max_examples=60, deadline=None)
@given(seed=st.sampled_from(SEEDS), number=st.integers(0, 2**32), times=st.integers(1, 6))
def test_damaged_files_raise_nothing_but_diagnostics(seed, number, times, tmp_path_factory):
    chance = random.Random(number)
    content = bytearray(seed)
    for _ in range(times):
        begin = chance.randrange(len(content))
        end = begin + chance.choice([0, 1, 3, 40])
        other = chance.randrange(len(content))
        new = [b"", bytes([chance.randrange(256)]), content[other : other + 60], b'"', b"<", b"&#0;", b"//@claim.0"]
        content[begin:end] = chance.choice(new)
    case, problems = outcome(bytes(content), tmp_path_factory.getbasetemp())
    assert problems or formats.text(case, "sacm")


@settings(max_examples=50, deadline=None)
@given(parts=st.lists(ELEMENTS, max_size=8))
def test_random_elements_become_a_case_or_diagnostics(parts, tmp_path_factory):
    said = [etree.tostring(etree.Element(tag, attributes), encoding="unicode") for tag, attributes in parts]
    folder = tmp_path_factory.getbasetemp()
    case, problems = outcome(f"<ArgumentPackage>{''.join(said)}</ArgumentPackage>", folder)
    assert {problem.code for problem in problems} <= {"case-syntax", "case-value"}
    assert problems or read(formats.text(case, "sacm"), folder).case == case
