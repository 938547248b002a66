"""One way to draw: scenes with their layouts and what they are written as, charts, and the words and numbers beside.

A diagram is a ``Scene`` of shapes and words, placed by the tree layout (Reingold and Tilford 1981) or by the layered
one (Sugiyama, Tagawa and Toda 1981), coloured by a theme and written as SVG, PNG or PDF. Packages describe their own
diagrams and charts with it. May import ``surefoot.core``, ``surefoot.documents`` and, when a chart is drawn,
matplotlib; nothing else of Surefoot.
"""

from surefoot.drawing import layer_layout, legend, routing, shapes
from surefoot.drawing.charts import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    INK,
    PALE,
    RED,
    STATUS_COLOURS,
    Interval,
    band_chart,
    draw_intervals,
    figure_svg,
    interval_chart,
    new_axes,
    open_frame,
)
from surefoot.drawing.files import MOST_DOTS, ending_of, png, save, svg
from surefoot.drawing.pdf import pdf, undrawable
from surefoot.drawing.sanitiser import clean_svg
from surefoot.drawing.scene import THEMES, Group, Letters, Path, Pen, Scene, Text, Theme
from surefoot.drawing.text import text_width, wrapped
from surefoot.drawing.tree_layout import Part, place_tree, shape_cost

__all__ = [
    "BLUE",
    "COLOURS",
    "GREEN",
    "GREY",
    "INK",
    "MOST_DOTS",
    "PALE",
    "RED",
    "STATUS_COLOURS",
    "THEMES",
    "Group",
    "Interval",
    "Letters",
    "Part",
    "Path",
    "Pen",
    "Scene",
    "Text",
    "Theme",
    "band_chart",
    "clean_svg",
    "draw_intervals",
    "ending_of",
    "figure_svg",
    "interval_chart",
    "layer_layout",
    "legend",
    "new_axes",
    "open_frame",
    "pdf",
    "place_tree",
    "png",
    "routing",
    "save",
    "shape_cost",
    "shapes",
    "svg",
    "text_width",
    "undrawable",
    "wrapped",
]
