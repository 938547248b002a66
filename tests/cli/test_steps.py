import pytest

from surefoot.project.step import find, names


def test_all_steps_are_listed_with_what_they_do(surefoot):
    found = surefoot("steps")
    assert found.exit_code == 0
    assert all(f"{name} " in found.stdout for name in names())
    assert find("product").summary.split(",")[0] in " ".join(found.stdout.split())


@pytest.mark.parametrize("name", names())
def test_each_parameter_of_a_step_is_shown(surefoot, name):
    lines = surefoot("steps", name).stdout.splitlines()
    for key in find(name).keys[1:]:
        assert any(line.startswith(f"{key} ") for line in lines), key


def test_types_and_defaults_are_shown(surefoot):
    words = " ".join(surefoot("steps", "binomial_bound").stdout.split())
    assert "level number; 0.95 by default" in words
    assert "clopper_pearson, jeffreys, wilson; clopper_pearson by default" in words
    assert "value number; needed" in " ".join(surefoot("steps", "stated").stdout.split())


def test_an_unknown_step_gets_a_suggestion(surefoot):
    found = surefoot("steps", "binomal_bound")
    assert found.exit_code == 2
    assert "Did you mean 'binomial_bound'?" in found.stderr
