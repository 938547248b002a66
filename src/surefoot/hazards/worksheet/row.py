"""One line of a worksheet: a deviation, why it may happen, what follows, and what is done about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self, get_args

from surefoot.core import validate
from surefoot.core.errors import InvalidInput

Status = Literal["open", "filled", "reviewed", "not credible"]
STATUSES: tuple[Status, ...] = get_args(Status)
ARROW, NONE, UNSAID = " -> ", "none", "?"


@dataclass(frozen=True)
class Mitigation:
    """What is done about a deviation, and which safety properties it creates.

    ``creates`` is None as long as nobody has said whether it creates any; the empty tuple says that it creates none.

    >>> Mitigation.parse("sonar guides the vehicle -> P4, P5").creates
    ('P4', 'P5')
    >>> str(Mitigation("operator watches", ()))
    'operator watches -> none'
    """

    text: str
    creates: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``text``, ``text -> none`` or ``text -> P4, P5``."""
        said, arrow, created = text.rpartition(ARROW)
        if not arrow:
            return cls(text.strip())
        names = tuple(name.strip() for name in created.split(",") if name.strip())
        if names in ((UNSAID,), ()):
            return cls(said.strip())
        return cls(said.strip(), () if names == (NONE,) else names)

    def __str__(self) -> str:
        if self.creates is None:
            return f"{self.text}{ARROW}{UNSAID}" if ARROW in self.text else self.text
        return f"{self.text}{ARROW}{', '.join(self.creates) or NONE}"


@dataclass(frozen=True)
class Row:
    """A deviation (guide word applied to a parameter of an item) with its causes, consequences and mitigations.

    ``endangers`` names the safety properties that the deviation may violate. ``status`` is ``open`` until somebody has
    worked on the row, ``filled`` before and ``reviewed`` after its review, and ``not credible`` where the deviation was
    considered and ruled out; ``remark`` then says why. ``place`` is where the row stands in a file.
    """

    id: str
    item: str
    parameter: str
    guide_word: str
    causes: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    mitigations: tuple[Mitigation, ...] = ()
    endangers: tuple[str, ...] = ()
    severity: str = ""
    likelihood: str = ""
    status: Status = "open"
    reviewer: str = ""
    remark: str = ""
    place: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("id", "item", "parameter", "guide_word"):
            if not getattr(self, name).strip():
                raise InvalidInput(f"a row needs {name.replace('_', ' ')}", where=self.place or f"row {self.id!r}")
        validate.choice(self.status, STATUSES, where=f"row {self.id!r}", name="status")
        for name in ("causes", "consequences", "mitigations", "endangers"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def deviation(self) -> tuple[str, str, str]:
        """Item, parameter and guide word."""
        return self.item, self.parameter, self.guide_word

    @property
    def blank(self) -> bool:
        """Whether nobody has worked on the row."""
        said = (self.causes, self.consequences, self.mitigations, self.endangers, self.severity, self.likelihood)
        return self.status == "open" and not any(said) and not self.remark
