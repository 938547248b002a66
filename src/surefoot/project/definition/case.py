"""The assurance case: words that cannot be made from the rest, and what people and operation add to it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from surefoot.case.templates.ingredients import Function
from surefoot.opinions.judgement import CONFIDENCES, LIKELIHOODS
from surefoot.project.definition.words import Name, Part, Text

Likelihood = Annotated[str, Field(json_schema_extra={"enum": list(LIKELIHOODS)})]
Confidence = Annotated[str, Field(json_schema_extra={"enum": list(CONFIDENCES)})]


class AcceptedSource(Part):
    """Somebody answers for an assumption that nothing checks."""

    likelihood: Likelihood = "very likely"
    """How likely it is that it holds, in words: absolutely not, very unlikely, ... very likely, absolutely."""
    confidence: Confidence = "high confidence"
    """How sure they are of that: no, low, some, high or total confidence."""
    by: Text
    """Who answers for it."""
    why: Text
    """The reason."""

    @model_validator(mode="after")
    def _known_words(self) -> AcceptedSource:
        for word, known in ((self.likelihood, LIKELIHOODS), (self.confidence, CONFIDENCES)):
            if word not in known:
                raise ValueError(f"has the word {word!r}; known are {', '.join(known)}")
        return self


class FeedbackSource(Part):
    """What operation brought: so many incidents in so much use."""

    claim: Text
    """The target whose claim it speaks of."""
    exposure: Annotated[float, Field(gt=0)]
    """How much of ``per``: so many demands, hours or missions."""
    per: Text = "demand"
    incidents: Annotated[int, Field(ge=0)]
    since: str = ""
    until: str = ""
    source: str = ""


class CaseSource(Part):
    """The assurance case: its claim, its frame, and what it rests on beside what is measured."""

    claim: str = ""
    """The top claim; by default that the system meets its targets under the operating conditions."""
    context: list[str] = Field(default=[])
    frame: Literal["targets", "component", "system"] = "targets"
    """What stands above the targets: nothing, the component's functions, or the whole system with its sub-cases."""
    functions: dict[Name, list[Function]] = Field(default={})
    """For components: which functions of an object detector they have; all four where nothing is said."""
    speaks_of: dict[Name, Function] = Field(default={})
    """For targets: the function that they speak of; classification where nothing is said."""
    file: Text | None = None
    """Own claims, arguments and evidence, merged into the case by the ids of nodes."""
    accepted: dict[str, AcceptedSource] = Field(default={})
    """Assumptions, by id, that somebody answers for."""
    feedback: list[FeedbackSource] = Field(default=[])
    """Operation since the assessment; it updates the claims, and may contradict them."""
