"""The same product under other Pythons and other libraries: a wheel and an sdist, checked, installed bare, and run."""

import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import mkdtemp

ROOT = Path(__file__).parents[2]
SUITE_EXTRAS = "dask,onnx,tflite,parquet,frames,remote,text,audio,fast,sign,xlsx"
TEST_TOOLS = ["pytest", "pytest-xdist", "hypothesis", "jsonschema", "openpyxl", "mpmath", "statsmodels"]


def said(*command, cwd=None, limit=3600):
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, capture_output=True, text=True, timeout=limit, check=False
    )
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}"
        )
    return done.stdout


def distributions(folder):
    """Build a wheel and an sdist, and look through both as an index would."""
    tools = environment(sys.executable, folder / "tools", "build", "twine")
    said(tools, "-m", "build", "--outdir", folder / "dist", ROOT)
    files = sorted((folder / "dist").iterdir())
    said(tools, "-m", "twine", "check", "--strict", *files)
    return files


def environment(python, folder, *packages):
    """A new environment with these packages; its interpreter."""
    said(python, "-m", "venv", folder)
    interpreter = folder / "bin" / "python"
    said(interpreter, "-m", "pip", "install", "--quiet", *packages)
    return interpreter


def demo_of(python, package, folder):
    """Install a distribution into a bare environment of a Python, and assess the demo with it."""
    interpreter = environment(python, folder, package)
    said(interpreter.with_name("surefoot"), "demo", cwd=Path(mkdtemp(prefix="harden-")))
    return said(interpreter, "--version").strip()


def oldest():
    """Every core dependency at the oldest version that is allowed."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [
        each.replace(">=", "~=" if each.count(".") > 1 else "==") + ("" if "." in each.split(">=")[1] else ".*")
        for each in about["dependencies"]
    ]


def demo_with_oldest(python, package, folder):
    """The demo with the oldest libraries that the project says it works with."""
    interpreter = environment(python, folder, package, *oldest())
    said(interpreter.with_name("surefoot"), "demo", cwd=Path(mkdtemp(prefix="harden-")))
    return said(interpreter, "-m", "pip", "list", "--format", "freeze")


def suite_of(python, folder, *tests):
    """Run tests under another Python, with what of the extras can be had there."""
    interpreter = environment(python, folder, f"{ROOT}[{SUITE_EXTRAS}]", *TEST_TOOLS)
    return said(interpreter, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests, cwd=ROOT, limit=5400)[-500:]
