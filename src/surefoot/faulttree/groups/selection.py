"""Which of several exchangeable channels fail, once it is known how many: a random subset as gates over coins.

A uniform subset of ``r`` out of ``m`` is drawn channel by channel: with ``left`` to place among ``n`` channels that
remain, the next one is taken with probability ``left / n`` (Fan, Muller and Rezucha 1962; Knuth's algorithm S). The
coins of one channel are nested, so that the subset for ``r`` lies in the subset for ``r + 1``: more failing channels
never repair one, and the number of failing channels enters without negation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from surefoot.faulttree.formula import Formula, Kind

Truth = str | bool | Formula


@dataclass(frozen=True)
class Selection:
    """Gates that choose ``1, ..., size - 1`` of ``size`` channels uniformly, named after ``owner``."""

    owner: str
    size: int

    def coins(self) -> dict[str, float]:
        """The independent events behind the choice, with their probabilities."""
        steps = ((channel, left, self.size - channel) for channel in range(self.size) for left in range(1, self.size))
        return {self._coin(channel, left): 1 / (n - left + 1) for channel, left, n in steps if left < n}

    def gates(self) -> dict[str, Formula]:
        """The named states of the choice: how many are left to place before a channel."""
        return {
            self._state(chosen, channel, left): as_gate(self._reached(chosen, channel, left))
            for chosen in range(1, self.size)
            for channel in range(1, self.size)
            for left in self._lefts(chosen, channel)
            if left
        }

    def takes(self, chosen: int, channel: int) -> Truth:
        """Whether ``channel`` is among the ``chosen`` first ones."""
        lefts = self._lefts(chosen, channel)
        return any_of(all_of(self._before(chosen, channel, n), self._taken(channel, n)) for n in lefts)

    def _reached(self, chosen: int, channel: int, left: int) -> Truth:
        last = channel - 1
        passed_over = all_of(self._before(chosen, last, left), _not(self._taken(last, left)))
        taken = all_of(self._before(chosen, last, left + 1), self._taken(last, left + 1))
        return any_of((passed_over, taken))

    def _before(self, chosen: int, channel: int, left: int) -> Truth:
        if channel == 0:
            return left == chosen
        return left in self._lefts(chosen, channel) and self._state(chosen, channel, left)

    def _lefts(self, chosen: int, channel: int) -> range:
        return range(max(chosen - channel, 0), min(chosen, self.size - channel) + 1)

    def _taken(self, channel: int, left: int) -> Truth:
        if not 0 < left < self.size - channel:
            return left > 0
        return any_of(self._coin(channel, n) for n in range(1, left + 1))

    def _coin(self, channel: int, left: int) -> str:
        return f"[{self.owner} choice {channel + 1}.{left}]"

    def _state(self, chosen: int, channel: int, left: int) -> str:
        return f"[{self.owner} {chosen} chosen, {left} left before {channel + 1}]"


def as_gate(truth: Truth) -> Formula:
    """A formula that can stand under a name."""
    return truth if isinstance(truth, Formula) else Formula("pass", (truth,))


def any_of(truths: Iterable[Truth]) -> Truth:
    """True where one of them is; without the constants that do not matter."""
    return _joined("or", tuple(truths), neutral=False)


def all_of(*truths: Truth) -> Truth:
    """True where all of them are; without the constants that do not matter."""
    return _joined("and", truths, neutral=True)


def _not(truth: Truth) -> Truth:
    return not truth if isinstance(truth, bool) else Formula("not", (truth,))


def _joined(kind: Kind, truths: tuple[Truth, ...], *, neutral: bool) -> Truth:
    """The formula without its constants; one that is decided is a constant."""
    if any(truth is (not neutral) for truth in truths):
        return not neutral
    open_ = tuple(truth for truth in truths if truth is not neutral)
    if not open_:
        return neutral
    return open_[0] if len(open_) == 1 else Formula(kind, open_)
