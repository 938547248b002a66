"""The small file that says what a key stands for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Self

from surefoot.core import InvalidInput, digest
from surefoot.core.canonical import reading
from surefoot.documents import json
from surefoot.project.store.layout import HASH, encoded
from surefoot.project.store.problems import Damaged


@dataclass(frozen=True)
class Record:
    """What a key stands for; ``step`` and ``digest`` (of the evidence) are empty for arrays."""

    key: str
    sha256: str
    """Of the content, which has it as its name."""
    size: int
    step: str = ""
    digest: str = ""

    def encode(self) -> bytes:
        """The file's content, which ends with a checksum of the rest."""
        return encoded(asdict(self) | {"checksum": digest(asdict(self))})

    @classmethod
    def decode(cls, content: bytes, *, key: str, where: str) -> Self:
        """Read back what ``encode`` wrote for ``key``, to the last byte."""
        try:
            with reading("record of a store"):
                data = json.loads(content)
                record = cls(**{field.name: data[field.name] for field in fields(cls)})
                intact = record.encode() == content and record.key == key and HASH.fullmatch(record.sha256)
        except InvalidInput as error:
            raise Damaged("the record cannot be read", where=where) from error
        if not intact:
            raise Damaged("the record does not have the content it was written with", where=where)
        return record
