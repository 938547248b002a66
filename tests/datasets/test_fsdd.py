import sys

import numpy as np
import pytest

from surefoot import datasets
from surefoot.core import MissingData, MissingExtra

FOLDER, SOUNDS, INDEX = "fsdd", "fsdd_all_8k.flac", "fsdd_index.npz"
RATE, COUNT = 8000, 3000
soundfile = pytest.importorskip("soundfile")


@pytest.fixture
def index():
    """Recordings of 2 to 4 samples."""
    lengths = np.arange(COUNT) % 3 + 2
    return {
        "offset": np.concatenate([[0], np.cumsum(lengths)]),
        "digit": np.arange(COUNT) % 10,
        "speaker": np.array(["anna", "bert"])[np.arange(COUNT) // 1500],
        "index": np.arange(COUNT) % 50,
    }


@pytest.fixture
def folder(folder, index):
    """A set in which each sample is its place, as far as 16 bits go."""
    soundfile.write(folder / SOUNDS, np.arange(index["offset"][-1]).astype(np.int16), RATE)
    np.savez(folder / INDEX, **index)
    return folder


@pytest.fixture(scope="module")
def recordings():
    try:
        datasets.locate(FOLDER)
    except MissingData as missing:
        pytest.skip(str(missing))
    return datasets.fsdd()


def test_each_recording_is_the_samples_between_its_offsets(folder, index):
    loaded = datasets.fsdd()
    assert [sound.tolist() for sound in loaded.sounds[:3]] == [[0, 1], [2, 3, 4], [5, 6, 7, 8]]
    assert [len(sound) for sound in loaded.sounds] == np.diff(index["offset"]).tolist()
    assert all(sound.dtype == np.int16 for sound in loaded.sounds)
    assert (loaded.digits[13], loaded.speakers[1500], loaded.index[70], loaded.rate) == (3, "bert", 20, 8000)


def test_a_missing_set_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("SUREFOOT_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(MissingData, match=r"not on this machine.*free-spoken-digit-dataset.*fsdd_index\.npz"):
        datasets.fsdd()


def test_without_the_package_that_reads_sounds_the_extra_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(MissingExtra, match=r"surefoot\[audio\]"):
        datasets.fsdd()


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"digit": None}, "digit is not a file"),
        ({"digit": np.zeros(5)}, "5 of digit"),
        ({"digit": np.full(COUNT, 10)}, "digits other than 0 to 9"),
        ({"offset": np.arange(COUNT + 1)}, "from 0 to 3000 among 9000 samples"),
        ({"offset": np.zeros(COUNT + 1)}, "from 0 to 0"),
    ],
    ids=["no digits", "few", "ten", "other end", "empty recordings"],
)
def test_an_index_that_does_not_fit_is_refused(folder, index, change, found):
    kept = {name: array for name, array in {**index, **change}.items() if array is not None}
    np.savez(folder / INDEX, **kept)
    with pytest.raises(MissingData, match=found):
        datasets.fsdd()


@pytest.mark.parametrize("name", [SOUNDS, INDEX])
def test_a_broken_file_is_refused(folder, name):
    (folder / name).write_bytes(b"PK\x03\x04 neither sound nor archive")
    with pytest.raises(MissingData, match=f"{name} cannot be read"):
        datasets.fsdd()


@pytest.mark.parametrize(
    ("samples", "rate", "found"),
    [(np.zeros((9, 2), np.int16), RATE, "8000 Hz in 2 channels"), (np.zeros(9, np.int16), 16_000, "16000 Hz")],
    ids=["stereo", "rate"],
)
def test_another_kind_of_sound_is_refused(folder, samples, rate, found):
    soundfile.write(folder / SOUNDS, samples, rate)
    with pytest.raises(MissingData, match=found):
        datasets.fsdd()


def test_six_speakers_say_each_digit_fifty_times(recordings):
    assert len(recordings.sounds) == 3000
    said = {(s, d, i) for s, d, i in zip(recordings.speakers, recordings.digits, recordings.index, strict=True)}
    assert said == {(s, d, i) for s in set(recordings.speakers.tolist()) for d in range(10) for i in range(50)}
    assert len(set(recordings.speakers.tolist())) == 6


def test_recordings_are_short_and_not_silent(recordings):
    seconds = np.array([len(sound) / recordings.rate for sound in recordings.sounds])
    assert 0.14 < seconds.min() < seconds.mean() < 0.5 < seconds.max() < 2.3
    assert min(np.abs(sound.astype(int)).max() for sound in recordings.sounds) > 300
