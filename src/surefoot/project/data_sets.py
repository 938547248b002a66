"""Parameters of steps that take a data set of their component, which a project file may name."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import get_args

from pydantic.fields import FieldInfo

OF_ON = "A data set of the component; by default that of `on`."
NONE = "A data set of the component; by default none."


class WithScores:
    """Marks a data set whose rows come with the component's scores, computed where the file does not bring them."""


class AnotherDataSet:
    """Marks a data set that the project file must name, because it has to differ from that of ``on``."""


@dataclass(frozen=True)
class DataParameter:
    """What the annotation of a ``Data`` parameter says."""

    required: bool
    """Gets the data set of ``on`` where none is named; without it, nothing."""
    another: bool
    """Must be named, and be another one than that of ``on``."""
    scored: bool
    """Comes with the component's scores."""
    description: str

    @classmethod
    def of(cls, parameter: inspect.Parameter) -> DataParameter:
        """Read an annotation, such as ``Annotated[Data, Field(description="..."), AnotherDataSet]``."""
        required = parameter.default is parameter.empty
        notes = get_args(parameter.annotation)[1:]
        described = next((note.description for note in notes if isinstance(note, FieldInfo)), None)
        return cls(required, AnotherDataSet in notes, WithScores in notes, described or (OF_ON if required else NONE))
