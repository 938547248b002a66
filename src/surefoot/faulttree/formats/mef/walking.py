"""Ways through event trees to their sequences.

A sequence that links to another tree goes on there, as in SCRAM.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from surefoot.faulttree.formats.mef.draft import Draft
from surefoot.faulttree.formats.mef.elements import Element
from surefoot.faulttree.formats.mef.event_trees import Model, steps, stop, stopping, undefined
from surefoot.faulttree.formats.mef.instructions import Instructions, Way

MOST_PATHS = 100_000


class Walker:
    """Walks the event trees of a model."""

    def __init__(self, draft: Draft) -> None:
        self.model = Model.of(draft)
        self.instructions = Instructions(draft, self.model)

    def ways(self) -> dict[tuple[str, str], list[Way]]:
        """All ways that end in each sequence, by initiating event and sequence."""
        found: dict[tuple[str, str], list[Way]] = {}
        for initiating, tree in self.model.starts.items():
            way = Way(tree, self.model.trees[tree].scope, initiating)
            for sequence, end in self._walk(way):
                found.setdefault((initiating, sequence), []).append(end)
        return found

    def _walk(self, start: Way) -> Iterator[tuple[str, Way]]:
        stack = [(self.model.trees[start.tree].initial, start)]
        ended = 0
        while stack:
            elements, way = stack.pop()
            *instructions, last = elements or [Element("nothing", {}, 0)]
            for each in instructions:
                way = self.instructions.follow(each, way)
            with stopping(way.scope):
                following = list(self._ending(last, way))
            stack.extend(reversed([(steps_left, w) for name, steps_left, w in following if not name]))
            yield from ((name, w) for name, _, w in following if name)
            ended += sum(bool(name) for name, _, _ in following)
            if ended > MOST_PATHS:
                text = f"the event tree {start.tree!r} has more than {MOST_PATHS:,} paths."
                stop(way.scope, "tree-beyond-budget", text, last, "Split it.")

    def _ending(self, element: Element, way: Way) -> Iterator[tuple[str, list[Element], Way]]:
        """Where the way goes on, or the name of the sequence in which it ends."""
        if element.tag == "fork":
            event = element.need("functional-event")
            for path in element.elements():
                yield "", steps(path), replace(way, states={**way.states, event: path.need("state")})
        elif element.tag == "branch":
            yield "", *self._branch(element, way)
        elif element.tag == "sequence":
            yield self._sequence(element, way)
        else:
            stop(way.scope, "tree-syntax", "a path ends in a fork, a branch or a sequence.", element)

    def _branch(self, element: Element, way: Way) -> tuple[list[Element], Way]:
        name = element.need("name")
        found = self.model.trees[way.tree].branches.get(name)
        if found is None:
            undefined(way.scope, "branch", name, element)
        return steps(found), _passed(way, (way.tree, name), element)

    def _sequence(self, element: Element, way: Way) -> tuple[str, list[Element], Way]:
        name = element.need("name")
        found = self.model.sequence(name, way.tree)
        if found is None:
            undefined(way.scope, "sequence", name, element)
        instructions = steps(found)
        for step in instructions:
            if step.tag == "event-tree":
                if step is not instructions[-1]:
                    stop(way.scope, "tree-syntax", "what stands after a link to an event tree is never reached.", step)
                return "", *self._linked(step, way)
            way = self.instructions.follow(step, way)
        return name, [], way

    def _linked(self, element: Element, way: Way) -> tuple[list[Element], Way]:
        name = element.need("name")
        if name not in self.model.trees:
            hint = "A model in several files is read when all of them are named; top= (--top) can name a gate."
            undefined(way.scope, "event tree", name, element, hint)
        tree = self.model.trees[name]
        return tree.initial, replace(_passed(way, (name, ""), element), tree=name, scope=tree.scope)


def _passed(way: Way, what: tuple[str, str], element: Element) -> Way:
    if what in way.passed:
        stop(way.scope, "tree-cycle", "branches or event trees lead to each other in a circle.", element)
    return replace(way, passed=way.passed | {what})
