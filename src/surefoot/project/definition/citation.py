"""Documents that evidence is taken from, and who answers for what nobody measured."""

from __future__ import annotations

import hashlib
from datetime import date as calendar_date
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from surefoot.core import Answer
from surefoot.project.definition.system import Part, Text


def _day(value: str) -> str:
    try:
        if calendar_date.fromisoformat(value).isoformat() == value:
            return value
    except ValueError:
        pass
    raise ValueError(f"must be a day such as 2026-05-01, not {value!r}")


def _day_or_nothing(value: str) -> str:
    return _day(value) if value else value


Day = Annotated[str, AfterValidator(_day), Field(description="A day, such as 2026-05-01.")]
OptionalDay = Annotated[str, AfterValidator(_day_or_nothing)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the content, 64 hexadecimal digits.")]
DocumentState = Literal["draft", "reviewed", "accepted"]


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
