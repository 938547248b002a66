import base64
import io
import re
import wave
from html import unescape

import numpy as np
import pytest
from PIL import Image
from scipy.io import wavfile

from surefoot import InvalidInput
from surefoot.corruptions import corrupt, gallery, names

DOMAINS = ("image", "audio", "text")
SOME = {"image": ("contrast", "gaussian_noise"), "audio": ("speed", "dropouts"), "text": ("swap_characters",)}


@pytest.fixture(scope="module")
def chapters():
    return [gallery.chapter(gallery.built_in(domain), some, seed=4) for domain, some in SOME.items()]


@pytest.fixture(scope="module")
def page(chapters):
    return gallery.html(chapters, seed=4)


def held(page, kind):
    return [base64.b64decode(found) for found in re.findall(rf'src="data:{kind};base64,([^"]+)"', page)]


def test_every_corruption_says_in_a_sentence_what_it_does():
    for name in (name for domain in DOMAINS for name in names(domain)):
        line = gallery.about(name)
        assert line.endswith("."), name
        assert 20 < len(line) < 140, name
        assert "`" not in line, name


@pytest.mark.parametrize("domain", SOME)
def test_rows_hold_what_corrupt_gives_at_each_severity(domain):
    example = gallery.built_in(domain)
    row = gallery.chapter(example, SOME[domain][-1:], seed=4).rows[0]
    options = {"rate": example.rate} if domain == "audio" else {}
    expected = [corrupt(example.item, row.name, s, seed=4, **options) for s in range(1, 6)]
    assert all(np.array_equal(found, item) for found, item in zip(row.items, expected, strict=True))


def test_the_page_needs_nothing_from_outside_and_runs_nothing(page):
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "default-src 'none'" in unescape(page)


def test_the_page_shows_every_picture(page):
    pictures = [Image.open(io.BytesIO(found)) for found in held(page, "image/jpeg")]
    assert len(pictures) == 5 * 4
    assert {picture.size for picture in pictures[:10]} == {(160, 120)}


def test_the_page_plays_every_sound(page, chapters):
    sounds = [wavfile.read(io.BytesIO(found)) for found in held(page, "audio/wav")]
    assert len(sounds) == 1 + 5 * 2
    expected = [item for row in chapters[1].rows for item in row.items]
    for (rate, found), item in zip(sounds[1:], expected, strict=True):
        assert rate == gallery.built_in("audio").rate == 12_000
        np.testing.assert_allclose(found / 32_767, item, atol=1e-4)


def test_a_faster_sound_is_shorter_on_the_page(page):
    widths = re.findall(r"width:(\d+)%", page[page.index('id="speed"') : page.index('id="dropouts"')])
    assert widths == ["80", "100", "59", "53", "46", "40"]


def test_no_text_of_a_user_becomes_markup():
    example = gallery.read_text("<script>alert('1')</script> & \x1b[31m", "<b>name</b>")
    page = gallery.html([gallery.chapter(example, ("case_errors",), seed=0)], seed=0)
    assert "<script" not in page.lower()
    assert "<b>name" not in page
    assert "\x1b" not in page


def test_changed_characters_are_marked():
    example = gallery.read_text("abc", "letters")
    for after, marked in (
        ("abc", "abc"),
        ("ac", "a<del>b</del>c"),
        ("axc", "a<mark>x</mark>c"),
        ("abxc", "ab<mark>x</mark>c"),
        ("", "<del>abc</del>"),
    ):
        row = gallery.Row("case_errors", "Wrong capitals.", (after,) * 5)
        page = gallery.html([gallery.Chapter(example, (row,))], seed=0)
        assert re.findall("<dd>(.*?)</dd>", page) == [marked] * 5, after


def test_the_default_page_is_modest():
    chapters = [gallery.chapter(gallery.built_in(domain), names(domain), seed=0) for domain in DOMAINS]
    assert len(gallery.html(chapters, seed=0)) < 3_000_000


def test_a_sheet_has_a_row_for_each_corruption_and_a_column_for_each_severity(chapters):
    sheet = np.asarray(Image.open(io.BytesIO(gallery.png(chapters[:2]))))
    street, versions = chapters[0].example.item, chapters[0].rows[0].items
    for column, item in enumerate((street, *versions)):
        left = 16 + 150 + column * 168
        np.testing.assert_array_equal(sheet[38 : 38 + 120, left : left + 160], item)
    assert len(sheet) == 2 * 16 + 22 + 2 * 128 + 2 * 92


def test_a_sheet_has_no_texts(chapters):
    with pytest.raises(InvalidInput, match=r"texts.*Write \.html"):
        gallery.png(chapters)


def test_a_spectrogram_shows_a_tone_at_its_height():
    tone = 0.5 * np.sin(2 * np.pi * 2_000 * np.arange(8_000) / 8_000)
    chapter = gallery.chapter(gallery.Example("audio", tone, "tone", 8_000), ("clipping",))
    sheet = np.asarray(Image.open(io.BytesIO(gallery.png([chapter])))).astype(int)
    picture = sheet[38 : 38 + 84, 166 : 166 + 160].sum(axis=2)
    brightest = picture[:, 20:-20].argmax(axis=0)
    assert np.abs(brightest - 84 / 2).max() <= 2


def test_short_and_silent_sounds_have_pictures_and_play():
    for samples in (1, 2, 100):
        example = gallery.Example("audio", np.zeros(samples), "nothing", 8_000)
        page = gallery.html([gallery.chapter(example, ("speed", "telephone"), seed=0)], seed=0)
        assert len(held(page, "audio/wav")) == 11, samples


def test_pictures_are_brought_to_size_and_turned_upright(tmp_path):
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (200, 400), dtype=np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6
    picture.save(tmp_path / "photo.jpg", exif=exif)
    found = gallery.read_image(tmp_path / "photo.jpg").item
    assert (found.shape, found.dtype) == ((160, 80, 3), np.uint8)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_waves_of_every_width_are_read_as_shares(tmp_path, dtype):
    tone = 0.5 * np.sin(np.arange(2_000))
    scale = {np.uint8: 127, np.int16: 32_767, np.int32: 2**31 - 1, np.float32: 1}[dtype]
    samples = (tone * scale + (128.5 if dtype is np.uint8 else 0)).astype(dtype)
    wavfile.write(tmp_path / "clip.wav", 8_000, np.stack([samples, samples], axis=1))
    found = gallery.read_sound(tmp_path / "clip.wav")
    assert found.rate == 8_000
    np.testing.assert_allclose(found.item, tone, atol=0.01)


def test_24_bit_waves_are_read(tmp_path):
    with wave.open(str(tmp_path / "clip.wav"), "wb") as opened:
        opened.setparams((1, 3, 8_000, 2, "NONE", ""))
        opened.writeframes((1 << 22).to_bytes(3, "little") * 2)
    np.testing.assert_allclose(gallery.read_sound(tmp_path / "clip.wav").item, [0.5, 0.5])


def test_long_inputs_are_cut_and_say_so(tmp_path):
    wavfile.write(tmp_path / "long.wav", 8_000, np.ones(80_000, np.int16))
    sound = gallery.read_sound(tmp_path / "long.wav")
    assert (len(sound.item), sound.title) == (32_000, "long.wav, its first 4 seconds")
    text = gallery.read_text("word " * 1_000)
    assert len(text.item) <= 400
    assert "its first 399 characters" in text.title
