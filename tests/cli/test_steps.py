from surefoot.project import built_in_steps, step_schema

STEPS, SCHEMA = built_in_steps(), step_schema()


def test_all_steps_are_listed_with_what_they_do(surefoot):
    found = surefoot("steps")
    assert found.exit_code == 0
    assert all(f"{name} " in found.stdout for name in STEPS)
    summary = SCHEMA["$defs"]["step.product"]["description"].partition("\n")[0]
    assert summary.split(",")[0] in " ".join(found.stdout.split())


def test_each_parameter_of_a_step_is_shown(surefoot):
    for name in STEPS:
        lines = surefoot("steps", name).stdout.splitlines()
        for key in SCHEMA["$defs"][f"step.{name}"]["properties"].keys() - {"step"}:
            assert any(line.startswith(f"{key} ") for line in lines), (name, key)


def test_types_and_defaults_are_shown(surefoot):
    words = " ".join(surefoot("steps", "binomial_bound").stdout.split())
    assert "level number; 0.95 by default" in words
    assert "clopper_pearson, jeffreys, wilson; clopper_pearson by default" in words
    assert "value number; needed" in " ".join(surefoot("steps", "stated").stdout.split())


def test_an_unknown_step_gets_a_suggestion(surefoot):
    found = surefoot("steps", "binomal_bound")
    assert found.exit_code == 2
    assert "Did you mean 'binomial_bound'?" in found.stderr
