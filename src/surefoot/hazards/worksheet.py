"""A HAZOP worksheet: every guide word applied to every parameter of every item, and the rows that consider it.

Section 3.2 of paper RAM (Dong et al. 2023) after IEC 61882:2016.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.errors import InvalidInput

if TYPE_CHECKING:
    from surefoot.drawing import Scene
    from surefoot.hazards.chains import Scenarios

CLASSES = ("negligible", "tolerable", "undesirable", "intolerable")
Relation = Literal["at most", "at least", "less than", "more than", "equals", "is", "is not"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
NUMERIC = RELATIONS[:5]
Status = Literal["open", "filled", "reviewed", "not credible"]
STATUSES: tuple[Status, ...] = get_args(Status)
ARROW, NONE, UNSAID = " -> ", "none", "?"


@dataclass(frozen=True, repr=False)
class Hazop:
    """A HAZOP: items, rows, safety properties, and the scales that rows use. Equality is by content.

    Parameters
    ----------
    name
        Name of the system.
    items
        Nodes and flows with their parameters and guide words.
    rows
        What a team found, one row a deviation considered.
    properties
        Safety properties that rows endanger and mitigations create.
    matrix
        Scales of severity and likelihood with their classes of risk.
    description
        What the worksheet is about.

    Raises
    ------
    InvalidInput
        Where two items, rows or properties have one name.

    References
    ----------
    Dong et al. (2023), RAM, section 3.2 and Figure 4; IEC 61882:2016.

    Examples
    --------
    >>> hazop = Hazop("vehicle", [Item("camera", parameters={"image": ("no", "late")})],
    ...               [Row("R1", "camera", "image", "no", causes=("dirt",), consequences=("asset is missed",))])
    >>> [str(deviation) for deviation in hazop.deviations() if not deviation.considered]
    ['late: image of camera']

    """

    name: str
    items: tuple[Item, ...] = ()
    rows: tuple[Row, ...] = ()
    properties: tuple[Property, ...] = ()
    matrix: RiskMatrix = field(default_factory=lambda: RiskMatrix.usual())
    description: str = ""

    def __post_init__(self) -> None:
        validate.fields(self)
        for name in ("items", "rows", "properties"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _all_differ((item.name for item in self.items), "item")
        _all_differ((row.id for row in self.rows), "row")
        _all_differ((each.id for each in self.properties), "property")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Hazop:
        """Read a worksheet: YAML, CSV or XLSX, by the ending; every problem of the file is in the error."""
        from surefoot.hazards.files import read

        return read(path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write YAML, CSV or XLSX, by the ending; the file is complete or stays as it was."""
        from surefoot.hazards.files import write

        write(self, path)

    def deviations(self) -> tuple[Deviation, ...]:
        """Every guide word of every parameter of every item, with the rows that consider it."""
        return tuple(deviations(self))

    def check(self) -> list[Diagnostic]:
        """What is missing or odd: deviations nobody considered, rows without consequence, open loops, reviews."""
        from surefoot.hazards.completeness import findings

        return list(findings(self))

    def scenarios(self) -> Scenarios:
        """Chains cause, deviation, consequence as the rows give them, to be refined."""
        from surefoot.hazards.trees import chains_from_worksheet

        return chains_from_worksheet(self)

    def risk(self, row: Row) -> str:
        """The class of risk of a row; empty where severity or likelihood is not said."""
        return self.matrix.risk(row.severity, row.likelihood) if row.severity and row.likelihood else ""

    @cached_property
    def row(self) -> dict[str, Row]:
        """Rows by id."""
        return {row.id: row for row in self.rows}

    @cached_property
    def item(self) -> dict[str, Item]:
        """Items by name."""
        return {item.name: item for item in self.items}

    def draw(self, **options: Any) -> str:
        """Nodes and flows as SVG in the colours of a ``theme``; other options as for ``scene``."""
        from surefoot.hazards.drawing import draw_system

        return draw_system(self, **options)

    def scene(self, *, width: float = 960.0, counts: bool = True) -> Scene:
        """Nodes and flows, for ``surefoot.drawing.save`` to write; ``counts`` shows how many rows each item has."""
        from surefoot.hazards.drawing import system_scene

        return system_scene(self, width=width, counts=counts)

    def matrix_scene(self, *, width: float = 760.0) -> Scene:
        """The risk matrix with the rows in its cells, for ``surefoot.drawing.save`` to write."""
        from surefoot.hazards.drawing import matrix_scene

        return matrix_scene(self, width=width)

    def table_html(self) -> str:
        """The filled sheet as a page that prints well."""
        from surefoot.hazards.drawing import worksheet_page

        return worksheet_page(self)

    def __repr__(self) -> str:
        return f"Hazop({self.name!r}, {len(self.items)} items, {len(self.rows)} rows)"

    def _repr_html_(self) -> str:
        from surefoot.hazards.drawing import worksheet_html

        return worksheet_html(self)


@dataclass(frozen=True)
class Item:
    """A node of a system, or a flow between two nodes: what deviations are looked for in.

    Parameters
    ----------
    name
        How rows and flows call it.
    source, target
        The nodes that a flow leads from and to; empty for a node.
    learned
        Whether its values come from machine learning.
    description
        What it is, in words.
    parameters
        The guide words of each process parameter or attribute.

    Examples
    --------
    >>> flow = Item("objects", source="detection", target="planning", parameters={"data value": ("no value",)})
    >>> flow.kind
    'flow'

    """

    name: str
    source: str = ""
    target: str = ""
    learned: bool = False
    description: str = ""
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        validate.fields(self)
        if not self.name.strip():
            raise InvalidInput("an item needs a name", where="Item")
        if bool(self.source) != bool(self.target):
            raise InvalidInput(
                "a flow needs both ends",
                where=f"item {self.name!r}",
                found=f"from {self.source!r} to {self.target!r}",
                remedy="Name two nodes, or none for a node.",
            )
        words = {name: tuple(dict.fromkeys(given)) for name, given in self.parameters.items()}
        object.__setattr__(self, "parameters", FrozenMap(words))

    @property
    def kind(self) -> str:
        """``node`` or ``flow``."""
        return "flow" if self.source else "node"


@dataclass(frozen=True)
class Row:
    """One line of a worksheet: a deviation with its causes, consequences and mitigations.

    Parameters
    ----------
    id
        How scenarios and reports call the row.
    item, parameter, guide_word
        The deviation.
    causes, consequences, mitigations
        Why it may happen, what follows, and what is done about it.
    endangers
        Ids of the safety properties that it may violate.
    severity, likelihood
        Words of the risk matrix.
    status
        ``open`` until somebody has worked on the row, ``filled`` before and ``reviewed`` after its review, ``not
        credible`` where it was considered and ruled out.
    reviewer, remark
        Who reviewed it, and what else there is to say, such as why it is not credible.
    place
        Where the row stands in a file.

    Examples
    --------
    >>> row = Row("R1", "camera", "image", "no", causes=("dirt",), consequences=("asset is missed",), status="filled")
    >>> row.deviation, row.blank
    (('camera', 'image', 'no'), False)

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
        validate.fields(self)
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


@dataclass(frozen=True)
class Mitigation:
    """What is done about a deviation, and which safety properties it creates.

    Parameters
    ----------
    text
        What is done.
    creates
        Ids of the properties; None as long as nobody has said whether it creates any, empty where it creates none.

    Examples
    --------
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
class Property:
    """What shall hold of an object, and how it is verified: a property-based requirement.

    Parameters
    ----------
    id
        How rows and mitigations call it.
    object, property, relation, value, unit
        The requirement, such as: vehicle, distance to an asset, at least, 2, m.
    condition
        When it shall hold.
    verification
        How that is shown: test, analysis, inspection, demonstration.
    evidence
        The result that shows it, as ``step.quantity`` of a project.
    source
        Where it comes from, such as the mitigation that creates it.

    References
    ----------
    Micouin (2008), Systems Engineering 11(3).

    Examples
    --------
    >>> str(Property("P1", "vehicle", "distance to an asset", "at least", 2.0, "m", "during inspection"))
    'vehicle: during inspection, distance to an asset shall be at least 2 m'

    """

    id: str
    object: str
    property: str
    relation: Relation = "is"
    value: float | str = ""
    unit: str = ""
    condition: str = ""
    verification: str = ""
    evidence: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        validate.fields(self)
        where = f"property {self.id!r}"
        for name in ("id", "object", "property"):
            if not getattr(self, name).strip():
                raise InvalidInput(f"a property needs {name}", where=where)
        validate.choice(self.relation, RELATIONS, where=where, name="relation")
        number = float(self.value) if isinstance(self.value, int | float) and self.value is not True else None
        if self.relation in NUMERIC and (number is None or not math.isfinite(number)):
            raise InvalidInput(
                f"{self.relation!r} needs a number", where=where, found=repr(self.value), remedy="Or use 'is'."
            )
        if number is not None:
            object.__setattr__(self, "value", number)

    def __str__(self) -> str:
        value = f"{self.value:.12g}" if isinstance(self.value, float) else self.value
        amount = " ".join(filter(None, (value, self.unit)))
        when = f"{self.condition}, " if self.condition else ""
        shall = {"is": "shall be", "is not": "shall not be", "equals": "shall equal"}
        words = shall.get(self.relation, f"shall be {self.relation}")
        return f"{self.object}: {when}{self.property} {words} {amount}".strip()


@dataclass(frozen=True)
class RiskMatrix:
    """Severity and likelihood in words, and the class of risk that each pair has.

    Parameters
    ----------
    severities, likelihoods
        Words of both scales, the mildest first.
    classes
        For each likelihood the class of each severity.
    order
        The classes of risk, the mildest first.
    meaning
        What words mean.
    source
        Where scales and classes come from.

    Examples
    --------
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
        validate.fields(self)
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


def _all_differ(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidInput(f"two of one {what}", where="Hazop", found=repr(name), remedy="Rename one of them.")
        seen.add(name)


@dataclass(frozen=True)
class Deviation:
    """A guide word applied to a parameter of an item.

    Parameters
    ----------
    item, parameter, guide_word
        What deviates, and how.
    rows
        Ids of the rows about it that are not blank.

    See Also
    --------
    Hazop.deviations

    """

    item: str
    parameter: str
    guide_word: str
    rows: tuple[str, ...] = ()

    @property
    def considered(self) -> bool:
        """Whether somebody has worked on it."""
        return bool(self.rows)

    def __str__(self) -> str:
        return f"{self.guide_word}: {self.parameter} of {self.item}"


def deviations(hazop: Hazop) -> Iterator[Deviation]:
    """All that the items ask for, in their order, then what rows bring beyond it."""
    considered: dict[tuple[str, str, str], list[str]] = {}
    for row in hazop.rows:
        considered.setdefault(row.deviation, [])
        if not row.blank:
            considered[row.deviation].append(row.id)
    for item in hazop.items:
        for parameter, words in item.parameters.items():
            for word in words:
                yield Deviation(item.name, parameter, word, tuple(considered.pop((item.name, parameter, word), ())))
    for deviation, rows in considered.items():
        yield Deviation(*deviation, tuple(rows))
