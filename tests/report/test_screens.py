"""First screen and page to sign in a real browser: seen without scrolling, and printed on a page of its own."""

import html as markup
import json
import re

import pytest

from surefoot.report import html
from tests.report import results
from tests.report.test_browser import CHROMIUM, chromium
from tests.report.test_signature import hostile

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
SCREENS = {"laptop": (1366, 768), "phone": (360, 740)}
LOOK = """<!DOCTYPE html><title>look</title><body style="margin:0"><pre id="seen"></pre><script>
const seen = {}, screens = %s;
for (const [name, [width, height]] of Object.entries(screens)) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `border:0;width:${width}px;height:${height}px`;
  frame.src = "report.html";
  frame.onload = () => {
    const page = frame.contentDocument, below = [...page.querySelectorAll("#verdict-title, .first > div")];
    const wide = [...page.querySelectorAll("#verdict *, #signature *")].filter(each => !each.closest(".scroll"));
    seen[name] = {bottom: Math.max(...below.map(each => each.getBoundingClientRect().bottom)), facts: below.length,
                  right: Math.max(...wide.map(each => each.getBoundingClientRect().right)),
                  scroll: page.documentElement.scrollWidth, title: page.title};
    if (Object.keys(seen).length === Object.keys(screens).length)
      document.getElementById("seen").textContent = JSON.stringify(seen);
  };
  document.body.append(frame);
}
</script>"""
HIDDEN = "<style>@media print{%s{display:none!important}}</style></head>"


def screens(folder, result):
    (folder / "report.html").write_text(html(result), encoding="utf-8")
    (folder / "look.html").write_text(LOOK % json.dumps(SCREENS))
    dom = chromium(folder, folder / "look.html", "--dump-dom")
    return json.loads(markup.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.DOTALL)[1]))


def test_the_first_screen_needs_no_scrolling(tmp_path):
    for name, seen in screens(tmp_path, results.full()).items():
        assert seen["facts"] == 6
        assert seen["bottom"] <= SCREENS[name][1]
        assert seen["scroll"] <= SCREENS[name][0]
        assert seen["right"] <= SCREENS[name][0]


def test_hostile_text_to_sign_sticks_out_nowhere(tmp_path):
    attack = f'{"w" * 3_000} <script>document.title="owned"</script>'
    for name, seen in screens(tmp_path, hostile(attack)).items():
        assert seen["title"] != "owned"
        assert seen["scroll"] <= SCREENS[name][0]


def test_the_page_to_sign_is_printed_on_pages_of_its_own(tmp_path):
    whole = html(results.full())

    def pages(name, hidden):
        path, target = tmp_path / f"{name}.html", tmp_path / f"{name}.pdf"
        path.write_text(whole.replace("</head>", HIDDEN % hidden, 1), encoding="utf-8")
        chromium(tmp_path, path, "--no-pdf-header-footer", f"--print-to-pdf={target}")
        return len(re.findall(rb"/Type /Page\b", target.read_bytes()))

    signed = pages("signed", "header,main>:not(#signature),footer")
    assert signed <= 2
    assert pages("beside", "main>:not(#signature)") == 1 + signed + 1
