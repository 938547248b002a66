"""What is said of a node to those who hear the picture or point at it."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.drawings.boxes import Box
from surefoot.case.drawings.numbers import number_lines
from surefoot.case.drawings.words import opinion_text
from surefoot.case.evaluation import Assessed
from surefoot.case.notation import Notation, word
from surefoot.drawing import shortened

LABEL_LENGTH = 160


def label(box: Box, notation: Notation) -> str:
    """Kind, id, standing and the beginning of the text."""
    said = f", {box.words.word}" if box.words.word else ""
    return shortened(f"{kind(box, notation)} {box.node.id}{said}: {box.node.text}", LABEL_LENGTH)


def kind(box: Box, notation: Notation) -> str:
    """What the node is called."""
    if box.stub == "missing":
        return "missing node"
    name = word(box.node, notation)
    return f"{name} of another module" if box.stub == "away" and not name.startswith("away") else name


def spoken(box: Box, notation: Notation, assessed: Assessed | None) -> str:
    """Everything that is known of the node."""
    return " ".join(filter(None, _parts(box, notation, assessed)))


def _parts(box: Box, notation: Notation, assessed: Assessed | None) -> Iterator[str]:
    node = box.node
    yield f"{kind(box, notation).capitalize()} {node.id}: {node.text}"
    yield from (f"[{text}]" for text in number_lines(node, assessed))
    if assessed is not None:
        yield f"[{box.words.word}; {opinion_text(assessed)}]"
        yield assessed.why
    if node.undeveloped:
        yield "[undeveloped]"
    if node.uninstantiated:
        yield "[not instantiated]"
    if node.defeated:
        yield "[eliminated]" if node.kind == "defeater" else "[defeated]"
    yield node.note
    if node.tags:
        yield f"[{'; '.join(node.tags)}]"
