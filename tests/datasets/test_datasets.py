import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image
from tests.refusals import refusal

from surefoot import datasets
from surefoot.core import InvalidInput, MissingData

FOLDER, FILE = "breast_cancer_wisconsin", "breast-cancer-wisconsin.data"
ROWS = b"1000025,5,1,1,1,2,1,3,1,1,2\n1002945,5,4,4,5,7,10,3,2,1,4\n1057013,8,4,5,1,2,?,7,3,1,4\n\n"


@pytest.fixture
def folders(monkeypatch, tmp_path):
    """An empty data folder and an empty cache."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    data.mkdir()
    monkeypatch.setenv("SUREFOOT_DATA", str(data))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return data, cache / "surefoot"


@pytest.fixture
def small_cancer(stands_for):
    stands_for(ROWS, datasets.known(FOLDER).files[FILE].sha256)


@pytest.fixture
def server(tmp_path):
    """A local web server; yields its folder and its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    folder = tmp_path / "home"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def present(name):
    try:
        return datasets.locate(name)
    except MissingData as missing:
        pytest.skip(str(missing))


def test_named_folder_comes_before_the_cache(folders):
    data, cache = folders
    (cache / "set").mkdir(parents=True)
    assert datasets.locate("set") == cache / "set"
    (data / "set").mkdir()
    assert datasets.locate("set") == data / "set"


def test_cache_is_in_the_home_folder_unless_told(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert datasets.cache_folder() == tmp_path / ".cache" / "surefoot"


def test_missing_set_says_what_to_do(folders):
    with pytest.raises(MissingData, match=r"'gtsrb'.*Set SUREFOOT_DATA"):
        datasets.locate("gtsrb")
    with pytest.raises(MissingData, match="download=True"):
        datasets.breast_cancer_wisconsin()
    with pytest.raises(MissingData, match=r"benchmark\.ini\.rub\.de"):
        datasets.gtsrb()


def test_missing_file_in_a_present_folder_is_named(folders):
    (folders[0] / "gtsrb").mkdir()
    with pytest.raises(MissingData, match=r"labels\.npz"):
        datasets.gtsrb()


def test_unset_variable_leaves_the_cache(folders, monkeypatch):
    monkeypatch.delenv("SUREFOOT_DATA")
    (folders[1] / "set").mkdir(parents=True)
    assert datasets.locate("set") == folders[1] / "set"


def test_names_cannot_leave_the_folder():
    for name in ("", ".", "..", "../secret", "a/b", "/etc", 5, None):
        assert refusal(InvalidInput, datasets.locate, name), name


@pytest.mark.usefixtures("folders", "small_cancer")
def test_breast_cancer_is_downloaded_into_the_cache_once(folders, server, redirect):
    home, address = server
    (home / FILE).write_bytes(ROWS)
    redirect(f"{address}/{FILE}")
    loaded = datasets.breast_cancer_wisconsin(download=True)
    assert loaded.features.tolist() == [[5, 1, 1, 1, 2, 1, 3, 1, 1], [5, 4, 4, 5, 7, 10, 3, 2, 1]]
    assert loaded.malignant.tolist() == [False, True]
    (home / FILE).unlink()
    assert len(datasets.breast_cancer_wisconsin().features) == 2


@pytest.mark.usefixtures("small_cancer")
def test_corrupted_download_is_refused_and_leaves_nothing(folders, tmp_path, redirect):
    corrupted = tmp_path / "corrupted"
    corrupted.write_bytes(ROWS[:-5])
    redirect(corrupted.as_uri())
    with pytest.raises(MissingData, match="SHA-256"):
        datasets.breast_cancer_wisconsin(download=True)
    assert not [path for path in folders[1].rglob("*") if path.is_file()]


@pytest.mark.usefixtures("folders", "small_cancer")
def test_failed_download_says_where_to_put_the_file(server, redirect):
    redirect(f"{server[1]}/nothing-here")
    with pytest.raises(MissingData, match="by hand"):
        datasets.breast_cancer_wisconsin(download=True)


@pytest.mark.usefixtures("small_cancer")
def test_altered_local_copy_is_refused(folders):
    folder = folders[0] / FOLDER
    folder.mkdir()
    (folder / FILE).write_bytes(ROWS.replace(b"8,4", b"9,4"))
    with pytest.raises(MissingData, match="SHA-256"):
        datasets.breast_cancer_wisconsin()


def test_breast_cancer_has_the_published_counts():
    present(FOLDER)
    loaded = datasets.breast_cancer_wisconsin()
    assert loaded.features.shape == (683, 9)
    assert (loaded.malignant.sum(), (~loaded.malignant).sum()) == (239, 444)
    assert (loaded.features.min(), loaded.features.max()) == (1, 10)
    assert len(loaded.feature_names) == 9
    assert len(np.unique(loaded.sample)) == 630


def save_sheet(path, pixels):
    """100 pictures a row, row by row."""
    rows = len(pixels) // 100
    sheet = pixels.reshape(rows, 100, 32, 32, 3).transpose(0, 2, 1, 3, 4).reshape(32 * rows, 3200, 3)
    Image.fromarray(sheet).save(path, "PNG")


@pytest.fixture
def few_signs(folders):
    """150 training images on two sheets and 120 tests on one, with the pictures of the sheets."""
    folder = folders[0] / "gtsrb"
    folder.mkdir()
    counts = {"train": 150, "test": 120}
    names = {"train": ("y", "track", "frame", "box"), "test": ("y", "box")}
    labels = {f"{name}_{side}": np.arange(counts[side]) for side in counts for name in names[side]}
    np.savez(folder / "labels.npz", **labels)
    pixels = np.random.default_rng(0).integers(0, 256, (400, 32, 32, 3), dtype=np.uint8)
    save_sheet(folder / "train_third_0.webp", pixels[:100])
    save_sheet(folder / "train_third_1.webp", pixels[100:200])
    save_sheet(folder / "test_0.webp", pixels[200:])
    return folder, pixels


def test_sheets_are_read_row_by_row_one_after_the_other(few_signs):
    loaded = datasets.gtsrb()
    assert (loaded.train_images == few_signs[1][:150]).all()
    assert (loaded.test_images == few_signs[1][200:320]).all()
    assert loaded.train_track.tolist() == list(range(150))


def test_sheets_with_fewer_pictures_than_labels_are_refused(few_signs):
    save_sheet(few_signs[0] / "test_0.webp", few_signs[1][:100])
    with pytest.raises(MissingData, match="100 pictures, 120 labels"):
        datasets.gtsrb()


def test_a_sheet_of_another_shape_is_refused(few_signs):
    Image.new("RGB", (320, 32)).save(few_signs[0] / "test_0.webp")
    with pytest.raises(InvalidInput, match="320 x 32"):
        datasets.gtsrb()


@pytest.fixture(scope="module")
def signs():
    present("gtsrb")
    return datasets.gtsrb()


def test_gtsrb_has_the_published_counts(signs):
    assert signs.test_images.shape == (12_630, 32, 32, 3)
    assert signs.train_images.shape == (13_070, 32, 32, 3)
    assert (signs.test_labels == 25).sum() == 480
    assert (signs.train_labels == 25).sum() == 500
    assert np.unique(signs.test_labels).tolist() == list(range(43))


def test_gtsrb_tracks_hold_every_third_of_thirty_frames(signs):
    assert set(signs.train_frame) == set(range(0, 30, 3))
    tracks = signs.train_labels * 1000 + signs.train_track
    assert np.unique(tracks, return_counts=True)[1].max() == 10
    assert len(signs.train_box) == len(signs.train_images)
    assert len(signs.test_box) == len(signs.test_images)


def test_gtsrb_labels_without_a_column_are_refused(folders):
    folder = folders[0] / "gtsrb"
    folder.mkdir()
    np.savez(folder / "labels.npz", y_test=np.zeros(3))
    with pytest.raises(MissingData, match="y_train"):
        datasets.gtsrb()
