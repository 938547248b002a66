"""``Bands``: where a risk lies between intolerable and broadly acceptable, as far as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from surefoot.core import Estimate, InvalidInput, Target, validate
from surefoot.hazards.targets.individual import BROADLY_ACCEPTABLE, INTOLERABLE, R2P2

Band = Literal["intolerable", "tolerable if ALARP", "broadly acceptable", "not shown"]


@dataclass(frozen=True)
class Bands:
    """Two limits: above the first a risk is intolerable, below the second broadly acceptable; in between ALARP rules.

    >>> Bands.of("public").band(Estimate.known("death of a passer-by", 2e-5, unit="per year", source="analysis"))
    'tolerable if ALARP'
    """

    intolerable: float
    broadly_acceptable: float
    per: str = "year"
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("intolerable", "broadly_acceptable"):
            object.__setattr__(self, name, validate.positive(getattr(self, name), where="Bands", name=name))
        if not self.broadly_acceptable < self.intolerable:
            found = f"{self.broadly_acceptable:g} and {self.intolerable:g}"
            raise InvalidInput(
                "what is broadly acceptable must lie below what is intolerable", where="Bands", found=found
            )

    @classmethod
    def of(cls, group: str) -> Bands:
        """The bands of HSE (2001) for the individual risk of death of the ``public`` or a ``worker``."""
        validate.choice(group, INTOLERABLE, where="Bands", name="group")
        return cls(INTOLERABLE[group], BROADLY_ACCEPTABLE, source=f"{R2P2}, {group}")

    def band(self, estimate: Estimate, *, level: float = 0.95) -> Band:
        """The band that is shown at a level.

        A risk whose upper bound lies in the middle band is tolerable if ALARP, though it may be lower; one whose bounds
        lie on both sides of the intolerable limit is not shown to be in any.
        """
        if estimate.meets(self._at_most(self.broadly_acceptable, level)):
            return "broadly acceptable"
        verdict = estimate.meets(self._at_most(self.intolerable, level))
        if verdict:
            return "tolerable if ALARP"
        return "intolerable" if verdict.status == "violated" else "not shown"

    def _at_most(self, limit: float, level: float) -> Target:
        return Target(at_most=limit, level=level, per=self.per, source=self.source)
