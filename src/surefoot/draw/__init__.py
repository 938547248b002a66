"""The look of every figure: colours, frames, files.

Packages draw their own figures on axes and take these from here. May import ``surefoot.core`` and, when
a figure is drawn, matplotlib; nothing else of Surefoot.
"""

from surefoot.draw.figures import BLUE, COLOURS, GREEN, GREY, INK, PALE, RED, STATUS_COLOURS, new_axes, open_frame, save

__all__ = [
    "BLUE",
    "COLOURS",
    "GREEN",
    "GREY",
    "INK",
    "PALE",
    "RED",
    "STATUS_COLOURS",
    "new_axes",
    "open_frame",
    "save",
]
