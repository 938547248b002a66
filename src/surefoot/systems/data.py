"""What a system is run on: items with their truth, and the conditions they are met in.

Table 1 of paper SYS (Wang et al. 2022) lists its conditions. May import ``core``, ``corruptions`` and, to tell contents
apart, ``systems.graph``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, SurefootError, validate
from surefoot.core.canonical import FrozenDict, FrozenMap, array_digest, digest
from surefoot.corruptions import corrupt, domain_of
from surefoot.corruptions.catalogue import options_of, require_options, severity_of
from surefoot.systems.graph.module import seed_of, version_of

__all__ = ["CLEAN", "Condition", "Items", "conditions"]
PAPER_SEVERITIES = (1, 3, 5)
"""Where the three levels of paper SYS (Table 1) lie among five severities."""
Corruption = Callable[..., Any]
"""A corruption of one's own: ``f(values, severity, *, seed, first, **options)``, with item i drawn from the seed and
the number ``first`` + i."""
WHERE = "Items"
IN_MEMORY = (list, tuple, range, np.ndarray)
"""Columns whose parts cost nothing until they are read."""


@dataclass(frozen=True, eq=False)
class Items:
    """Inputs of a system by name, and for each item its truth, its name and the group it belongs to.

    Anything with a length that gives parts by slicing is welcome, such as a list, an array or a memory map; a part is
    read when it is needed.

    Parameters
    ----------
    inputs
        A column for each input.
    truth
        What the metric judges by.
    names
        How findings call items; their numbers without them.
    groups
        Items of one group are not independent of each other (frames of a drive, sentences of a speaker): intervals
        resample groups.

    Examples
    --------
    >>> items = Items({"frames": np.zeros((4, 8, 8))}, truth=[0, 1, 0, 1], groups=["a", "a", "b", "b"])
    >>> len(items), items.units
    (4, array([0, 0, 1, 1]))

    """

    inputs: Mapping[str, Sequence[Any]]
    truth: Sequence[Any] | None = None
    names: Sequence[Any] | None = None
    groups: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        validate.kind(self.inputs, Mapping, where="Items", name="inputs", example="{'x': array}")
        object.__setattr__(self, "inputs", FrozenMap(self.inputs))
        columns = {**self.inputs, "truth": self.truth, "names": self.names, "groups": self.groups}
        lengths = {name: _length(name, column) for name, column in columns.items() if column is not None}
        if not self.inputs or 0 in lengths.values():
            raise InvalidInput("needs at least one item", where=WHERE, found=str(lengths))
        if len(set(lengths.values())) != 1:
            raise InvalidInput("columns have different lengths", where=WHERE, found=str(lengths))

    def __len__(self) -> int:
        return len(next(iter(self.inputs.values())))

    def part(self, start: int, stop: int) -> Items:
        """Some items, which keep their names; columns that are neither lists nor arrays are read when they are used."""
        end = min(stop, len(self))

        def cut(column: Any) -> Any:
            return column[start:end] if isinstance(column, IN_MEMORY) else Window(column, start, end)

        inputs = {name: cut(column) for name, column in self.inputs.items()}
        truth, groups = (None if column is None else cut(column) for column in (self.truth, self.groups))
        return Items(inputs, truth, cut(range(len(self)) if self.names is None else self.names), groups)

    def read(self) -> dict[str, Any]:
        """The inputs, all of them in memory."""
        return {name: in_memory(column) for name, column in self.inputs.items()}

    def require_truth(self, *, where: str) -> None:
        """Refuse items without their truth."""
        if self.truth is None:
            raise InvalidInput("items need their truth", where=where, remedy="Say Items(inputs, truth=...).")

    def read_truth(self) -> Any:
        """The truth, all of it in memory."""
        return in_memory(self.truth)

    @cached_property
    def digest(self) -> str:
        """Digest of inputs and names."""
        columns = {name: values_digest(column) for name, column in self.read().items()}
        names = values_digest([self.name_of(i) for i in range(len(self))])
        return digest({"inputs": columns, "names": names})

    @cached_property
    def truth_digest(self) -> str:
        """Digest of the truth."""
        return "" if self.truth is None else values_digest(self.read_truth())

    def name_of(self, item: int) -> str:
        """The name of an item; its number where it has none."""
        return str(item if self.names is None else self.names[item])

    @cached_property
    def units(self) -> NDArray[np.int64] | None:
        """Groups as numbers from 0, or None where items are independent."""
        if self.groups is None:
            return None
        groups = in_memory(self.groups)
        labels = groups.tolist() if isinstance(groups, np.ndarray) else list(groups)
        try:
            numbers = {group: number for number, group in enumerate(dict.fromkeys(labels))}
        except TypeError as error:
            remedy = "Name the group of each item by a number or a text."
            raise InvalidInput("groups must be names", where=WHERE, found=str(error), remedy=remedy) from error
        return np.array([numbers[group] for group in labels], dtype=np.int64)


def _length(name: str, column: Any) -> int:
    if isinstance(column, str | bytes) or not hasattr(column, "__len__") or not hasattr(column, "__getitem__"):
        found, remedy = type(column).__name__, "Give a list or an array with one entry an item."
        raise InvalidInput(f"{name!r} must be a column", where=WHERE, found=found, remedy=remedy)
    return len(column)


@dataclass(frozen=True, eq=False)
class Window:
    """Part of a column that is read when it is used."""

    column: Any
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, index: int | slice) -> Any:
        places = range(self.start, self.stop)[index]
        if not isinstance(places, range):
            return self.column[places]
        return self.column[places.start : places.stop] if places.step == 1 else [self.column[i] for i in places]


def in_memory(column: Any) -> Any:
    """A column as a list or an array."""
    return column if isinstance(column, IN_MEMORY) else column[0 : len(column)]


def values_digest(values: Sequence[Any]) -> str:
    """Digest of a column by its content, whatever it holds."""
    if isinstance(values, np.ndarray) and not values.dtype.hasobject:
        return array_digest(values)
    whole = hashlib.sha256()
    for value in values:
        # Digests have one length, so that values cannot run into each other.
        whole.update(version_of(value).encode())
    return whole.hexdigest()


@dataclass(frozen=True)
class Condition:
    """A corruption with its severity; without one, clean.

    Parameters
    ----------
    corruption
        A name of ``surefoot.corruptions``, or of one's own ``function``.
    severity
        From 1 to 5.
    inputs
        The inputs that it corrupts; without them all of its domain.
    options
        Those of the corruption, such as the ``rate`` of sounds.
    function
        A corruption of one's own: ``f(values, severity, *, seed, first, **options)``; it needs ``inputs``.

    Examples
    --------
    >>> print(Condition("fog", 3))
    fog 3
    >>> CLEAN.clean
    True

    """

    corruption: str = ""
    severity: int = 0
    inputs: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=FrozenDict)
    function: Corruption | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.inputs, str):
            object.__setattr__(self, "inputs", (self.inputs,))
        if isinstance(self.corruption, str) and not self.clean:
            object.__setattr__(self, "severity", severity_of(self.severity))
        validate.fields(self)
        object.__setattr__(self, "options", FrozenDict(self.options))
        if self.clean:
            if self.severity or self.inputs or self.options or self.function is not None:
                raise InvalidInput("clean has no severity, inputs or options", where="Condition", found=repr(self))
            return
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

    def __str__(self) -> str:
        """The label, which is what ``Mix`` calls it."""
        return self.label

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


CLEAN = Condition()


def _unusable(error: Exception, where: str) -> InvalidInput:
    """Why one item cannot be corrupted; items are numbered from 0."""
    if isinstance(error, SurefootError):
        return InvalidInput(error.problem, where=where, found=error.found, remedy=error.remedy)
    found = f"{type(error).__name__}: {error}"
    return InvalidInput("the corruption failed", where=where, found=found, remedy="Mend the corruption or the item.")


@validate.arguments
def conditions(
    corruptions: str | Sequence[str],
    severities: Sequence[int | str] | int | str = PAPER_SEVERITIES,
    *,
    inputs: str | Sequence[str] = (),
    **options: Any,
) -> tuple[Condition, ...]:
    """Clean, and each corruption at each severity.

    Parameters
    ----------
    corruptions
        Names, or one.
    severities
        By default those of paper SYS.
    inputs
        The inputs that are corrupted; without them all of the corruption's domain.
    **options
        They go to those corruptions that take them.

    Returns
    -------
    tuple of Condition
        Clean first.

    References
    ----------
    Wang et al. (2022), SYS, Table 1.

    Examples
    --------
    >>> [condition.label for condition in conditions(["fog"], (1, 5))]
    ['clean', 'fog 1', 'fog 5']

    """
    names, places = (([some] if isinstance(some, str) else list(some)) for some in (corruptions, inputs))
    levels = [severity_of(each) for each in ([severities] if isinstance(severities, int | str) else severities)]
    for name in names:
        validate.kind(name, str, where="conditions", name="a corruption", example="'fog'")
    if len(set(levels)) != len(levels) or len(set(names)) != len(names):
        raise InvalidInput("corruptions and severities must differ", where="conditions", found=f"{names}, {levels}")
    taken = {name: {key: value for key, value in options.items() if key in options_of(name)} for name in names}
    useless = sorted(set(options) - {key for each in taken.values() for key in each})
    if useless:
        raise InvalidInput("no corruption takes this option", where="conditions", found=", ".join(useless))
    worse = (Condition(name, level, tuple(places), taken[name]) for name in names for level in sorted(levels))
    return (CLEAN, *worse)
