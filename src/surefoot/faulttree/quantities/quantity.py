"""``Quantity``: what is known about a number, as a small expression whose uncertain parts are estimates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from math import inf
from typing import Any, ClassVar

import numpy as np

from surefoot.core import validate
from surefoot.core.assumption import Assumption
from surefoot.core.bound import QuantileBound, posterior_bounds
from surefoot.core.canonical import Tagged
from surefoot.core.distributions import Beta, Distribution, Point
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.estimate import PER_DEMAND, Estimate, Provenance
from surefoot.core.validate import FloatArray

Value = float | FloatArray
Range = tuple[float, float]
DEEPEST = 100
ANYWHERE: Range = (-np.inf, np.inf)


@dataclass(frozen=True)
class Given:
    """Values to evaluate at: those of the uncertain parts by name, and of the parameters already known."""

    drawn: Mapping[str, Value]
    known: Mapping[str, Value]
    names: Iterator[str] = field(repr=False)

    def next_drawn(self) -> Value | None:
        """The value drawn for the next uncertain part in the order of reading, None where there is none."""
        return self.drawn.get(next(self.names))


class Quantity(Tagged, ABC):
    """What is known about a number, mostly a probability.

    Two equal deviates in one expression are two numbers that are drawn apart; a number that several places share is
    a parameter of the tree, or one estimate.

    See Also
    --------
    as_quantity : A number, an estimate or a distribution as a quantity.

    Examples
    --------
    >>> from surefoot.faulttree import Exponential, Parameter, Quantity
    >>> pump = Exponential(1e-4, Parameter("hours"))
    >>> pump.references()
    ('hours',)
    >>> Quantity.from_dict(pump.to_dict()) == pump
    True

    """

    title: ClassVar[str]
    argument_names: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name in self.argument_names:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_quantity(value))
            elif getattr(type(self), name, ...) is not None:
                problem = f"{name.replace('_', ' ')} is missing"
                raise InvalidInput(problem, where=self.title, found="nothing", remedy="Give a number or a quantity.")
        self.require_sound()

    @property
    def arguments(self) -> tuple[Quantity, ...]:
        """The quantities that this one is made from, in the order of Open-PSA."""
        values = (getattr(self, name) for name in self.argument_names)
        return tuple(value for value in values if value is not None)

    @property
    def uncertain(self) -> bool:
        """Whether this very node, apart from its arguments, is drawn."""
        return False

    def nodes(self) -> Iterator[Quantity]:
        """The quantity and all inside it, in the order of reading."""
        stack: list[Quantity] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.arguments))

    def leaves(self, owner: str) -> dict[str, Estimate]:
        """Its uncertain parts: the first under the owner's name, the next as ``owner/2`` and so on."""
        drawn = (node for node in self.nodes() if node.uncertain)
        return {name: node.belief(name) for name, node in zip(leaf_names(owner), drawn, strict=False)}

    def belief(self, name: str) -> Estimate:
        """What is believed about this node under a name; only uncertain nodes have it."""
        raise InvalidInput(f"{self} is not uncertain", where=name)

    def references(self) -> tuple[str, ...]:
        """Names of the parameters that it asks for."""
        return tuple(dict.fromkeys(name for node in self.nodes() for name in node.named()))

    def named(self) -> tuple[str, ...]:
        """Parameters that this very node names."""
        return ()

    def evaluate(self, drawn: Mapping[str, Value], owner: str, known: Mapping[str, Value]) -> Value:
        """Its value where the uncertain parts have the values ``drawn`` and the parameters those in ``known``.

        A part that is not drawn has its mean. What is undefined, such as the logarithm of 0, comes out as no number.
        """
        with np.errstate(all="ignore"):
            return self.value_given(Given(drawn, known, leaf_names(owner)))

    def value_given(self, given: Given) -> Value:
        """The value of this node; takes the names of uncertain parts in the order of ``nodes``."""
        drawn = given.next_drawn() if self.uncertain else None
        values = [argument.value_given(given) for argument in self.arguments]
        return self.combine(*values) if drawn is None else self.drawn_value(drawn, *values)

    @abstractmethod
    def combine(self, *values: Value) -> Value:
        """The value, or the mean of an uncertain node, from the values of the arguments."""

    def drawn_value(self, drawn: Value, *values: Value) -> Value:
        """The value of an uncertain node from what was drawn for it and the values of its arguments."""
        return drawn

    def faults(self, *values: float) -> Iterator[str]:
        """What is wrong with these values of its arguments, in words."""
        yield from ()

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        """Whether it rises (+1) or falls (-1) with each argument while they stay in these ranges; 0 if unknown."""
        return (0,) * len(ranges)

    def rises_with_draw(self, *ranges: Range) -> bool:
        """Whether an uncertain node rises with what is drawn for it while the arguments stay in these ranges."""
        return True

    def reach(self, *ranges: Range) -> Range:
        """A range that its value keeps to while the arguments stay in these ranges."""
        return ANYWHERE

    def __str__(self) -> str:
        return self.described()

    def described(self) -> str:
        """One line for a reader."""
        values = ((name, getattr(self, name)) for name in self.argument_names)
        told = [f"{name.replace('_', ' ')} {value.inner()}" for name, value in values if value is not None]
        return ", ".join([self.title, *told])

    def inner(self) -> str:
        """The line as part of another one."""
        return f"({self.described()})" if self.arguments else self.described()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; a constant inside another quantity is written as a number."""
        data = super().to_dict()
        return {name: _short(value) for name, value in data.items()}

    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and value.get("type") in Quantity._members:
            return Quantity.from_dict(value)
        if isinstance(value, Mapping) and set(value) == set(Estimate.__dataclass_fields__):
            return Estimate.from_dict(value)
        return super()._read(value)

    def require_sound(self) -> None:
        """Refuse constants that cannot be, and nesting without end."""
        arguments = self.arguments
        depth = 1 + max((argument.depth for argument in arguments), default=0)
        if depth > DEEPEST:
            raise InvalidInput(
                f"an expression is nested more than {DEEPEST} deep",
                where=self.title,
                remedy="Name its parts as parameters.",
            )
        object.__setattr__(self, "_depth", depth)
        constants = [argument.constant for argument in arguments]
        if all(value is not None for value in constants):
            for fault in self.faults(*(value for value in constants if value is not None)):
                raise InvalidInput(fault, where=self.title, remedy="Correct this value.")

    @property
    def depth(self) -> int:
        """How deep its arguments are nested."""
        return int(getattr(self, "_depth", 1))

    @property
    def constant(self) -> float | None:
        """The number, where it is one."""
        return None


QuantityLike = Quantity | Estimate | Distribution | float
"""What can be given as an argument; it is kept as a quantity."""


def leaf_names(owner: str) -> Iterator[str]:
    """Names of the uncertain parts of an owner."""
    return chain([owner], (f"{owner}/{number}" for number in count(2)))


def as_quantity(value: object) -> Quantity:
    """A number, an estimate, a distribution or a quantity, as a quantity.

    Parameters
    ----------
    value
        What is known. A quantity is given back as it is.

    Returns
    -------
    Quantity
        ``Fixed``, ``Measured`` or ``Distributed``.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.faulttree.as_quantity(1e-4)
    Fixed(value=0.0001)
    >>> print(sf.faulttree.as_quantity(sf.core.Beta(1, 99)))
    distribution ...

    """
    from surefoot.faulttree.quantities.distributions import Distributed

    if isinstance(value, Quantity):
        return value
    if isinstance(value, Estimate):
        return Measured(value)
    if isinstance(value, Point):
        return Fixed(value.value)
    if isinstance(value, Distribution):
        return Distributed(value)
    return Fixed(value)  # type: ignore[arg-type]


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(item) for item in value]
    if isinstance(value, Mapping) and value.get("type") == "fixed":
        return value["value"]
    return value


# What is wrong with a value, in words that name it.


def not_above(limit: float, **values: float) -> Iterator[str]:
    """Values that should exceed the limit."""
    return _told(values, lambda value: value > limit, f"must exceed {limit:g}")


def not_below(limit: float, **values: float) -> Iterator[str]:
    """Values that should lie below the limit."""
    return _told(values, lambda value: value < limit, f"must lie below {limit:g}")


def negative(**values: float) -> Iterator[str]:
    """Values that should not be negative."""
    return _told(values, lambda value: value >= 0, "must not be negative")


def outside(**values: float) -> Iterator[str]:
    """Values that should be probabilities."""
    return _told(values, lambda value: 0 <= value <= 1, "must lie in [0, 1]")


def _told(values: Mapping[str, float], holds: Callable[[float], bool], rule: str) -> Iterator[str]:
    for name, value in values.items():
        if not holds(value):
            yield f"{name.replace('_', ' ')} {rule}, and is {value:g}"


# Quantities that are given, not computed: a number, a measured estimate, counts, and names of parameters.

MISSION_TIME = "mission-time"
DEFAULT_MISSION_TIME = 8760.0
JEFFREYS = (0.5, 0.5)
OF_COUNTS = (
    Assumption("independent-trials", "Trials are independent and each fails with the same probability."),
    Assumption("operational-profile", "The test data follow the operational profile."),
)


@dataclass(frozen=True)
class Fixed(Quantity, tag="fixed"):
    """A number that is taken as known.

    Parameters
    ----------
    value
        The number; as the probability of an event it lies in [0, 1].

    Examples
    --------
    >>> from surefoot.faulttree import Fixed
    >>> print(Fixed(1e-4))
    0.0001

    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", validate.number(self.value, where="fixed value", name="value"))

    @property
    def constant(self) -> float:
        return self.value

    def reach(self, *ranges: Range) -> Range:
        return self.value, self.value

    def combine(self, *values: Value) -> Value:
        return self.value

    def described(self) -> str:
        return f"{self.value:.6g}"


@dataclass(frozen=True)
class Measured(Quantity, tag="measured"):
    """An estimate, with everything that it rests on; the same estimate at two places is one input.

    Parameters
    ----------
    estimate
        The result of an assessment, such as a bound on the failure probability of a learned component.

    Examples
    --------
    >>> import surefoot as sf
    >>> missed = sf.bounds.clopper_pearson(2, 1000, level=0.95)
    >>> tree = sf.FaultTree("top", {"top": sf.faulttree.Formula("pass", ("missed",))},
    ...                     {"missed": sf.faulttree.Measured(missed)})
    >>> round(tree.analyse().top.upper(0.95), 6) == round(missed.upper(0.95), 6)
    True

    """

    estimate: Estimate

    def __post_init__(self) -> None:
        validate.kind(self.estimate, Estimate, where="Measured", name="estimate", example="Estimate.known(...)")

    @property
    def uncertain(self) -> bool:
        return True

    def belief(self, name: str) -> Estimate:
        return self.estimate

    def combine(self, *values: Value) -> Value:
        return self.estimate.value

    def reach(self, *ranges: Range) -> Range:
        if self.estimate.dist is not None:
            return support(self.estimate.dist)
        if self.estimate.value < 0 or not self.estimate.unit.startswith("per "):
            return ANYWHERE
        return (0.0, 1.0) if self.estimate.unit == PER_DEMAND and self.estimate.value <= 1 else (0.0, inf)

    def described(self) -> str:
        found = "stated" if self.estimate.provenance.method == "stated" and self.estimate.stated else "measured"
        return f"{found}, {self.estimate.reference}, {self.estimate.value:.6g}"

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.tag, "estimate": self.estimate.to_dict()}


@dataclass(frozen=True)
class Counts(Quantity, tag="counts"):
    """Failures among independent trials; the belief is the Beta posterior, by default from Jeffreys' prior.

    Where events of a coherent tree were counted and the prior is Jeffreys', the top event has confidence bounds of all
    counts together.

    Parameters
    ----------
    failures, trials
        What was counted.
    prior
        The two parameters of the Beta prior.

    Examples
    --------
    >>> from surefoot.faulttree import Counts
    >>> round(Counts(0, 1000).posterior.mean, 6)
    0.0005
    >>> print(Counts(0, 1000))
    0 failures in 1000 trials, prior Beta(0.5, 0.5)

    """

    failures: float
    trials: float
    prior: tuple[float, float] = JEFFREYS

    def __post_init__(self) -> None:
        failures, trials = (
            validate.number(getattr(self, name), where="counts", name=name) for name in ("failures", "trials")
        )
        if not 0 <= failures <= trials:
            raise InvalidInput(
                "failures must lie between 0 and the trials", where="counts", found=f"{failures:g} of {trials:g}"
            )
        prior = validate.vector(self.prior, where="counts", name="prior")
        if prior.size != 2 or (prior <= 0).any():
            raise InvalidInput("the prior has two positive parameters", where="counts", found=prior.tolist())
        object.__setattr__(self, "prior", tuple(prior.tolist()))

    @property
    def uncertain(self) -> bool:
        return True

    @property
    def posterior(self) -> Beta:
        """What is believed after the trials."""
        return Beta.from_counts(self.failures, self.trials - self.failures, prior=self.prior)

    def belief(self, name: str) -> Estimate:
        details = {"failures": self.failures, "trials": self.trials}
        provenance = Provenance("beta posterior", {"prior": self.prior, "scope": name} | details)
        more: dict[str, Any] = {"details": details, "assumptions": OF_COUNTS}
        if self.prior == JEFFREYS:
            # Another prior is a stated belief, and counts like any other one.
            some, all_ = self.failures > 0, self.failures == self.trials
            more["bounds"] = posterior_bounds(self.posterior, some=some, all_=all_)
        return believed(self.posterior, name, unit=PER_DEMAND, provenance=provenance, **more)

    def combine(self, *values: Value) -> Value:
        return self.posterior.mean

    def reach(self, *ranges: Range) -> Range:
        return 0.0, 1.0

    def described(self) -> str:
        return f"{self.failures:g} failures in {self.trials:g} trials, prior Beta({self.prior[0]:g}, {self.prior[1]:g})"


@dataclass(frozen=True)
class Parameter(Quantity, tag="parameter"):
    """A number that the tree names once and several places share; ``mission-time`` need not be defined.

    Parameters
    ----------
    name
        Its name in ``FaultTree.parameters``.

    Examples
    --------
    >>> from surefoot.faulttree import Counts, FaultTree, Formula, Parameter, inputs
    >>> tree = FaultTree("both", {"both": Formula("and", ("left", "right"))},
    ...                  {"left": Parameter("channel"), "right": Parameter("channel")},
    ...                  parameters={"channel": Counts(1, 100)})
    >>> list(inputs(tree))
    ['channel']

    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInput("a parameter has a name", where="Parameter", found=repr(self.name))

    def named(self) -> tuple[str, ...]:
        return (self.name,)

    def value_given(self, given: Given) -> Value:
        if self.name == MISSION_TIME:
            return given.known.get(MISSION_TIME, DEFAULT_MISSION_TIME)
        return given.known[self.name]

    def combine(self, *values: Value) -> Value:
        raise InvalidInput(f"the parameter {self.name!r} has no value of its own", where="Parameter")

    def described(self) -> str:
        return f"parameter {self.name}"


@dataclass(frozen=True)
class MissionTime(Quantity, tag="system-mission-time"):
    """The mission time of the system: the tree's parameter ``mission-time``, or 8760 hours where it has none.

    Examples
    --------
    >>> from surefoot.faulttree import Exponential, FaultTree, Fixed, Formula, MissionTime
    >>> tree = FaultTree("top", {"top": Formula("pass", ("pump",))}, {"pump": Exponential(1e-5, MissionTime())},
    ...                  parameters={"mission-time": Fixed(100.0)})
    >>> round(tree.probability(), 9)
    0.0009995

    """

    def named(self) -> tuple[str, ...]:
        return (MISSION_TIME,)

    def value_given(self, given: Given) -> Value:
        return given.known.get(MISSION_TIME, DEFAULT_MISSION_TIME)

    def combine(self, *values: Value) -> Value:
        return DEFAULT_MISSION_TIME

    def described(self) -> str:
        return "mission time"


def believed(dist: Distribution, name: str, *, unit: str, provenance: Provenance, **more: Any) -> Estimate:
    """An estimate whose value is the mean of a distribution and whose bounds are its quantiles."""
    quantiles = (QuantileBound(dist, "upper", "credible"), QuantileBound(dist, "lower", "credible"))
    found = {"bounds": quantiles, **more}
    return Estimate("fault tree input", dist.mean, unit, name, dist=dist, provenance=provenance, **found)


def support(dist: Distribution) -> Range:
    """Where the values of a distribution lie."""
    try:
        return float(dist.ppf(0.0)), float(dist.ppf(1.0))
    except Undefined:
        return ANYWHERE
