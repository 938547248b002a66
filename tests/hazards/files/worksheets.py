"""Worksheets with hostile texts, for tests of every format."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.hazards import Hazop, Item, Mitigation, Property, RiskMatrix, Row

ENDINGS = ("yaml", "csv", "xlsx")
NASTY = (
    "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''", "'tis", '"quoted" and "so"', '""',
    ";", "a;b", "a; ", "\\", "\\\\", "\\;", "a\\", "C:\\new\\;x", "\\\\server\\share", "\\ ", " \\", " lead",
    "trail ", "line\nbreak", "\n", "\r\n", "a\r\nb", "a -> b", "a -> ", "->", " -> none", "1", "007", "1.50", "1e5",
    ".5", "-0", "true", "no", "null", "~", "...", "\\...", "…", "... ", "# x", "a: b", "- a", "[a]", "{a: b}", "&a",
    "*a", "!!python/object", "%", "`", "|", ">", "_x000D_", "_x005F_x000D_", "<b>&amp;</b>", "]]>", "Ünïcödé", "日本",
    "😀", "\ufeffbom", "\u2028", "\x85", "\xa0nbsp", "data value", "sep=;", "name", "id", "R1", "R2", "TRUE",
    "<r>&</r>", "<r><t>x</t></r>",
)  # fmt: skip
_CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
TEXTS = st.sampled_from(NASTY) | st.text(_CHARACTERS | st.sampled_from("\t\n\r\\;'= ->.\","), max_size=12)
NAMES = TEXTS.filter(lambda text: text.strip())
LISTS = st.lists(TEXTS, max_size=4).map(tuple)
MITIGATIONS = st.builds(Mitigation, TEXTS, st.none() | st.lists(NAMES, max_size=2).map(tuple)).filter(
    lambda each: Mitigation.parse(str(each)) == each
)


def items() -> st.SearchStrategy[tuple[Item, ...]]:
    """Nodes, and flows between some of them."""
    parameters = st.dictionaries(TEXTS, LISTS, max_size=3)

    def joined(nodes: list[Item]) -> st.SearchStrategy[tuple[Item, ...]]:
        ends = st.sampled_from([node.name for node in nodes])
        flow = st.builds(Item, NAMES, ends, ends, st.booleans(), TEXTS, parameters)
        flows = st.lists(flow, max_size=2).map(lambda made: (*nodes, *made))
        return flows.filter(lambda made: len({item.name for item in made}) == len(made))

    node = st.builds(Item, NAMES, learned=st.booleans(), description=TEXTS, parameters=parameters)
    return st.just(()) | st.lists(node, min_size=1, max_size=3, unique_by=lambda item: item.name).flatmap(joined)


def matrices() -> st.SearchStrategy[RiskMatrix]:
    """The usual one, or scales of hostile words."""

    @st.composite
    def made(draw: st.DrawFn) -> RiskMatrix:
        scale = st.lists(TEXTS, min_size=1, max_size=3, unique=True).map(tuple)
        severities, likelihoods, order = draw(scale), draw(scale), draw(scale)
        row = st.tuples(*(st.sampled_from(order) for _ in severities))
        classes = {likelihood: draw(row) for likelihood in likelihoods}
        meaning = draw(st.dictionaries(TEXTS | st.sampled_from(severities), TEXTS, max_size=3))
        return RiskMatrix(severities, likelihoods, classes, order, meaning, draw(TEXTS))

    return st.just(RiskMatrix.usual()) | made()


_NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
PROPERTIES = st.builds(
    Property,
    NAMES,
    NAMES,
    NAMES,
    st.sampled_from(["at most", "at least", "less than", "more than", "equals"]),
    _NUMBERS,
    TEXTS,
) | st.builds(
    Property,
    NAMES,
    NAMES,
    NAMES,
    st.sampled_from(["is", "is not"]),
    TEXTS | _NUMBERS,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
)


@st.composite
def hazops(draw: st.DrawFn) -> Hazop:
    """Worksheets whose parts fit together."""
    made, matrix = draw(items()), draw(matrices())
    row = st.builds(
        Row,
        NAMES,
        st.sampled_from([item.name for item in made]) if made else NAMES,
        NAMES,
        NAMES,
        LISTS,
        LISTS,
        st.lists(MITIGATIONS, max_size=3),
        LISTS,
        st.sampled_from(("", *matrix.severities)),
        st.sampled_from(("", *matrix.likelihoods)),
        st.sampled_from(["open", "filled", "reviewed", "not credible"]),
        TEXTS,
        TEXTS,
    )
    rows = draw(st.lists(row, max_size=4, unique_by=lambda row: row.id))
    properties = draw(st.lists(PROPERTIES, max_size=2, unique_by=lambda each: each.id))
    return Hazop(draw(TEXTS), made, rows, properties, matrix, draw(TEXTS))


def small() -> Hazop:
    """A worksheet as a team would have it."""
    return Hazop(
        "vehicle",
        [
            Item("detection", learned=True, description="finds assets"),
            Item("planning"),
            Item(
                "objects", "detection", "planning", parameters={"data value": ("no value", "wrong value"), "speed": ()}
            ),
        ],
        [
            Row(
                "R1",
                "objects",
                "data value",
                "wrong value",
                ("misclassification",),
                ("erratic navigation", "unsafe distance to assets"),
                (Mitigation("acoustic guidance", ("P1",)), Mitigation("operator watches", ()), Mitigation("sonar")),
                ("P1",),
                "critical",
                "remote",
                "reviewed",
                "A. Müller",
                "agreed",
            ),
            Row("R2", "objects", "data value", "no value"),
        ],
        [Property("P1", "vehicle", "distance to an asset", "at least", 2.0, "m", verification="test")],
        description="An example.",
    )


def problems(path: Path) -> tuple[Diagnostic, ...]:
    """What reading the file complains about."""
    with pytest.raises(DiagnosticsError) as error:
        Hazop.read(path)
    return error.value.diagnostics
