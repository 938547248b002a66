"""Weather, and what stands between a camera and its scene: snow, frost, fog, smoke, the glare of the sun, rain."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image import BYTE, Generators, Images
from surefoot.corruptions.image.blur import smeared
from surefoot.corruptions.image.digital import cropped, enlarged

SNOW = (
    (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)
"""Of the flakes: mean, deviation, size, threshold, radius and deviation of their fall; then the share of the image that
is not whitened. Paper SYS (Table 1) has severities 1, 3 and 5."""
FALL = (-135, -45)
"""Degrees between which snow falls."""
FROST = ((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))
"""Weights of the image and of the frost."""
FOG = ((1.5, 2), (2.0, 2), (2.5, 1.7), (2.5, 1.5), (3.0, 1.4))
"""Thickness of the fog, and how fast its small structures fade."""
LUMA = (0.299, 0.587, 0.114)
"""Shares of red, green and blue in grey (ITU-R BT.601)."""


@corruption(domain="image")
def snow(images: Images, severity: int, rngs: Generators) -> Images:
    """A whitened image with falling flakes before it (Hendrycks and Dietterich 2019)."""
    *flakes, kept = SNOW[severity - 1]
    whitened = _grey(images)
    whitened *= 1.5
    whitened += 0.5
    whitened = np.maximum(images, whitened)
    whitened *= 1 - kept
    whitened += images * kept
    for image, rng in zip(whitened, rngs, strict=True):
        layer = _flakes(image.shape[0], image.shape[1], flakes, rng)
        image += layer + layer[::-1, ::-1]
    return whitened


def _flakes(height: int, width: int, flakes: list[float], rng: np.random.Generator) -> Images:
    mean, deviation, size, threshold, radius, fall, *_ = flakes
    shape = (cropped(height, size)[1], cropped(width, size)[1], 1)
    grains = rng.standard_normal(shape, dtype=np.float32) * np.float32(deviation) + np.float32(mean)
    layer = enlarged(grains, size, height, width)
    layer[layer < threshold] = 0
    return smeared(np.clip(layer, 0, 1), int(radius), fall, rng.uniform(*FALL))


@corruption(domain="image")
def frost(images: Images, severity: int, rngs: Generators) -> Images:
    """The image behind a pane with crystals of ice, a random piece of one of six (Hendrycks and Dietterich 2019).

    The weights are theirs; their panes are photographs, ours are grown by ``ice``.
    """
    clear, iced = FROST[severity - 1]
    frosted = images * clear
    for image, rng in zip(frosted, rngs, strict=True):
        ice = _piece(image.shape[0], image.shape[1], rng)
        image += (ice if image.shape[-1] == 3 else _grey(ice)) * np.float32(iced / BYTE)
    return frosted


def _piece(height: int, width: int, rng: np.random.Generator) -> Images:
    whole = pane(int(rng.integers(PANES)))
    factor = max(1.0, 1.1 * max(height, width) / len(whole))
    sides = [cropped(side, factor)[1] for side in (height, width)]
    top, left = (int(rng.integers(len(whole) - side + 1)) for side in sides)
    piece = whole[top : top + sides[0], left : left + sides[1]].astype(np.float32)
    return piece if factor == 1 else enlarged(piece, factor, height, width)


@corruption(domain="image")
def fog(images: Images, severity: int, rngs: Generators) -> Images:
    """Clouds added and the range brought back (Hendrycks and Dietterich 2019)."""
    thickness, decay = FOG[severity - 1]
    height, width = images.shape[1:3]
    fogged = np.empty_like(images)
    for image, out, rng in zip(images, fogged, rngs, strict=True):
        brightest = image.max()
        np.add(image, clouds(height, width, decay, rng)[..., None] * np.float32(thickness), out=out)
        out *= brightest / (brightest + thickness)
    return fogged


def _grey(images: Images) -> Images:
    if images.shape[-1] == 1:
        return images.copy()
    return (images @ np.array(LUMA, images.dtype))[..., None]


# What stands between a camera and its scene: smoke, the glare of the sun, rain.
#
# Paper MON (Guerin et al. 2022, section III-B) names these threats and prints no parameters: the numbers are ours.

Field = NDArray[np.floating[Any]]
SMOKE = ((0.55, 0.65), (0.65, 0.75), (0.75, 0.85), (0.85, 0.97), (0.95, 1.1))
"""Opacity of the thickest smoke, and how deep into the cloud's range smoke is seen."""
EDGE = 0.6
"""Share of the cloud's range over which smoke thickens."""
SMOKE_GREY, SMOKE_SHADE = 0.68, 0.35
SUN = (0.5, 0.7, 0.9, 1.1, 1.4)
"""Strength of the light, which scales the size of disc, halo and rays too."""
RAIN = (
    (0.04, 0.07, 0.55, 0.06),
    (0.07, 0.085, 0.6, 0.12),
    (0.11, 0.1, 0.65, 0.18),
    (0.16, 0.12, 0.7, 0.24),
    (0.22, 0.14, 0.75, 0.3),
)
"""Share of the image under streaks, their length as a share of its height, their opacity, and that of the haze."""
RAIN_GREY, HAZE_GREY = 0.9, 0.45


@corruption(domain="image")
def smoke(images: Images, severity: int, rngs: Generators) -> Images:
    """Grey smoke in random billows, from wisps to a wall that hides most of the scene.

    The thickest part has opacity 0.55, 0.65, 0.75, 0.85, 0.95, and billows grow over more of the image.
    """
    opacity, depth = SMOKE[severity - 1]
    answer = np.empty_like(images)
    for image, rng, out in zip(images, rngs, answer, strict=True):
        billows, shade = cloud(rng, *image.shape[:2]), cloud(rng, *image.shape[:2])
        thickness = opacity * _smooth((billows - 1 + depth) / EDGE)
        out[...] = _behind(image, thickness, SMOKE_GREY + SMOKE_SHADE * (shade - 0.5))
    return answer


@corruption(domain="image")
def sun_flare(images: Images, severity: int, rngs: Generators) -> Images:
    """The sun in the upper part of the image: disc, halo, rays, and reflections in the lens.

    Strength 0.5, 0.7, 0.9, 1.1, 1.4. Light adds up as on a screen, 1 - (1 - a)(1 - b): nothing gets darker.
    """
    answer = np.empty_like(images)
    for image, rng, out in zip(images, rngs, answer, strict=True):
        light = np.minimum(glare(rng, image.shape[:2], SUN[severity - 1]), 1)
        out[...] = 1 - (1 - image) * (1 - (light if image.shape[-1] == 3 else light.mean(axis=-1, keepdims=True)))
    return answer


@corruption(domain="image")
def rain(images: Images, severity: int, rngs: Generators) -> Images:
    """Slanting streaks of rain before a grey haze.

    Streaks cover about 0.04, 0.07, 0.11, 0.16, 0.22 of the image, are 0.07 to 0.14 of its height long, and have opacity
    0.55 to 0.75; the haze has 0.06, 0.12, 0.18, 0.24, 0.3.
    """
    share, length, opacity, haze = RAIN[severity - 1]
    answer = np.empty_like(images)
    for image, rng, out in zip(images, rngs, answer, strict=True):
        wet = opacity * streaks(rng, image.shape[:2], share=share, length=length)
        out[...] = _behind(image * (1 - haze) + haze * HAZE_GREY, wet, RAIN_GREY)
    return answer


def _behind(image: Images, opacity: Field, grey: Field | float) -> Images:
    return image * (1 - opacity)[..., None] + (opacity * grey)[..., None]


def _smooth(share: Field) -> Field:
    cut = np.clip(share, 0, 1)
    return cut * cut * (3 - 2 * cut)


# Streaks of falling rain: short slanting lines with soft edges.

STEEPEST = 0.35
"""How far sideways the rain of an image moves at most, for each pixel down."""
SPREAD = 0.04
"""How much the streaks of one image differ in that."""
WIDTH = 1 / 160
"""Width of a streak as a share of the shorter side; at least a pixel."""
FAINTEST = 0.25


def streaks(rng: np.random.Generator, shape: tuple[int, ...], *, share: float, length: float) -> NDArray[np.float32]:
    """Opacity (h x w), from 0 to 1, of streaks over about a share of the image, each a share of its height long."""
    height, width = shape
    thick, long = max(1.0, min(shape) * WIDTH), max(2, round(length * height))
    # Streaks also start outside the image, so that its edges are as wet as its middle.
    tall, wide = height + long, width + thick + 2 * long * (STEEPEST + SPREAD)
    number = max(1, round(share * tall * wide / (long * thick)))
    slant = rng.uniform(-STEEPEST, STEEPEST)
    start_y, start_x, turn, bright = rng.random((number, 4)).T[:, :, None]
    down = np.arange(long)
    y = np.floor(start_y * tall).astype(int) - long + down
    left = start_x * wide - (wide - width + thick) / 2 + (slant + SPREAD * (2 * turn - 1)) * down
    strength = (FAINTEST + (1 - FAINTEST) * bright) * np.sqrt(np.sin(np.pi * (down + 0.5) / long))
    return _drawn(shape, y, left, thick, strength)


def _drawn(
    shape: tuple[int, ...], y: NDArray[Any], left: NDArray[Any], thick: float, strength: NDArray[Any]
) -> NDArray[np.float32]:
    """Each pixel as wet as the wettest streak over it, by how much of the pixel the streak covers."""
    height, width = shape
    field = np.zeros(height * width, np.float32)
    first = np.floor(left).astype(int)
    for column in (first + extra for extra in range(int(np.ceil(thick)) + 1)):
        covered = np.clip(np.minimum(column + 1, left + thick) - np.maximum(column, left), 0, 1)
        inside = (y >= 0) & (y < height) & (column >= 0) & (column < width)
        np.maximum.at(field, (y * width + column)[inside], (strength * covered)[inside].astype(np.float32))
    return field.reshape(height, width)


# Light of the sun that shines into a lens: disc, halo, rays, and reflections between its glasses.

Light = NDArray[np.float32]
HIGHEST, LOWEST = (0.03, 0.12), (0.35, 0.88)
"""The sun stands between these places: shares of height and width."""
DISC, HALO, BEAM = 0.05, 0.22, 0.45
"""Radius of the disc, width of the halo and length of the rays, as shares of the shorter side."""
RAYS = 4
"""Pairs of rays: twice as many points has the star."""
SUN_TINT = (1.0, 0.95, 0.82)
GHOSTS = (
    (0.55, 0.09, (0.5, 1.0, 0.6)),
    (0.85, 0.05, (1.0, 0.7, 0.4)),
    (1.3, 0.14, (0.5, 0.7, 1.0)),
    (1.6, 0.06, (1.0, 0.5, 0.8)),
    (2.0, 0.2, (0.6, 0.9, 1.0)),
)
"""Reflections: place on the way from the sun (0) through the middle of the image (1), radius, tint."""
GHOST = 0.25
"""Light of the brightest reflection, as a share of the sun's."""


def glare(rng: np.random.Generator, shape: tuple[int, ...], strength: float) -> Light:
    """Light (h x w x 3) of a sun in the upper part of the image; 1 and more saturates."""
    middle = (np.array(shape) - 1) / 2
    sun = np.array(shape) * rng.uniform(HIGHEST, LOWEST)
    turn, dim = rng.uniform(0, np.pi), rng.uniform(0.4, 1, len(GHOSTS))
    light = strength * _star(shape, sun, turn, strength)[..., None] * np.array(SUN_TINT, np.float32)
    for (place, radius, tint), weight in zip(GHOSTS, dim, strict=True):
        disc = _disc(shape, sun + place * (middle - sun), radius)
        light += (GHOST * strength * weight * disc)[..., None] * np.array(tint, np.float32)
    return light


def _away(shape: tuple[int, ...], centre: NDArray[np.float64]) -> tuple[Light, Light]:
    """How far down and right of a centre each row and column is, in shorter sides."""
    down, right = ((np.arange(n) - at) / min(shape) for n, at in zip(shape, centre, strict=True))
    return down.astype(np.float32)[:, None], right.astype(np.float32)


def _star(shape: tuple[int, ...], sun: NDArray[np.float64], turn: float, size: float) -> Light:
    down, right = _away(shape, sun)
    distance = np.sqrt(down**2 + right**2)
    disc = np.clip(2 - distance / (DISC * size), 0, 1)
    halo = 0.75 * np.exp(-distance / (HALO * size))
    points = np.abs(np.cos(RAYS * np.arctan2(down, right) + np.float32(turn))) ** 12
    return disc + halo + 0.35 * points * np.exp(-distance / (BEAM * size))


def _disc(shape: tuple[int, ...], centre: NDArray[np.float64], radius: float) -> Light:
    """A disc with a soft edge, brighter at its rim."""
    down, right = _away(shape, centre)
    distance = np.sqrt(down**2 + right**2) / radius
    return np.clip((1 - distance) * 8, 0, 1) * (0.6 + 0.4 * distance**2)


# Panes of glass with crystals of ice, grown by random numbers of their own.

SIDE = 512
FINE = 2
"""Lines are drawn larger and made smaller, so that they are smooth."""
LOOKS = (
    (0.34, 0.15, (0.82, 1.08, 1.2)),
    (0.44, 0.14, (0.93, 1.0, 1.08)),
    (0.51, 0.09, (0.7, 1.12, 1.22)),
    (0.62, 0.11, (0.92, 1.0, 1.08)),
    (0.78, 0.08, (0.97, 1.0, 1.03)),
    (0.81, 0.08, (0.98, 1.0, 1.02)),
)
"""Mean and deviation of brightness, and tint, of each pane: from thin dark ice to thick white ice."""
PANES = len(LOOKS)
FERNS = 700
STEP = 4.0
"""Length of the pieces that a stem is drawn in."""
BRANCHING = math.pi / 3
"""Crystals of ice branch at 60 degrees."""


@lru_cache(maxsize=PANES)
def pane(number: int) -> NDArray[np.uint8]:
    """A pane (512 x 512 x 3), the same each time: a rough film of ice with crystals, thicker in some parts."""
    mean, deviation, tint = LOOKS[number]
    rng = np.random.default_rng(number)
    film, thickness = clouds(SIDE, SIDE, 1.3, rng), clouds(SIDE, SIDE, 1.8, rng)
    relief = 0.8 * film + _crystals(rng) * (0.1 + 1.6 * thickness)
    relief = (relief - relief.mean()) * (deviation / relief.std()) + mean
    ice = np.clip(relief[..., None] * np.array(tint), 0, 1)
    return np.rint(ice * BYTE).astype(np.uint8)


def _crystals(rng: np.random.Generator) -> NDArray[np.float32]:
    """Many ferns of ice, large ones rare, from 0 (none) to 1."""
    from PIL import Image, ImageDraw

    canvas = Image.new("L", (SIDE * FINE, SIDE * FINE))
    pen = ImageDraw.Draw(canvas)
    lengths = np.sort(15 + rng.exponential(45, FERNS))[::-1]
    for length in lengths.tolist():
        _fern(pen, rng.uniform(0, SIDE * FINE, 2), rng.uniform(0, 2 * math.pi), length, rng)
    smaller = np.asarray(canvas.resize((SIDE, SIDE), Image.Resampling.BOX), np.float32)
    return smaller * np.float32(1 / BYTE)


def _fern(pen: Any, root: NDArray[np.float64], angle: float, length: float, rng: np.random.Generator) -> None:
    """A bent stem with branches on both sides, shorter towards the tip and brighter than what is below."""
    pieces = int(length / STEP)
    angles = angle + np.cumsum(rng.normal(0, 0.03, pieces) + rng.uniform(-0.02, 0.02))
    stem = np.vstack([root, root + np.cumsum(STEP * _direction(angles), axis=0)])
    shade = int(rng.integers(110, 256))
    pen.line([tuple(point) for point in stem], fill=shade, width=2)
    for side in (-BRANCHING, BRANCHING):
        reach = 0.5 * STEP * np.arange(pieces, 0, -1) * rng.beta(2, 2, pieces) + STEP
        tips = stem[1:] + reach[:, None] * _direction(angles + side + rng.normal(0, 0.08, pieces))
        for point, tip, dimmed in zip(stem[1:], tips, rng.uniform(0.3, 1, pieces), strict=True):
            pen.line([*point, *tip], fill=int(shade * dimmed), width=2)


def _direction(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


# Clouds: fractal heights by the diamond-square method (Fournier, Fussell and Carpenter 1982).

ROUGHNESS = 100.0
PLASMA_LARGEST = 4096
"""Longest side of a map; beyond, it repeats itself, which shows no seam."""
Heights = NDArray[np.float32]


def clouds(height: int, width: int, decay: float, rng: np.random.Generator) -> Heights:
    """Heights from 0 to 1 whose steps shrink with the square of ``decay`` each time the grid is halved.

    The map is a square whose side is a power of 2, and wraps around; what is asked for is cut from it, as Hendrycks
    and Dietterich (2019) do.
    """
    side = min(PLASMA_LARGEST, 2 ** max(1, (max(height, width) - 1).bit_length()))
    # Each point starts as its own random step in [-1, 1) and gets its size and the mean of its neighbours added.
    heights = rng.random((side, side), dtype=np.float32)
    heights *= 2
    heights -= 1
    heights[0, 0] = 0
    _grow(heights, decay)
    heights -= heights.min()
    heights /= heights.max()
    return np.tile(heights[:height, :width], (-(-height // side), -(-width // side)))[:height, :width]


def _grow(heights: Heights, decay: float) -> None:
    step, rough = len(heights), ROUGHNESS
    while step >= 2:
        half = step // 2
        corners, centres = heights[::step, ::step], heights[half::step, half::step]
        across = corners + _next(corners, axis=1)
        _place(centres, across + _next(across, axis=0), rough)
        _place(heights[::step, half::step], across + centres + _last(centres, axis=0), rough)
        down = corners + _next(corners, axis=0)
        _place(heights[half::step, ::step], down + centres + _last(centres, axis=1), rough)
        step, rough = half, rough / decay


def _place(points: Heights, sums: Heights, rough: float) -> None:
    points *= rough * rough
    sums /= 4
    points += sums


def _next(grid: Heights, axis: int) -> Heights:
    """Each point's neighbour behind it; behind the last is the first."""
    return np.concatenate((grid[1:], grid[:1]) if axis == 0 else (grid[:, 1:], grid[:, :1]), axis=axis)


def _last(grid: Heights, axis: int) -> Heights:
    """Each point's neighbour before it; before the first is the last."""
    return np.concatenate((grid[-1:], grid[:-1]) if axis == 0 else (grid[:, -1:], grid[:, :-1]), axis=axis)


# Random clouds: smooth noise of several sizes laid over each other.

LARGEST, SMALLEST = 0.5, 0.015
"""Widths of the largest and the smallest puffs, as shares of the longer side."""
FADE = 0.6
"""How much weaker the noise of half the size is."""


def cloud(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    """A cloud (h x w) from 0 to 1: noise on ever finer grids, each smoothed by cubic B-splines, added up."""
    field = np.zeros((height, width), np.float32)
    side, weight = max(height, width), 1.0
    size = side * LARGEST
    while size >= max(2, side * SMALLEST):
        rows, columns = _splines(height, size), _splines(width, size)
        puffs = rng.standard_normal((rows.shape[1], columns.shape[1]), np.float32)
        field += np.float32(weight) * (rows @ puffs @ columns.T)
        size, weight = size / 2, weight * FADE
    low, high = field.min(), field.max()
    return (field - low) / max(high - low, np.finfo(np.float32).tiny)


@lru_cache(maxsize=64)
def _splines(length: int, size: float) -> NDArray[np.float32]:
    """Weights (length x knots) of uniform cubic B-splines whose knots lie ``size`` pixels apart."""
    place = np.arange(length) / size
    knots = np.arange(-1, int(place[-1]) + 3)
    away = np.abs(place[:, None] - knots)
    near = 2 / 3 - away**2 + away**3 / 2
    far = np.clip(2 - away, 0, None) ** 3 / 6
    weights: NDArray[np.float32] = np.where(away < 1, near, far).astype(np.float32)
    weights.setflags(write=False)
    return weights
