from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from surefoot import datasets
from surefoot.core import MissingData

FOLDER, FILE = "udacity_driving", "center_160x80_webp.npz"
COLUMNS = ("steering", "throttle", "brake", "speed")
NAMES = [f"center_2018_07_16_17_11_43_{millisecond}.jpg" for millisecond in (100, 200, 300)]


@pytest.fixture(scope="module")
def drive():
    try:
        datasets.locate(FOLDER)
    except MissingData as missing:
        pytest.skip(str(missing))
    return datasets.udacity_driving()


def packed(pictures):
    blobs = []
    for pixels in pictures:
        stream = BytesIO()
        Image.fromarray(pixels).save(stream, "WEBP", lossless=True)
        blobs.append(stream.getvalue())
    offset = np.cumsum([0, *map(len, blobs)])
    return {"blob": np.frombuffer(b"".join(blobs), np.uint8), "offset": offset}


def small(*, size=(80, 160), names=NAMES):
    """A drive of three frames, and its pictures."""
    pictures = np.random.default_rng(0).integers(0, 256, (3, *size, 3), dtype=np.uint8)
    columns = {name: np.arange(3, dtype=np.float32) / 4 for name in COLUMNS}
    return packed(pictures) | columns | {"name": np.array(names)}, pictures


def test_a_missing_drive_says_what_to_do(folder):
    with pytest.raises(MissingData, match=r"lacks center_160x80_webp\.npz.*record one"):
        datasets.udacity_driving()
    assert datasets.known(FOLDER).folder == folder


def test_frames_and_columns_come_back_as_they_were_packed(folder):
    names = [f"center_2018_07_16_{time}.jpg" for time in ("17_59_59_950", "17_59_59_999", "18_00_00_020")]
    arrays, pictures = small(names=names)
    np.savez(folder / FILE, **arrays)
    loaded = datasets.udacity_driving()
    assert (loaded.frames == pictures).all()
    assert loaded.frames.dtype == np.uint8
    assert loaded.steering.tolist() == loaded.speed.tolist() == [0, 0.25, 0.5]
    assert loaded.seconds == pytest.approx([0, 0.049, 0.070])
    assert loaded.names == tuple(names)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"steering": np.zeros(2)}, "number of frames.*'steering': 2"),
        ({"name": np.array(NAMES[::-1])}, "not in the order of time.*43_200"),
        ({"name": np.array([NAMES[0], NAMES[0], NAMES[1]])}, "not in the order of time"),
        ({"name": np.array(["a.jpg", *NAMES[1:]])}, "does not hold its time.*a.jpg"),
        ({"blob": np.zeros(10, np.uint8)}, "frame 0 is not an image"),
    ],
    ids=["few", "backwards", "twice", "no time", "no image"],
)
def test_arrays_that_do_not_fit_are_refused(folder, change, problem):
    arrays, _ = small()
    np.savez(folder / FILE, **(arrays | change))
    with pytest.raises(MissingData, match=problem):
        datasets.udacity_driving()


def test_frames_of_another_size_are_refused(folder):
    np.savez(folder / FILE, **small(size=(40, 80))[0])
    with pytest.raises(MissingData, match="160 x 80"):
        datasets.udacity_driving()


def test_an_array_that_is_not_there_is_named(folder):
    arrays, _ = small()
    np.savez(folder / FILE, **{name: array for name, array in arrays.items() if name != "brake"})
    with pytest.raises(MissingData, match="brake"):
        datasets.udacity_driving()


def test_a_broken_archive_is_refused(folder):
    (folder / FILE).write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(MissingData, match="cannot be read"):
        datasets.udacity_driving()


def test_the_drive_has_the_known_counts(drive):
    assert drive.frames.shape == (4053, 80, 160, 3)
    assert (drive.steering == 0).sum() == 2927
    assert np.abs(drive.steering).max() == 1
    assert drive.speed.max() < 31


def test_frames_follow_one_another_at_once_but_for_a_few(drive):
    steps = np.diff(drive.seconds)
    assert np.median(steps) == pytest.approx(0.071, abs=0.001)
    assert (steps > 0.09).sum() == 19
    assert (steps.argmax(), steps.max()) == (4051, pytest.approx(0.476))


def test_frames_change_little_from_one_to_the_next(drive):
    some = drive.frames[1000:1100].astype(float)
    assert np.abs(np.diff(some, axis=0)).mean() < 0.5 * np.abs(some[:50] - some[50:]).mean()
