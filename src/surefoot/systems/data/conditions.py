"""``Condition``: clean inputs, or inputs corrupted in a stated way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, SurefootError, validate
from surefoot.core.canonical import FrozenDict, digest
from surefoot.corruptions import corrupt, domain_of
from surefoot.corruptions.catalogue import options_of, require_options, severity_of
from surefoot.systems.graph.identity import version_of
from surefoot.systems.seeds import seed_of

PAPER_SEVERITIES = (1, 3, 5)
"""Where the three levels of paper SYS (Table 1) lie among five severities."""
Corruption = Callable[..., Any]
"""A corruption of one's own: ``f(values, severity, *, seed, first, **options)``, with item i drawn from the seed and
the number ``first`` + i."""


@dataclass(frozen=True)
class Condition:
    """A corruption with its severity from 1 to 5; without one, clean.

    It corrupts all inputs of its domain, or ``inputs`` alone. ``function`` is a corruption of one's own, of the name
    ``corruption``; it needs ``inputs``. ``options`` are those of the corruption, such as the ``rate`` of sounds.
    """

    corruption: str = ""
    severity: int = 0
    inputs: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=FrozenDict)
    function: Corruption | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", FrozenDict(self.options))
        object.__setattr__(self, "inputs", (self.inputs,) if isinstance(self.inputs, str) else tuple(self.inputs))
        if self.clean:
            if self.severity or self.inputs or self.options or self.function:
                raise InvalidInput("clean has no severity, inputs or options", where="Condition", found=repr(self))
            return
        object.__setattr__(self, "severity", severity_of(self.severity))
        if self.function is not None and not self.inputs:
            raise InvalidInput("a corruption of your own needs inputs=", where=self.corruption)
        if self.function is None:
            require_options(self.corruption, self.options)

    @property
    def clean(self) -> bool:
        """Whether nothing is corrupted."""
        return not self.corruption

    @property
    def label(self) -> str:
        """``clean``, or the corruption and its severity."""
        return "clean" if self.clean else f"{self.corruption} {self.severity}"

    @property
    def corruption_and_severity(self) -> tuple[str, int | None]:
        """Two columns of a table; clean has no severity."""
        return ("clean", None) if self.clean else (self.corruption, self.severity)

    @property
    def key(self) -> str:
        """Digest of what decides the corruption."""
        return digest(
            {
                "corruption": self.corruption,
                "severity": self.severity,
                "inputs": list(self.inputs),
                "options": self.options,
                "own": None if self.function is None else version_of(self.function),
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
        """Inputs under this condition; item i draws from the seed and the number ``first`` + i alone.

        The first input that is touched draws from the seed itself, every further one from a seed of its own: two
        sensors have different noise. What both would see of one scene, such as snow, is drawn anew for each as well;
        give both as one input, or a corruption of your own, where that matters.
        """
        worse = dict(inputs)
        for number, name in enumerate(self.touched(kinds)):
            own = seed_of(seed, number) if number else seed
            worse[name] = self._told(name, inputs[name], own, first)
        return worse

    def _told(self, name: str, values: Any, seed: int, first: int) -> Any:
        """Corrupted values; where one of them cannot be corrupted, which."""
        try:
            return self._corrupted(values, seed, first)
        except Exception as error:
            for i in range(len(values)):
                try:
                    self._corrupted(values[i : i + 1], seed, first + i)
                except Exception as own:
                    raise _unusable(own, f"{self.label}, input {name!r}, item {first + i}") from error
            raise

    def _corrupted(self, values: Any, seed: int, first: int) -> Any:
        if self.function is not None:
            return self.function(values, self.severity, seed=seed, first=first, **self.options)
        if domain_of(self.corruption) == "image" and len({np.shape(image) for image in values}) > 1:
            # Images of different sizes do not fit in one array.
            return [self._built_in(image, seed, first + i) for i, image in enumerate(values)]
        return self._built_in(values, seed, first)

    def _built_in(self, values: Any, seed: int, first: int) -> Any:
        return corrupt(values, self.corruption, self.severity, seed=seed, first=first, **self.options)


def _unusable(error: Exception, where: str) -> InvalidInput:
    """Why one item cannot be corrupted; items are numbered from 0."""
    if isinstance(error, SurefootError):
        return InvalidInput(error.problem, where=where, found=error.found, remedy=error.remedy)
    found = f"{type(error).__name__}: {error}"
    return InvalidInput("the corruption failed", where=where, found=found, remedy="Mend the corruption or the item.")


CLEAN = Condition()


def conditions(
    corruptions: Sequence[str],
    severities: Sequence[int | str] | int = PAPER_SEVERITIES,
    *,
    inputs: Sequence[str] = (),
    **options: Any,
) -> tuple[Condition, ...]:
    """Clean, and each corruption at each severity; ``options`` go to those corruptions that take them."""
    names, places = (([some] if isinstance(some, str) else list(some)) for some in (corruptions, inputs))
    levels = [severity_of(each) for each in ([severities] if isinstance(severities, int | str) else severities)]
    if len(set(levels)) != len(levels) or len(set(names)) != len(names):
        raise InvalidInput("corruptions and severities must differ", where="conditions", found=f"{names}, {levels}")
    taken = {name: {key: value for key, value in options.items() if key in options_of(name)} for name in names}
    useless = sorted(set(options) - {key for each in taken.values() for key in each})
    if useless:
        raise InvalidInput("no corruption takes this option", where="conditions", found=", ".join(useless))
    worse = (Condition(name, level, tuple(places), taken[name]) for name in names for level in sorted(levels))
    return (CLEAN, *worse)
