"""Results of steps, and which of them went into which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from surefoot.case.measured import Measured
from surefoot.case.templates.ingredients import step_of
from surefoot.core import Estimate, Evidence, InvalidInput


class Results:
    """Estimates by ``step.quantity``."""

    def __init__(self, evidence: Mapping[str, Evidence]) -> None:
        self._evidence = evidence
        self._measured = Measured(evidence)

    def __contains__(self, reference: object) -> bool:
        return isinstance(reference, str) and self._measured.estimate(reference) is not None

    def __getitem__(self, reference: str) -> Estimate:
        estimate = self._measured.estimate(reference)
        if estimate is None:
            raise InvalidInput("no such result", where="case", found=repr(reference))
        return estimate

    def fed_into(self, reference: str) -> dict[str, str]:
        """By label the results that a calculation was fed with, as its step says."""
        evidence = self._evidence.get(step_of(reference))
        found: dict[str, str] = {}
        for labelled in evidence.provenance.params.values() if evidence else ():
            if isinstance(labelled, Mapping):
                found |= {str(label): text for label, text in labelled.items() if text in self and text != reference}
        return found

    def behind(self, references: Iterable[str]) -> list[str]:
        """All results that went into these, directly or further down, each once."""
        references = tuple(references)
        asked = set(references)
        waiting, found = list(dict.fromkeys(references)), dict.fromkeys(references)
        while waiting:
            new = [each for each in self.fed_into(waiting.pop()).values() if each not in found]
            found |= dict.fromkeys(new)
            waiting += new
        return [each for each in found if each not in asked]
