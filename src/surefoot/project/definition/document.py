"""Control of the document that an assessment becomes: what it is called, whose it is, who reviewed it, how it stands.

None of it is part of what was found: a review changes who stands behind a result, and never its digest.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from surefoot.project.definition.system import Part, Text, all_differ


def _is_date(text: str) -> str:
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    raise ValueError(f"must be a date such as 2026-05-31; found {text!r}")


Day = Annotated[str, Field(max_length=10, json_schema_extra={"format": "date"}), AfterValidator(_is_date)]
ReviewState = Literal["asked", "in review", "approved", "rejected"]
DocumentStatus = Literal["draft", "in review", "approved", "withdrawn"]
DECIDED = ("approved", "rejected")
DOCUMENT = "document"
"""The section of the project file."""


class Reviewer(Part):
    """Somebody who reads the document for a role, and what they said."""

    name: Text
    role: Text
    """For whom they read it, such as independent assessor."""
    state: ReviewState = "asked"
    date: Day | None = None
    """When they said so; needed once they approved or rejected it."""
    note: str = ""

    @model_validator(mode="after")
    def _decided_on_a_day(self) -> Reviewer:
        if self.state in DECIDED and self.date is None:
            raise ValueError(f"has the state {self.state} and no date")
        return self


class DocumentEntry(Part):
    """One issue of the document, as its author records it."""

    version: Text
    date: Day
    change: Text
    """What is new in it."""
    by: str = ""


class DocumentControl(Part):
    """What stands on the first page of the report, and of every page of its print.

    Examples
    --------
    >>> from surefoot.project import DocumentControl
    >>> control = DocumentControl(id="SC-7", version="1.0", author="A. Weber", status="in review")
    >>> control.status, control.name("Door guard")
    ('in review', 'SC-7, version 1.0')

    """

    id: Text | None = None
    """How the document is filed, such as SC-2026-007."""
    title: Text | None = None
    """By default the name of the system."""
    version: Text | None = None
    """Of the document."""
    system_version: Text | None = None
    """Of the system that it speaks of."""
    model_version: Text | None = None
    """Of the model in it; its digest is always shown beside it."""
    author: Text | None = None
    """Who answers for it."""
    reviewers: list[Reviewer] = Field(default=[])
    """Who reads it in which role, how far they are and since when."""
    status: DocumentStatus = "draft"
    history: list[DocumentEntry] = Field(default=[])
    """Its issues, the oldest first; the report adds the iterations that assessments recorded."""

    @model_validator(mode="after")
    def _consistent(self) -> DocumentControl:
        all_differ((entry.version for entry in self.history), "two entries of its history for version")
        all_differ((f"{each.name} as {each.role}" for each in self.reviewers), "twice the reviewer")
        dates = [entry.date for entry in self.history]
        if dates != sorted(dates):
            raise ValueError("has a history that is not in the order of its dates; write the oldest entry first")
        return self

    def name(self, otherwise: str) -> str:
        """How people refer to it: its id and version, or other words where it has neither."""
        said = [self.id or "", f"version {self.version}" if self.version else ""]
        return ", ".join(filter(None, said)) or otherwise

    @property
    def approvals(self) -> tuple[Reviewer, ...]:
        """Reviewers who approved it."""
        return tuple(each for each in self.reviewers if each.state == "approved")
