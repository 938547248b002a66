"""Lines from gates to their inputs: down, across, down; the highlighted ones on top."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from surefoot.faulttree.drawing import scene
from surefoot.faulttree.drawing.block import Block
from surefoot.faulttree.drawing.graph import Graph
from surefoot.faulttree.drawing.metrics import DROP, SYMBOL
from surefoot.faulttree.drawing.scene import Ink, Path


def edges(blocks: Sequence[Block], graph: Graph, lit: Collection[int]) -> list[Path]:
    """Lines from every gate to the blocks below it."""
    plain: dict[tuple[int, Ink], list[Block]] = {}
    bright: list[Path] = []
    for block in blocks:
        if block.part.parent is None:
            continue
        gate = blocks[block.part.parent]
        dashed = _is_condition(gate, block, graph)
        if _is_lit(gate, block, lit):
            bright.append(_fork(gate, [block], scene.LIT_CONDITION_LINE if dashed else scene.LIT_LINE))
        else:
            plain.setdefault((block.part.parent, scene.CONDITION_LINE if dashed else scene.LINE), []).append(block)
    return [_fork(blocks[gate], below, ink) for (gate, ink), below in plain.items()] + bright


def _fork(gate: Block, below: Sequence[Block], ink: Ink) -> Path:
    """One line down, one across, one down to each; behind the symbol it starts at its middle."""
    bend = below[0].y - DROP / 2
    ends = [gate.x, *(block.x for block in below)]
    across = f" M {min(ends):.1f} {bend:.1f} H {max(ends):.1f}" if max(ends) - min(ends) > 0.05 else ""
    down = "".join(f" M {block.x:.1f} {bend:.1f} V {block.y:.1f}" for block in below)
    return Path(f"M {gate.x:.1f} {gate.symbol + SYMBOL / 2:.1f} V {bend:.1f}{across}{down}", ink)


def _is_lit(gate: Block, below: Block, lit: Collection[int]) -> bool:
    items = [row.item for row in below.part.rows] or [below.part.item]
    return gate.part.item in lit and any(item in lit for item in items)


def _is_condition(gate: Block, below: Block, graph: Graph) -> bool:
    item = graph.items[gate.part.item]
    return item.kind == "inhibit" and gate.part.condition is None and below.part.item == item.inputs[-1]
