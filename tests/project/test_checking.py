"""Everything wrong with a project file is shown at once, in plain words, with its line and what to do."""

import os

import pytest
import yaml

from surefoot.core import DiagnosticsError
from surefoot.project import check, from_data, load
from tests.project.sample_steps import register
from tests.project.writing import ABSENT, definition, problems, write
from tests.refusals import told

ONE_LIMIT = "wrong-value: targets.low needs exactly one of at_most, at_least and principle."
JARGON = ("pydantic", "Input should", "validation error", "https://", "type=", "NoneType", "Traceback")


@pytest.fixture(autouse=True)
def _steps(monkeypatch):
    register(monkeypatch)


def test_a_good_file_loads_from_file_and_from_folder(small):
    write(small)
    for path in (small.file, str(small.file), small.folder):
        project = load(path)
        assert project.definition.evidence["risk"].step == "tallied"
        assert project.folder == small.folder
        assert check(project) == []


def test_all_problems_of_a_file_are_shown_together_in_its_order(small):
    found = problems(
        small,
        system__nmae="x",
        components__linear__model__batch_size=0,
        components__linear__classes=["no", "yes", "no"],
        evidence__risk__levle=0.9,
        evidence__b={"step": "talied"},
        targets__low__estimate="rsik.failure probability",
        seed=-1,
    )
    assert [line.partition(":")[0] for line in found] == [
        "unknown-key",
        "wrong-value",
        "unknown-key",
        "unknown-step",
        "unknown-reference",
        "wrong-value",
    ]


def test_a_problem_has_the_line_of_its_key(small):
    text = yaml.safe_dump(definition(evidence__risk__levle=0.9), sort_keys=False)
    small.file.write_text(text)
    with pytest.raises(DiagnosticsError) as caught:
        load(small.file)
    line = 1 + next(number for number, content in enumerate(text.splitlines()) if "levle" in content)
    (found,) = caught.value.diagnostics
    assert found.where == f"surefoot.yaml:{line}"
    assert f"surefoot.yaml:{line}: error [unknown-key] evidence.risk.levle is no parameter" in str(caught.value)


def test_each_mistake_is_one_plain_sentence(small):
    for change, expected in [
        ({"sytem": {}}, "unknown-key: sytem is no key that is known here. Did you mean 'system'?"),
        ({"system__hazzard": "x"}, "unknown-key: system.hazzard is no key that is known here. Did you mean 'hazard'?"),
        ({"system": ABSENT}, "missing-key: system is missing."),
        ({"system__name": ABSENT}, "missing-key: system.name is missing."),
        ({"system__name": 7}, "wrong-value: system.name must be text; found 7. Put it in quotes."),
        ({"system__name": True}, "wrong-value: system.name must be text; found true. Put it in quotes."),
        ({"system__name": ""}, "wrong-value: system.name must be more than empty; found ''."),
        ({"system": "x"}, "wrong-value: system must be a mapping of keys and values; found 'x'."),
        ({"components": {}}, "wrong-value: components must be more than empty; found an empty mapping."),
        ({"evidence": None}, "wrong-value: evidence must be a mapping of keys and values; found nothing."),
        (
            {"components__linear__data__test__lables": "y"},
            "unknown-key: components.linear.data.test.lables is no key that is known here. Did you mean 'labels'?",
        ),
        (
            {"components__linear__model__output": "scores"},
            "wrong-value: components.linear.model.output must be 'probability', 'logit', 'score' or 'label';"
            " found 'scores'. Did you mean 'score'?",
        ),
        (
            {"components__linear__model__batch_size": 2.5},
            "wrong-value: components.linear.model.batch_size must be a whole number; found 2.5.",
        ),
        (
            {"components__linear__model__batch_size": True},
            "wrong-value: components.linear.model.batch_size must be a whole number; found true.",
        ),
        (
            {"components__linear__model__time_limit": "1"},
            "wrong-value: components.linear.model.time_limit must be a number; found '1'.",
        ),
        (
            {"components__linear__model__weights": "a.safetensors"},
            "wrong-value: components.linear.model needs factory and weights together.",
        ),
        (
            {"components__linear__model": {}},
            "wrong-value: components.linear.model needs exactly one of path, callable and factory.",
        ),
        (
            {"components__linear__data__test__inputs": 3},
            "wrong-value: components.linear.data.test.inputs must be text or a list; found 3. Put it in quotes.",
        ),
        (
            {"components__linear__data__test__inputs": {"a": 3}},
            "wrong-value: components.linear.data.test.inputs must be text or a list; found a mapping.",
        ),
        (
            {"components__data": {"model": {"callable": "linear:predict"}}, "evidence__risk__component": "linear"},
            "missing-key: components.data.data is missing.",
        ),
        (
            {"components__linear__data__test__inputs": ["a", 3]},
            "wrong-value: components.linear.data.test.inputs[1] must be text; found 3. Put it in quotes.",
        ),
        (
            {"components__linear__data__test__image_size": [3]},
            "wrong-value: components.linear.data.test.image_size must be longer; found a list.",
        ),
        (
            {"components__linear__data__model": "test.npz"},
            "wrong-value: components.linear has a data set called 'model', which is what results call the model.",
        ),
        (
            {"components__linear__classes": ["a", "b", "a"]},
            "wrong-value: components.linear has two classes called 'a'.",
        ),
        (
            {"components__linear__classes": ["a"]},
            "wrong-value: components.linear has a single class; name all of them.",
        ),
        (
            {"evidence__a b": {"step": "tallied"}},
            "wrong-value: evidence.a b must be a name: a letter, then letters, digits, - and _; found 'a b'.",
        ),
        (
            {"evidence__risk": {"stpe": "counted"}},
            "missing-key: evidence.risk.step is missing. Is 'stpe' meant to be it?",
        ),
        ({"targets__low__at_most": ABSENT}, ONE_LIMIT),
        ({"targets__low__at_least": 0.1}, ONE_LIMIT),
        ({"targets__low__level": 95}, "wrong-value: targets.low.level must be below 1; found 95."),
        (
            {"targets__low__at_most": 5},
            "wrong-value: targets.low.at_most cannot be: a limit per demand is a share between 0 and 1; found 5."
            " Give for example 0.05 for 5%.",
        ),
        (
            {"targets__low__kinds": ["certian"]},
            "wrong-value: targets.low.kinds[0] must be 'confidence', 'credible', 'certain', 'expectation' or"
            " 'heuristic'; found 'certian'. Did you mean 'certain'?",
        ),
        (
            {"conditions": {"assumptions": [{"id": "a", "text": "A.", "at_least": 1}]}},
            "wrong-value: conditions.assumptions[0] needs a column together with at_least, at_most or one_of,"
            " or none of them.",
        ),
        (
            {"conditions": {"assumptions": [{"id": "a", "text": "A."}, {"id": "a", "text": "B."}]}},
            "wrong-value: conditions has two assumptions with the id 'a'.",
        ),
        (
            {"conditions": {"assumptions": [{"id": "a", "text": "A.", "column": "agee", "at_most": 1}]}},
            "unknown-reference: conditions.assumptions[0].column names 'agee', which is not among the attributes of"
            " components.linear.data.test. Did you mean 'age'?",
        ),
        (
            {"conditions": {"odd": {"light": []}}},
            "wrong-value: conditions.odd.light must be more than empty; found an empty list.",
        ),
    ]:
        with told(change):
            assert problems(small, **change) == [expected]


def test_versions_other_than_1_are_told_apart(small):
    for version, code in [
        (ABSENT, "missing-key"),
        (2, "unsupported-version"),
        (0, "unsupported-version"),
        (10**20, "unsupported-version"),
        ("1", "wrong-value"),
        (1.0, "wrong-value"),
        (True, "wrong-value"),
        (None, "missing-key"),
        ([1], "wrong-value"),
    ]:
        with told(version):
            (found,) = problems(small, version=version)
            assert found.startswith(f"{code}: version")


def test_a_newer_file_is_not_blamed_for_what_only_newer_versions_know(small):
    assert len(problems(small, version=2, future={}, evidence={"x": {"step": "of the future"}})) == 1


def test_a_per_year_limit_may_be_above_one(small):
    load(write(small, targets__low__at_most=5, targets__low__per="year"))


def test_broken_entries_do_not_hide_problems_of_others_nor_cause_new_ones(small):
    found = problems(
        small,
        components__linear__clases=["a", "b"],
        components__linear__data__test__path="tset.npz",
        evidence__broken={"step": 3},
        evidence__sum={"step": "combined", "factors": {"a": "broken.x", "b": "risk.x", "c": "nowhere.x"}},
    )
    assert len(found) == 4
    assert "unknown-key: components.linear.clases is no key that is known here. Did you mean 'classes'?" in found
    assert "wrong-value: evidence.broken.step must be text; found 3. Put it in quotes." in found
    assert any("'nowhere'" in line for line in found)
    assert any("Did you mean 'test.npz'?" in line for line in found)


def test_no_message_speaks_the_language_of_a_library(small):
    found = problems(
        small,
        system=[],
        components__linear__model=[],
        components__linear__data=3,
        evidence__risk={"step": [], "component": {}, "on": 3},
        evidence__g={"step": "guessed", "value": None, "how": 3, "at": [[1, "x"], 2], "bins": "many"},
        targets={"x": []},
        conditions={"assumptions": {}, "odd": [1]},
        case={"context": "x"},
        seed="x",
    )
    assert len(found) > 12
    assert [line for line in found for word in JARGON if word in line] == []


def test_a_wide_file_full_of_mistakes_is_checked_in_bounded_work(small):
    small.file.write_text("version: 1\n" + "".join(f"key{n}: 1\n" for n in range(20_000)))
    with pytest.raises(DiagnosticsError) as caught:
        load(small.file)
    assert len(caught.value.diagnostics) == 201
    assert "more than 200 problems" in caught.value.diagnostics[-1].text


def test_a_file_that_is_not_there_is_said_to_be_missing(small):
    for name in ["absent", "absent.yaml", "empty", "x" * 5000, "a\0b", "surefoot.yaml/x"]:
        with told(name):
            (small.folder / "empty").mkdir(exist_ok=True)
            with pytest.raises(DiagnosticsError) as caught:
                load(small.folder / name)
            assert caught.value.diagnostics[0].code in {"file-missing", "file-unreadable"}


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file that not even the superuser can read")
def test_a_file_that_cannot_be_read_is_said_to_be_unreadable():
    with pytest.raises(DiagnosticsError, match="file-unreadable"):
        load("/proc/self/mem")


def test_a_project_folder_whose_name_is_no_utf_8_loads(small, tmp_path):
    write(small)
    renamed = small.folder.with_name(os.fsdecode(b"caf\xe9"))
    small.folder.rename(renamed)
    assert check(load(renamed)) == []


def test_check_sees_what_changed_since_the_project_was_loaded(small):
    project = load(write(small))
    (small.folder / "test.npz").unlink()
    (found,) = check(project)
    assert found.code == "file-missing"
    assert found.where.startswith("surefoot.yaml:")


def test_plain_data_are_checked_alike(small):
    project = from_data(definition(), folder=small.folder)
    assert project.path is None
    assert project.definition == load(write(small)).definition
    with pytest.raises(DiagnosticsError, match=r"evidence.risk.levle: error \[unknown-key\] is no parameter"):
        from_data(definition(evidence__risk__levle=1), folder=small.folder)


def test_a_definition_survives_being_recorded(small):
    project = load(write(small, components__linear__data__test__image_size=[3, 4]))
    recorded = project.definition.model_dump(mode="json", exclude_defaults=True)
    assert from_data(recorded, folder=small.folder).definition == project.definition


def test_a_limit_on_the_wrong_side_of_what_should_be_rare_is_doubted(small):
    for quantity in ["failure probability", "Hazard rate", "mean loss", "missed signs[night]"]:
        with told(quantity):
            target = {"estimate": f"risk.{quantity}", "at_least": 0.9}
            (found,) = check(load(write(small, targets__low=target)))
            assert (found.severity, found.hint) == ("warning", "Did you mean at_most?")
            assert check(load(write(small, targets__low={**target, "estimate": "risk.recall"}))) == []
