"""``Condition``: clean inputs, or inputs corrupted in a stated way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import FrozenMap, digest
from surefoot.corruptions import corrupt, domain_of
from surefoot.corruptions.catalogue import severity_of

PAPER_SEVERITIES = (1, 3, 5)
"""Where the three levels of paper SYS (Table 1) lie among five severities."""
Corruption = Callable[..., Any]
"""A corruption of one's own: ``f(values, severity, *, seed, first)`` of a batch whose first item has that number."""


@dataclass(frozen=True)
class Condition:
    """A corruption with its severity from 1 to 5; without one, clean.

    It corrupts all inputs of its domain, or ``inputs`` alone. ``function`` is a corruption of one's own, of the name
    ``corruption``; it needs ``inputs``. ``options`` are those of the corruption, such as the ``rate`` of sounds.
    """

    corruption: str = ""
    severity: int = 0
    inputs: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=FrozenMap)
    function: Corruption | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", FrozenMap(self.options))
        object.__setattr__(self, "inputs", (self.inputs,) if isinstance(self.inputs, str) else tuple(self.inputs))
        if not self.corruption:
            return
        object.__setattr__(self, "severity", severity_of(self.severity))
        if self.function is None:
            domain_of(self.corruption)
        elif not self.inputs:
            raise InvalidInput("a corruption of your own needs inputs=", where=self.corruption)

    @property
    def clean(self) -> bool:
        """Whether nothing is corrupted."""
        return not self.corruption

    @property
    def label(self) -> str:
        """``clean``, or the corruption and its severity."""
        return "clean" if self.clean else f"{self.corruption} {self.severity}"

    @property
    def key(self) -> str:
        """Digest of what decides the corruption; a function of one's own counts by its name."""
        return digest(
            {
                "corruption": self.corruption,
                "severity": self.severity,
                "inputs": list(self.inputs),
                "options": dict(self.options),
                "own": self.function is not None,
            }
        )

    def touched(self, kinds: Mapping[str, str]) -> tuple[str, ...]:
        """Which of a system's inputs are corrupted, given their kinds."""
        if self.clean:
            return ()
        for name in self.inputs:
            validate.choice(name, kinds, where=self.label, name="input")
        if self.inputs:
            return self.inputs
        domain = domain_of(self.corruption)
        found = tuple(name for name, kind in kinds.items() if kind == domain)
        if not found:
            said = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
            raise InvalidInput(f"the system has no {domain} input", where=self.label, found=said, remedy="Say inputs=.")
        return found

    def applied(
        self, inputs: Mapping[str, Sequence[Any]], kinds: Mapping[str, str], *, seed: int, first: int
    ) -> dict[str, Sequence[Any]]:
        """Inputs under this condition; item i draws from the seed and the number ``first`` + i alone."""
        worse = dict(inputs)
        for name in self.touched(kinds):
            if self.function is not None:
                worse[name] = self.function(inputs[name], self.severity, seed=seed, first=first)
            else:
                worse[name] = corrupt(
                    inputs[name], self.corruption, self.severity, seed=seed, first=first, **self.options
                )
        return worse


CLEAN = Condition()


def conditions(
    corruptions: Sequence[str],
    severities: Sequence[int | str] = PAPER_SEVERITIES,
    *,
    inputs: Sequence[str] = (),
    **options: Any,
) -> tuple[Condition, ...]:
    """Clean, and each corruption at each severity; ``options`` go to those corruptions that take them."""
    names = [corruptions] if isinstance(corruptions, str) else list(corruptions)
    levels = [severity_of(severity) for severity in severities]
    if len(set(levels)) != len(levels) or len(set(names)) != len(names):
        raise InvalidInput("corruptions and severities must differ", where="conditions", found=f"{names}, {levels}")
    worse = (Condition(name, level, tuple(inputs), options) for name in names for level in sorted(levels))
    return (CLEAN, *worse)
