"""Alignments: phases of a mission, which set house events for a share of the time."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

from surefoot.faulttree.formats.mef.collecting import noting
from surefoot.faulttree.formats.mef.draft import Draft, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused, content
from surefoot.faulttree.formats.mef.instructions import house_setting


@dataclass(frozen=True)
class Phase:
    """A part of the mission: its share of the time and the house events that it sets."""

    alignment: str
    name: str
    share: float
    houses: dict[str, bool]

    @property
    def path(self) -> str:
        """Alignment and name, as ``top`` can name it."""
        return f"{self.alignment}.{self.name}"

    def __str__(self) -> str:
        said = [f"{house}={str(value).lower()}" for house, value in self.houses.items()]
        return f"{self.name} {self.share!r}" + (f" ({', '.join(said)})" if said else "")


def read_phases(draft: Draft) -> list[Phase]:
    """The phases of all alignments; what is wrong with them is noted."""
    found: list[Phase] = []
    for element, scope in draft.later["define-alignment"]:
        with noting(scope.findings):
            phases = [_phase(element, child, scope, draft) for child in content(element)]
            total = sum(phase.share for phase in phases)
            if not isclose(total, 1.0, abs_tol=1e-6):
                text = f"the time fractions of {element.need('name')!r} sum to {total:g}; they must sum to 1."
                raise Refused("tree-probability", text, element.line)
            found += phases
    return found


def _phase(alignment: Element, element: Element | str, scope: Scope, draft: Draft) -> Phase:
    if isinstance(element, str) or element.tag != "define-phase":
        raise Refused("tree-syntax", "an alignment consists of <define-phase>.", alignment.line)
    text = element.need("time-fraction")
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise Refused("tree-probability", f"a time fraction lies in [0, 1], found {text[:40]!r}.", element.line)
    houses: dict[str, bool] = {}
    for child in content(element):
        if isinstance(child, str) or child.tag != "set-house-event":
            raise Refused("tree-syntax", "a phase sets house events and nothing else.", element.line)
        houses |= house_setting(child, scope, draft)
    return Phase(alignment.need("name"), element.need("name"), share, houses)
