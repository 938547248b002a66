"""A worksheet to start from, and blank rows for everything that is still to be considered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from surefoot.hazards.worksheet.guide_words import GUIDE_WORDS
from surefoot.hazards.worksheet.hazop import Hazop
from surefoot.hazards.worksheet.item import Item
from surefoot.hazards.worksheet.properties import Property
from surefoot.hazards.worksheet.row import Mitigation, Row

EXAMPLE = "Example, replace it."


def start(name: str) -> Hazop:
    """A small system with a learned component; two rows are filled as examples, others are blank.

    >>> start("vehicle").rows[0].guide_word
    'wrong value'
    """
    rows = (*_example_rows(), *_blank_rows())
    return Hazop(name, _items(), rows, _properties(), description="Replace items, rows and properties by your own.")


def with_every_deviation(hazop: Hazop) -> Hazop:
    """The worksheet with a blank row more for each deviation that has none.

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


def _blank_rows() -> Iterator[Row]:
    words = [word for word in GUIDE_WORDS["learned value"] if word != "wrong value"]
    for number, word in enumerate(words, start=3):
        yield Row(f"R{number}", "obstacles", "learned value", word)


def _properties() -> tuple[Property, Property]:
    return (
        Property("P1", "vehicle", "distance to obstacles", "at least", 1.0, "m", "at all times", "test on the track"),
        Property("P2", "distance sensor", "error", "at most", 0.2, "m", "below 30 m", source="mitigation of R1"),
    )
