"""A gallery of corruptions: what each does to a picture, a sound and a text, to look at and to listen to.

``examples`` holds inputs of our own making and ``reading`` takes those of users; ``rows`` corrupts them; ``page`` shows
them as one HTML file that loads nothing and runs no script, ``sheet`` as one picture. May import ``core`` and
``drawing``.
"""

from surefoot.corruptions.gallery.examples import built_in, read_image, read_sound, read_text
from surefoot.corruptions.gallery.page import Chapter, Example, Row, about, chapter, html, png

__all__ = [
    "Chapter",
    "Example",
    "Row",
    "about",
    "built_in",
    "chapter",
    "html",
    "png",
    "read_image",
    "read_sound",
    "read_text",
]
