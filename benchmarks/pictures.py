"""Pictures of assurance cases of 10,000 nodes, from the file to PNG and PDF: the whole process ``surefoot case draw``.

The peer paints the SVG of the same case, which is only the last part of our work: resvg (resvg-py) as PNG with as many
dots, on a case of a tenth of the nodes, because it takes minutes for all of them on a busy machine.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.case_size import deep, shared, wide
from benchmarks.harness import Row, best_of, in_turn, process
from surefoot.case import Case
from surefoot.case.drawings import svg
from surefoot.case.drawings.diagram import picture
from surefoot.drawing import pdf, png

COMMAND = "import sys; from surefoot.cli import main; sys.exit(main())"
PART = 1_000


def measure() -> list[Row]:
    """Whole processes for all shapes and formats against the limit of 20 seconds, then the painting alone."""
    rows = [_whole(make(), make.__name__, ending) for make in (wide, deep, shared) for ending in (".png", ".pdf")]
    return [*rows, _painted(wide(PART))]


def _whole(case: Case, name: str, ending: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "case.yaml", Path(folder) / f"case{ending}"
        case.write(source)
        took, used = process(COMMAND, "case", "draw", source, target)
        size = target.stat().st_size / 1e6
    note = f"whole process, {used:.1f} s of processor time; {size:.1f} MB; the peer is what was asked for"
    return Row(f"case of {len(case):,} nodes to {ending[1:].upper()}, {name}", took, "limit", 20.0, note)


def _painted(case: Case) -> Row:
    import resvg_py

    scene, text = picture(case), svg(case, theme="print")
    dots = int.from_bytes(png(scene)[16:20])
    timed = in_turn(lambda: png(scene), lambda: resvg_py.svg_to_bytes(svg_string=text, width=dots), rounds=3)
    note = f"{dots:,} dots wide, from scene and SVG; {timed}; our PDF {best_of(lambda: pdf(scene)):.2f} s"
    return Row(f"scene of {len(case):,} nodes to PNG", timed.seconds[0], "resvg-py", timed.seconds[1], note)


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:45} {row.seconds:8.2f} s  {row.ratio:8.1f} times {row.peer}: {row.note}")
