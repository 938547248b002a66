"""Severity and likelihood in words, and the class of risk that each pair has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput

CLASSES = ("negligible", "tolerable", "undesirable", "intolerable")


@dataclass(frozen=True)
class RiskMatrix:
    """Words of both scales, the mildest first, and ``classes[likelihood][severity]``; ``meaning`` explains words.

    The classes of risk are ``order``, the mildest first.

    >>> RiskMatrix.usual().risk("catastrophic", "occasional")
    'intolerable'
    """

    severities: tuple[str, ...]
    likelihoods: tuple[str, ...]
    classes: Mapping[str, tuple[str, ...]]
    order: tuple[str, ...] = CLASSES
    meaning: Mapping[str, str] = field(default_factory=FrozenMap)
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("severities", "likelihoods", "order"):
            words = tuple(getattr(self, name))
            if not words or len(set(words)) < len(words):
                raise InvalidInput("a scale needs words that differ", where=f"risk matrix, {name}", found=str(words))
            object.__setattr__(self, name, words)
        classes = {name: tuple(row) for name, row in self.classes.items()}
        if set(classes) != set(self.likelihoods):
            found = sorted(set(classes) ^ set(self.likelihoods))
            raise InvalidInput("needs one row for each likelihood", where="risk matrix", found=str(found))
        for name, row in classes.items():
            if len(row) != len(self.severities) or not set(row) <= set(self.order):
                remedy = f"Give a class for each of {', '.join(self.severities)}: {', '.join(self.order)}."
                raise InvalidInput("a row is wrong", where=f"risk matrix, {name}", found=str(row), remedy=remedy)
        object.__setattr__(self, "classes", FrozenMap({name: classes[name] for name in self.likelihoods}))
        object.__setattr__(self, "meaning", FrozenMap(self.meaning))

    @classmethod
    def usual(cls) -> RiskMatrix:
        """After the example of EN 50126-1 (1999), tables 2, 3 and 6; the words that explain are ours."""
        low, fair, high, worst = CLASSES
        return cls(
            ("insignificant", "marginal", "critical", "catastrophic"),
            ("incredible", "improbable", "remote", "occasional", "probable", "frequent"),
            {
                "incredible": (low, low, low, low),
                "improbable": (low, low, fair, fair),
                "remote": (low, fair, high, high),
                "occasional": (fair, high, high, worst),
                "probable": (fair, high, worst, worst),
                "frequent": (high, worst, worst, worst),
            },
            meaning={
                "insignificant": "a minor injury at most, minor damage of the system",
                "marginal": "a minor injury, or a severe threat to the environment; severe damage of the system",
                "critical": "one death or severe injury, or large damage of the environment; loss of a major system",
                "catastrophic": "several deaths or severe injuries, or major damage of the environment",
                "incredible": "extremely unlikely; can be assumed not to happen",
                "improbable": "unlikely but possible; can be assumed to happen only exceptionally",
                "remote": "likely to happen some time in the life of the system; can reasonably be expected",
                "occasional": "likely to happen several times; can be expected several times",
                "probable": "will happen several times; can be expected often",
                "frequent": "likely to happen often; will be met continually",
            },
            source="after the example of EN 50126-1 (1999), tables 2, 3 and 6",
        )

    @property
    def severe(self) -> tuple[str, ...]:
        """The worse half of the classes: what has them needs a mitigation."""
        return self.order[(len(self.order) + 1) // 2 :]

    def knows(self, severity: str, likelihood: str) -> bool:
        """Whether both are words of their scale."""
        return severity in self.severities and likelihood in self.likelihoods

    def risk(self, severity: str, likelihood: str) -> str:
        """The class of a pair of words."""
        for word, scale in ((severity, self.severities), (likelihood, self.likelihoods)):
            if word not in scale:
                remedy = f"Known are {', '.join(scale)}."
                raise InvalidInput("no word of the scale", where="risk matrix", found=repr(word), remedy=remedy)
        return self.classes[likelihood][self.severities.index(severity)]
