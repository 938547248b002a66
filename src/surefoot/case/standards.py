"""Standards and guidance that parts of a case belong to: clauses and artefacts with their numbers and titles.

Nodes name them in tags: ``AMLAS: artefact H``, ``ISO 21448: clause 7``. Numbers and titles only; a title that was not
seen in the standard, or in a table of its contents, is not ``confirmed`` and says so wherever it is shown.

References
----------
Hawkins, Paterson, Picardi, Jia, Calinescu and Habli, "Guidance on the Assurance of Machine Learning in Autonomous
Systems (AMLAS)", version 1.1, 2021; UL 4600:2023; ISO/PAS 8800:2024; ISO 26262:2018; ISO 21448:2022; EN 50129;
IEC 62304 with Amendment 1; ISO 14971:2019; Regulation (EU) 2024/1689.

"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from surefoot.core import InvalidInput, validate
from surefoot.documents import closest, did_you_mean, listed

StandardName = Literal[
    "AMLAS",
    "UL 4600",
    "ISO/PAS 8800",
    "ISO 26262",
    "ISO 26262-3",
    "ISO 26262-4",
    "ISO 26262-6",
    "ISO 26262-8",
    "ISO 21448",
    "EN 50129",
    "IEC 62304",
    "ISO 14971",
    "EU AI Act",
]
UNCONFIRMED = "(unconfirmed)"


@dataclass(frozen=True)
class Clause:
    """A clause, section, article, stage or artefact of a standard.

    Parameters
    ----------
    standard, reference
        Such as ``ISO 26262-6`` and ``clause 7``.
    title
        As the standard calls it; empty where no list of titles has it.
    confirmed
        Whether the title was seen there.
    within
        The reference of the part that it belongs to.
    formal
        Whether it is there for form (scope, definitions), so that no node of a case can answer it.
    aliases
        Shorter titles that tags may use.

    Examples
    --------
    >>> from surefoot.case import STANDARDS
    >>> print(STANDARDS["AMLAS"]["artefact H"])
    AMLAS artefact H: ML safety requirements

    """

    standard: str
    reference: str
    title: str
    confirmed: bool = True
    within: str = ""
    formal: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def tag(self) -> str:
        """What nodes carry."""
        return f"{self.standard}: {self.reference}"

    @property
    def shown(self) -> str:
        """The title, marked where nobody confirmed it."""
        return self.title if self.confirmed else f"{self.title} {UNCONFIRMED}".strip()

    def __str__(self) -> str:
        return f"{self.standard} {self.reference}: {self.shown}".rstrip(": ")


@dataclass(frozen=True)
class Standard:
    """A standard by the parts of it that a case can name.

    Parameters
    ----------
    name, edition, title
        What tags call it, the edition that numbers and titles are of, and what it is about.
    units
        What its parts are called, the usual one first.
    clauses
        The parts that are listed, in its order; not all of them where only some are known.
    last
        The highest number of the first unit; None where nobody counted.
    spellings
        Other names of it.

    Examples
    --------
    >>> from surefoot.case import STANDARDS
    >>> STANDARDS["ISO 21448"]["clause 6"].title
    'Identification and evaluation of hazards'

    """

    name: str
    edition: str
    title: str
    units: tuple[str, ...]
    clauses: tuple[Clause, ...]
    last: int | None = None
    spellings: tuple[str, ...] = ()

    def __getitem__(self, reference: str) -> Clause:
        return self._by_reference[reference]

    def __contains__(self, reference: object) -> bool:
        return reference in self._by_reference

    @property
    def family(self) -> str:
        """The name without the number of a part: ``ISO 26262`` of ``ISO 26262-6``."""
        return re.sub(r"-\d+$", "", self.name)

    @cached_property
    def _by_reference(self) -> Mapping[str, Clause]:
        return {clause.reference: clause for clause in self.clauses}

    @cached_property
    def by_title(self) -> Mapping[str, Clause]:
        """Clauses by their titles as they may be typed; of two that are called alike the first."""
        found: dict[str, Clause] = {}
        for clause in self.clauses:
            for each in (clause.title, *clause.aliases):
                found.setdefault(_alike(each), clause)
        return found


@dataclass(frozen=True)
class Activity:
    """One of the 17 activities of AMLAS: what goes in and what comes out.

    Parameters
    ----------
    number, stage
        Its number, and that of the stage which it belongs to.
    title
        As the guidance calls it.
    takes, gives
        Letters of artefacts.

    Examples
    --------
    >>> from surefoot.case import ACTIVITIES
    >>> ACTIVITIES[2].takes, ACTIVITIES[2].gives
    (('E',), ('H',))

    """

    number: int
    stage: int
    title: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]


# Tags of nodes: which clause one stands for.

SAME_UNIT = {"cl.": "clause", "§": "clause", "sec.": "section", "art.": "article", "artifact": "artefact"}
NUMBER = re.compile(r"(?:([^\W\d]+\.?|§)\s*)?(\d+(?:\.\d+)*)")
LETTER = re.compile(r"(?:(artefact|artifact)\s*)?\[?([a-z]{1,2})\]?")
ANY_UNIT = ("", "clause", "section", "article", "part")
"""Units that people mix up, and none at all."""
PART = re.compile(r"(.*\d)(?:,? part |: part )(\d+)[:,]?\s*(.*)")


@validate.arguments
def clause_of(tag: str) -> Clause | None:
    """The clause that a tag stands for.

    Parameters
    ----------
    tag
        ``AMLAS: artefact H``; ``ISO 26262-6: clause 7``, or by its title, ``AMLAS: model verification``. A clause below
        those that are listed (``clause 9.4.2``) stands for the nearest one above it.

    Returns
    -------
    Clause or None
        None for a tag of one's own, which names no standard known here. A clause that may exist and is not listed has
        no title.

    Raises
    ------
    InvalidInput
        Where the standard has no such clause, with what was probably meant.

    Examples
    --------
    >>> from surefoot.case import clause_of
    >>> clause_of("AMLAS: model verification").reference, clause_of("EU AI Act: Art. 10 (3)").title
    ('stage 5', 'Data and data governance')
    >>> clause_of("release 2") is None
    True

    """
    found = _resolved(" ".join(tag.split()))
    if isinstance(found, str):
        raise InvalidInput(found.partition("\n")[0], where="tag", found=repr(tag), remedy=found.partition("\n")[2])
    return found


@validate.arguments
def standards_named(name: str) -> tuple[Standard, ...]:
    """The standards of a name: one, or all parts of a family.

    Parameters
    ----------
    name
        ``AMLAS``, ``ISO 26262`` or ``ISO 26262-6``; capitals and spaces do not matter.

    Returns
    -------
    tuple of Standard
        In the order of ``STANDARDS``.

    Raises
    ------
    InvalidInput
        Where there is none, with the nearest name.

    Examples
    --------
    >>> from surefoot.case import standards_named
    >>> [standard.name for standard in standards_named("iso 26262")]
    ['ISO 26262-3', 'ISO 26262-4', 'ISO 26262-6', 'ISO 26262-8']

    """
    key = _alike(name)
    one = _BY_NAME.get(key)
    found = (one,) if one else tuple(each for each in STANDARDS.values() if _alike(each.family) == key)
    if not found:
        remedy = did_you_mean(name, STANDARDS) or f"Known are {listed(list(STANDARDS), len(STANDARDS))}."
        raise InvalidInput("no standard of this name is known", where="standard", found=repr(name), remedy=remedy)
    return found


def meant_standard(tag: str) -> str | None:
    """The standard that a tag of one's own was probably meant to name: ``AMLSA: stage 2``."""
    name, colon, _ = tag.partition(":")
    near = closest(name.strip(), STANDARDS) if colon and clause_of_or_none(tag) is None else None
    known = _alike(name) in _BY_NAME or near is None
    return None if known or re.sub(r"\D", "", name) != re.sub(r"\D", "", str(near)) else near


def clause_of_or_none(tag: str) -> Clause | None:
    """The clause that a tag stands for; None where it stands for none, whatever the reason."""
    found = _resolved(" ".join(tag.split()))
    return found if isinstance(found, Clause) else None


@lru_cache(maxsize=4096)
def _resolved(tag: str) -> Clause | str | None:
    """The clause, why there is none (with what to do in a second line), or None for a tag of one's own."""
    name, colon, said = tag.partition(":")
    part = PART.fullmatch(tag.casefold())
    if part and _alike(f"{part[1]}-{part[2]}") in _BY_NAME:
        name, colon, said = f"{part[1]}-{part[2]}", ":", part[3]
    standard = _BY_NAME.get(_alike(name))
    if standard is None or not colon or not said.strip():
        return None
    reference = said.strip().casefold()
    found = _by_number(standard, reference) or standard.by_title.get(_alike(reference))
    return found or f"{standard.name} has no {said.strip()!r}\n{_remedy(standard, reference)}"


def _by_number(standard: Standard, reference: str) -> Clause | None:
    letter = LETTER.fullmatch(reference)
    if letter and "artefact" in standard.units:
        return standard._by_reference.get(f"artefact {letter[2].upper()}")
    number = NUMBER.match(reference)
    # What follows a number (a paragraph in brackets, a letter) is below the clause, other words are a mistake.
    if not number or not re.fullmatch(r"(?:\s*[(.,\]].*)?|[a-z]", reference[number.end() :]):
        return None
    unit = SAME_UNIT.get(number[1] or "", number[1] or "")
    if unit not in standard.units and unit in ANY_UNIT and standard.units[0] in ANY_UNIT:
        unit = standard.units[0]
    return _nearest(standard, unit, number[2]) if unit in standard.units else None


def _nearest(standard: Standard, unit: str, number: str) -> Clause | None:
    """The clause of that number, or the one that it is in; without a title where it is not listed."""
    parts = number.split(".")
    for length in range(len(parts), 0, -1):
        found = standard._by_reference.get(f"{unit} {'.'.join(parts[:length])}")
        if found:
            return found
    first = int(parts[0])
    counted = unit == standard.units[0] and standard.last is not None
    possible = first >= 1 and (first <= (standard.last or 0) if counted else standard.name != "AMLAS")
    return Clause(standard.name, f"{unit} {first}", "", confirmed=False) if possible else None


def _remedy(standard: Standard, reference: str) -> str:
    """What was probably meant: a title that says so, or a reference that is close; else what there is."""
    words = _alike(reference)
    titles = sorted(standard.by_title.items(), key=lambda item: bool(item[1].within))
    near = next((clause for title, clause in titles if len(words) > 3 and words in title), None)
    if near is None and reference.split()[0] not in (*standard.units, *ANY_UNIT):
        near = standard._by_reference.get(closest(reference, standard._by_reference, cutoff=0.8) or "")
        near = near or standard.by_title.get(closest(words, standard.by_title) or "")
    if near is not None:
        return f"Did you mean {near.tag!r} ({near.title})?"
    references = [clause.reference for clause in standard.clauses if not clause.formal]
    there = f"{references[0]} to {references[-1]}"
    if standard.name == "AMLAS":
        there = "stage 1 to 6, activity 1 to 17 and artefact A to HH"
    return f"Listed are {there}. A tag of your own must not begin with the name of a standard."


def _alike(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


# AMLAS: its stages, activities and artefacts.

STAGES = (
    "ML safety assurance scoping",
    "ML safety requirements assurance",
    "Data management",
    "Model learning",
    "Model verification",
    "Model deployment",
)
ACTIVITIES: tuple[Activity, ...] = tuple(
    Activity(number, stage, title, tuple(takes.split()), tuple(gives.split()))
    for number, (stage, title, takes, gives) in enumerate(
        (
            (1, "Define the safety assurance scope for the ML component", "A B C D", "E"),
            (1, "Instantiate scoping argument pattern", "F", "G"),
            (2, "Develop ML safety requirements", "E", "H"),
            (2, "Validate ML safety requirements", "H", "J"),
            (2, "Instantiate requirements argument pattern", "I J", "K"),
            (3, "Define data requirements", "H", "L M"),
            (3, "Generate ML data", "L", "N O P Q"),
            (3, "Validate ML data", "L N O P", "S"),
            (3, "Instantiate data argument pattern", "R M Q S", "T"),
            (4, "Create ML model", "H N", "U"),
            (4, "Test ML model", "H O", "V X"),
            (4, "Instantiate learning argument pattern", "W U X", "Y"),
            (5, "Verify ML model", "H P V", "Z AA"),
            (5, "Instantiate verification argument pattern", "BB Z AA", "CC"),
            (6, "Integrate ML model", "A B C V", "DD"),
            (6, "Test the integration", "A EE", "FF"),
            (6, "Instantiate deployment argument pattern", "GG DD FF", "HH"),
        ),
        start=1,
    )
)
"""The activities of AMLAS by number; what an activity takes besides a pattern comes from others or from the system."""

ARTEFACTS: Mapping[str, str] = {
    "A": "System safety requirements",
    "B": "Description of operating environment of system",
    "C": "System description",
    "D": "ML component description",
    "E": "Safety requirements allocated to ML component",
    "F": "ML assurance scoping argument pattern",
    "G": "ML safety assurance scoping argument",
    "H": "ML safety requirements",
    "I": "ML safety requirements argument pattern",
    "J": "ML safety requirements validation results",
    "K": "ML safety requirements argument",
    "L": "Data requirements",
    "M": "Data requirements justification report",
    "N": "Development data",
    "O": "Internal test data",
    "P": "Verification data",
    "Q": "Data generation log",
    "R": "ML data argument pattern",
    "S": "ML data validation results",
    "T": "ML data argument",
    "U": "Model development log",
    "V": "ML model",
    "W": "ML learning argument pattern",
    "X": "Internal test results",
    "Y": "ML learning argument",
    "Z": "ML verification results",
    "AA": "Verification log",
    "BB": "ML verification argument pattern",
    "CC": "ML verification argument",
    "DD": "Erroneous behaviour log",
    "EE": "Operational scenarios",
    "FF": "Integration testing results",
    "GG": "ML deployment argument pattern",
    "HH": "ML deployment argument",
}
"""The artefacts of AMLAS by letter."""


def stage_of(letter: str) -> int:
    """The stage of AMLAS that an artefact belongs to: where it comes from, else where it is needed first.

    >>> stage_of("V"), stage_of("EE")
    (4, 6)
    """
    made = [each.stage for each in ACTIVITIES if letter in each.gives]
    return min(made or [each.stage for each in ACTIVITIES if letter in each.takes])


def _amlas() -> Iterator[Clause]:
    for number, title in enumerate(STAGES, start=1):
        stage = f"stage {number}"
        yield Clause("AMLAS", stage, title)
        for each in ACTIVITIES:
            if each.stage == number:
                yield Clause("AMLAS", f"activity {each.number}", each.title, within=stage)
        for letter, named in ARTEFACTS.items():
            if stage_of(letter) == number:
                yield Clause("AMLAS", f"artefact {letter}", named, within=stage)


# The other standards, by number and title.

Titles = Mapping[str, str]


def _standard(
    name: str,
    edition: str,
    title: str,
    unit: str,
    titles: Titles,
    *,
    last: int | None = None,
    unconfirmed: Iterable[str] = (),
    formal: Iterable[str] = (),
    aliases: Mapping[str, tuple[str, ...]] | None = None,
    units: tuple[str, ...] = (),
    spellings: tuple[str, ...] = (),
) -> Standard:
    doubted, for_form = set(unconfirmed), set(formal)

    def clause(number: str, said: str) -> Clause:
        above = (number.rpartition(".")[0], number.split(".", maxsplit=1)[0])
        within = next((f"{unit} {each}" for each in above if each in titles and each != number), "")
        others = (aliases or {}).get(number, ())
        return Clause(name, f"{unit} {number}", said, number not in doubted, within, number in for_form, others)

    clauses = tuple(clause(number, said) for number, said in titles.items())
    return Standard(name, edition, title, (unit, *units), clauses, last, spellings)


_UL_4600 = {
    "2": "Scope",
    "5": "Safety case and arguments",
    "6": "Risk assessment",
    "7": "Interaction with humans and road users",
    "8": "Autonomy functions and support",
    "8.1": "General",
    "8.2": "ODD",
    "8.3": "Sensing",
    "8.4": "Perception",
    "8.5": 'Machine learning and "AI" techniques',
    "8.6": "Planning",
    "8.7": "Prediction",
    "8.8": "Item trajectory and system control",
    "8.9": "Actuation",
    "8.10": "Timing",
    "9": "Software and system engineering processes",
    "10": "Dependability",
    "11": "Data and networking",
    "12": "Verification, validation and test",
    "13": "Tool qualification, COTS and legacy components",
    "14": "Lifecycle concerns",
    "15": "Maintenance",
    "16": "Metrics and safety performance indicators (SPIs)",
    "17": "Assessment",
}
_ALL = (
    Standard(
        "AMLAS",
        "version 1.1, 2021",
        "Guidance on the Assurance of Machine Learning in Autonomous Systems",
        ("stage", "activity", "artefact"),
        tuple(_amlas()),
        len(STAGES),
    ),
    _standard(
        "UL 4600",
        "2023",
        "Evaluation of autonomous products",
        "section",
        _UL_4600,
        last=17,
        unconfirmed=_UL_4600.keys() - {"2", "17"},
        formal=("2", "8.1"),
        aliases={"16": ("Metrics and safety performance indicators",)},
        spellings=("ANSI/UL 4600",),
    ),
    _standard(
        "ISO/PAS 8800",
        "2024",
        "Road vehicles: safety and artificial intelligence",
        "clause",
        {
            "1": "Scope",
            "2": "Normative references",
            "3": "Terms and definitions",
            "4": "Abbreviated terms",
            "5": "Requirements for conformity",
            "6": "AI within the context of road vehicles system safety engineering and basic concepts",
            "7": "AI safety management",
            "8": "Assurance arguments for AI systems",
            "9": "Derivation of AI safety requirements",
            "10": "Selection of AI technologies, architectural and development measures",
            "11": "Data-related considerations",
            "12": "Verification and validation of the AI system",
            "13": "Safety analysis of AI systems",
            "14": "Measures during operation",
            "15": "Confidence in use of AI development frameworks and software tools",
        },
        last=15,
        unconfirmed=("10", "15"),
        formal=("1", "2", "3", "4", "5", "6"),
        aliases={
            "10": ("AI technologies, architectural and development measures",),
            "15": ("Confidence in frameworks and software tools",),
        },
        spellings=("ISO PAS 8800", "ISO 8800"),
    ),
    _standard(
        "ISO 26262-3",
        "2018",
        "Functional safety of road vehicles: concept phase",
        "clause",
        {"5": "Item definition", "6": "Hazard analysis and risk assessment", "7": "Functional safety concept"},
    ),
    _standard(
        "ISO 26262-4",
        "2018",
        "Functional safety of road vehicles: product development at the system level",
        "clause",
        {
            "6": "Technical safety concept",
            "6.4.4": "Safety analyses",
            "7": "System and item integration and testing",
            "8": "Safety validation",
        },
    ),
    _standard(
        "ISO 26262-6",
        "2018",
        "Functional safety of road vehicles: product development at the software level",
        "clause",
        {
            "6": "Specification of software safety requirements",
            "7": "Software architectural design",
            "8": "Software unit design and implementation",
            "9": "Software unit verification",
            "10": "Software integration and verification",
            "11": "Testing of the embedded software",
        },
        unconfirmed=("8", "9", "10", "11"),
    ),
    _standard(
        "ISO 26262-8",
        "2018",
        "Functional safety of road vehicles: supporting processes",
        "clause",
        {
            "5": "Interfaces within distributed developments",
            "6": "Specification and management of safety requirements",
            "7": "Configuration management",
            "8": "Change management",
            "9": "Verification",
            "10": "Documentation management",
            "11": "Confidence in the use of software tools",
            "12": "Qualification of software components",
            "14": "Proven in use argument",
        },
        unconfirmed=("12", "14"),
    ),
    _standard(
        "ISO 21448",
        "2022",
        "Safety of the intended functionality of road vehicles",
        "clause",
        {
            "4": "Overview and organization of SOTIF activities",
            "5": "Specification and design",
            "6": "Identification and evaluation of hazards",
            "6.5": "Acceptance criteria for the residual risk",
            "7": "Identification and evaluation of potential functional insufficiencies and potential triggering "
            "conditions",
            "8": "Functional modifications addressing SOTIF-related risks",
            "9": "Definition of the verification and validation strategy",
            "10": "Evaluation of known scenarios",
            "11": "Evaluation of unknown scenarios",
            "12": "Evaluation of the achievement of the SOTIF",
            "13": "Operation phase activities",
        },
        last=13,
        unconfirmed=("9", "10", "11", "12", "13"),
        spellings=("SOTIF",),
    ),
    _standard(
        "EN 50129",
        "by the parts of its safety case",
        "Safety-related electronic systems for railway signalling",
        "part",
        {
            "1": "Definition of system",
            "2": "Quality management report",
            "3": "Safety management report",
            "4": "Technical safety report",
            "5": "Related safety cases",
            "6": "Conclusion",
        },
        last=6,
        unconfirmed=("1", "4", "5", "6"),
        units=("clause",),
    ),
    _standard(
        "IEC 62304",
        "with Amendment 1",
        "Software life cycle processes of medical devices",
        "clause",
        {
            "4": "General requirements",
            "4.3": "Software safety classification",
            "5": "Software development process",
            "5.1": "Software development planning",
            "5.2": "Software requirements analysis",
            "5.3": "Software architectural design",
            "5.4": "Software detailed design",
            "5.5": "Software unit implementation",
            "5.6": "Software integration and integration testing",
            "5.7": "Software system testing",
            "5.8": "Software release",
            "6": "Software maintenance process",
            "7": "Software risk management process",
            "8": "Software configuration management process",
            "9": "Software problem resolution process",
        },
        last=9,
        unconfirmed=("5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7", "5.8", "6", "7", "8", "9"),
    ),
    _standard(
        "ISO 14971",
        "2019",
        "Application of risk management to medical devices",
        "clause",
        {
            "4": "General requirements",
            "5": "Risk analysis",
            "6": "Risk evaluation",
            "7": "Risk control",
            "8": "Evaluation of overall residual risk",
            "9": "Risk management review",
            "10": "Production and post-production activities",
        },
        last=10,
        unconfirmed=("6", "7", "8", "9", "10"),
    ),
    _standard(
        "EU AI Act",
        "Regulation (EU) 2024/1689",
        "Requirements for high-risk AI systems",
        "article",
        {
            "8": "Compliance with the requirements",
            "9": "Risk management system",
            "10": "Data and data governance",
            "11": "Technical documentation",
            "12": "Record-keeping",
            "13": "Transparency and provision of information to deployers",
            "14": "Human oversight",
            "15": "Accuracy, robustness and cybersecurity",
            "17": "Quality management system",
        },
        last=113,
        spellings=("Regulation (EU) 2024/1689", "EU 2024/1689"),
    ),
)
STANDARDS: Mapping[str, Standard] = {each.name: each for each in _ALL}
"""Standards by name."""
_BY_NAME = {_alike(name): each for each in _ALL for name in (each.name, *each.spellings)}
