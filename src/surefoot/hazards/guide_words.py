"""Sets of guide words by name: each word asks in which way a parameter may depart from what is intended.

- ``process``: the basic words of IEC 61882:2016, with those for time and order.
- ``data flow`` and ``data value``: service and timing, and value, of a flow of data, after SHARD (McDermid, Nicholson,
  Pumfrey and Fenelon 1995); "too late", "wrong value" and "no value" as in Table 2 of Dong et al. (2023).
- ``learned value``: a value that comes from machine learning. The words above, and how learned functions fail beyond
  them: dataset shift (Quiñonero-Candela et al. 2009), confidence out of proportion (Guo et al. 2017), answers that flip
  between similar inputs (Hendrycks and Dietterich 2019), inputs made to deceive (Szegedy et al. 2014).
- ``human action``: errors of omission and commission (Swain and Guttmann 1983, NUREG/CR-1278), and trust in automation
  (Parasuraman and Riley 1997).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from surefoot.core import validate
from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput
from surefoot.hazards.worksheet import Hazop, Item, Mitigation, Property, Row

MEANINGS: Mapping[str, Mapping[str, str]] = FrozenMap(
    {
        "process": FrozenMap(
            {
                "no": "nothing of what is intended happens",
                "more": "more of a quantity than intended",
                "less": "less of a quantity than intended",
                "as well as": "something else happens besides what is intended",
                "part of": "only some of what is intended happens",
                "reverse": "the opposite of what is intended happens",
                "other than": "something quite different happens instead",
                "early": "sooner than intended, by the clock",
                "late": "later than intended, by the clock",
                "before": "too soon in the order of events",
                "after": "too late in the order of events",
            }
        ),
        "data flow": FrozenMap(
            {
                "no data": "nothing arrives",
                "too late": "data arrive after they are needed",
                "too early": "data arrive before they can be used or are valid",
                "too often": "more messages than intended, or repeated ones",
                "too seldom": "fewer messages than intended, or lost ones",
                "unasked": "data arrive that nobody asked for",
                "wrong order": "messages overtake each other",
                "wrong receiver": "data reach somebody else, or come from somebody else",
                "stale": "old data are repeated as if they were new",
            }
        ),
        "data value": FrozenMap(
            {
                "no value": "a message arrives without a usable value",
                "wrong value": "a plausible value that is not the true one",
                "too high": "a value above the true one",
                "too low": "a value below the true one",
                "out of range": "a value that cannot be, and could be noticed",
                "part of value": "a piece of the value is missing",
                "stuck": "the value stays while the truth changes",
                "inconsistent": "the value contradicts others of the same moment",
            }
        ),
        "learned value": FrozenMap(
            {
                "no value": "nothing is found although something is there",
                "wrong value": "a plausible answer that is wrong",
                "unfounded value": "something is found although nothing is there",
                "too late": "the answer comes after it is needed",
                "too early": "the answer comes before there is enough to go by",
                "too often": "the answer comes or changes more often than its user can follow",
                "out of domain": "an answer is given to an input of a kind that training did not cover",
                "drifting": "operation slowly departs from the data of training, and errors become more frequent",
                "overconfident": "the stated confidence is above the share of right answers",
                "underconfident": "the stated confidence is below the share of right answers, so they go unused",
                "unstable": "the answer flips between inputs that are nearly the same",
                "manipulated": "somebody has shaped the input, or the data of training, to get a wrong answer",
                "unequal": "errors gather in one part of the operational profile, hidden by the average",
                "changed": "an update of the model answers differently where the earlier one was right",
            }
        ),
        "human action": FrozenMap(
            {
                "not done": "the action is left out",
                "done wrongly": "the action is done on the wrong object or in the wrong way",
                "too late": "the action comes too late to help",
                "too early": "the action comes before its time",
                "too much": "the action goes too far or lasts too long",
                "too little": "the action stops short",
                "wrong order": "the steps are done in another order",
                "unasked": "something is done that was not called for",
                "trusts too much": "a wrong answer of the system is taken over without a look",
                "trusts too little": "a right answer of the system is ignored",
            }
        ),
    }
)
"""What each word asks, by set."""
GUIDE_WORDS: Mapping[str, tuple[str, ...]] = FrozenMap({name: tuple(words) for name, words in MEANINGS.items()})
"""The words of each set."""
EXAMPLE = "Example, replace it."


@validate.arguments
def guide_words(said: str | Iterable[str]) -> tuple[str, ...]:
    """Guide words by the name of their set, or the words that are given.

    Parameters
    ----------
    said
        A name of ``GUIDE_WORDS``, or words of one's own.

    Returns
    -------
    tuple of str
        The words, each once.

    Raises
    ------
    InvalidInput
        Where there is no such set, or no word.

    Examples
    --------
    >>> guide_words("data value")[:2]
    ('no value', 'wrong value')
    >>> guide_words(["no value", "frozen"])
    ('no value', 'frozen')

    """
    if isinstance(said, str):
        return GUIDE_WORDS[validate.choice(said.strip(), GUIDE_WORDS, where="guide words", name="set of guide words")]
    words = tuple(said)
    blank = [word for word in words if not isinstance(word, str) or not word.strip()]
    if blank or not words:
        found = repr(blank[0]) if blank else "none"
        remedy = f"Give words, or the name of a set: {', '.join(GUIDE_WORDS)}."
        raise InvalidInput("guide words are needed", where="guide words", found=found, remedy=remedy)
    return tuple(dict.fromkeys(word.strip() for word in words))


def start(name: str) -> Hazop:
    """A worksheet to start from: a small system with a learned component, two rows filled as examples, others blank.

    Parameters
    ----------
    name
        Name of the system.

    Returns
    -------
    Hazop
        The worksheet.

    Examples
    --------
    >>> start("vehicle").rows[0].guide_word
    'wrong value'

    """
    words = [word for word in GUIDE_WORDS["learned value"] if word != "wrong value"]
    blank = (Row(f"R{number}", "obstacles", "learned value", word) for number, word in enumerate(words, start=3))
    rows = (*_example_rows(), *blank)
    return Hazop(name, _items(), rows, _properties(), description="Replace items, rows and properties by your own.")


def _example_rows() -> tuple[Row, Row]:
    return (
        Row(
            "R1",
            "obstacles",
            "learned value",
            "wrong value",
            causes=("obstacle is misclassified",),
            consequences=("no braking", "collision with an obstacle"),
            mitigations=(
                Mitigation("brake when the distance sensor measures less than the safe distance", ("P2",)),
                Mitigation("slow down in poor light", ()),
            ),
            endangers=("P1",),
            severity="critical",
            likelihood="remote",
            status="filled",
            remark=EXAMPLE,
        ),
        Row(
            "R2",
            "images",
            "data flow",
            "no data",
            causes=("cable of the camera is cut",),
            consequences=("detector sees nothing", "collision with an obstacle"),
            mitigations=(Mitigation("stop when no image arrives for 0.2 s", ()),),
            endangers=("P1",),
            severity="critical",
            likelihood="improbable",
            status="filled",
            remark=EXAMPLE,
        ),
    )


def _items() -> tuple[Item, ...]:
    flow, value, learned = (GUIDE_WORDS[name] for name in ("data flow", "data value", "learned value"))
    return (
        Item("camera", description="a sensor"),
        Item("detector", learned=True, description="a learned component: finds obstacles in images"),
        Item("distance sensor", description="measures distance without machine learning"),
        Item("controller", description="decides what the brake does"),
        Item("brake", description="an actuator"),
        Item("images", "camera", "detector", parameters={"data flow": flow}),
        Item("obstacles", "detector", "controller", learned=True, parameters={"learned value": learned}),
        Item("distance", "distance sensor", "controller", parameters={"data value": value}),
        Item("command", "controller", "brake", parameters={"data flow": flow}),
    )


def _properties() -> tuple[Property, Property]:
    return (
        Property("P1", "vehicle", "distance to obstacles", "at least", 1.0, "m", "at all times", "test on the track"),
        Property("P2", "distance sensor", "error", "at most", 0.2, "m", "below 30 m", source="mitigation of R1"),
    )


@validate.arguments
def with_every_deviation(hazop: Hazop) -> Hazop:
    """The worksheet with a blank row more for each deviation that has none.

    Parameters
    ----------
    hazop
        A worksheet whose items have parameters with guide words.

    Returns
    -------
    Hazop
        The worksheet with the rows it had and the blank ones.

    Examples
    --------
    >>> hazop = Hazop("vehicle", [Item("camera", parameters={"image": ("no", "late")})])
    >>> [row.guide_word for row in with_every_deviation(hazop).rows]
    ['no', 'late']

    """
    there, ids = {row.deviation for row in hazop.rows}, _free_ids(hazop)
    asked = ((each.item, each.parameter, each.guide_word) for each in hazop.deviations())
    return replace(hazop, rows=(*hazop.rows, *(Row(next(ids), *each) for each in asked if each not in there)))


def _free_ids(hazop: Hazop) -> Iterator[str]:
    taken = {row.id for row in hazop.rows}
    return (f"R{number}" for number in count(1) if f"R{number}" not in taken)
