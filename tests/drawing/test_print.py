"""PDF and PNG: what PDFium and Pillow, neither of them ours, find in them is what the scene says."""

import re
from io import BytesIO
from pathlib import Path as FilePath

import pypdfium2
import pytest
from PIL import Image, ImageChops

from surefoot.case import Case
from surefoot.drawing import MOST_DOTS, Group, Letters, Path, Pen, Scene, Text, pdf, png, save, undrawable
from surefoot.faulttree import FaultTree
from surefoot.hazards import Hazop

PLAIN, BOLD = Letters("says", 12.0), Letters("head", 20.0, "#b3261e", bold=True)
FILLED = Pen("box", "#000000", "#00ff00", 4.0)


def scene(*marks, width=200.0, height=100.0, title="A picture", at=(0.0, 0.0)):
    return Scene((Group(tuple(marks), at=at),), width, height, title, "")


def text_of(content):
    return pypdfium2.PdfDocument(content)[0].get_textpage().get_text_bounded()


def dots(*marks, **more):
    return Image.open(BytesIO(png(scene(*marks, **more)))).convert("RGB")


def test_words_are_text_whatever_they_say():
    said = ["Łódź: ≤ 10⁻⁴", "(unbalanced \\ $x_$ %%EOF", "Ж", "two spaces"]
    content = pdf(scene(*(Text(5.0, 20.0 * place, text, PLAIN) for place, text in enumerate(said, 1))))
    assert text_of(content).splitlines() == said
    assert text_of(pdf(scene(Text(5.0, 20.0, "", PLAIN), Text(5, 40, "a\x00\u202eb", PLAIN)))) == "a��b"


def test_letters_that_no_font_has_are_told():
    missing = chr(0x10FFFD)
    assert undrawable(f"Ж a {missing}") == missing
    assert undrawable("plain") == ""
    assert len(pdf(scene(Text(5.0, 20.0, f"a{missing}b", PLAIN)))) > 1000


def test_one_page_with_a_title_the_same_every_time():
    shown = scene(Text(5.0, 20.0, "x", PLAIN), title="Straße \x07" + "t" * 300)
    document = pypdfium2.PdfDocument(pdf(shown))
    assert len(document) == 1
    assert document[0].get_size() == (200.0, 100.0)
    title = document.get_metadata_dict()["Title"]
    assert title.startswith("Straße �ttt")
    assert len(title) <= 200
    assert pdf(shown) == pdf(shown)
    assert png(shown) == png(shown)


def test_every_step_of_a_path_is_painted_where_it_is_said():
    steps = "M 10 10 H 60 V 40 L 10 40 Z M 80 10 C 80 10 120 10 120 10 L 120 40 L 80 40 Z"
    picture = dots(Path(steps, FILLED, (5.0, 0.0)), at=(10.0, 20.0))
    assert picture.size == (400, 200)
    for x, y in ((50, 45), (115, 45)):
        assert picture.getpixel((2 * x, 2 * y)) == (0, 255, 0)
    assert picture.getpixel((2 * 25, 2 * 45)) == (0, 0, 0)
    assert picture.getpixel((2 * 85, 2 * 45)) == (255, 255, 255)


def test_lines_are_dashed_round_or_not_there():
    line = "M 0 50 L 200 50"
    whole, dashed = (dots(Path(line, Pen("edge", width=4.0, dashed=each))) for each in (False, True))
    dark = [sum(picture.getpixel((x, 100))[0] < 128 for x in range(400)) for picture in (whole, dashed)]
    assert dark[0] == 400
    assert dark[1] == pytest.approx(400 * 5 / 9, rel=0.05)
    area = dots(Path("M 50 20 H 150 V 80 H 50 Z", Pen("sign", "none", "#0000ff")))
    assert area.getpixel((200, 100)) == (0, 0, 255)
    ends = [dots(Path("M 50 50 L 150 50", Pen("sign", width=20.0, rounded=each))) for each in (False, True)]
    assert [picture.getpixel((90, 100)) == (255, 255, 255) for picture in ends] == [True, False]


@pytest.mark.parametrize(("anchor", "left", "right"), [("start", 100, 160), ("middle", 70, 130), ("end", 40, 100)])
def test_words_begin_stand_around_or_end_at_their_place(anchor, left, right):
    picture = dots(Text(100.0, 60.0, "HHHH", BOLD, anchor))
    inked = [x / 2 for x in range(400) if any(picture.getpixel((x, y)) == (179, 38, 30) for y in range(90, 120))]
    assert min(inked) == pytest.approx(left, abs=6)
    assert max(inked) == pytest.approx(right, abs=6)


def test_a_theme_gives_the_ground_its_colour():
    shown = scene(Text(5.0, 20.0, "x", PLAIN))
    assert Image.open(BytesIO(png(shown, theme="dark"))).getpixel((390, 190)) == (0x18, 0x20, 0x2A)


def test_what_is_too_large_is_made_smaller():
    corner = Path("M 29000 400 H 30000 V 500 H 29000 Z", FILLED)
    content = pdf(scene(corner, width=30_000.0, height=500.0))
    assert re.search(rb"/MediaBox\[0 0 14400.00 240.00\]", content)
    picture = dots(corner, width=30_000.0, height=500.0)
    assert picture.size == (MOST_DOTS, 333)
    assert picture.getpixel((19_700, 300)) == (0, 255, 0)


def test_a_picture_is_the_same_however_many_strips_it_was_painted_in(monkeypatch):
    marks = (Path("M 10 10 C 60 10 60 90 150 90 Z", FILLED), Text(20.0, 60.0, "Words", BOLD))
    whole = dots(*marks)
    monkeypatch.setitem(png.__globals__, "STRIP", 2_800)
    apart = ImageChops.difference(dots(*marks), whole).getextrema()
    assert max(high for _, high in apart) <= 2


EXAMPLES = FilePath(__file__).parents[2] / "examples"


def diagrams():
    """Every kind of diagram there is, with a word that stands in it."""
    tree = FaultTree.read(EXAMPLES / "safe_distance" / "tree.yaml")
    case = Case.read(EXAMPLES / "reliability_cells" / "case.yaml")
    hazop = Hazop.read(EXAMPLES / "inspection_vehicle" / "hazop.yaml")
    yield "tree", tree.scene(width=900), "safe distance is lost"
    yield "cae", case.scene(notation="cae", evaluation=case.evaluate()), "printed.context"
    yield "gsn", case.scene(notation="gsn"), "printed.argument"
    yield "system", hazop.scene(), "stereo camera"
    yield "matrix", hazop.matrix_scene(), "catastrophic"


def test_every_diagram_is_saved_in_every_format_and_theme(tmp_path):
    grounds = {"light": (255, 255, 255), "dark": (0x18, 0x20, 0x2A), "print": (255, 255, 255)}
    for name, picture, said in diagrams():
        for theme, ground in grounds.items():
            drawn = [
                save(picture, tmp_path / f"{name}-{theme}.{ending}", theme=theme) for ending in ("svg", "pdf", "png")
            ]
            assert said in drawn[0].read_text(), (name, theme)
            assert said in text_of(drawn[1].read_bytes()), (name, theme)
            image = Image.open(drawn[2]).convert("RGB")
            assert image.size == (round(2 * picture.width), round(2 * picture.height)), (name, theme)
            assert image.getpixel((0, 0)) == ground, (name, theme)
            inner = image.crop((8, 8, image.width - 8, image.height - 8))
            framed = Image.new("RGB", image.size, ground)
            framed.paste(inner, (8, 8))
            assert ImageChops.difference(image, framed).getbbox() is None, (name, theme)
