"""Documents: those that evidence is taken from, who answers for what nobody measured, and control of the report as one.

Nothing of the control is part of what was found: a review changes who stands behind a result, and never its digest.
"""

from __future__ import annotations

import hashlib
from datetime import date as calendar_date
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from surefoot.core import Answer
from surefoot.project.definition.system import Part, Text, all_differ


def _day(value: str) -> str:
    try:
        if calendar_date.fromisoformat(value).isoformat() == value:
            return value
    except ValueError:
        pass
    raise ValueError(f"must be a day such as 2026-05-01, not {value!r}")


def _day_or_nothing(value: str) -> str:
    return _day(value) if value else value


Day = Annotated[
    str,
    Field(max_length=10, json_schema_extra={"format": "date"}, description="A day, such as 2026-05-01."),
    AfterValidator(_day),
]
OptionalDay = Annotated[str, AfterValidator(_day_or_nothing)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the content, 64 hexadecimal digits.")]
DocumentState = Literal["draft", "reviewed", "accepted"]
ReviewState = Literal["asked", "in review", "approved", "rejected"]
DocumentStatus = Literal["draft", "in review", "approved", "withdrawn"]
DECIDED = ("approved", "rejected")
DOCUMENT = "document"
"""The section of the project file."""


class AnswerSource(Part):
    """Somebody answers for values that were stated and not measured."""

    name: Text
    """Who."""
    date: Day
    reason: Text
    """Why the values may be taken for true."""

    @property
    def answer(self) -> Answer:
        """The same as assumptions carry it."""
        return Answer(self.name, self.date, self.reason)


class Document(Part):
    """A document that evidence is taken from: exactly one of ``path`` and ``url``.

    A file is compared with ``sha256`` whenever evidence is computed; an address is never fetched.

    Examples
    --------
    >>> import surefoot as sf
    >>> report = sf.project.Document(url="https://example.org/report.pdf", title="Field test", page="12")
    >>> report.name, report.checked
    ('Field test', 'unchecked: no hash is given')

    """

    path: Text | None = None
    """A file, relative to the project file; its SHA-256 is computed, and compared with ``sha256``."""
    url: Text | None = None
    """An address, which is not fetched: without ``sha256`` the document counts as unchecked."""
    sha256: Sha256 | None = None
    version: str = ""
    title: str = ""
    page: Annotated[str | int, Field(union_mode="left_to_right")] = ""
    """Where in it the figures stand: a page, a section, a table."""
    owner: str = ""
    """Who is responsible for it."""
    date: OptionalDay = ""
    """When it was issued."""
    id: str = ""
    """What an organisation calls it, such as ``TR-2026-014``."""

    @model_validator(mode="after")
    def _one_place(self) -> Document:
        if (self.path is None) == (self.url is None):
            raise ValueError("needs exactly one of path and url")
        return self

    _folder: Path = PrivateAttr(default=Path())

    def in_folder(self, folder: Path) -> Self:
        """The same document, its path relative to this folder."""
        found = self.model_copy()
        found._folder = folder
        return found

    @property
    def content(self) -> str:
        """SHA-256 of the file as it is, or as it is stated of an address; empty where neither is known."""
        if self.path is None:
            return self.sha256 or ""
        with (self._folder / self.path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    @property
    def changed(self) -> bool:
        """Whether the file is another one than the document that was stated."""
        return self.path is not None and self.sha256 not in (None, self.content)

    @property
    def place(self) -> str:
        """Its path or address."""
        return self.path or self.url or ""

    @property
    def name(self) -> str:
        """What people call it: its title, its id, or else where it is."""
        return self.title or self.id or self.place

    @property
    def checked(self) -> str:
        """What its hash was compared with when evidence was computed from it."""
        if self.path is not None:
            return "hash computed from the file" + (" and as stated" if self.sha256 else "")
        return "hash stated, the address was not fetched" if self.sha256 else "unchecked: no hash is given"

    @property
    def words(self) -> str:
        """The document as a sentence names it."""
        known = [self.id if self.title else "", self.version and f"version {self.version}", self.date]
        told = ", ".join([self.name, *filter(None, known), *([f"page {self.page}"] if self.page else [])])
        return told if self.name == self.place else f"{told} ({self.place})"


# Control of the document that an assessment becomes: what it is called, whose it is, who reviewed it, how it stands.


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
