"""Take the picture of the README: the first page of the demo's report, in headless Chromium.

``python docs/images/report.py`` runs ``surefoot demo`` in a folder of its own and writes the PNG beside this file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

SIZE = (1000, 1560)


def main() -> None:
    """Run the demo, open its report, keep the picture."""
    picture = Path(__file__).with_suffix(".png")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "surefoot", "demo"], cwd=folder, check=True)
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/browser",
        ]
        window = f"--window-size={SIZE[0]},{SIZE[1]}"
        page = f"file://{folder}/report.html"
        subprocess.run(["chromium", *options, window, f"--screenshot={picture}", page], check=True, capture_output=True)
    Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=200).save(picture, optimize=True)


if __name__ == "__main__":
    main()
