"""A function's signature is its schema, and steps of other distributions are found through their entry points."""

import functools
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, ValidationError

from surefoot import adapters
from surefoot.core import DiagnosticsError, Estimate, InvalidInput
from surefoot.project import Step, built_in_steps, find_step, step_names
from tests.project import sample_steps
from tests.project.writing import write
from tests.refusals import told


def step_of(annotation, **default):
    def function(x): ...

    function.__annotations__ = {"x": annotation}
    function.__kwdefaults__ = None
    if default:
        function.__defaults__ = (default["default"],)
    return Step.of("made", function)


def test_the_annotation_says_where_a_value_comes_from():
    for annotation, role in [
        (adapters.Tested, "tested"),
        ("adapters.Tested", "tested"),
        (adapters.Data, "data"),
        (Annotated[adapters.Tested, "the test"], "tested"),
        (Estimate, "one"),
        (Estimate | None, "one"),
        (Optional[Estimate], "one"),  # noqa: UP045
        (Annotated[Estimate | None, "maybe"], "one"),
        (Mapping[str, Estimate], "many"),
        (dict[str, Estimate], "many"),
        (Mapping[str, Estimate] | None, "many"),
        (list[Estimate], "list"),
        (Sequence[Estimate], "list"),
        (Iterable[Estimate], "list"),
        (tuple[Estimate, ...], "list"),
        ("list[Estimate] | None", "list"),
    ]:
        with told(annotation):
            assert step_of(annotation).roles == {"x": role}


def test_everything_else_is_written_in_the_file():
    for annotation in [float, "float", list[float], Literal["a", "b"], Any, dict[str, int], BaseModel]:
        with told(annotation):
            step = step_of(annotation)
            assert step.roles == {}
            assert list(step.fields) == ["x"]


def test_a_signature_with_one_of_each(monkeypatch):
    step = Step.of("everything", sample_steps.everything)
    assert step.roles == {name: name for name in ("tested", "data", "model", "executor", "conditions", "seed")}
    assert list(step.fields) == ["free"]
    assert step.uses_component
    assert step.keys == ("step", "component", "on", "data", "free")
    assert step.summary == "Take whatever there is."


def test_results_know_whether_they_are_needed():
    step = Step.of("combined", sample_steps.combined)
    assert step.estimate_names == {"factors": "many", "extra": "one", "others": "list"}
    assert [step.required(name) for name in step.estimate_names] == [True, False, False]
    assert not step.uses_component


def test_a_decorator_that_keeps_names_hides_nothing():
    step = Step.of("decorated", sample_steps.decorated)
    assert step.roles == {"tested": "tested"}
    assert step.fields["level"].is_required()


def test_part_of_a_function_is_a_step():
    step = Step.of("partly", functools.partial(sample_steps.guessed, bins=3))
    assert set(step.fields) == {"value", "how", "at", "bins"}
    assert step.read({"value": 1}).bins == 3


def test_values_keep_the_type_they_were_written_with():
    step = Step.of("guessed", sample_steps.guessed)
    assert dict(step.read({"value": 2, "at": [[1, 2]]})) == {"value": 2, "how": "timidly", "at": [(1, 2)], "bins": 10}
    for wrong in ({"value": "2"}, {"value": True}, {"value": 1, "bins": 2.5}, {"value": 1, "bins": "3"}):
        with pytest.raises(ValidationError):
            step.read(wrong)


def test_parameters_may_be_called_like_methods_of_pydantic():
    for name in ["copy", "json", "schema", "model_dump", "model_config_x", "validate"]:
        with told(name):
            scope: dict[str, Any] = {}
            exec(f"def function({name}: int = 3): ...", scope)
            assert list(Step.of("made", scope["function"]).fields) == [name]


def variadic(*args: float): ...
def keywords(**options: float): ...
def positional(value: float, /): ...
def reserved(on: str): ...
def private(_value: float): ...
def undefined(value: "Nowhere"): ...  # noqa: F821
def unwritable(value: subprocess.Popen): ...
def mixed(value: Estimate | float): ...
def nested(value: dict[str, list[Estimate]]): ...


def test_what_a_project_file_could_not_fill_in_is_refused():
    for function in [variadic, keywords, positional, reserved, private, undefined, unwritable, mixed, nested, 3]:
        with told(function), pytest.raises(InvalidInput, match="step 'made'"):
            Step.of("made", function)


def test_a_misspelt_step_gets_a_suggestion():
    with pytest.raises(DiagnosticsError, match=r"unknown-step.*Did you mean 'binomial_bound'"):
        find_step("binomal_bound")


def test_built_in_steps_are_registered_and_documented():
    assert set(built_in_steps()) <= set(step_names())
    assert find_step("binomial_bound").uses_component
    assert all(find_step(name).summary for name in built_in_steps())


STEPS = '''
from surefoot.adapters import Tested
from surefoot.core import Estimate


def shiny(tested: Tested, *, gloss: float = 0.5, other: Estimate | None = None) -> Estimate:
    """Polish the number."""


def impossible(*anything): ...
'''
ASK = """
import json, sys
from surefoot.core import DiagnosticsError
from surefoot.project import check, find_step, json_schema, load, step_names

answer = {"names": step_names(), "schema": json_schema()["$defs"]}
try:
    project = load(sys.argv[1])
    answer["problems"] = [str(d) for d in check(project)]
    answer["distribution"] = {s.step: find_step(s.step).distribution for s in project.definition.evidence.values()}
except DiagnosticsError as error:
    answer["problems"] = [str(d) for d in error.diagnostics]
print(json.dumps(answer))
"""


class Site:
    """A folder like those that pip installs into."""

    def __init__(self, folder):
        self.folder = folder

    def install(self, name, entry_points, **modules):
        info = self.folder / f"{name.replace('-', '_')}-1.5.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
        (info / "entry_points.txt").write_text(f"[surefoot.steps]\n{entry_points}\n")
        for module, source in modules.items():
            (self.folder / f"{module}.py").write_text(source)

    def ask(self, project):
        start = f"import sys; sys.path.insert(0, {str(self.folder)!r})\n"
        done = subprocess.run([sys.executable, "-c", start + ASK, str(project)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def site(tmp_path_factory):
    return Site(tmp_path_factory.mktemp("site"))


def test_a_step_of_another_distribution_is_found_described_and_accepted(small, site):
    site.install("surefoot-shine", "shiny = shine:shiny", shine=STEPS)
    answer = site.ask(write(small, evidence__risk={"step": "shiny", "gloss": 0.7}))
    assert answer["problems"] == []
    assert answer["distribution"] == {"shiny": "surefoot-shine 1.5"}
    assert "shiny" in answer["names"]
    schema = answer["schema"]["step.shiny"]
    assert schema["description"] == "Polish the number."
    assert schema["properties"]["gloss"] == {"default": 0.5, "type": "number"}
    (found,) = site.ask(write(small, evidence__risk={"step": "shiny", "glos": 0.7}))["problems"]
    assert "Did you mean 'gloss'?" in found


BROKEN = {
    "absent": ("nowhere:shiny", "No module named 'nowhere'"),
    "dull": ("shine:dull", "has no attribute 'dull'"),
    "impossible": ("shine:impossible", "names each of its parameters"),
    "module": ("shine", "cannot be read"),
    "syntax": ("broken:shiny", "SyntaxError"),
    "exits": ("exits:shiny", "SystemExit: 3"),
    "words": ("not a name", "cannot be loaded"),
}


def test_a_broken_step_of_another_distribution_names_it(small, site):
    for name, (value, _) in BROKEN.items():
        site.install(f"of-{name}", f"{name} = {value}", shine=STEPS, broken="def", exits="raise SystemExit(3)")
    answer = site.ask(write(small, evidence={name: {"step": name} for name in BROKEN}, targets={}))
    assert len(answer["problems"]) == len(BROKEN)
    for found, (name, (_, reason)) in zip(answer["problems"], BROKEN.items(), strict=True):
        assert found.startswith("surefoot.yaml:")
        assert "[step-failed]" in found
        assert f"the step {name!r} of the distribution of-{name} 1.5 cannot be loaded" in found
        assert reason in found
        assert f"of-{name} 1.5" in answer["schema"][f"step.{name}"]["description"]


def test_a_broken_step_that_is_not_used_does_no_harm(small, site):
    site.install("surefoot-shine", "shiny = nowhere:shiny")
    assert site.ask(write(small, evidence__risk={"step": "binomial_bound"}))["problems"] == []


def test_a_distribution_without_a_name_is_named_by_what_it_registers(small, site):
    site.install("surefoot-shine", "shiny = nowhere:shiny")
    (site.folder / "surefoot_shine-1.5.dist-info" / "METADATA").unlink()
    (found,) = site.ask(write(small, evidence__risk={"step": "shiny"}))["problems"]
    assert "the step 'shiny' of the distribution nowhere:shiny cannot be loaded" in found


def test_our_own_step_wins_over_one_of_the_same_name_and_check_warns(small, site):
    site.install("surefoot-shine", "binomial_bound = shine:shiny", shine=STEPS)
    answer = site.ask(write(small, evidence__risk={"step": "binomial_bound"}))
    assert answer["distribution"] == {"binomial_bound": ""}
    (found,) = answer["problems"]
    assert "warning [unknown-step]" in found
    assert "surefoot-shine 1.5 registers another one" in found


def test_two_distributions_with_a_step_of_the_same_name_are_told_apart(small, site):
    site.install("surefoot-shine", "shiny = shine:shiny", shine=STEPS)
    site.install("surefoot-gloss", "shiny = shine:shiny")
    (found,) = site.ask(write(small, evidence__risk={"step": "shiny"}))["problems"]
    assert "surefoot-gloss 1.5" in found
    assert "surefoot-shine 1.5" in found
    assert "Uninstall all but one." in found
