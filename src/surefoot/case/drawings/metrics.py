"""Sizes of letters, boxes and the room between them, in pixels."""

from __future__ import annotations

HEAD, TEXT, NOTE, TITLE = 11.0, 12.5, 10.5, 15.0
"""Letters: id and standing, what a node says, notes, the name of a module."""
LEADING = 1.34
BOLD = 1.08
"""How much wider bold letters are."""
PADDING = 11.0
MOST_LINES = 9
MOST_NOTES = 4
ROOMS = (172.0, 216.0, 264.0)
"""Room for words in a box, the narrowest in which a text takes few lines."""
SMALL_ROOMS = (136.0, 172.0, 216.0)
"""The same for evidence and for what stands beside."""
FEW_LINES = 5
SKEW, TAB, BULGE, CHAMFER, ROUND = 15.0, 9.0, 13.0, 12.0, 20.0
"""Slant of a strategy, tab of a module, round ends of a context, cut corners of a defeater, corners of a claim."""
OVAL = 0.76
"""How full the corners of an oval are; a true ellipse has 0.5523."""
OVAL_ROOM = (4 + 3 * OVAL) / 8
"""Share of an oval's sides that words can take."""
CIRCLE_ROOMS = (88.0, 112.0, 136.0, 172.0, 216.0)
"""The same for words in a circle."""
FOOT = 17.0
"""Room below a node for the mark of what is undeveloped or not instantiated."""
BAR = 5.0
GAP, DROP, CHOICE_DROP = 20.0, 46.0, 26.0
"""Between neighbours, between a node and what holds it up, and what a choice takes more."""
SIDE, STACK = 34.0, 10.0
"""Between a node and what stands beside it, and between those."""
FEW_BESIDE, MOST_BESIDE = 3, 6
"""How many stand on one side before the other is used too, and at most."""
TRUNK = 20.0
"""Left of children in several rows, where the line to the lower rows runs."""
APART, FRAME, FRAME_HEAD = 44.0, 18.0, 30.0
"""Between trees, between a module and its frame, and room for its name."""
MARGIN = 16.0
