"""Colours and pens: one table for light, dark and paper, from which style sheet and print are made.

Standings differ in colour, sign, word and strength of line, so that nobody has to tell green from red.
"""

from __future__ import annotations

from surefoot.case.drawings.metrics import HEAD, NOTE, TEXT, TITLE
from surefoot.faulttree.drawing.scene import Ink

COLOURS = {
    "ink": ("#17212b", "#e7ecf2"),
    "muted": ("#55616e", "#a3afbb"),
    "paper": ("#ffffff", "#18202a"),
    "subtle": ("#f3f5f8", "#1f2934"),
    "line-strong": ("#aab4c0", "#56636f"),
    "line": ("#dbe1e8", "#2d3844"),
    "link": ("#1a5c8f", "#83bdec"),
    "good": ("#1a7546", "#62cc94"),
    "good-tint": ("#e7f4ec", "#14291f"),
    "open": ("#8a5a00", "#e3b457"),
    "open-tint": ("#fcf2dc", "#2c2413"),
    "bad": ("#b3261e", "#ff9187"),
    "bad-tint": ("#fcebe9", "#341c1a"),
    "bad-strike": ("#dca09c", "#8f5550"),
}
"""Names of the page's variables, which go before these values; light and dark."""
TONES = {"supported": "good", "open": "open", "contradicted": "bad"}
SIGNS = {
    "supported": "M 0 5 L 3.2 8.4 L 9.6 1.4",
    "open": "M 5 0.9 C 7.3 0.9 9.1 2.7 9.1 5 C 9.1 7.3 7.3 9.1 5 9.1 C 2.7 9.1 0.9 7.3 0.9 5 C 0.9 2.7 2.7 0.9 5 0.9 Z",
    "contradicted": "M 1 1 L 9 9 M 9 1 L 1 9",
}
SIZES = {
    "head": HEAD,
    "word": HEAD,
    "label": NOTE,
    "says": TEXT,
    "note": NOTE,
    "letter": TEXT,
    "module-name": HEAD,
    "title": TITLE,
    "small": NOTE,
}
BOLD = ("head", "word", "letter", "module-name", "title")
COLOURED = {"head": "ink", "says": "ink", "title": "ink", "letter": "ink"}
"""Roles of words; the others are muted."""


def _var(name: str) -> str:
    return f"var(--sf-{name},{COLOURS[name][0]})"


def _letters() -> str:
    return "".join(
        f".sf-graph .{role}{{font-size:{size:g}px;fill:{_var(COLOURED.get(role, 'muted'))}"
        f"{';font-weight:600' if role in BOLD else ''}}}\n"
        for role, size in SIZES.items()
    )


def _tones() -> str:
    return "".join(
        f".sf-graph .{standing} .box{{stroke:{_var(tone)};fill:{_var(f'{tone}-tint')}}}\n"
        f".sf-graph .{standing} .sign{{stroke:{_var(tone)}}}\n"
        f".sf-graph .{standing} .word{{fill:{_var(tone)}}}\n"
        for standing, tone in TONES.items()
    )


STYLE = f"""
.sf-graph{{font-family:-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif}}
.sf-graph .sheet{{fill:{_var("paper")}}}
.sf-graph .box{{fill:{_var("paper")};stroke:{_var("muted")};stroke-width:1.4}}
.sf-graph .argument .box{{fill:{_var("subtle")}}}
.sf-graph .edge{{fill:none;stroke:{_var("muted")};stroke-width:1.2}}
.sf-graph .further{{stroke:{_var("link")};stroke-width:1.1}}
.sf-graph .back,.sf-graph .challenges{{stroke-dasharray:5 4}}
.sf-graph .challenges{{stroke:{_var("bad")}}}
.sf-graph .tip{{fill:{_var("muted")};stroke:{_var("muted")};stroke-width:1.2;stroke-linejoin:round}}
.sf-graph .further-tip{{fill:{_var("link")};stroke:{_var("link")}}}
.sf-graph .challenges-tip{{fill:{_var("bad")};stroke:{_var("bad")}}}
.sf-graph .hollow{{fill:{_var("paper")}}}
.sf-graph .vee{{fill:none}}
.sf-graph .mark{{fill:{_var("paper")};stroke:{_var("ink")};stroke-width:1.3}}
.sf-graph .solid{{fill:{_var("ink")};stroke:{_var("ink")};stroke-width:1.3}}
.sf-graph .detail{{fill:none;stroke:{_var("line-strong")};stroke-width:1.2}}
.sf-graph .frame{{fill:none;stroke:{_var("line-strong")};stroke-width:1.2}}
.sf-graph .sign{{fill:none;stroke:{_var("muted")};stroke-width:1.9;stroke-linecap:round;stroke-linejoin:round}}
.sf-graph .strike{{fill:none;stroke:{_var("bad-strike")};stroke-width:1.4}}
.sf-graph .rest{{fill:{_var("line")};stroke:{_var("line-strong")};stroke-width:.6}}
.sf-graph .belief{{fill:{_var("link")}}}
.sf-graph .disbelief{{fill:{_var("bad")}}}
.sf-graph .tick{{fill:none;stroke:{_var("ink")};stroke-width:1.6}}
{_letters()}{_tones()}.sf-graph .contradicted .box{{stroke-width:2.4}}
.sf-graph .unrefuted .box{{stroke:{_var("muted")};fill:{_var("paper")}}}
.sf-graph .unrefuted .sign{{stroke:{_var("muted")}}}
.sf-graph .unrefuted .word{{fill:{_var("muted")}}}
.sf-graph .side-claim .dashes,.sf-graph .missing .box{{stroke-dasharray:5 4}}
"""
DARK = (
    "@media screen and (prefers-color-scheme:dark){.sf-graph{"
    + ";".join(f"--sf-{name}:{dark}" for name, (_, dark) in COLOURS.items())
    + "}}\n"
)
_PENS: dict[str, tuple[str, str, float, bool]] = {
    "sheet": ("none", "paper", 0.0, False),
    "box": ("muted", "paper", 1.4, False),
    "edge": ("muted", "none", 1.2, False),
    "further": ("link", "none", 1.1, False),
    "tip": ("muted", "muted", 1.2, False),
    "further-tip": ("link", "link", 1.2, False),
    "challenges-tip": ("bad", "bad", 1.2, False),
    "mark": ("ink", "paper", 1.3, False),
    "solid": ("ink", "ink", 1.3, False),
    "detail": ("line-strong", "none", 1.2, False),
    "frame": ("line-strong", "none", 1.2, False),
    "sign": ("muted", "none", 1.9, False),
    "strike": ("bad-strike", "none", 1.2, False),
    "rest": ("line-strong", "line", 0.6, False),
    "belief": ("none", "link", 0.0, False),
    "disbelief": ("none", "bad", 0.0, False),
    "tick": ("ink", "none", 1.6, False),
}


def _colour(name: str) -> str:
    return "none" if name == "none" else COLOURS[name][0]


def _tone(classes: list[str]) -> str | None:
    """The colour of a standing; that nothing was found against an assumption has none."""
    return None if "unrefuted" in classes else next((TONES[each] for each in classes if each in TONES), None)


def pen(role: str, classes: str) -> Ink:
    """How a line or area looks on paper; ``classes`` are those of its group."""
    roles, around = role.split(), classes.split()
    known = next((each for each in reversed(roles) if each in _PENS), "edge")
    stroke, fill, width, dashed = _PENS[known]
    tone = _tone(around)
    if tone and known in ("box", "sign"):
        stroke, fill = tone, f"{tone}-tint" if known == "box" else fill
        width = 2.4 if known == "box" and tone == "bad" else width
    elif known == "box" and "argument" in around:
        fill = "subtle"
    if "challenges" in roles:
        stroke = "bad"
    if "hollow" in roles:
        fill = "paper"
    if "vee" in roles:
        fill = "none"
    dashed = bool({"back", "challenges", "dashes"} & set(roles)) or (known == "box" and "missing" in around)
    return Ink(_colour(stroke), _colour(fill), width, dashed)


def letters(role: str, classes: str) -> tuple[float, str, bool]:
    """Size and colour of words on paper, and whether they are bold."""
    tone = _tone(classes.split())
    colour = tone if tone and role == "word" else COLOURED.get(role, "muted")
    return SIZES[role], COLOURS[colour][0], role in BOLD
