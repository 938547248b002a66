"""The page in a real browser: nothing runs, nothing sticks out, it follows the reader's dark mode, it prints."""

import html as markup
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from surefoot.report import html
from tests.report import results
from tests.report.test_hostile import ATTACKS, hostile

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync "
    "--hide-scrollbars --allow-file-access-from-files --virtual-time-budget=4000"
)
LOOK = """<!DOCTYPE html><title>look</title><body><pre id="seen"></pre><script>
const seen = [], widths = %s;
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.style.width = width + "px";
  frame.style.height = "800px";
  frame.src = "report.html";
  frame.onload = () => {
    const page = frame.contentDocument, root = page.documentElement;
    seen.push({width, scroll: root.scrollWidth, title: page.title, injected: page.getElementById("injected") !== null,
               scripts: page.querySelectorAll("script:not([type])").length,
               small: Math.min(...Array.from(page.querySelectorAll("#case p, .sf-bound text"),
                 e => e.getBoundingClientRect().height).filter(h => h > 0))});
    if (seen.length === widths.length) document.getElementById("seen").textContent = JSON.stringify(seen);
  };
  document.body.append(frame);
}
</script>"""


@pytest.fixture(scope="module", autouse=True)
def _without_display():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPLBACKEND", "Agg")
        yield


def chromium(folder, page, *options):
    command = [CHROMIUM, *OPTIONS.split(), f"--user-data-dir={folder / 'profile'}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def seen(folder, result, widths):
    """What a script outside the page sees of it, in frames of several widths."""
    (folder / "report.html").write_text(html(result), encoding="utf-8")
    (folder / "look.html").write_text(LOOK % json.dumps(widths))
    dom = chromium(folder, folder / "look.html", "--dump-dom")
    return json.loads(markup.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.DOTALL)[1]))


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    path = tmp_path_factory.mktemp("full") / "report.html"
    path.write_text(html(results.full()), encoding="utf-8")
    return path


def picture(path, tmp_path, *options):
    from PIL import Image

    target = tmp_path / "picture.png"
    chromium(tmp_path, path, "--window-size=900,1200", f"--screenshot={target}", *options)
    with Image.open(target) as image:
        return np.asarray(image.convert("L"), dtype=float)


def test_on_a_phone_and_on_a_desk_nothing_sticks_out(tmp_path):
    for frame in seen(tmp_path, results.full(), [360, 390, 1200]):
        assert frame["scroll"] <= frame["width"]
        assert frame["small"] >= 9


def test_hostile_text_runs_nothing_and_sticks_out_nowhere(tmp_path):
    everything = hostile(" ".join(ATTACKS.values()))
    for frame in seen(tmp_path, everything, [360, 1200]):
        assert frame["title"].startswith("<script>document.title='owned'</script>")
        assert frame["injected"] is False
        assert frame["scripts"] == 1
        assert frame["scroll"] <= frame["width"]


def test_the_page_follows_dark_mode_and_is_not_blank(full, tmp_path):
    light = picture(full, tmp_path, "--blink-settings=preferredColorScheme=1")
    dark = picture(full, tmp_path, "--blink-settings=preferredColorScheme=0")
    assert light.mean() > 200
    assert dark.mean() < 80
    assert light.std() > 10
    assert dark.std() > 10


def test_it_prints_on_a4_and_leaves_folded_details_out(full, tmp_path):
    def pages(path):
        target = tmp_path / "printed.pdf"
        chromium(tmp_path, path, "--no-pdf-header-footer", f"--print-to-pdf={target}")
        content = target.read_bytes()
        sizes = {
            tuple(round(float(n)) for n in box.split()) for box in re.findall(rb"/MediaBox \[([\d. ]+)\]", content)
        }
        assert sizes <= {(0, 0, 595, 842), (0, 0, 596, 842)}
        assert sizes
        return len(re.findall(rb"/Type /Page\b", content)), len(content)

    unfolded = tmp_path / "unfolded.html"
    unfolded.write_text(full.read_text(encoding="utf-8").replace("<details>", "<details open>"), encoding="utf-8")
    folded_pages, folded_size = pages(full)
    open_pages, open_size = pages(unfolded)
    assert folded_pages == open_pages >= 3
    assert folded_size == pytest.approx(open_size, rel=0.01)
