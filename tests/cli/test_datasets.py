import pytest


@pytest.fixture(autouse=True)
def mirror(tmp_path, monkeypatch):
    (tmp_path / "mirror" / "gtsrb").mkdir(parents=True)
    monkeypatch.setenv("SUREFOOT_DATA", str(tmp_path / "mirror"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "mirror"


def test_list_says_what_is_here(surefoot):
    found = surefoot("datasets", "list")
    assert found.exit_code == 0
    assert "breast_cancer_wisconsin" in found.stdout
    assert "not here" in found.stdout


def test_no_path_is_broken(surefoot, mirror):
    assert f"  {mirror / 'gtsrb'}\n" in surefoot("datasets", "list").stdout


def test_fetch_prints_the_folder(surefoot, mirror):
    assert surefoot("datasets", "fetch", "gtsrb").stdout == f"{mirror / 'gtsrb'}\n"


def test_fetch_of_an_unknown_set_is_refused(surefoot):
    found = surefoot("datasets", "fetch", "gtsrbb")
    assert found.exit_code == 2
    assert "Did you mean 'gtsrb'?" in found.stderr
