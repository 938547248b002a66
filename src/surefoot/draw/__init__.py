"""The look of everything drawn: colours, frames, files, SVG, and the words and numbers beside it.

Packages draw their own figures on axes and take these from here. May import ``surefoot.core`` and, when
a figure is drawn, matplotlib; nothing else of Surefoot.
"""

from surefoot.draw.figures import BLUE, COLOURS, GREEN, GREY, INK, PALE, RED, STATUS_COLOURS, new_axes, open_frame, save
from surefoot.draw.intervals import Interval, draw_intervals
from surefoot.draw.svg import clean_svg, figure_svg
from surefoot.draw.text import Rounding, percent, sentence, shortened, significant, text_width, visible, wrapped

__all__ = [
    "BLUE",
    "COLOURS",
    "GREEN",
    "GREY",
    "INK",
    "PALE",
    "RED",
    "STATUS_COLOURS",
    "Interval",
    "Rounding",
    "clean_svg",
    "draw_intervals",
    "figure_svg",
    "new_axes",
    "open_frame",
    "percent",
    "save",
    "sentence",
    "shortened",
    "significant",
    "text_width",
    "visible",
    "wrapped",
]
