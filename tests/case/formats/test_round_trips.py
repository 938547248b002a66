"""What is written is read back as it was, in every format, whatever the texts hold."""

import json
from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.formats.cases import cases, small, texts

from surefoot.case import Case, Node, formats
from surefoot.core import DiagnosticsError
from surefoot.documents import as_yaml

ENDINGS = ("a.yaml", "a.json", "a.gsn.yaml")
MANY = settings(max_examples=15, deadline=None)


@pytest.mark.parametrize("name", ENDINGS)
def test_a_small_case_is_read_back(name, tmp_path):
    assert Case.read(small().write(tmp_path / name)) == small()


@pytest.mark.parametrize("name", ENDINGS)
@MANY
@given(case=cases())
def test_every_case_is_read_back(name, case, tmp_path_factory):
    folder = tmp_path_factory.mktemp("case")
    assert Case.read(case.write(folder / name)) == case


@MANY
@given(case=cases(module_names=("",)))
def test_a_case_without_modules_is_one_file_of_gsn2x(case, tmp_path_factory):
    case = Case(case.nodes, case.name, case.description, {}, case.notation, case.policy)
    place = case.write(tmp_path_factory.mktemp("case") / "a.gsn.yml")
    assert place.name == "a.gsn.yml"
    assert Case.read(place) == case


@MANY
@given(case=cases())
def test_another_parser_of_yaml_reads_the_same(case):
    data = json.loads(formats.text(case, "json"))
    assert yaml.safe_load(formats.text(case, "yaml")) == data == formats.case_to_dict(case)
    assert formats.case_from_dict(data) == case
    for text in formats.gsn2x_texts(case).values():
        assert isinstance(yaml.safe_load(text), dict)


@settings(max_examples=50, deadline=None)
@given(text=texts | st.lists(texts, min_size=3).map(" ".join) | st.lists(texts, min_size=3).map("\n".join))
def test_every_text_is_kept_wherever_it_stands(text):
    data = {"a": text, "b": {"c": {"d": [text, text], "e": text}}, "f": {"g": text}}
    assert yaml.safe_load(as_yaml(data, blocks=2)) == data


def test_order_is_kept(tmp_path):
    case = Case({name: Node(name, "claim", name) for name in ("z", "a", "m")})
    for name in ("a.yaml", "a.json", "a.gsn.yaml"):
        assert list(Case.read(case.write(tmp_path / name)).nodes) == ["z", "a", "m"]


def test_what_no_document_holds_is_not_written(tmp_path, subtests):
    for name in (*ENDINGS, "a.xmi"):
        for text in ("a \ud800 b", "a \x07 b", "\x9b"):
            with subtests.test(name=name, text=text):
                case = Case({"C1": Node("C1", "claim", text)})
                with pytest.raises(DiagnosticsError) as error:
                    case.write(tmp_path / name)
                assert error.value.diagnostics[0].code == "case-value"
                assert not list(tmp_path.iterdir())


@st.composite
def cases_with_stand_ins(draw):
    """Modules that rest on each other through sub-cases as reading gsn2x makes them, some of them altered."""
    modules = draw(st.lists(st.sampled_from(["", "m", "n", "a/b"]), min_size=2, max_size=4, unique=True))
    claims = {f"G{n}": Node(f"G{n}", "claim", draw(texts), module=module) for n, module in enumerate(modules)}
    found = dict(claims)
    for claim in claims.values():
        for other in draw(st.lists(st.sampled_from(list(claims)), unique=True)):
            target = claims[other]
            if target.module == claim.module:
                continue
            name = f"{target.module}/{other}" + (f" in {claim.module}" if claim.module else "")
            text = draw(st.sampled_from([target.text, "altered"]))
            found[name] = Node(name, "sub-case", text, module=claim.module, of=f"{target.module}/{other}")
            below = draw(st.sampled_from([(name,), (name,), (other,), ()]))
            found[claim.id] = replace(found[claim.id], supported_by=found[claim.id].supported_by + below)
    return Case(found)


@settings(max_examples=25, deadline=None)
@given(case=cases_with_stand_ins())
def test_sub_cases_between_modules_of_gsn2x_are_read_back(case, tmp_path_factory):
    assert Case.read(case.write(tmp_path_factory.mktemp("case") / "a.gsn")) == case
