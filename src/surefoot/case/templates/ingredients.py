"""What a case is made from: targets with their estimates, evidence, and what is known of the system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from surefoot.case.confidence.feedback import Feedback
from surefoot.case.goal import Goal
from surefoot.core import Evidence, InvalidInput, Table, validate
from surefoot.core.canonical import FrozenMap

Function = Literal["classification", "localisation", "timing", "tracking"]
FUNCTIONS: tuple[Function, ...] = get_args(Function)


@dataclass(frozen=True)
class Ingredients:
    """All that templates are filled with; what is not given leaves its part of the case undeveloped."""

    system: str
    goals: tuple[Goal, ...] = ()
    evidence: Mapping[str, Evidence] = field(default_factory=FrozenMap)
    """Evidence by the name of its step."""
    claim: str = ""
    """The top claim in the user's words."""
    hazard: str = ""
    context: tuple[str, ...] = ()
    components: Mapping[str, str] = field(default_factory=FrozenMap)
    """Learned components and their descriptions."""
    conditions: Mapping[str, str] = field(default_factory=FrozenMap)
    """Operating conditions by id."""
    digests: Mapping[str, str] = field(default_factory=FrozenMap)
    """Content hashes of models and data."""
    derivations: Mapping[str, Table | str] = field(default_factory=FrozenMap)
    """For targets: the steps that led to the limit, or its source in words."""
    functions: Mapping[str, tuple[Function, ...]] = field(default_factory=FrozenMap)
    """For components: what they do of what an object detector does; all four where nothing is said."""
    speaks_of: Mapping[str, Function] = field(default_factory=FrozenMap)
    """For targets: the function they speak of; classification where nothing is said."""
    operation: tuple[str, ...] = ()
    """Results measured in operation, as ``step.quantity``: they develop what is claimed of the future."""
    feedback: tuple[Feedback, ...] = ()
    """Incidents told from operation, by the claims they bear on: they develop it too."""

    def __post_init__(self) -> None:
        for name in ("goals", "context", "operation", "feedback"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("evidence", "components", "conditions", "digests", "derivations", "functions", "speaks_of"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))
        twice = [name for name, count in Counter(goal.name for goal in self.goals).items() if count > 1]
        if twice:
            raise InvalidInput("two targets have one name", where="Ingredients", found=repr(twice[0]))
        for function in (*self.speaks_of.values(), *(each for some in self.functions.values() for each in some)):
            validate.choice(function, FUNCTIONS, where="Ingredients", name="function")

    def component_of(self, goal: Goal) -> str | None:
        """The learned component that a target speaks of; None where it is about the system."""
        return self.component_behind(goal.reference)

    def component_behind(self, reference: str) -> str | None:
        """The learned component that a result is about; None where it is about the system."""
        evidence = self.evidence.get(step_of(reference))
        named = evidence.provenance.params.get("component") if evidence else None
        return named if named in self.components else None


def step_of(reference: str) -> str:
    """The step in ``step.quantity``."""
    return reference.partition(".")[0]
