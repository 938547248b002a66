"""A door that a component keeps open for people: its worksheet, its chains of events, and its section."""

from surefoot.hazards import Hazop, Item, Mitigation, Property, Row

SHEET = Hazop(
    "Door",
    [
        Item("camera", parameters={"image": ("no", "late")}),
        Item("linear", learned=True, parameters={"answer": ("wrong value", "no value")}),
        Item("images", source="camera", target="linear", parameters={"data flow": ("too late",)}),
    ],
    [
        Row(
            "R1",
            "linear",
            "answer",
            "wrong value",
            causes=("person is missed",),
            consequences=("door closes on somebody",),
            mitigations=(Mitigation("light beam", ("P1",)),),
            severity="critical",
            likelihood="remote",
            status="reviewed",
            reviewer="A. Smith",
        ),
        Row("R2", "camera", "image", "no", causes=("lamp is broken",), consequences=("door stays open",)),
    ],
    [
        Property(
            "P1", "linear", "misses of persons", "at most", 0.5, "per demand", evidence="counted.failure probability"
        ),
        Property("P2", "door", "speed", "at most", 0.1, "m/s", verification="measured at the door"),
    ],
)
CHAINS = {
    "scenarios": [
        {
            "id": "S1",
            "rows": ["R1"],
            "chain": ["person is missed", "door moves", "door closes on somebody"],
            "barriers": {"door closes on somebody": ["beam fails"]},
        },
        {"id": "S2", "rows": ["R2"], "chain": ["lamp is broken", "door stays open"]},
    ],
    "events": {"beam fails": 1e-3, "lamp is broken": 1e-2},
}
ANSWERED = {"name": "A. Berg", "date": "2026-05-01", "reason": "Nobody ever saw more."}
SECTION = {
    "answered_by": {**ANSWERED},
    "inline": CHAINS,
    "events": {"person is missed": "counted.failure probability"},
    "tops": {
        "closes": {"event": "door closes on somebody", "target": {"at_most": 1e-3, "source": "hazard analysis"}},
        "open": {"event": "door stays open"},
    },
}


def set_sections(project, **section):
    """Write the worksheet and the project file; ``section`` changes the chains."""
    SHEET.write(project.folder / "sheet.yaml")
    project.set_definition(hazards="sheet.yaml", scenarios={**SECTION, **section})
