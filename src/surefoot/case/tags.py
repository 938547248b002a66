"""The part of a case that carries a tag, such as a clause of a standard."""

from __future__ import annotations

from surefoot.case.model import Case
from surefoot.case.parts import restricted
from surefoot.case.standards import STANDARDS, Clause, clause_of_or_none
from surefoot.core import InvalidInput

MOST_NAMED = 20


def tagged(case: Case, tag: str) -> Case:
    """The part of a case that carries a tag, and all above it up to the tops.

    So it stays clear what the part is good for. Relations to what is left out are left out too, so that the part can
    be drawn and checked by itself.

    Parameters
    ----------
    case
        The whole.
    tag
        ``AMLAS`` finds every tag that begins so, ``AMLAS: stage 5`` or ``AMLAS: model verification`` one stage with all
        that belongs to it; capitals do not matter.

    Returns
    -------
    Case
        The part.

    Raises
    ------
    InvalidInput
        Where no node has the tag.

    Examples
    --------
    >>> from surefoot.case import Case, Node, tagged
    >>> tests = Node("C2", "claim", "Tested", tags=("AMLAS: artefact Z",))
    >>> case = Case.of([Node("C1", "claim", "Safe", ("C2", "C3")), tests, Node("C3", "claim", "Kept")])
    >>> list(tagged(case, "AMLAS: model verification").nodes)
    ['C1', 'C2']

    """
    every = dict.fromkeys(each for node in case for each in node.tags)
    wanted = {each for each in every if tag.strip() and _matches(each, tag)}
    kept = {node.id for node in case if wanted.intersection(node.tags)}
    if not kept:
        known = sorted(every)
        remedy = f"There are: {', '.join(known[:MOST_NAMED])}." if known else "No node of this case has a tag."
        raise InvalidInput("no node has this tag", where="tag", found=repr(tag), remedy=remedy)
    stands_for = _standing_for(case)
    waiting = list(kept)
    while waiting:
        identity = waiting.pop()
        above = (*case.parents[identity], *case.challenged(case[identity]), *stands_for.get(identity, ()))
        new = [each for each in dict.fromkeys(above) if each in case and each not in kept]
        kept.update(new)
        waiting += new
    return restricted(case, kept)


def parts_of(clause: Clause) -> tuple[Clause, ...]:
    """The clause and those that it is a part of, the nearest first."""
    if not clause.within:
        return (clause,)
    return clause, *parts_of(STANDARDS[clause.standard][clause.within])


def _matches(tag: str, wanted: str) -> bool:
    """Whether a tag is the one that is wanted, belongs to it, or begins so; titles count as references do."""
    mine, asked = clause_of_or_none(tag), clause_of_or_none(wanted)
    if mine is not None and asked is not None:
        return (asked.standard, asked.reference) in {(each.standard, each.reference) for each in parts_of(mine)}
    said = (tag, *((mine.tag, f"{mine.standard}: {mine.title}") if mine else ()))
    return any(each.casefold().startswith(wanted.strip().casefold()) for each in said)


def _standing_for(case: Case) -> dict[str, list[str]]:
    """For each claim the sub-cases that stand for it."""
    found: dict[str, list[str]] = {}
    for node in case:
        if (claim := case.resolved(node.id)) != node.id:
            found.setdefault(claim, []).append(node.id)
    return found
