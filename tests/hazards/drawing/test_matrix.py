from itertools import chain, pairwise
from xml.etree import ElementTree

from surefoot.drawing import clean_svg
from surefoot.hazards import Hazop, RiskMatrix, Row, drawing

SVG = "{http://www.w3.org/2000/svg}"
SMALL = RiskMatrix(
    ("mild", "bad"), ("seldom", "often"), {"seldom": ("a", "b"), "often": ("b", "c")}, order=tuple("abc")
)
MATRICES = [RiskMatrix.usual(), SMALL, RiskMatrix(("s",), ("l",), {"l": ("a",)}, order=("a",))]


def rated(pairs, matrix=SMALL):
    rows = [Row(f"R{place}", "i", "p", "w", severity=s, likelihood=o) for place, (s, o) in enumerate(pairs)]
    return Hazop("vehicle", (), rows, matrix=matrix)


def cell_titles(hazop):
    return [each.text for each in ElementTree.fromstring(drawing.draw_matrix(hazop)).iter(f"{SVG}title")][1:]


def test_each_cell_says_its_class_and_its_rows_the_most_likely_on_top():
    hazop = rated([("bad", "often"), ("bad", "often"), ("mild", "seldom"), ("bad", ""), ("dire", "often")])
    assert cell_titles(hazop) == [
        "mild, often: b, 0 rows",
        "bad, often: c, 2 rows: R0, R1",
        "mild, seldom: a, 1 row: R2",
        "bad, seldom: b, 0 rows",
    ]
    assert "3 of 5 rows have a severity and a likelihood." in drawing.draw_matrix(hazop)


def test_many_rows_are_counted_and_the_first_named():
    picture = drawing.draw_matrix(rated([("bad", "often")] * 1200))
    assert ">1,200<" in picture
    assert ">R0, R1, R2, …<" in picture


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_worse_classes_are_darker_and_letters_legible_on_all():
    """Contrast as WCAG 2 defines it: at least 4.5 for letters."""
    for matrix in MATRICES:
        cells = ElementTree.fromstring(drawing.draw_matrix(Hazop("v", matrix=matrix))).iter(f"{SVG}g")
        shades = {}
        for cell in cells:
            box, text = cell.find(f"{SVG}path"), cell.find(f"{SVG}text")
            if box is not None:
                shades[text.text] = luminance(box.get("fill"))
                light, dark = sorted([shades[text.text], luminance(text.get("fill"))], reverse=True)
                assert (light + 0.05) / (dark + 0.05) >= 4.5, text.text
        ordered = [shades[risk] for risk in matrix.order if risk in shades]
        assert len(ordered) == len(set(chain.from_iterable(matrix.classes.values())))
        assert all(one > 1.3 * two for one, two in pairwise(ordered)), matrix.order


def test_a_report_takes_the_picture():
    for matrix in MATRICES:
        picture = drawing.draw_matrix(Hazop("<b>", matrix=matrix)).encode()
        assert clean_svg(picture, "p").startswith("<svg"), matrix.order
