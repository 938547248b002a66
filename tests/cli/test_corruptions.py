import numpy as np
import pytest
from PIL import Image
from scipy.io import wavfile

from surefoot.corruptions import names


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a picture, a sound, and what is neither, as the current one."""
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)).save(tmp_path / "photo.png")
    wavfile.write(tmp_path / "clip.wav", 8_000, np.random.default_rng(0).integers(-99, 99, 900).astype(np.int16))
    (tmp_path / "words.txt").write_text("12 grüße 👋🏽", encoding="utf-8")
    for name in ("bad.png", "bad.wav", "bad.flac"):
        (tmp_path / name).write_bytes(b"RIFF, or is it not?")
    wavfile.write(tmp_path / "empty.wav", 8_000, np.zeros(0, np.int16))
    wavfile.write(tmp_path / "slow.wav", 100, np.zeros(9, np.int16))
    wavfile.write(tmp_path / "nan.wav", 8_000, np.full(9, np.nan, np.float32))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_are_listed_with_what_they_do(surefoot):
    found = surefoot("corruptions")
    assert found.exit_code == 0
    assert all(name in found.stdout for domain in ("image", "audio", "text") for name in names(domain))
    assert "White Gaussian noise" in found.stdout
    assert "severities 1 to 5" in found.stdout


def test_the_list_can_be_of_a_few(surefoot):
    found = surefoot("corruptions", "--only", "fog", "--only", "speed").stdout
    assert "fog" in found
    assert "speed" in found
    assert "frost" not in found
    assert "ocr_errors" not in found


def test_a_gallery_shows_what_was_given(surefoot, folder):
    inputs = ("--image", "photo.png", "--audio", "clip.wav", "--text-file", "words.txt")
    some = ("--only", "fog", "--only", "dropouts", "--only", "digits_to_words")
    found = surefoot("corruptions", "-o", "g.html", *inputs, *some)
    assert (found.exit_code, found.stderr) == (0, "wrote g.html\n")
    page = (folder / "g.html").read_text(encoding="utf-8")
    for word in ("photo.png", "clip.wav", "words.txt", "twelve", "👋🏽", 'id="fog"', 'id="dropouts"'):
        assert word in page
    assert 'id="rain"' not in page


def test_a_gallery_of_one_domain_has_no_other(surefoot, folder):
    surefoot("corruptions", "-o", "g.html", "--text", "Gate 7", "--only", "digits_to_words")
    page = (folder / "g.html").read_text(encoding="utf-8")
    assert "seven" in page
    assert "<img" not in page


def test_a_gallery_repeats_itself_and_heeds_the_seed(surefoot, folder):
    pages = []
    for seed in (1, 1, 2):
        surefoot("corruptions", "-o", "g.html", "--seed", seed, "--only", "gaussian_noise", "--image", "photo.png")
        pages.append((folder / "g.html").read_text(encoding="utf-8"))
    assert pages[0] == pages[1] != pages[2]


def test_a_contact_sheet_is_a_picture(surefoot, folder):
    found = surefoot("corruptions", "-o", "g.png", "--only", "contrast", "--only", "speed", "--only", "case_errors")
    assert found.exit_code == 0
    with Image.open(folder / "g.png") as sheet:
        assert sheet.format == "PNG"


def test_what_cannot_be_shown_is_refused(surefoot, folder):
    for words, message in (
        (("-o", "g.html", "--image", "bad.png"), "bad.png: this picture cannot be read"),
        (("-o", "g.html", "--image", "none.png"), "none.png: No such file"),
        (("-o", "g.html", "--image", "."), "Is a directory"),
        (("-o", "g.html", "--audio", "bad.wav"), "bad.wav: this sound cannot be read"),
        (("-o", "g.html", "--audio", "bad.flac"), "bad.flac: this sound cannot be read"),
        (("-o", "g.html", "--audio", "none.flac"), "none.flac"),
        (("-o", "g.html", "--audio", "none.wav"), "none.wav: No such file"),
        (("-o", "g.html", "--audio", "empty.wav"), "it has no samples"),
        (("-o", "g.html", "--audio", "slow.wav"), "slow.wav: rate must lie between"),
        (("-o", "g.html", "--audio", "nan.wav"), "floats must lie in"),
        (("-o", "g.html", "--text-file", "none.txt"), "none.txt: No such file"),
        (("-o", "g.html", "--only", "fogg"), "Did you mean 'fog'?"),
        (("-o", "g.html", "--only", "fog", "--text", "x"), "names no corruption of what is given"),
        (("-o", "g.html", "--text", "x", "--text-file", "words.txt"), "not both"),
        (
            (
                "-o",
                "g.gif",
            ),
            "ends in .html or .png",
        ),
        (("-o", "g.png", "--text", "x"), "a contact sheet has pictures only"),
        (
            (
                "-o",
                "none/g.html",
            ),
            "there is no folder none",
        ),
        (("--image", "photo.png"), "give -o"),
    ):
        found = surefoot("corruptions", *words)
        assert found.exit_code == 2, words
        assert message in " ".join(found.stderr.replace("│", " ").split()), words
        assert "bug of Surefoot" not in found.stderr, words
        assert not (folder / "g.html").exists(), words
