"""The gates behind ``SharedTraining``: how many channels fail, then which ones."""

from __future__ import annotations

from surefoot.faulttree.formula import Formula
from surefoot.faulttree.groups.base import Expansion
from surefoot.faulttree.groups.selection import Selection, all_of, any_of, as_gate
from surefoot.faulttree.quantities import Fixed, Quantity

CHOICE = "decides which channels of {} fail; no failure of its own"
FURTHER = "at least {k} channels of {owner} fail, given that {before} do"
UNSEEN = "all channels of {} fail in a condition that the common tests do not contain"


def channel_expansion(
    owner: str, members: tuple[str, ...], sticks: tuple[Quantity, ...], unseen: Quantity | None
) -> Expansion:
    """Exchangeable channels as gates over independent events, with their joint distribution exactly.

    ``sticks[k]`` is the probability that more than ``k`` channels fail given that ``k`` do at least.
    """
    selection = Selection(owner, len(members))
    coins = {name: Fixed(probability) for name, probability in selection.coins().items()}
    further = {_further(owner, k): stick for k, stick in enumerate(sticks, start=1)}
    together = {} if unseen is None else {unseen_name(owner): unseen}
    channels = {member: _channel(owner, index, selection, list(together)) for index, member in enumerate(members)}
    labels = dict.fromkeys(coins, CHOICE.format(owner)) | dict.fromkeys(together, UNSEEN.format(owner))
    labels |= {name: FURTHER.format(k=k, owner=owner, before=k - 1) for k, name in enumerate(further, start=1)}
    numbers = {_at_least(owner, k): _number(owner, k) for k in range(2, len(members) + 1)}
    return Expansion(channels | numbers | selection.gates(), further | coins | together, labels=labels)


def unseen_name(owner: str) -> str:
    """The event of a shared failure that tests cannot show."""
    return f"[{owner} unseen]"


def _channel(owner: str, index: int, selection: Selection, together: list[str]) -> Formula:
    size = selection.size
    partly = [all_of(_at_least(owner, k), selection.takes(k, index)) for k in range(1, size)]
    return as_gate(any_of([*partly, _at_least(owner, size), *together]))


def _number(owner: str, k: int) -> Formula:
    return Formula("and", (_at_least(owner, k - 1), _further(owner, k)))


def _at_least(owner: str, k: int) -> str:
    return _further(owner, 1) if k == 1 else f"[{owner} {k} or more fail]"


def _further(owner: str, k: int) -> str:
    return f"[{owner} 1 fails]" if k == 1 else f"[{owner} {k} fail where {k - 1} do]"
