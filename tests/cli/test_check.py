import pytest


def test_a_good_file_shows_its_plan(surefoot, project):
    found = surefoot("check")
    assert found.exit_code == 0
    assert found.stderr == ""
    assert [line.split()[:3] for line in found.stdout.splitlines() if "guard.test" in line] == [
        ["misses", "binomial_bound", "guard.test"],
        ["errors", "binomial_bound", "guard.test"],
        ["recall", "metric_opinion", "guard.test"],
    ]
    assert "2 targets" in found.stdout


def test_a_folder_means_the_file_in_it(surefoot, project):
    assert surefoot("check", project).stdout == surefoot("check", project / "surefoot.yaml").stdout


def test_all_problems_are_shown_at_once_with_lines_and_suggestions(surefoot, project):
    path = project / "surefoot.yaml"
    text = path.read_text().replace("at_most: 0.02", "at_mots: 0.02").replace("path: test.csv", "path: tset.csv")
    path.write_text(text.replace("binomial_bound, of", "binomail_bound, of"))
    found = surefoot("check")
    assert found.exit_code == 2
    assert found.stdout == ""
    for word, code in (("at_mots", "unknown-key"), ("binomail_bound", "unknown-step"), ("tset.csv", "file-missing")):
        [number] = [n for n, line in enumerate(path.read_text().splitlines(), start=1) if word in line]
        assert f"surefoot.yaml:{number}: error [{code}]" in found.stderr
    assert "at_most" in found.stderr
    assert "'binomial_bound'" in found.stderr


@pytest.mark.parametrize("command", ["check", "assess", "report"])
def test_a_missing_file_is_named(surefoot, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    found = surefoot(command)
    assert found.exit_code == 2
    assert "surefoot.yaml" in found.stderr
    assert "[file-missing]" in found.stderr


def test_markup_in_a_file_stays_text(surefoot, project):
    path = project / "surefoot.yaml"
    path.write_text(path.read_text().replace("seed: 0", '"[red]seed[/red]": 0'))
    assert "[red]seed[/red]" in surefoot("check").stderr
