"""Parts of a file that its tree leaves out: how they are told, and what a number of such a tree is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from surefoot.core.bound import Bound, BoundFamily, QuantileBound, TabulatedBound
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.estimate import Estimate

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

HIGHEST_LEVEL = 1 - 1e-12
P = ParamSpec("P")


def parts_left_out(tree: FaultTree) -> Iterator[Diagnostic]:
    """What the file means and the tree does not."""
    for text in tree.left_out:
        yield Diagnostic("tree-left-out", text, "warning", hint="The number is that of the tree without it.")


def as_read(tree: FaultTree, top: Estimate) -> Estimate:
    """The number of a tree as read: where a part of the file is left out, it is no bound on what the file means."""
    if not tree.left_out:
        return top
    # Of a certain and another bound of one side the other one stays; both become heuristic, of which there can be one.
    families = {family.side: family for family in sorted(top.bounds, key=lambda family: family.kind != "certain")}
    return replace(
        top,
        bounds=tuple(map(_without_guarantee, families.values())),
        dist=None,
        caveats=(*parts_left_out(tree), *top.caveats),
        provenance=replace(top.provenance, params={**top.provenance.params, "left out": list(tree.left_out)}),
    )


def told_as_read(
    function: Callable[Concatenate[FaultTree, P], Estimate],
) -> Callable[Concatenate[FaultTree, P], Estimate]:
    """Have a function of a tree tell what is left out of it."""

    @wraps(function)
    def told(tree: FaultTree, /, *args: P.args, **options: P.kwargs) -> Estimate:
        return as_read(tree, function(tree, *args, **options))

    return told


def _without_guarantee(family: BoundFamily) -> BoundFamily:
    if isinstance(family, QuantileBound | TabulatedBound):
        return replace(family, kind="heuristic")
    limit = family.limit if isinstance(family, Bound) else family.limit_at(HIGHEST_LEVEL)
    return TabulatedBound((HIGHEST_LEVEL,), (limit,), family.side, "heuristic")
