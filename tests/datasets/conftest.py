import pytest

from surefoot.datasets.location import VARIABLE


@pytest.fixture
def folder(request, monkeypatch, tmp_path):
    """Where the set of the file's FOLDER is looked for; empty."""
    place = tmp_path / request.module.FOLDER
    place.mkdir()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return place
