"""Pictures of the riskiest inputs beside their failing neighbours."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image
from tests.refusals import told

import surefoot as sf
from surefoot.drawing import clean_svg
from surefoot.project.steps import parameters
from surefoot.project.steps.ball_neighbours import MOST_PIXELS, Neighbour, as_picture, picture_shape, pictures


def neighbour(shape, *, found=True, seed=0, truth="seven", answer="seven", failing_answer="one", log10_risk=-7.2):
    rng = np.random.default_rng(seed)
    centre = rng.random(shape)
    failing = np.clip(centre + rng.uniform(-0.1, 0.1, shape), 0, 1) if found else None
    return Neighbour(7, truth, answer, truth != answer, log10_risk, centre, failing, failing_answer)


def drawn(found, shape):
    return parameters.drawn(pictures(found, shape, low=0, high=1)).content


def embedded(content):
    """The pictures inside an SVG, as arrays."""
    texts = re.findall(rb'data:image/png;base64,([^"]*)"', content)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB")) for text in texts]


def test_the_shape_of_inputs_shows_whether_they_are_pictures():
    for shape, expected in [
        ((28, 28), (28, 28)),
        ((1, 28, 28), (1, 28, 28)),
        ((3, 32, 40), (3, 32, 40)),
        ((32, 40, 3), (32, 40, 3)),
        ((784,), None),
        ((2, 9), None),
        ((5, 28, 28), None),
        ((2, 3, 32, 32), None),
    ]:
        with told(shape):
            assert picture_shape(shape) == expected


def test_rows_are_pictures_where_their_shape_is_stated():
    assert picture_shape((784,), [28, 28]) == (28, 28)
    with pytest.raises(sf.InvalidInput, match="as many values as an input"):
        picture_shape((784,), [28, 29])
    with pytest.raises(sf.InvalidInput, match="height, width"):
        picture_shape((784,), [2, 2, 196])


def test_every_layout_of_channels_shows_the_same_picture():
    colours = np.random.default_rng(0).random((8, 9, 3))
    assert np.array_equal(as_picture(colours, (8, 9, 3)), colours)
    assert np.array_equal(as_picture(np.moveaxis(colours, -1, 0).ravel(), (3, 8, 9)), colours)
    grey = colours[..., 0]
    for shape in ((8, 9), (1, 8, 9), (8, 9, 1)):
        assert np.array_equal(as_picture(grey.ravel(), shape), grey)


def test_large_pictures_are_shown_by_means_of_blocks():
    size = 2 * MOST_PIXELS + 1
    large = np.random.default_rng(0).random((size, size))
    small = as_picture(large, (size, size))
    assert max(small.shape) <= MOST_PIXELS
    assert small[1, 2] == pytest.approx(large[3:6, 6:9].mean())
    assert small[-1, -1] == pytest.approx(large[3 * (len(small) - 1) :, 3 * (len(small) - 1) :].mean())


def test_input_neighbour_and_difference_are_there_pixel_by_pixel():
    each = neighbour((6, 5))
    centre, failing, difference, *_ = embedded(drawn([each], (6, 5)))
    assert np.abs(centre[..., 0] / 255 - each.centre).max() < 0.01
    assert np.abs(failing[..., 0] / 255 - each.failing).max() < 0.01
    change = each.failing - each.centre
    lighter, darker = np.unravel_index(change.argmax(), change.shape), np.unravel_index(change.argmin(), change.shape)
    assert difference[lighter][0] > difference[lighter][2]
    assert difference[darker][2] > difference[darker][0]


def test_words_beside_the_pictures_say_classes_answers_and_risk():
    found = [neighbour((6, 6)), neighbour((6, 6), found=False, answer="nine", log10_risk=-np.inf)]
    text = " ".join(re.findall(r"<text[^>]*>([^<]*)", clean_svg(drawn(found, (6, 6)), "p")))
    for words in ("row 7: true class seven", "answered one", "answered nine", "risk 6.31×10⁻⁸", "none found", "risk 0"):
        assert words in text


def test_the_most_pictures_of_noise_still_fit_into_a_page():
    for shape in [(300, 200, 3), (3, 256, 256), (512, 512)]:
        with told(shape):
            content = drawn([neighbour(shape, seed=seed) for seed in range(8)], shape)
            assert clean_svg(content, "p")


def test_hostile_names_of_classes_are_shown_as_text():
    name = "<script>$x_1$</script>" * 9
    content = drawn([neighbour((6, 6), truth=name, answer=name, failing_answer=name)], (6, 6))
    assert b"<script>" not in content
    assert "&lt;script" in clean_svg(content, "p")
