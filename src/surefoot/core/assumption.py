"""Assumptions as data: what a number rests on, and what a check of it found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self, get_args

from surefoot.core import validate
from surefoot.core.canonical import FrozenDict, reading, thaw, unthaw
from surefoot.core.errors import InvalidInput

Status = Literal["supported", "contradicted", "unchecked"]


@dataclass(frozen=True)
class Check:
    """What was looked at to check an assumption, and what it says.

    Parameters
    ----------
    status
        ``supported``, ``contradicted`` or ``unchecked``.
    method
        How it was looked at.
    figures
        What was found, as plain values.
    effect
        An effect size: with ten million rows every p-value is 0, so a reader needs to see how large the departure is,
        not only that it is there.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Check("supported", "Kolmogorov-Smirnov test", {"p": 0.4}, effect=0.02).status
    'supported'

    """

    status: Status
    method: str
    figures: Mapping[str, Any] = field(default_factory=FrozenDict)
    effect: float | None = None

    def __post_init__(self) -> None:
        validate.fields(self)
        validate.choice(self.status, get_args(Status), where="Check", name="status")
        object.__setattr__(self, "figures", FrozenDict(self.figures))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "status": self.status,
            "method": self.method,
            "figures": thaw(self.figures),
            "effect": thaw(self.effect),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("check"):
            return cls(data["status"], data["method"], unthaw(data["figures"]), unthaw(data["effect"]))


@dataclass(frozen=True)
class Answer:
    """Somebody named answers for a value that was stated, and says why.

    Parameters
    ----------
    by
        Who.
    date
        When, as 2026-05-01.
    reason
        Why the value may be taken for true.

    Examples
    --------
    >>> import surefoot as sf
    >>> print(sf.core.Answer("A. Berg", "2026-05-01", "Upper end of three registers."))
    A. Berg (2026-05-01): Upper end of three registers.

    """

    by: str
    date: str
    reason: str

    def __post_init__(self) -> None:
        for name in ("by", "reason"):
            said = getattr(self, name)
            if not isinstance(said, str) or not said.strip():
                raise InvalidInput(f"an answer for a stated value needs {name}", where="Answer", found=repr(said))
        object.__setattr__(self, "date", validate.date(self.date, where="Answer"))

    def __str__(self) -> str:
        return f"{self.by} ({self.date}): {self.reason}"


@dataclass(frozen=True)
class Assumption:
    """A statement that must hold for a number to mean what it says.

    Parameters
    ----------
    id, text
        A stable name, and the statement.
    check
        What a check of it found, where there was one.
    scope
        What it is about.
    beyond_tests
        Whether it carries the number from what was tested to inputs that nobody tested, such as an even spread between
        them; counting needs none. While it is unchecked, the number shows no violation.
    stated
        Whether it is that of a value which was stated, not found by looking. A number that rests on one meets no target
        unless somebody answers for it.
    answer
        Who answers for a stated value.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Assumption("independent-rows", "Rows were drawn independently.").status
    'unchecked'

    """

    id: str
    text: str
    check: Check | None = None
    scope: str = ""
    beyond_tests: bool = False
    stated: bool = False
    answer: Answer | None = None

    def __post_init__(self) -> None:
        validate.fields(self)
        if not self.id or not self.text:
            raise InvalidInput("an assumption needs an id and a text", where="Assumption", found=repr(self.id))
        if self.answer is not None and not self.stated:
            raise InvalidInput("only a stated value has an answer", where=f"assumption {self.id!r}")

    @property
    def status(self) -> Status:
        """``supported``, ``contradicted`` or ``unchecked``."""
        return self.check.status if self.check else "unchecked"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        check = self.check.to_dict() if self.check else None
        more: dict[str, Any] = {"beyond_tests": True} if self.beyond_tests else {}
        more |= {"stated": True} if self.stated else {}
        more |= {} if self.answer is None else {"answer": asdict(self.answer)}
        return {"id": self.id, "text": self.text, "check": check, "scope": self.scope, **more}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("assumption"):
            check = Check.from_dict(data["check"]) if data["check"] else None
            answer = Answer(**data["answer"]) if data.get("answer") else None
            more = {name: data.get(name, False) for name in ("beyond_tests", "stated")}
            return cls(data["id"], data["text"], check, data["scope"], **more, answer=answer)


def union(*groups: Iterable[Assumption]) -> tuple[Assumption, ...]:
    """All assumptions of all groups, each once, in order of first appearance; none is dropped.

    Parameters
    ----------
    *groups
        Assumptions, such as those of several estimates.

    Returns
    -------
    tuple of Assumption
        All of them.

    Examples
    --------
    >>> import surefoot as sf
    >>> first = sf.bounds.clopper_pearson(2, 1000, level=0.95).assumptions
    >>> sf.core.union(first, first) == first
    True

    """
    return tuple(dict.fromkeys(assumption for group in groups for assumption in group))
