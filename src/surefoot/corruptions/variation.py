"""``Variation``: how operation varies an input, as a family of changes whose parameters have a distribution.

A corruption has five severities; a variation has numbers, such as an angle or a brightness, that differ from input to
input. All randomness is in a place of the unit cube, one side a parameter, from which the varied input follows: so that
a place can be moved a little, and a family whose parameters have finitely many values can be tried out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.corruptions.catalogue import SEVERITIES, corruption, function_of, severity_of
from surefoot.corruptions.image import COLOURS, Generators, Images
from surefoot.corruptions.image.digital import brightened

WHERE = "within"
SEVERITY = "severity"
MOST_COMBINATIONS = 100_000
"""Of discrete values that are tried one by one."""
MOST_STRATA = 100
"""Combinations of discrete values that are looked into one by one, beside parameters of a range."""
SEEDS = 1 << 32
SLACK = 1e-9
DISTRIBUTION = {"values", "chances", "normal", "between"}
Pixels = Callable[..., Any]
Values = Mapping[str, FloatArray]


@dataclass(frozen=True)
class Variation:
    """A family of natural changes of an input, with the distribution of their parameters.

    Parameters vary independently of each other and of the input. Make one with ``Variation.of`` from names, or with
    ``Variation.by`` from a function of your own.

    Parameters
    ----------
    parts
        The changes, applied one after the other.
    picture
        Shape of the picture that an input shows, where inputs are rows of its values: (h, w), (h, w, c) or (c, h, w).

    See Also
    --------
    surefoot.reliability.assess_balls : How probable failures are within it.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> tilted = sf.corruptions.Variation.of({"rotation": {"angle": [-15, 15]}})
    >>> print(tilted)
    rotation (angle uniform from -15 to 15 degrees)
    >>> picture = np.zeros((1, 5, 5)); picture[0, 2] = 1
    >>> tilted.varied(picture, np.array([[0.5]])).round(3)[0, :, 0].tolist()
    [0.0, 0.0, 1.0, 0.0, 0.0]

    """

    parts: tuple[Part, ...]
    picture: tuple[int, ...] | None = None

    @classmethod
    def of(cls, stated: Variation | Mapping[Any, Any], *, picture: Sequence[int] | None = None) -> Variation:
        """By name: ``{name: {parameter: distribution}}``.

        Names are those of ``variations()``, and of every corruption of images, whose parameter is ``severity``; in
        place of a name a function of one's own may stand, as ``by`` takes it. A distribution is ``[low, high]``
        (uniform), ``{"values": [...], "chances": [...]}``, ``{"normal": [mean, sd], "between": [low, high]}``, or one
        number that stays; severities are a list of those that occur.
        """
        shape = None if picture is None else tuple(picture)
        if isinstance(stated, Variation):
            return stated if shape is None else replace(stated, picture=shape)
        if not isinstance(stated, Mapping) or not stated:
            remedy = "Say for example {'rotation': {'angle': [-15, 15]}}."
            raise InvalidInput("needs names with their parameters", where=WHERE, found=repr(stated), remedy=remedy)
        parts = (
            _by_function(name, given) if callable(name) else _named(str(name), given) for name, given in stated.items()
        )
        return cls(tuple(parts), shape)

    @classmethod
    def by(
        cls,
        function: Callable[..., Any],
        parameters: Mapping[str, Any],
        *,
        name: str = "",
        neutral: float | None = None,
    ) -> Variation:
        """By a function of one's own: ``function(inputs, **values)`` gives inputs of the same shape, type and range.

        ``values`` hold one number an input for each of the ``parameters``. A function that draws at random takes
        ``rngs`` too, a generator for each input, and draws from nothing else. ``neutral`` is where it changes nothing:
        by default the default of the parameter in the function, or else 0.
        """
        if not callable(function):
            raise InvalidInput("needs a function of inputs", where=WHERE, found=repr(function))
        return cls((_by_function(function, parameters, name=name, neutral=neutral),))

    @property
    def dimensions(self) -> int:
        """How many numbers vary, one more for each part that draws at random."""
        return sum(len(part.varying) + part.draws for part in self.parts)

    @property
    def draws(self) -> bool:
        """Whether a part draws at random beside its parameters."""
        return any(part.draws for part in self.parts)

    @cached_property
    def combinations(self) -> tuple[FloatArray, FloatArray] | None:
        """Places of all combinations of values and their chances, where there are finitely many."""
        varying = [parameter for part in self.parts for parameter in part.varying]
        count = math.prod(len(parameter.values) for parameter in varying)
        if self.draws or not 0 < count <= MOST_COMBINATIONS:
            return None
        places = np.array(list(itertools.product(*(parameter.middles for parameter in varying)))).reshape(count, -1)
        chances = np.array([math.prod(each) for each in itertools.product(*(p.chances for p in varying))])
        return places, chances / chances.sum()

    @cached_property
    def strata(self) -> tuple[tuple[Variation, float], ...]:
        """The family at each combination of the discrete values, with its chance; empty where nothing else varies.

        It is empty too where there are no discrete values that vary, or too many combinations to look into each.
        """
        parameters = [parameter for part in self.parts for parameter in part.varying]
        discrete = [parameter for parameter in parameters if parameter.values]
        count = math.prod(len(parameter.values) for parameter in discrete)
        if not discrete or count > MOST_STRATA or (len(discrete) == len(parameters) and not self.draws):
            return ()
        every = list(itertools.product(*(range(len(parameter.values)) for parameter in discrete)))
        chances = np.array([math.prod(p.chances[at] for p, at in zip(discrete, e, strict=True)) for e in every])
        fixed = [iter([p.at_value(at) for p, at in zip(discrete, each, strict=True)]) for each in every]
        shares = (chances / chances.sum()).tolist()
        return tuple((self._fixed(values), share) for values, share in zip(fixed, shares, strict=True))

    def _fixed(self, values: Iterator[Parameter]) -> Variation:
        """With the discrete parameters that vary replaced by these, in their order."""
        parts = []
        for part in self.parts:
            made = tuple(next(values) if p.varies and p.values else p for p in part.parameters)
            draws = _is_drawn(part.change.function, made[0]) if isinstance(part.change, _BySeverity) else part.draws
            parts.append(replace(part, parameters=made, draws=draws))
        return replace(self, parts=tuple(parts))

    def scaled(self, strength: float) -> Variation:
        """The family with each parameter brought nearer to where it changes nothing, by a factor from 0 to 1."""
        factor = validate.probability(strength, where=WHERE, name="strength")
        return replace(self, parts=tuple(part.scaled(factor) for part in self.parts))

    def varied(
        self, inputs: NDArray[Any], places: FloatArray, *, low: float = 0.0, high: float = 1.0
    ) -> NDArray[np.floating]:
        """Inputs varied by the values at the places (a row of numbers from 0 to 1 for each input).

        ``low`` and ``high`` are the range of their values; pictures are cut to it, and a function of one's own must
        keep it.
        """
        found = np.asarray(inputs)
        start = 0
        for part in self.parts:
            stop = start + len(part.varying) + part.draws
            found = self._changed(part, found, places[:, start:stop], low, high)
            start = stop
        return found.astype(np.asarray(inputs).dtype, copy=False)

    def _changed(self, part: Part, inputs: NDArray[Any], places: FloatArray, low: float, high: float) -> NDArray[Any]:
        values = part.at(places)
        rngs: Any = [_NoDraws(part.name)] * len(inputs)
        if part.draws:
            seeds = np.minimum((places[:, -1] * SEEDS).astype(np.int64), SEEDS - 1)
            rngs = [np.random.default_rng(seed) for seed in seeds.tolist()]
        if part.on_pictures:
            arranged = Arranged.of(inputs.shape[1:], self.picture)
            pictures = (arranged.pictures(inputs) - low) / (high - low)
            changed = np.clip(part.change(pictures, values, rngs), 0, 1)
            return arranged.inputs(changed, inputs.shape) * (high - low) + low
        return _own(np.asarray(part.change(inputs, values, rngs)), inputs, part.name, low, high)

    def described(self) -> list[dict[str, Any]]:
        """All of it as plain data."""
        return [
            {"name": part.name, "parameters": {p.name: p.described() for p in part.parameters}} for part in self.parts
        ]

    def __str__(self) -> str:
        return ", then ".join(map(str, self.parts))


def variations() -> tuple[str, ...]:
    """The names of variations with numbers as parameters; corruptions of images add theirs, with severities.

    Returns
    -------
    tuple of str
        In alphabetical order.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.corruptions.variations()
    ('blur', 'brightness', 'contrast', 'rotation', 'scale', 'translation', 'turbidity')

    """
    return tuple(sorted(CHANGES))


@dataclass(frozen=True)
class Parameter:
    """A number that varies from input to input, with its distribution.

    Parameters
    ----------
    name, unit
        What it is.
    low, high
        Its range.
    values, chances
        Those that occur and how often, where there are finitely many.
    normal
        Mean and standard deviation, where it is normal, cut off at the ends of the range; else it is uniform.
    neutral
        Where it changes nothing; None where it has no strength.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> angle = sf.corruptions.Parameter.of("angle", {"normal": [0, 5], "between": [-10, 10]}, unit="degrees")
    >>> angle.at(np.array([0.0, 0.5, 1.0])).tolist()
    [-10.0, 0.0, 10.0]

    """

    name: str
    low: float
    high: float
    values: tuple[float, ...] = ()
    chances: tuple[float, ...] = ()
    normal: tuple[float, float] | None = None
    neutral: float | None = 0.0
    unit: str = ""

    @classmethod
    def of(cls, name: str, given: Any, *, neutral: float | None = 0.0, unit: str = "", where: str = WHERE) -> Parameter:
        """As a project file or a dictionary says it."""
        about: dict[str, Any] = {"neutral": neutral, "unit": unit}
        if isinstance(given, Mapping) and "values" in given and set(given) <= {"values", "chances"}:
            return cls._discrete(name, given["values"], given.get("chances"), where, about)
        if isinstance(given, Mapping) and set(given) == {"normal", "between"}:
            mean, sd = _pair(given["normal"], name, where)
            low, high = _pair(given["between"], name, where)
            if sd > 0 and low < high:
                return cls(name, low, high, normal=(mean, sd), **about)
        elif isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
            low, high = _pair(given, name, where)
            if low < high:
                return cls(name, low, high, **about)
        elif isinstance(given, int | float) and not isinstance(given, bool):
            return cls._discrete(name, [given], None, where, about)
        raise _no_distribution(name, given, where)

    @classmethod
    def _discrete(cls, name: str, values: Any, chances: Any, where: str, about: Mapping[str, Any]) -> Parameter:
        known = validate.vector(values, where=where, name=name)
        weights = np.ones(known.size) if chances is None else validate.vector(chances, where=where, name="chances")
        if not known.size or np.unique(known).size < known.size or weights.size != known.size:
            raise _no_distribution(name, values, where)
        if (weights <= 0).any() or (chances is not None and abs(weights.sum() - 1) > SLACK):
            found = f"{weights.tolist()}, sum {weights.sum():g}"
            raise InvalidInput(f"chances of {name} must be positive and sum to 1", where=where, found=found)
        shares = tuple((weights / weights.sum()).tolist())
        return cls(name, float(known.min()), float(known.max()), tuple(known.tolist()), shares, **about)

    @property
    def varies(self) -> bool:
        """Whether it has more than one value."""
        return len(self.values) != 1

    @property
    def middles(self) -> FloatArray:
        """A place in [0, 1] for each value, in the middle of its chance."""
        ends = np.cumsum(self.chances)
        return np.asarray(ends - np.array(self.chances) / 2)

    def at(self, places: FloatArray) -> FloatArray:
        """The values at places of [0, 1]: the quantile function."""
        if self.values:
            ends = np.cumsum(self.chances)[:-1]
            return np.array(self.values)[np.searchsorted(ends, places, side="right")]
        if self.normal is None:
            return np.asarray(self.low + (self.high - self.low) * places)
        mean, sd = self.normal
        first, last = special.ndtr((self.low - mean) / sd), special.ndtr((self.high - mean) / sd)
        return np.clip(mean + sd * special.ndtri(first + (last - first) * places), self.low, self.high)

    def at_value(self, place: int) -> Parameter:
        """One of its values alone."""
        value = self.values[place]
        return replace(self, low=value, high=value, values=(value,), chances=(1.0,))

    def scaled(self, factor: float) -> Parameter:
        """Nearer to where it changes nothing; of finitely many values those that lie so near, at least the nearest.

        One that has no such value stays.
        """
        calm = self.neutral
        if calm is None:
            return self
        if self.values:
            away = np.abs(np.array(self.values) - calm)
            kept = away <= max(factor * away.max(), away.min()) + SLACK
            chances = np.array(self.chances)[kept] / np.array(self.chances)[kept].sum()
            values = tuple(np.array(self.values)[kept].tolist())
            return replace(self, low=min(values), high=max(values), values=values, chances=tuple(chances.tolist()))
        low, high = (calm + factor * (end - calm) for end in (self.low, self.high))
        if not low < high:
            return replace(self, low=low, high=low, values=(low,), chances=(1.0,), normal=None)
        if self.normal is None:
            return replace(self, low=low, high=high)
        mean, sd = self.normal
        return replace(self, low=low, high=high, normal=(calm + factor * (mean - calm), factor * sd))

    def described(self) -> Any:
        """As plain data."""
        if self.values:
            return {"values": list(self.values), "chances": list(self.chances)}
        ends = [self.low, self.high]
        return ends if self.normal is None else {"normal": list(self.normal), "between": ends}

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        if not self.varies:
            return f"{self.name} {self.low:g}{unit}"
        if self.values:
            alike = len(set(self.chances)) == 1
            shown = [f"{v:g}" + ("" if alike else f" ({c:g})") for v, c in zip(self.values, self.chances, strict=True)]
            return f"{self.name} {', '.join(shown[:-1])} or {shown[-1]}{unit}{', each alike' if alike else ''}"
        ends = f"from {self.low:g} to {self.high:g}{unit}"
        if self.normal is None:
            return f"{self.name} uniform {ends}"
        return f"{self.name} normal with mean {self.normal[0]:g} and deviation {self.normal[1]:g}, {ends}"


@dataclass(frozen=True)
class Part:
    """One change of a variation: its function and its parameters."""

    name: str
    change: Callable[[Any, Values, Generators], Any] = field(repr=False, compare=False)
    parameters: tuple[Parameter, ...]
    draws: bool = False
    """Whether it draws at random beside its parameters."""
    on_pictures: bool = True
    """Whether it takes pictures (n x h x w x c) with values in [0, 1]; else inputs as they are."""

    @property
    def varying(self) -> tuple[Parameter, ...]:
        """Parameters with more than one value."""
        return tuple(parameter for parameter in self.parameters if parameter.varies)

    def at(self, places: FloatArray) -> dict[str, FloatArray]:
        """The values of all parameters at places, a row each; what is drawn at random comes last."""
        columns = iter(places.T)
        return {p.name: p.at(next(columns) if p.varies else np.zeros(len(places))) for p in self.parameters}

    def scaled(self, factor: float) -> Part:
        """With parameters nearer to where they change nothing."""
        return replace(self, parameters=tuple(parameter.scaled(factor) for parameter in self.parameters))

    def __str__(self) -> str:
        more = ", drawn anew for each input" if self.draws else ""
        return f"{self.name} ({', '.join(map(str, self.parameters))}{more})"


class _NoDraws:
    """Stands where a generator of random numbers would, for changes that follow from their parameters alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise _Draws(self._name)


class _Draws(Exception):
    """A change asked for random numbers."""


@dataclass(frozen=True)
class _Own:
    """A function of one's own, which other processes can be sent."""

    function: Callable[..., Any]
    draws: bool

    def __call__(self, inputs: NDArray[Any], values: Values, rngs: Generators) -> Any:
        return self.function(inputs, **values, **({"rngs": rngs} if self.draws else {}))


@dataclass(frozen=True)
class _BySeverity:
    """A corruption of pictures, each by a severity of its own."""

    function: Callable[..., Any]

    def __call__(self, pictures: Images, values: Values, rngs: Generators) -> Images:
        changed = np.empty_like(pictures)
        for severity in np.unique(values[SEVERITY]):
            rows = np.flatnonzero(values[SEVERITY] == severity)
            changed[rows] = self.function(pictures[rows], int(severity), [rngs[row] for row in rows.tolist()])
        return changed


# Functions of one's own, and names of project files and dictionaries with what they stand for.


def _by_function(function: Callable[..., Any], given: Any, *, name: str = "", neutral: float | None = None) -> Part:
    called = name or getattr(function, "__name__", "own")
    if not isinstance(given, Mapping):
        remedy = "Say for example {function: {'slope': [0, 1]}}."
        raise InvalidInput("needs the distributions of its parameters", where=called, found=repr(given), remedy=remedy)
    known = signature(function).parameters
    draws = "rngs" in known
    values = dict.fromkeys([*map(str, given), *(["rngs"] if draws else [])])
    try:
        signature(function).bind(None, **values)
    except TypeError as error:
        remedy = f"Let it take the inputs first, then {', '.join(map(str, given))} by name."
        raise InvalidInput("cannot be called so", where=called, found=str(error), remedy=remedy) from error

    def calm(each: str) -> float:
        usual = known[each].default if each in known else None
        return float(usual) if isinstance(usual, int | float) and not isinstance(usual, bool) else 0.0

    made = (
        Parameter.of(str(each), said, neutral=calm(str(each)) if neutral is None else neutral, where=called)
        for each, said in given.items()
    )
    return Part(called, _Own(function, draws), tuple(made), draws=draws, on_pictures=False)


def _named(name: str, given: Any) -> Part:
    if isinstance(given, Mapping) and set(given) == {SEVERITY}:
        return _corruption(name, given[SEVERITY])
    known = sorted({*CHANGES, *corruption.names(domain="image")})
    validate.choice(name, known, where=WHERE, name="variation")
    if name not in CHANGES:
        remedy = f"Say {{'{name}': {{'severity': [1, 2, 3]}}}}."
        raise InvalidInput(f"{name} has severities from 1 to 5", where=WHERE, found=repr(given), remedy=remedy)
    change, known_parameters = CHANGES[name]
    stated = given if isinstance(given, Mapping) else None
    if len(known_parameters) == 1 and (stated is None or set(stated) <= DISTRIBUTION):
        stated = {next(iter(known_parameters)): given}
    if not stated or not set(stated) <= set(known_parameters):
        takes = ", ".join(known_parameters)
        raise InvalidInput(f"{name} takes {takes}", where=WHERE, found=repr(given), remedy="Give their distributions.")
    parameters = []
    for each, known_as in known_parameters.items():
        neutral = None if known_as.usual else known_as.neutral
        distribution = stated.get(each, known_as.usual or neutral)
        made = Parameter.of(each, distribution, neutral=neutral, unit=known_as.unit, where=name)
        if made.low < known_as.least:
            raise InvalidInput(f"{each} must be at least {known_as.least:g}", where=name, found=f"{made.low:g}")
        parameters.append(made)
    return Part(name, change, tuple(parameters))


def _corruption(name: str, severities: Any) -> Part:
    """A corruption by its severities, all of the same chance unless they say otherwise."""
    function = function_of(validate.choice(name, corruption.names(domain="image"), where=WHERE, name="corruption"))
    given = severities if isinstance(severities, Mapping) else {"values": severities}
    if isinstance(severities, int | str):
        given = {"values": [severity_of(severities)]}
    parameter = Parameter.of(SEVERITY, given, where=name)
    if not set(parameter.values) <= set(SEVERITIES):
        found = ", ".join(f"{value:g}" for value in parameter.values)
        raise InvalidInput("severities must be whole numbers from 1 to 5", where=name, found=found)

    return Part(name, _BySeverity(function), (parameter,), draws=_is_drawn(function, parameter))


def _is_drawn(function: Callable[..., Any], parameter: Parameter) -> bool:
    """Whether a corruption asks for random numbers, as it shows on a picture."""
    picture = np.linspace(0, 1, 16 * 16 * 3, dtype=np.float32).reshape(1, 16, 16, 3)
    try:
        for severity in parameter.values:
            function(picture, int(severity), [_NoDraws("trial")])
    except _Draws:
        return True
    return False


def _pair(given: Any, name: str, where: str) -> tuple[float, float]:
    ends = validate.vector(given, where=where, name=name)
    if ends.size != 2:
        raise _no_distribution(name, given, where)
    return float(ends[0]), float(ends[1])


def _no_distribution(name: str, given: Any, where: str) -> InvalidInput:
    return InvalidInput(
        f"{name} has no distribution that could be read",
        where=where,
        found=repr(given),
        remedy="Give [low, high], {'values': [...], 'chances': [...]}, {'normal': [mean, sd], 'between': [low, high]} "
        "or one number.",
    )


def _own(found: NDArray[Any], inputs: NDArray[Any], name: str, low: float, high: float) -> NDArray[Any]:
    """What a function of one's own gives, if it is inputs of the same shape, type and range."""
    if found.shape != inputs.shape or found.dtype.kind != inputs.dtype.kind:
        raise InvalidInput(
            "a variation must give inputs of the shape and type that it is given",
            where=name,
            found=f"shape {found.shape}, {found.dtype}, for {inputs.shape}, {inputs.dtype}",
        )
    # A NaN is neither at least the lowest value nor at most the highest.
    outside = ~((found >= low) & (found <= high))
    if outside.any():
        at = tuple(int(i) for i in np.argwhere(outside)[0])
        raise InvalidInput(
            f"a variation must keep inputs in their range, [{low:g}, {high:g}]",
            where=name,
            found=f"{found[at]:g} at {at[1:]} of an input",
            remedy="Cut its values off there, as a sensor does.",
        )
    return found


# Inputs as pictures with channels last.

FEWEST_PIXELS = 2


@dataclass(frozen=True)
class Arranged:
    """How the values of an input lie in a picture."""

    shape: tuple[int, ...]
    first: bool
    """Whether channels come first."""

    @classmethod
    def of(cls, shape: tuple[int, ...], picture: tuple[int, ...] | None) -> Arranged:
        """By what was said of the picture, or by the shape of an input."""
        sizes = tuple(picture or shape)
        fits = math.prod(sizes) == math.prod(shape)
        if fits and len(sizes) == 2 and min(sizes) >= FEWEST_PIXELS:
            return cls((*sizes, 1), False)
        if fits and len(sizes) == 3 and (sizes[0] in COLOURS or sizes[2] in COLOURS):
            return cls(sizes, sizes[2] not in COLOURS or (sizes[0] in COLOURS and sizes[0] < sizes[2]))
        raise InvalidInput(
            "inputs must be pictures, for this variation to mean something",
            where=WHERE,
            found=f"inputs of shape {shape}" + (f", picture {picture}" if picture else ""),
            remedy="Say picture=(height, width), with one or three channels first or last where there are any.",
        )

    def pictures(self, inputs: NDArray[Any]) -> NDArray[Any]:
        """With channels last, n x h x w x c."""
        shown = inputs.reshape(len(inputs), *self.shape)
        return np.moveaxis(shown, 1, -1) if self.first else shown

    def inputs(self, pictures: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """The way back."""
        return (np.moveaxis(pictures, -1, 1) if self.first else pictures).reshape(shape)


# Changes of pictures (n x h x w x c) with values in [0, 1], each by numbers of its own.


def _brightness(pictures: Images, values: Values, rngs: Generators) -> Images:
    return brightened(pictures, values["amount"][:, None, None])


def _contrast(pictures: Images, values: Values, rngs: Generators) -> Images:
    mean = pictures.mean(axis=(1, 2), keepdims=True)
    return mean + (pictures - mean) * values["factor"][:, None, None, None]


def _turbidity(pictures: Images, values: Values, rngs: Generators) -> Images:
    """Light of the scene that is lost on the way, and veiling light that comes in for it (Koschmieder 1924)."""
    kept = np.exp(-values["thickness"])[:, None, None, None]
    return pictures * kept + values["veil"][:, None, None, None] * (1 - kept)


def _blur(pictures: Images, values: Values, rngs: Generators) -> Images:
    down, across = (_smoothing(size, values["deviation"]) for size in pictures.shape[1:3])
    rows = (down @ pictures.reshape(*pictures.shape[:2], -1)).reshape(pictures.shape)
    return np.asarray(across[:, None] @ rows)


def _smoothing(size: int, deviations: FloatArray) -> FloatArray:
    """Matrices of normal weights between pixels of an axis, which add to 1 in each row."""
    away = np.arange(size)[:, None] - np.arange(size)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        weights = np.exp(-0.5 * np.nan_to_num(away / deviations[:, None, None], nan=0.0) ** 2)
    return np.asarray(weights / weights.sum(axis=2, keepdims=True))


def _rotation(pictures: Images, values: Values, rngs: Generators) -> Images:
    """Turned around the middle, counterclockwise."""
    turn = np.radians(values["angle"])
    cos, sin = np.cos(turn), np.sin(turn)
    return _looked_up(pictures, np.stack([np.stack([cos, sin], -1), np.stack([-sin, cos], -1)], 1), np.zeros(2))


def _scale(pictures: Images, values: Values, rngs: Generators) -> Images:
    return _looked_up(pictures, np.eye(2) / values["factor"][:, None, None], np.zeros(2))


def _translation(pictures: Images, values: Values, rngs: Generators) -> Images:
    moves = np.stack([values["down"], values["right"]], axis=-1)
    return _looked_up(pictures, np.eye(2)[None], -moves[:, None, None])


def _looked_up(pictures: Images, turns: FloatArray, moves: FloatArray) -> Images:
    """Each pixel as the picture is at another place, by linear interpolation; what is outside repeats the edge."""
    count, height, width, colours = pictures.shape
    middle = (np.array([height, width]) - 1) / 2
    places = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), axis=-1) - middle
    looked = np.einsum("nij,hwj->nhwi", turns, places) + middle + moves
    looked = np.clip(np.broadcast_to(looked, (count, height, width, 2)), 0, [height - 1, width - 1])
    before = np.minimum(looked.astype(np.int64), [max(height - 2, 0), max(width - 2, 0)])
    near = (looked - before).astype(pictures.dtype)[..., None]
    flat = pictures.reshape(-1, colours)
    start = (np.arange(count)[:, None, None] * height + before[..., 0]) * width + before[..., 1]
    down, right = (width if height > 1 else 0), (1 if width > 1 else 0)
    upper = flat[start] + (flat[start + right] - flat[start]) * near[:, :, :, 1]
    below = flat[start + down]
    lower = below + (flat[start + down + right] - below) * near[:, :, :, 1]
    return upper + (lower - upper) * near[:, :, :, 0]


class Known(NamedTuple):
    """What is known of a parameter by its name."""

    neutral: float = 0.0
    unit: str = ""
    least: float = -math.inf
    usual: float | None = None
    """What it is where nothing is said, of one that has no strength."""


CHANGES: Mapping[str, tuple[Callable[[Any, Values, Generators], Any], Mapping[str, Known]]] = {
    "blur": (_blur, {"deviation": Known(unit="pixels", least=0.0)}),
    "brightness": (_brightness, {"amount": Known(unit="of full scale", least=-1.0)}),
    "contrast": (_contrast, {"factor": Known(1.0, least=0.0)}),
    "rotation": (_rotation, {"angle": Known(unit="degrees")}),
    "scale": (_scale, {"factor": Known(1.0, least=0.01)}),
    "translation": (_translation, {"down": Known(unit="pixels"), "right": Known(unit="pixels")}),
    "turbidity": (
        _turbidity,
        {"thickness": Known(least=0.0), "veil": Known(unit="of full scale", least=0.0, usual=0.5)},
    ),
}
