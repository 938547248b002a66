import pytest

from surefoot import datasets
from surefoot.core import InvalidInput, MissingData

FILE = "breast-cancer-wisconsin.data"
ROWS = b"1000025,5,1,1,1,2,1,3,1,1,2\n"


@pytest.fixture
def folders(monkeypatch, tmp_path, redirect, stands_for):
    """An empty mirror, an empty cache, and a public home with a small file."""
    (tmp_path / "mirror").mkdir()
    home = tmp_path / "home.data"
    home.write_bytes(ROWS)
    monkeypatch.setenv("SUREFOOT_DATA", str(tmp_path / "mirror"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    redirect(home.as_uri())
    stands_for(ROWS, datasets.known("breast_cancer_wisconsin").files[FILE].sha256)
    return tmp_path


def test_every_set_says_what_it_is_and_how_to_get_it():
    sets = datasets.catalogue()
    assert len({each.name for each in sets}) == len(sets) == 9
    assert all(each.what and each.licence and each.home.startswith("https://") for each in sets)
    assert all(bool(each.files) != bool(each.remedy) for each in sets)


def test_a_set_that_is_not_here_is_fetched_into_the_cache(folders):
    cancer = datasets.known("breast_cancer_wisconsin")
    assert cancer.folder is None
    folder = cancer.fetch()
    assert folder == folders / "cache" / "surefoot" / cancer.name == cancer.folder
    assert (folder / FILE).read_bytes() == ROWS


def test_a_mirrored_set_is_checked_and_not_fetched(folders):
    mirrored = folders / "mirror" / "breast_cancer_wisconsin"
    mirrored.mkdir()
    (mirrored / FILE).write_bytes(ROWS)
    (folders / "home.data").unlink()
    assert datasets.known("breast_cancer_wisconsin").fetch() == mirrored
    (mirrored / FILE).write_bytes(ROWS.replace(b"5", b"6"))
    with pytest.raises(MissingData, match="SHA-256"):
        datasets.known("breast_cancer_wisconsin").fetch()


def test_a_set_without_a_public_file_says_how_to_get_it(folders):
    with pytest.raises(MissingData, match=r"benchmark\.ini\.rub\.de"):
        datasets.known("gtsrb").fetch()
    (folders / "mirror" / "gtsrb").mkdir()
    assert datasets.known("gtsrb").fetch() == folders / "mirror" / "gtsrb"


def test_a_misspelt_name_gets_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'gtsrb'"):
        datasets.known("gtrsb")
