"""Folders of images."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from surefoot.adapters import data_digest, load_data
from tests.adapters.problems import problem


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("dog/b.png", "dog/a.png", "cat/deep/c.png", "cat/d.bmp"):
        path = tmp_path / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (5, 7, 3), dtype=np.uint8)).save(path)
    (tmp_path / "images" / "dog" / ".DS_Store").write_bytes(b"hidden")
    (tmp_path / "images" / ".cache").mkdir()
    (tmp_path / "images" / "README.txt").write_text("about these images")
    return tmp_path


def read(folder, **options):
    return load_data(path="images", folder=folder, **options)


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB"))


def test_images_come_in_the_order_of_their_names(folder):
    data = read(folder)
    names = ["cat/d.bmp", "cat/deep/c.png", "dog/a.png", "dog/b.png"]
    assert np.array_equal(data.inputs, [pixels(folder / "images" / name) for name in names])
    assert (data.inputs.dtype, data.inputs.shape) == (np.uint8, (4, 5, 7, 3))
    assert (data.classes, data.labels.tolist()) == (("cat", "dog"), [0, 0, 1, 1])


def test_classes_may_be_given_in_another_order(folder):
    assert read(folder, classes=["dog", "cat", "cow"]).labels.tolist() == [1, 1, 0, 0]
    with problem("data-classes", "'cat'.*Did you mean 'cats'"):
        read(folder, classes=["dog", "cats"])


def test_images_are_scaled_to_height_and_width(folder):
    Image.new("RGB", (20, 10), (10, 20, 30)).save(folder / "images" / "dog" / "z.png")
    with problem("data-type", r"dog/z\.png.*image_size"):
        read(folder)
    data = read(folder, image_size=(4, 6))
    assert data.inputs.shape == (5, 4, 6, 3)
    assert data.inputs[-1, 0, 0].tolist() == [10, 20, 30]


def test_labels_need_no_pixels(folder):
    (folder / "images" / "dog" / "b.png").write_bytes(b"broken")
    data = read(folder, with_inputs=False)
    assert (data.inputs, len(data)) == (None, 4)


def test_colours_of_other_kinds_become_rgb(folder):
    for mode in ("L", "P", "RGBA", "1", "CMYK"):
        name = "z.tif" if mode == "CMYK" else "z.png"
        Image.new("RGB", (7, 5), (255, 255, 255)).convert(mode).save(folder / "images" / "dog" / name)
        assert read(folder).inputs[-1].min() >= 254, mode


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def bomb(side):
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(10))) + chunk(b"IEND", b"")
    )


def test_what_is_no_image_is_named(folder):
    for content, match in (
        (b"", "cannot identify"),
        (b"text", "cannot identify"),
        (bomb(10_000), "([Dd]ecompression bomb|pixels)"),
        (bomb(60_000), "([Dd]ecompression bomb|pixels)"),
    ):
        (folder / "images" / "dog" / "c.png").write_bytes(content)
        with problem("data-unreadable", rf"dog/c\.png.*{match}"):
            read(folder)


def test_large_images_are_refused_even_where_pillow_was_told_not_to(folder, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    (folder / "images" / "dog" / "c.png").write_bytes(bomb(10_000))
    with problem("data-unreadable", "10000 x 10000 pixels"):
        read(folder)


def test_a_truncated_image_is_named(folder):
    path = folder / "images" / "dog" / "b.png"
    path.write_bytes(path.read_bytes()[:-30])
    with problem("data-unreadable", r"dog/b\.png"):
        read(folder)


def test_images_of_sixteen_bits_are_refused_rather_than_clipped(folder):
    Image.fromarray(np.full((5, 7), 40_000, np.uint16)).save(folder / "images" / "dog" / "z.png")
    with problem("data-unreadable", "8 bits"):
        read(folder)


def test_other_files_beside_images_are_named(folder):
    (folder / "images" / "dog" / "notes.txt").write_text("x")
    with problem("data-unreadable", r"dog/notes\.txt"):
        read(folder)


@pytest.mark.parametrize("names", [["images/loose.png"], []], ids=["loose", "empty"])
def test_images_must_lie_in_folders_of_classes(tmp_path, names):
    (tmp_path / "images").mkdir()
    for name in names:
        Image.new("RGB", (2, 2)).save(tmp_path / name)
    with problem("data-unreadable", "one folder a class"):
        read(tmp_path)


def test_folders_without_images_are_empty(tmp_path):
    (tmp_path / "images" / "cat").mkdir(parents=True)
    with problem("data-empty", "no images"):
        read(tmp_path)


def test_columns_make_no_sense(folder):
    with problem("data-column", "'age'"):
        read(folder, attributes=["age"])


def test_the_digest_covers_names_and_contents_and_no_hidden_files(folder):
    first = data_digest(path="images", folder=folder)
    assert read(folder).digest == first
    (folder / "images" / "dog" / ".hidden").write_bytes(b"x")
    assert data_digest(path="images", folder=folder) == first
    (folder / "images" / "dog" / "a.png").rename(folder / "images" / "dog" / "aa.png")
    renamed = data_digest(path="images", folder=folder)
    (folder / "images" / "dog" / "b.png").write_bytes(b"x")
    assert len({first, renamed, data_digest(path="images", folder=folder)}) == 3


def test_names_that_are_not_utf8_are_shown(folder):
    (folder / "images" / "dog" / "caf\udce9.png").write_bytes(b"broken")
    with problem("data-unreadable", r"caf\\udce9\.png") as caught:
        read(folder)
    str(caught.value).encode()
    assert len(data_digest(path="images", folder=folder)) == 64
