"""The page: verdict first, everything shown, one file, honest words."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

import surefoot as sf
from surefoot.core import Artefact, Assumption, Check, Estimate, Evidence, Table
from surefoot.report import html
from tests.report import results

ORDER = (
    "verdict",
    "targets",
    "case",
    "trust",
    "evidence",
    "assumptions",
    "conditions",
    "caveats",
    "provenance",
    "signature",
    "glossary",
)
VOID = {"meta", "br", "img", "link"}


@pytest.fixture(scope="module", autouse=True)
def _without_display():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPLBACKEND", "Agg")
        yield


@pytest.fixture(scope="module")
def page():
    return html(results.full())


class Outline(HTMLParser):
    """Tags, attributes and text of a page; complains about tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.words = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append((tag, found))
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if "href" in found else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def test_sections_come_in_the_order_an_assessor_reads(page):
    places = [page.index(f'<section id="{name}"') for name in ORDER]
    assert places == sorted(places)


def test_tags_match_ids_are_unique_and_links_lead_somewhere(page):
    outline = Outline(page)
    assert len(set(outline.ids)) == len(outline.ids)
    assert outline.links
    assert [link for link in outline.links if link[1:] not in outline.ids] == []


def test_nothing_is_loaded_and_nothing_runs(page):
    outline = Outline(page)
    tags = {tag for tag, _ in outline.tags}
    assert not tags & {"link", "iframe", "object", "embed", "base", "form", "video", "audio"}
    kinds = [found.get("type", "ours") for tag, found in outline.tags if tag == "script"]
    assert sorted(kinds) == ["application/json;deflate;base64", "ours"]
    assert not [name for _, found in outline.tags for name in found if name.startswith("on")]
    assert [found["src"] for _, found in outline.tags if "src" in found and not found["src"].startswith("data:")] == []
    assert "url(http" not in page
    assert "@import" not in page
    policy = next(found["content"] for _, found in outline.tags if found.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    (ours,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashed = base64.b64encode(hashlib.sha256(ours.encode()).digest()).decode()
    assert policy.endswith(f"; script-src 'sha256-{hashed}'")


def test_headings_step_down_one_level_at_a_time(page):
    levels = [int(tag[1]) for tag, _ in Outline(page).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_language_and_the_viewport_are_declared(page):
    tags = Outline(page).tags
    assert ("html", {"lang": "en"}) in tags
    assert any(found.get("name") == "viewport" for _, found in tags)


def test_the_verdict_on_the_whole_is_the_worst_of_all():
    none = "Nothing is concluded: the project states no target, the case leaves 1 claim open"
    for make, answer in (
        (results.met, "Yes, by its target: its number is met, and the case leaves no claim open"),
        (results.full, "No: 1 of 3 numbers met, 1 violated"),
        (results.contradicted, "Not shown: its number is neither met nor violated"),
        (results.without_targets, none),
    ):
        text = html(make())
        assert f'<h2 id="verdict-title">{answer}.</h2>' in text
        assert f"<title>Breast cancer screening: {answer}</title>" in text


def test_each_target_shows_value_bound_level_limit_margin_and_what_is_needed(page):
    text = Outline(page).text
    for words in (
        "Shown with 95% confidence: failure probability (malignant) at most 0.0384. The target asks for at most 0.05.",
        "Counted 0.015 per demand",
        "Upper bound 0.0384 confidence, 95%",
        "Target: at most 0.05 at level 95%",
        "Margin 1.3 limit ÷ bound, 1 is needed",
        "3 failures, 200 trials",
        "Hazard analysis, table 3",
        "What would be needed 147 new tests show it with probability 80%.",
        "New tests, their number fixed beforehand if the failure rate is new tests as observed 4,711 half of that",
        "Suggested by a bound without guarantee, meant for 95%: recall (malignant) at least 0.86. The target",
    ):
        assert words in text


def test_repeated_looks_are_told_with_the_corrected_bound(page):
    assert "This is look 1 at the test data. At level 97.5%" in page
    assert "the bound is 0.0433 and the target is met." in page
    assert "valid for models and targets fixed beforehand" in page


def test_a_verdict_that_repeated_looks_take_back_is_told_at_the_top():
    few = results.counted()
    answer = results.answer("misses", "Few.", "counted.x", few, sf.Target(at_most=0.04), looks=50)
    text = html(results.result([answer], {"counted": results.evidence_of(few, "binomial_bound")}))
    assert answer.verdict
    assert not answer.corrected
    top = text[: text.index('<section id="targets"')]
    assert '<h2 id="verdict-title">Not shown: its number is met at this look alone.' in top
    assert "not at the level that covers all looks at the test data: misses." in top
    assert '<article class="card target alone"' in text
    assert '"sign met"' not in text


def test_a_bound_that_rests_on_a_contradicted_assumption_does_not_count():
    text = Outline(html(results.contradicted())).text
    assert "Nothing is shown, neither way" in text
    assert "Bound none counts an assumption is contradicted" in text
    assert "does not count: contradicted" in text
    assert "Margin – " in text


def test_bounds_that_round_to_the_limit_are_rounded_away_from_it():
    estimate = Estimate("risk", 0.01, bounds=(sf.Bound(0.05004, "upper", 0.05, "confidence"),))
    answer = results.answer("risk", "Small.", "s.risk", estimate, sf.Target(at_most=0.05))
    text = Outline(html(results.result([answer], {"s": Evidence((estimate,))}))).text
    assert "Target not shown" in text
    assert "Upper bound 0.0501" in text


def test_columns_of_bounds_are_rounded_as_bounds_are():
    table = Table(("rows", "lower bound at 0.95", "upper bound at 0.95"), [("all", 0.01159, 0.04561)])
    text = html(results.result([], {"counted": Evidence((results.counted(),), {"Bounds": table})}))
    assert ">0.0115</data>" in text
    assert ">0.0457</data>" in text


def test_exact_numbers_stand_behind_the_rounded_ones(page):
    exact = repr(results.counted().upper(0.95))
    assert f'<data value="{exact}" title="{exact}">0.0384</data>' in page


def test_every_assumption_is_shown_once_with_its_check_and_figures_doubtful_ones_first(page):
    text = Outline(page[page.index('<section id="assumptions"') : page.index('<section id="conditions"')]).text
    normal = sf.bounds.normal_exact(results.margins(), level=0.95)
    for assumption in normal.assumptions:
        assert text.count(assumption.text) == 1
    assert "shift of the mean, in standard deviations −0.0817" in text
    assert "Size of the departure: 0.0817" in text
    assert text.index("not checked") < text.index("not contradicted")
    assert "supported" not in text
    assert "Targets that rest on it: misses, risk." in text


def test_operating_conditions_are_shown_with_what_the_test_data_say(page):
    text = Outline(page[page.index('<section id="conditions"') : page.index('<section id="caveats"')]).text
    assert "Patients are adults. adult age at least 18 not contradicted Looked at: rows outside the condition." in text
    assert "same-device stated only not checked" in text
    assert "age group young, old" in text


def test_tables_figures_caveats_and_provenance_are_shown(page):
    text = Outline(page).text
    assert "Failures by class class rows failures share benign 300 1 0.00333" in text
    assert re.search(r'<div class="light" data-sha256="[0-9a-f]{64}"><svg', page)
    assert "Margins and the fitted normal" in text
    assert "Warning pickle-trusted screening The model was read by pickle. Use skops." in text
    assert "surefoot assess PROJECT --verify report.html" in text
    for found in ("a" * 64, "b" * 64, results.full().keys["counted"], results.full().digest, sf.__version__):
        assert found in text


def test_the_page_never_calls_anything_safe_but_in_the_claim_itself():
    text = Outline(html(results.result(results.met().answers, results.met().evidence, claim="C."))).text
    assert "Is it safe enough? Yes, by its target" in text
    assert re.findall(r"\bsafe\b", text.replace("Is it safe enough?", "", 1), re.IGNORECASE) == []


def test_the_page_of_the_demo_is_small(page):
    assert len(page.encode()) < 200_000


def test_long_tables_are_cut_with_a_note():
    rows = [(f"row {n}", n) for n in range(1000)]
    evidence = Evidence((results.counted(),), {"Long": Table(("name", "number"), rows)})
    text = html(results.result([], {"counted": evidence}))
    assert "<td>row 49</td>" in text
    assert "row 50<" not in text
    assert "950 more rows are left out here" in text
    assert len(text) < 100_000


def test_a_node_of_the_case_costs_less_than_a_kilobyte():
    few = results.counted()

    def page_of(count):
        answers = [results.answer(f"t{n}", f"Claim {n}.", "c.x", few, sf.Target(at_most=0.05)) for n in range(count)]
        found = results.result(answers, {"counted": results.evidence_of(few, "binomial_bound")})
        return len(found.case), re.search(r'<section id="case".*?</section>', html(found), re.DOTALL)[0]

    (few_nodes, small), (many_nodes, large) = page_of(8), page_of(80)
    assert many_nodes > few_nodes
    assert (len(large) - len(small)) / (many_nodes - few_nodes) < 1000


def test_what_cannot_be_shown_is_named_with_the_reason():
    for artefact, note in (
        (Artefact("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"), "not allowed"),
        (Artefact("image/png", b"no png"), "it is no PNG"),
        (Artefact("image/png", b"\x89PNG\r\n\x1a\n" + bytes(400_000)), "larger than 300 kB"),
        (Artefact("text/csv", b"a,b"), "3 bytes of text/csv, not shown here"),
        (Artefact("image/svg+xml", b""), "no part of the data that this page was made from"),
    ):
        evidence = Evidence((results.counted(),), artefacts={"A figure": artefact})
        text = html(results.result([], {"counted": evidence}))
        assert note in text
        assert "A figure" in text, note


def test_a_picture_is_shown_as_data():
    from io import BytesIO

    from PIL import Image

    target = BytesIO()
    Image.new("RGB", (4, 4), "red").save(target, "png")
    evidence = Evidence((results.counted(),), artefacts={"A map": Artefact("image/png", target.getvalue())})
    text = html(results.result([], {"counted": evidence}))
    assert re.search(r'<img src="data:image/png;base64,[A-Za-z0-9+/=]+" alt="A map">', text)


def test_odd_values_are_shown_without_an_error():
    check = Check("unchecked", "looked", {"list": list(range(99)), "none": None, "yes": True, "inf": float("inf")})
    assumption = Assumption("odd", "Odd figures.", check)
    estimate = Estimate("risk", 0.1, assumptions=(assumption,), details={"nested": {"a": [1, {"b": 0.5}]}})
    text = Outline(html(results.result([], {"step": Evidence((estimate,))}))).text
    assert "yes yes" in text
    assert "inf ∞" in text
    assert "a 1, b 0.5" in text


def test_a_definition_with_nothing_but_a_name_is_enough():
    small = results.result([], {"counted": Evidence((results.counted(),))}, definition={"system": {"name": "S"}})
    assert "None are stated beyond the assumptions above." in html(replace(small, created="", looks=()))


def test_the_same_result_gives_the_same_page(page):
    assert html(results.full()) == page
