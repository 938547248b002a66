"""The system, and the conditions under which numbers about it hold."""

from __future__ import annotations

from pydantic import Field, model_validator

from surefoot.project.definition.words import Name, Part, Text, Values, all_differ


class System(Part):
    """What the component is part of, and what may go wrong."""

    name: Text
    description: str = ""
    hazard: str = ""
    """The event that must stay rare."""


class Condition(Part):
    """One assumption on the inputs under which guarantees are claimed.

    With ``column`` (an attribute of the data) and one of the limits, the test data are checked against it.
    """

    id: Name
    text: Text
    column: Text | None = None
    at_least: float | None = None
    at_most: float | None = None
    one_of: Values | None = None

    @model_validator(mode="after")
    def _column_with_limits(self) -> Condition:
        limited = any(limit is not None for limit in (self.at_least, self.at_most, self.one_of))
        if limited != (self.column is not None):
            raise ValueError("needs a column together with at_least, at_most or one_of, or none of them")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("has at_least above at_most, so that nothing fulfils it")
        return self


class Conditions(Part):
    """The operating conditions: the contract under which the numbers hold."""

    assumptions: list[Condition] = Field(default=[])
    odd: dict[Text, Values] = Field(default={})
    """The operational design domain: each dimension with its values."""

    @model_validator(mode="after")
    def _ids_differ(self) -> Conditions:
        all_differ((condition.id for condition in self.assumptions), "two assumptions with the id")
        return self
