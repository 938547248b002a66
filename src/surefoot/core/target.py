"""Targets and verdicts: what is asked of a quantity, and whether it is met, not shown or violated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from surefoot.core import validate
from surefoot.core.bound import KINDS, Bound, Kind, Side
from surefoot.core.canonical import reading
from surefoot.core.distributions import Distribution
from surefoot.core.errors import InvalidInput

Status = Literal["met", "not shown", "violated"]
FORMER: dict[str, Status] = {"unproven": "not shown", "open": "not shown"}
"""What files of earlier versions call a state; the next version will not read them any more."""
DEFAULT_KINDS: tuple[Kind, ...] = ("certain", "confidence", "credible")


@dataclass(frozen=True)
class Target:
    """A quantity shall be at most, or at least, a limit, shown at a level.

    Parameters
    ----------
    at_most, at_least
        The limit; exactly one of them is given.
    level
        With what confidence it must be shown.
    per
        What the quantity is per, such as ``demand`` or ``hour``.
    unit
        In its place the unit of a quantity that is per nothing, such as ``m`` of an error.
    source
        Who asks, in your words.
    uncertainty
        A distribution of the limit itself, where it is not known exactly.
    kinds
        The kinds of bounds that count; heuristic ones, and those that hold only on average, count when named here.

    Examples
    --------
    >>> import surefoot as sf
    >>> target = sf.Target(at_most=0.05, level=0.95)
    >>> sf.bounds.clopper_pearson(0, 100, level=0.95).meets(target).status
    'met'

    """

    at_most: float | None = None
    at_least: float | None = None
    level: float = 0.95
    per: str = "demand"
    source: str = ""
    uncertainty: Distribution | None = None
    kinds: tuple[Kind, ...] = DEFAULT_KINDS
    unit: str = ""

    def __post_init__(self) -> None:
        if (self.at_most is None) == (self.at_least is None):
            raise InvalidInput(
                "give exactly one of at_most and at_least",
                where="Target",
                found=f"at_most={self.at_most}, at_least={self.at_least}",
            )
        object.__setattr__(self, "level", validate.level(self.level, where="Target"))
        for name in ("at_most", "at_least"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, validate.number(getattr(self, name), where="Target", name=name))
        if self.is_share and not 0 <= self.limit <= 1:
            raise InvalidInput(
                "a limit per demand is a share between 0 and 1",
                where="Target",
                found=f"{self.limit:g}",
                remedy="Give for example 0.05 for 5%.",
            )
        if self.uncertainty is not None and not isinstance(self.uncertainty, Distribution):
            raise InvalidInput("uncertainty must be a distribution", where="Target", found=repr(self.uncertainty))
        if isinstance(self.kinds, str):
            raise InvalidInput("kinds must be a tuple", where="Target", found=repr(self.kinds), remedy="Add a comma.")
        validate.fields(self)
        for kind in self.kinds:
            validate.choice(kind, KINDS, where="Target", name="kind of bound")
        object.__setattr__(self, "kinds", tuple(self.kinds))

    @property
    def counted(self) -> str:
        """The unit of the limit, as estimates name theirs: ``per demand``, or ``m``."""
        return self.unit or f"per {self.per}"

    @property
    def is_share(self) -> bool:
        """Whether the limit is a share of demands, and so lies between 0 and 1."""
        return self.counted == "per demand"

    @property
    def limit(self) -> float:
        """The number the quantity is compared with."""
        return float(self.at_most if self.at_most is not None else self.at_least)  # type: ignore[arg-type]

    @property
    def relation(self) -> Literal["at most", "at least"]:
        """Which side of the limit is the good one."""
        return "at most" if self.at_most is not None else "at least"

    @property
    def proving_side(self) -> Side:
        """The side of the bound that can show the target met."""
        return "upper" if self.at_most is not None else "lower"

    @property
    def alpha(self) -> float:
        """The miss probability left to a bound: half of it, where the other half is that of an uncertain limit."""
        return (1 - self.level) / (1 if self.uncertainty is None else 2)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the limit itself lies, at the target's level; both ends are the limit where that is certain."""
        ends = self.cautious_limit(self.alpha), self.lenient_limit(self.alpha)
        return min(ends), max(ends)

    def cautious_limit(self, alpha: float) -> float:
        """The limit on the strict side of its own uncertainty, missed with probability ``alpha``."""
        return self._quantile(alpha if self.at_most is not None else 1 - alpha)

    def lenient_limit(self, alpha: float) -> float:
        """The limit on the lenient side of its own uncertainty, missed with probability ``alpha``."""
        return self._quantile(1 - alpha if self.at_most is not None else alpha)

    def _quantile(self, q: float) -> float:
        return self.limit if self.uncertainty is None else float(self.uncertainty.ppf(q))

    def __str__(self) -> str:
        low, high = self.interval
        unsure = "" if self.uncertainty is None else f" (itself between {low:g} and {high:g})"
        return f"{self.relation} {self.limit:g}{unsure} {self.counted} at level {self.level:g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = ("at_most", "at_least", "level", "per", "source", *(["unit"] if self.unit else []))
        unsure = {} if self.uncertainty is None else {"uncertainty": self.uncertainty.to_dict()}
        return {name: getattr(self, name) for name in names} | {"kinds": list(self.kinds)} | unsure

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("target"):
            unsure = Distribution.from_dict(data["uncertainty"]) if "uncertainty" in data else None
            return cls(**{**data, "kinds": tuple(data["kinds"]), "uncertainty": unsure})


def present(state: str) -> str:
    """The state of a verdict or a claim as it is called now, where a file may use a former word.

    >>> present("unproven"), present("met")
    ('not shown', 'met')
    """
    return FORMER.get(state, state)


@dataclass(frozen=True)
class Verdict:
    """Whether a target is met; it is true only when the target is.

    ``met``: shown. ``violated``: the opposite is shown at the same level. ``not shown``: neither, so more evidence is
    needed. What is met on stated values says in ``answered_by`` who answers for them; where nobody does, it is not
    shown.

    See Also
    --------
    Estimate.meets

    """

    status: Status
    target: Target
    bound: Bound | None
    text: str
    answered_by: tuple[str, ...] = ()
    """Of a target that is met on stated values: who answers for them."""

    def __post_init__(self) -> None:
        validate.fields(self)

    @property
    def limit(self) -> float:
        """What the bound was compared with: of an uncertain limit the end on which the verdict is the surer one."""
        target = self.target
        if self.status == "violated":
            return target.lenient_limit(target.alpha)
        return target.cautious_limit(target.alpha)

    def __bool__(self) -> bool:
        return self.status == "met"

    def __str__(self) -> str:
        return f"{self.status}: {self.text}"
