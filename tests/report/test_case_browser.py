"""The case in a real browser: it opens, closes, finds, leads to data, prints, and no text becomes anything else."""

import html as markup
import json
import re
import shutil
import subprocess
import zlib

import pytest

from surefoot.case import Case, ClaimPoint, Module, Node, drawings
from tests.report import argued
from tests.report.test_hostile import ATTACKS

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync "
    "--hide-scrollbars --allow-file-access-from-files --enable-logging=stderr --force-prefers-reduced-motion"
)
LOOK = """<!DOCTYPE html><title>look</title><body style="margin:0"><pre id="seen"></pre><script>
const seen = [];
function look(frame, width) {
  const page = frame.contentDocument, of = (selector, from = page) => from.querySelector(selector);
  const all = selector => [...page.querySelectorAll(selector)];
  const click = (selector, from) => of(selector, from).click(), box = key => of(`[data-key="case-node-${key}"]`);
  const press = (key, on = page.activeElement) => on.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown",
    {key, bubbles: true, cancelable: true}));
  const type = text => { const field = of(".case-tools input"); field.value = text;
    field.dispatchEvent(new frame.contentWindow.Event("input", {bubbles: true})); return field; };
  const choose = (name, value) => { const field = of(`[data-filter=${name}]`); field.value = value;
    field.dispatchEvent(new frame.contentWindow.Event("change", {bubbles: true})); };
  const ids = selector => all(selector).map(each => of("code", each).textContent);
  const said = () => of("[role=status]").textContent;
  const shape = key => box(key).dataset.shape, outline = key => of(".shape path", box(key)).getAttribute("d");
  seen.push(Object.assign({width, scroll: page.documentElement.scrollWidth,
    loaded: frame.contentWindow.performance.getEntriesByType("resource").length}, (%s)()));
  document.getElementById("seen").textContent = JSON.stringify(seen);
}
</script>%s"""
FRAME = '<iframe src="report.html%s" style="width:%dpx;height:900px;border:0" onload="look(this, %d)"></iframe>'


def chromium(folder, page, *options):
    command = [CHROMIUM, *OPTIONS.split(), f"--user-data-dir={folder / 'profile'}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def seen(folder, page, script, *, widths=(1200,), fragment="", quiet=True, options=()):
    """What a script outside the page sees and does, in frames of several widths."""
    (folder / "report.html").write_text(page, encoding="utf-8")
    frames = "".join(FRAME % (fragment, width, width) for width in widths)
    (folder / "look.html").write_text(LOOK % (script, frames), encoding="utf-8")
    done = chromium(folder, folder / "look.html", "--dump-dom", *options)
    if quiet:
        assert "CONSOLE" not in done.stderr
    found = json.loads(markup.unescape(re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)[1]))
    assert len(found) == len(widths)
    assert all(frame["loaded"] == 0 and frame["scroll"] <= frame["width"] for frame in found)
    return found


def small():
    return argued.page(Case.of(argued.SMALL))


def test_it_opens_closes_searches_filters_and_leads_to_data(tmp_path):
    script = """() => {
      const found = {start: ids(".box"), tree: of("[role=tree]") !== null};
      found.outline = of(".case-outline").offsetParent === null;
      click(".handle", box("A2")); found.closed = [box("E1") !== null, of(".handle", box("A2")).textContent, said()];
      click(".handle", box("A2")); found.opened = box("E1") !== null;
      click(".handle", box("A1")); press("Enter", type("malignant CASES")); found.hit = [ids(".box.hit"), said()];
      press("Enter", of(".case-tools input")); found.next = said();
      type("zebra"); found.none = said(); type("");
      choose("tag", "AMLAS"); found.tagged = ids(".box.hit"); choose("tag", "");
      choose("standing", "not-shown"); found.open = ids(".box.hit"); choose("standing", "");
      box("E1").click(); const panel = of(".case-panel");
      found.panel = [panel.textContent, ...[...panel.querySelectorAll("a")].map(each => each.getAttribute("href"))];
      found.leads = page.getElementById("step-counted") !== null;
      return found; }"""
    found = seen(tmp_path, small(), script)[0]
    assert set(found["start"]) == {node.id for node in argued.SMALL}
    assert len(found["start"]) == len(argued.SMALL) + 1  # A2 holds up two claims; its second box leads to the first
    assert found["tree"]
    assert found["outline"]
    assert found["closed"] == [False, "+4", "A2 closed, 4 hidden."]
    assert found["opened"]
    assert found["hit"] == [["C2", "E1"], "1 of 2: C2."]
    assert found["next"] == "2 of 2: E1."
    assert found["none"] == "No matches."
    assert found["tagged"] == ["C2", "C3"]
    assert "E2" in found["open"]
    assert "C1" not in found["open"]
    assert "3 failures in 200" in found["panel"][0]
    assert "ab12cd34" in found["panel"][0]
    assert "upper bound 0.0384" in found["panel"][0]
    assert found["panel"][1:] == ["#step-counted", "#case-node-A2"]
    assert found["leads"]


def test_keys_walk_the_graph_and_both_notations_have_their_shapes(tmp_path):
    script = """() => {
      const found = {walk: []}, at = () => of("code", page.activeElement)?.textContent;
      box("C1").focus();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowRight", "Home"]) {
        press(key); found.walk.push(at()); }
      press("?"); found.help = !of(".case-help").hidden; press("Escape"); found.left = of(".case-help").hidden;
      press(" "); found.folded = all(".box").length; press("ArrowDown"); found.unfolded = all(".box").length;
      press("Enter"); found.panel = of(".case-panel").hidden; press("Escape"); found.away = of(".case-panel").hidden;
      found.tabs = all(".box[tabindex='0']").length;
      const word = () => box("A2").querySelector("i:not(i:nth-of-type(2))").checkVisibility();
      found.cae = [word(), shape("E1"), box("E1").offsetWidth];
      click("[data-do=gsn]");
      found.gsn = [word(), shape("E1"), box("E1").getAttribute("aria-label")];
      const before = of(".case-plane").style.transform; press("+");
      found.zoomed = of(".case-plane").style.transform !== before;
      const view = of(".case-view"), hand = (name, x) => view.dispatchEvent(new frame.contentWindow.PointerEvent(name,
        {clientX: x, clientY: 300, pointerId: 1, bubbles: true}));
      const left = () => box("C1").getBoundingClientRect().left, wide = () => box("C1").getBoundingClientRect().width;
      const [x, w] = [left(), wide()]; hand("pointerdown", 300); hand("pointermove", 360); hand("pointerup", 360);
      found.dragged = left() - x;
      view.dispatchEvent(new frame.contentWindow.WheelEvent("wheel", {deltaY: -200, ctrlKey: true, cancelable: true}));
      found.wheeled = wide() / w;
      click("[data-do=list]"); found.list = of(".case-outline").offsetParent !== null; return found; }"""
    found = seen(tmp_path, small(), script)[0]
    assert found["walk"] == ["A1", "C2", "C3", "A1", "S3", "C1"]
    assert found["help"]
    assert found["left"]
    assert found["folded"] == 1
    assert found["unfolded"] > 3
    assert not found["panel"]
    assert found["away"]
    assert found["tabs"] == 1
    assert found["cae"][:2] == [True, "rectangle"]
    assert found["gsn"][:2] == [False, "circle"]
    assert found["gsn"][2].startswith("solution E1: supported. 3 failures")
    assert found["zoomed"]
    assert found["dragged"] == pytest.approx(60)
    assert found["wheeled"] > 1.2
    assert found["list"]


def test_a_link_to_a_node_opens_the_way_to_it(tmp_path):
    script = """() => ({panel: of(".case-panel").textContent, box: box("EC30").getAttribute("aria-selected"),
      inside: (() => { const one = box("EC30").getBoundingClientRect(), view = of(".case-view").getBoundingClientRect();
        return one.left >= view.left && one.right <= view.right && one.top >= view.top
          && one.bottom <= view.bottom; })()})"""
    for found in seen(tmp_path, argued.page(argued.wide(300)), script, widths=(360, 1200), fragment="#case-node-EC30"):
        assert "Result of test 31" in found["panel"]
        assert found["box"] == "true"
        assert found["inside"]


@pytest.mark.parametrize("notation", ["cae", "gsn"])
def test_300_open_nodes_do_not_overlap(tmp_path, notation):
    script = """() => {
      const first = all(".box").length;
      click("[data-do=%s]"); click("[data-do=all]");
      const boxes = all(".box").map(each => each.getBoundingClientRect()); let overlaps = 0;
      boxes.forEach((one, place) => boxes.slice(place + 1).forEach(other => { overlaps += one.left < other.right - .01
        && other.left < one.right - .01 && one.top < other.bottom - .01 && other.top < one.bottom - .01; }));
      const flat = boxes.filter(each => each.width * each.height < 1).length;
      return {first, overlaps, boxes: boxes.length, flat}; }"""
    case = argued.wide(300)
    found = seen(tmp_path, argued.page(case), script % notation)[0]
    assert 10 <= found["first"] <= 40
    assert found["boxes"] == len(case) >= 300
    assert found["overlaps"] == found["flat"] == 0


def test_a_very_large_and_a_very_deep_case_stay_usable(tmp_path):
    deep = [Node(f"C{place}", "claim", "It holds.", (f"C{place + 1}",)) for place in range(1500)]
    broad = [Node(f"B{place}", "claim", "It holds.") for place in range(2500)]
    case = Case.of([*deep, Node("C1500", "claim", "It holds.", tuple(node.id for node in broad)), *broad])
    script = """() => { click("[data-do=all]"); return {boxes: all(".box").length, said: said()}; }"""
    found = seen(tmp_path, argued.page(case), script)[0]
    assert found["boxes"] <= 3000
    assert found["said"] == f"The first {found['boxes']} of 4001 nodes are open."


def test_hostile_text_runs_nothing_and_sticks_out_nowhere(tmp_path):
    text = " ".join(ATTACKS.values())
    nodes = [
        Node("C1", "claim", text, ("E1", text), tags=(text, "AMLAS: " + text), note=text),
        Node("E1", "evidence", text, rests_on="counted.x", url="javascript:document.title='owned'"),
        Node(text, "evidence", text, rests_on=text, url=text, digest=text),
    ]
    script = """() => { click("[data-do=all]"); for (const each of all(".box")) each.click(); type("onerror");
      return {title: page.title, injected: of("#injected") !== null, images: all("img").length,
        hits: all(".box.hit").length, scripts: all("script").length,
        links: all("a").map(each => each.protocol).filter(each => each !== "file:")}; }"""
    for found in seen(tmp_path, argued.page(Case.of(nodes)), script, widths=(360, 1200)):
        assert found["title"] == "Assurance case"
        assert not found["injected"]
        assert found["images"] == 0
        assert found["scripts"] == 1
        assert found["links"] == []
        assert found["hits"] == 3


def test_without_script_everything_can_be_read_and_no_tool_shows(tmp_path):
    page = re.sub("&#39;sha256-.*?&#39;", "'none'", small())
    script = """() => ({tools: of(".case-graph").offsetParent !== null, boxes: all(".box").length,
      hidden: all(".case-outline li").filter(each => !each.checkVisibility()).map(each => each.outerHTML)})"""
    for found in seen(tmp_path, page, script, widths=(360, 1200), quiet=False):
        assert found["hidden"] == []
        assert not found["tools"]
        assert found["boxes"] == 0


def printed(folder, page):
    """The text of the page as it is printed, without spaces, by the character maps of its fonts."""
    path, target = folder / "printed.html", folder / "printed.pdf"
    path.write_text(page, encoding="utf-8")
    chromium(folder, path, "--no-pdf-header-footer", f"--print-to-pdf={target}")
    parts = dict(re.findall(rb"(\d+) 0 obj\b(.*?)endobj", target.read_bytes(), re.DOTALL))
    packed = re.compile(rb"FlateDecode.*?stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
    mapped = re.compile(rb"/ToUnicode (\d+) 0 R")
    streams = {key: zlib.decompress(found[1]) for key, part in parts.items() if (found := packed.search(part))}
    fonts = {key: _characters(streams[found[1]]) for key, part in parts.items() if (found := mapped.search(part))}
    names = {name: number for part in parts.values() for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", part)}
    text, font = [], {}
    for stream in streams.values():
        for name, glyphs in re.findall(rb"/(F\d+) [\d.]+ Tf|<([0-9A-F]+)> ?Tj", stream):
            font = fonts.get(names.get(name), {}) if name else font
            text += [font.get(glyphs[place : place + 4].upper(), "") for place in range(0, len(glyphs), 4)]
    return "".join(text).replace(" ", "").replace("\xa0", "")


def _characters(table):
    found = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for glyph, code in re.findall(rb"<([0-9A-F]+)> <([0-9A-F]+)>", block):
            found[glyph] = bytes.fromhex(code.decode()).decode("utf-16-be")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for first, last, code in re.findall(rb"<([0-9A-F]+)> <([0-9A-F]+)> <([0-9A-F]+)>", block):
            for place in range(int(first, 16), int(last, 16) + 1):
                found[b"%04X" % place] = chr(int(code, 16) + place - int(first, 16))
    return found


@pytest.mark.parametrize("folded", [False, True])
def test_it_prints_every_text_also_what_was_folded(tmp_path, folded):
    text = printed(tmp_path, small().replace("<details open>", "<details>") if folded else small())
    for node in argued.SMALL:
        assert node.text.replace(" ", "") in text
    assert "Openall" not in text


AWAY = (
    Node("G1", "claim", "It stops in time.", ("S1", "M1"), ("X1", "K1"), claim_points={"ACP1": ClaimPoint(("S1",))}),
    Node("S1", "argument", "Over both circuits", ("E1", "E2"), ("W1", "A1"), defeated_relations=("E1",)),
    Node("M1", "sub-case", "The display is safe.", of="display"),
    Node("X1", "context", "Dry roads"),
    Node("K1", "sub-case", "What in time means", of="display/C7"),
    Node("W1", "side-claim", "Circuits are independent.", ("E2",)),
    Node("A1", "side-claim", "Both are maintained."),
    Node("E1", "evidence", "Tests of May"),
    Node("E2", "sub-case", "Tests of the supplier", of="display/Sn7"),
    Node("G7", "claim", "The display is safe.", ("Sn7",), ("C7",), module="display", public=True),
    Node("C7", "context", "What in time means", module="display", public=True),
    Node("Sn7", "evidence", "Tests of the supplier", module="display", public=True),
    Node("D1", "defeater", "Roads get wet.", challenges=("G1 -> X1",)),
)


def test_the_graph_has_the_shapes_of_the_pictures(tmp_path):
    """Argued side-warrants are goals, away elements keep their shape with a line across, modules have their tab."""
    case = Case({node.id: node for node in AWAY}, modules={"display": Module("display")}, notation="gsn")
    script = """() => { click("[data-do=all]"); const found = {letters: {}, modules: {}};
      for (const name of ["cae", "gsn"]) { click(`[data-do=${name}]`); found[name] = {};
        for (const each of all(".box:not(.again)")) {
          found[name][of("code", each).textContent] = each.dataset.shape;
          found.letters[of("code", each).textContent] = each.dataset.letter;
          found.modules[of("code", each).textContent] = of(".module", each)?.textContent || ""; } }
      found.outlines = Object.fromEntries(["E2", "M1", "W1"].map(key => [key, outline(key)]));
      found.points = of(".points").getAttribute("d"); found.crossed = of(".crossed").getAttribute("d");
      found.tip = of(".heads.against").getAttribute("d").match(/L([\\d.]+) ([\\d.]+)L/).slice(1).map(Number);
      const shift = each => box(each).style.transform.match(/[\\d.]+/g).map(Number);
      found.beside = [shift("X1")[0], shift("X1")[1] + box("X1").offsetHeight / 2];
      return found; }"""
    found = seen(tmp_path, argued.page(case), script)[0]
    for notation in ("cae", "gsn"):
        boxes = drawings.lay_out(case, notation=notation).boxes
        drawn = {box.node.id: box.words.shape for box in boxes if not box.stub}
        assert {key: shape for key, shape in found[notation].items() if drawn[key] != shape} == {}
        assert set(found[notation]) == set(case.nodes)
    assert found["gsn"] | {"W1": "rectangle", "E2": "circle", "K1": "rounded", "M1": "folder"} == found["gsn"]
    assert (found["letters"]["A1"], found["letters"]["W1"]) == ("A", "")
    assert (found["modules"]["E2"], found["modules"]["M1"], found["modules"]["G1"]) == ("display/Sn7", "display", "")
    assert found["outlines"]["E2"].count("M") == 2, "a circle and a line across it"
    assert found["outlines"]["M1"].count("M") == 3, "a box, its tab and a line across it"
    assert found["outlines"]["W1"].count("M") == 1
    assert found["points"].count("M") == 1
    assert found["tip"][1] == pytest.approx(found["beside"][1], abs=1), "the doubt ends on the line, not on a box"
    assert 0 < found["beside"][0] - found["tip"][0] < 30
    assert found["crossed"].startswith("M")


HOVERED = """() => {
  const view = frame.contentWindow, hovered = [];
  for (const sheet of page.styleSheets) for (const rule of sheet.cssRules)
    if (rule.selectorText?.includes(":hover")) hovered.push(rule.cssText.replaceAll(":hover", ".hovered"));
  const style = page.createElement("style");
  style.textContent = hovered.join("\\n");
  page.head.append(style);
  click("[data-do=help]"); box("C1").click(); type("tumours");
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = rgb => rgb.slice(0, 3).map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, n) => sum + each * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = each => { for (; each; each = each.parentElement) {
    const found = parts(view.getComputedStyle(each).backgroundColor); if ((found[3] ?? 1) > 0.5) return found; } };
  const contrast = each => { const both = [light(parts(view.getComputedStyle(each).color)), light(behind(each))];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05); };
  const worst = {};
  for (const hover of [false, true]) for (const button of all("button")) {
    button.classList.toggle("hovered", hover);
    const name = `${button.className.replace("hovered", "").trim() || "button"} ${button.textContent} ${hover}`;
    worst[name] = Math.min(worst[name] ?? 99, contrast(button)); }
  return {worst, rules: hovered.length, dark: view.matchMedia("(prefers-color-scheme: dark)").matches}; }"""


@pytest.mark.parametrize("dark", [False, True])
def test_buttons_can_be_read_while_hovered(dark, tmp_path):
    """Contrast of at least 4.5, as WCAG 2.2 asks of text, also where a button is pressed and hovered."""
    options = ("--blink-settings=preferredColorScheme=0",) if dark else ()
    found = seen(tmp_path, small(), HOVERED, options=options)[0]
    assert found["dark"] == dark
    assert found["rules"] > 3
    assert len(found["worst"]) > 20
    assert {name: round(each, 1) for name, each in found["worst"].items() if each < 4.5} == {}


def test_two_thousand_nodes_start_folded_and_can_be_searched(tmp_path):
    script = """() => { const found = {first: all(".box").length}; type("claim 311 holds");
      found.hits = said(); press("Enter", of(".case-tools input"));
      found.there = ids(".box.hit"); found.open = all(".box").length; found.folded = all(".handle").length;
      return found; }"""
    case = argued.wide(2000)
    found = seen(tmp_path, argued.page(case), script)[0]
    assert len(case) >= 2000
    assert found["first"] < 60
    assert found["hits"].endswith("Enter goes to the next.")
    assert found["there"]
    assert len(found["there"]) < 5
    assert found["open"] < 120
