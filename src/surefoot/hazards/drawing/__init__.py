"""HAZOPs to look at: the system as nodes and flows, the risk matrix, and the filled sheet as a table to print.

Section 6.2 (Table 2, Figure 14) of paper RAM (Dong et al. 2023). Pictures are SVG without scripts, styles or ids, and
can stand in any page: descriptions on top of ``surefoot.drawing``, which lays them out and writes them. May import
that, ``surefoot.core`` and the worksheet.
"""

from surefoot.hazards.drawing.page import worksheet_html, worksheet_page
from surefoot.hazards.drawing.risk_matrix import draw_matrix, matrix_scene
from surefoot.hazards.drawing.system import draw_parts, draw_system, system_scene

__all__ = [
    "draw_matrix",
    "draw_parts",
    "draw_system",
    "matrix_scene",
    "system_scene",
    "worksheet_html",
    "worksheet_page",
]
