"""Take the picture of the case in the demo's report, in headless Chromium: ``python docs/images/case_graph.py``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

WINDOW = (1240, 728)
LIFT = """<style>
body>*,main>*,#case>*{display:none!important}
body>main,main>#case,#case>.case-graph{display:block!important}
body,main,#case,#case>.case-graph{max-width:none!important;width:auto!important;margin:0!important;padding:0!important}
</style></head>"""
"""Shows nothing but the graph."""


def main() -> None:
    """Run the demo, open its report at the graph, keep the picture."""
    picture = Path(__file__).with_suffix(".png")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "surefoot", "demo"], cwd=folder, check=True)
        page = Path(folder) / "report.html"
        page.write_text(page.read_text(encoding="utf-8").replace("</head>", LIFT, 1), encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=3000"]
        size = f"--window-size={WINDOW[0]},{WINDOW[1]}"
        command = ["chromium", *options, f"--user-data-dir={folder}/browser", size, f"--screenshot={picture}"]
        subprocess.run([*command, page.as_uri()], check=True, capture_output=True)
    Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(picture, optimize=True)


if __name__ == "__main__":
    main()
