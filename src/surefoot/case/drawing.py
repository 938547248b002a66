"""A case as SVG: shapes tell the kind, a sign with a word and a colour the standing."""

from __future__ import annotations

from html import escape

from surefoot.case.layout import LABEL, LEADING, NOTE, PADDING, TEXT, Box, Layout, indent, lay_out, note_text
from surefoot.case.model import Case
from surefoot.case.words import standing_word
from surefoot.draw import shortened, visible

WIDE = 820.0
TITLE_LENGTH = 2000
STYLE = """
.sf-case{font-family:-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif}
.sf-case text{fill:var(--sf-ink,#17212b)}
.sf-case .muted{fill:var(--sf-muted,#55616e)}
.sf-case .kind{fill:var(--sf-muted,#55616e);letter-spacing:.06em}
.sf-case .box{fill:var(--sf-paper,#fff);stroke-width:1.4}
.sf-case .argument .box{fill:var(--sf-subtle,#f3f5f8)}
.sf-case .side-claim .box{stroke-dasharray:5 4}
.sf-case .edge{fill:none;stroke:var(--sf-line-strong,#aab4c0);stroke-width:1.2}
.sf-case .supported .box,.sf-case .supported .sign{stroke:var(--sf-good,#1a7546)}
.sf-case .open .box,.sf-case .open .sign{stroke:var(--sf-open,#8a5a00)}
.sf-case .contradicted .box,.sf-case .contradicted .sign{stroke:var(--sf-bad,#b3261e)}
.sf-case .supported .word{fill:var(--sf-good,#1a7546)}
.sf-case .open .word{fill:var(--sf-open,#8a5a00)}
.sf-case .contradicted .word{fill:var(--sf-bad,#b3261e)}
.sf-case .side-claim.supported .box,.sf-case .side-claim.supported .sign{stroke:var(--sf-muted,#55616e)}
.sf-case .side-claim.supported .word{fill:var(--sf-muted,#55616e)}
.sf-case .sign{fill:none;stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}
.sf-case .word{font-weight:600}
"""
STYLE += f"""
.sf-case .kind,.sf-case .word{{font-size:{LABEL:g}px}}
.sf-case .says{{font-size:{TEXT:g}px}}
.sf-case .muted{{font-size:{NOTE:g}px}}
"""
DARK = """
@media screen and (prefers-color-scheme:dark){.sf-case{--sf-ink:#e7ecf2;--sf-muted:#a3afbb;--sf-paper:#18202a;
--sf-subtle:#1f2934;--sf-line-strong:#56636f;--sf-good:#62cc94;--sf-open:#e3b457;--sf-bad:#ff9187}}
"""
SIGNS = {
    "supported": "M0 5l3.2 3.4L9.6 1.4",
    "open": "M5 .9a4.1 4.1 0 1 0 .01 0z",
    "contradicted": "M1 1l8 8M9 1l-8 8",
}
CORNERS = {"claim": 19.0, "side-claim": 19.0, "argument": 7.0, "evidence": 0.0}


def draw(case: Case, *, width: float = WIDE, prefix: str = "case", styled: bool = True) -> str:
    """The case as one ``<svg>`` element, to be written to a file or put into a page.

    Give drawings of one page different prefixes. ``styled=False`` leaves the style sheet out, for a page that has
    ``STYLE`` already.
    """
    layout = lay_out(case, width=width)
    boxes = layout.boxes
    size = f"{layout.width:.0f} {layout.height:.0f}"
    title = f"Case: {case.top.text} ({case.top.standing})"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sf-case" viewBox="0 0 {size}" width="{layout.width:.0f}" '
        f'height="{layout.height:.0f}" role="img" aria-labelledby="{prefix}-title {prefix}-desc">',
        f'<title id="{prefix}-title">{_full(title)}</title>',
        f'<desc id="{prefix}-desc">{_full(_description(layout))}</desc>',
        f"<style>{STYLE}{DARK}</style>" if styled else "",
        *_context(layout),
        *(_edge(boxes[box.parent], box) for box in boxes if box.parent is not None),
        *(_node(box, f"{prefix}-{place}") for place, box in enumerate(boxes)),
        "</svg>",
    ]
    return "".join(parts)


def _description(layout: Layout) -> str:
    kinds = [box.node.kind for box in layout.boxes]
    counted = ", ".join(f"{kinds.count(kind)} of kind {kind}" for kind in dict.fromkeys(kinds))
    return f"An outline of {len(kinds)} nodes: {counted}."


def _context(layout: Layout) -> list[str]:
    if not layout.context:
        return []
    heading = _words(1.0, LABEL, "CONTEXT", "kind")
    start = LABEL * LEADING + NOTE
    return [heading, *_lines(layout.context, 1.0, start, NOTE, "muted")]


def _edge(parent: Box, child: Box) -> str:
    x = parent.x + indent(parent.x + parent.width + 1.0) / 2
    y = child.y + min(child.height / 2, 26.0)
    return f'<path class="edge" d="M{x:.1f} {parent.y + parent.height:.1f}V{y:.1f}H{child.x:.1f}"/>'


def _node(box: Box, identity: str) -> str:
    node = box.node
    left, first = box.x + PADDING, box.y + PADDING + LABEL * 0.85
    text = first + LABEL * 0.5 + TEXT * LEADING * 0.86
    notes = text + len(box.lines) * TEXT * LEADING - 1.5
    parts = [
        f'<g id="{identity}" class="{node.kind} {node.standing}">',
        f"<title>{_full(f'{node.text} {note_text(node)}')}</title>" if box.cut else "",
        _shape(box),
        _words(left, first, node.kind.upper(), "kind"),
        _standing(box, first),
        *_lines(box.lines, left, text, TEXT, "says"),
        *_lines(box.notes, left, notes, NOTE, "muted"),
        "</g>",
    ]
    return "".join(parts)


def _shape(box: Box) -> str:
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    return f'<rect class="box" {place} rx="{CORNERS[box.node.kind]:g}"/>'


def _standing(box: Box, baseline: float) -> str:
    """The sign stands to the right of the word, so that no font is too wide for it."""
    right = box.x + box.width - PADDING - 10.0
    place = f'x="{right - 6.0:.1f}" y="{baseline:.1f}" text-anchor="end"'
    sign = (
        f'<path class="sign" transform="translate({right:.1f} {baseline - 9.0:.1f})" d="{SIGNS[box.node.standing]}"/>'
    )
    return f'<text class="word" {place}>{standing_word(box.node)}</text>{sign}'


def _lines(lines: tuple[str, ...], x: float, y: float, size: float, kind: str) -> list[str]:
    return [_words(x, y + place * size * LEADING, line, kind) for place, line in enumerate(lines)]


def _words(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _full(text: str) -> str:
    return escape(shortened(visible(text), TITLE_LENGTH))
