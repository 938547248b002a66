"""Differences of two cases as people read them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from surefoot.core import Table
from surefoot.documents import counted, listed

if TYPE_CHECKING:
    from surefoot.case.change.claims import ClaimChange
    from surefoot.case.change.diff import CaseDiff
    from surefoot.case.change.evidence import EvidenceChange
    from surefoot.case.change.nodes import NodeChange
    from surefoot.case.change.origin import Cause

COLUMNS = ("what", "where", "change", "cause")
MOST_CAUSES = 4
LONGEST = 12


def diff_lines(diff: CaseDiff, *, all: bool) -> list[str]:
    """Claims, then evidence, nodes and inputs, then what is unknown and what is as it was."""
    measured = {change.id for change in diff.evidence}
    found = [line for change in diff.claims for line in _claim(change)]
    found += [f"{_sort(change)} {change}" for change in diff.evidence if all or change.matters or not change.check]
    found += [f"node {change}" for change in diff.nodes if all or _telling(change, measured)]
    found += [f"changed: {cause}" for cause in diff.inputs]
    found += diff.unknown
    return [*(found or ["Nothing differs."]), *_same(diff, all=all)]


def _sort(change: EvidenceChange) -> str:
    return "check" if change.check else "evidence"


def _telling(change: NodeChange, measured: Collection[str]) -> bool:
    """Whether people want to read of it: notes, and the words of what was measured, follow from the data."""
    return change.decisive or change.what != "changed" or not (change.only_notes or change.id in measured)


def diff_table(diff: CaseDiff) -> Table:
    """A row for each difference."""
    rows = [("claim", claim.id, f"{claim.direction}: {claim.moved}", _all(claim.causes)) for claim in diff.claims]
    rows += [(_sort(each), each.id, each.moved, _all(each.causes)) for each in diff.evidence]
    rows += [(node.kind, node.id, node.told, "") for node in diff.nodes]
    rows += [(cause.sort, cause.name, f"{cause.before} -> {cause.after}", "") for cause in diff.inputs]
    return Table(COLUMNS, tuple(rows))


def _all(causes: Iterable[Cause]) -> str:
    return "; ".join(map(str, causes))


def _claim(change: ClaimChange) -> Iterator[str]:
    yield f"{change}  {change.text}"
    if change.why:
        yield f"  now: {change.why}"
    if change.changed:
        more = " and more" if change.more else ""
        yield f"  changed below: {listed(change.changed)}{more}"
    if change.causes:
        yield f"  because of: {'; '.join(map(str, change.causes[:MOST_CAUSES]))}{_rest(change)}"
    if len(change.chain) > 1:
        yield f"  up to the top: {_chain(change)}"


def _rest(change: ClaimChange) -> str:
    more = len(change.causes) - MOST_CAUSES
    return f" and {more} more" if more > 0 else ""


def _chain(change: ClaimChange) -> str:
    """The way up, long ones without their middle."""
    chain = change.chain
    if len(chain) <= LONGEST:
        return " < ".join(chain)
    more = len(chain) - LONGEST + change.left_out
    return f"{' < '.join(chain[: LONGEST - 1])} < ({more:,} more) < {chain[-1]}"


def _same(diff: CaseDiff, *, all: bool) -> Iterator[str]:
    same = diff.unchanged
    yield (
        f"Unchanged: {counted(len(same.nodes), 'node')}, {counted(len(same.claims), 'claim')} standing as before, "
        f"{len(same.evidence):,} of evidence."
    )
    if all:
        for name, ids in vars(same).items():
            yield f"  {name}: {', '.join(ids) or 'none'}"
