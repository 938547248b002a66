"""Which files of ours ``surefoot assess`` goes through, in the order in which their functions are first called.

``python -m tests.walking`` assesses the project that ``surefoot init`` writes and puts the list into
``docs/architecture.md``; ``tests/test_house.py`` says when the page is stale.
"""

import ast
import os
import subprocess
import sys
import tempfile
import threading
from inspect import CO_OPTIMIZED
from pathlib import Path

import surefoot

SOURCE = Path(surefoot.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
START, END = "<!-- walk: python -m tests.walking -->\n", "<!-- end of the walk -->\n"
STAGES = {
    "cli/__init__.py": "Take the command",
    "project/project.py": "Read the project file and check all of it",
    "project/runner.py": "Plan, and find what is stored",
    "project/components.py": "Identify model and data, and score them in a process of their own",
    "project/steps/binomial.py": "Run the steps: from rows to estimates with checked assumptions",
    "project/answers.py": "Answer the targets, and argue the answers as a case",
    "report/page.py": "Write the report",
}
"""The stages of an assessment, by the file that opens each."""


def walked(run):
    """Files in which ``run`` calls a function; what runs while a module is imported does not count."""
    found, importing = {}, threading.local()
    inside = str(SOURCE) + os.sep

    def is_ours(code):
        return code.co_filename.startswith(inside) and code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")

    def follow(frame, event, _argument):
        code = frame.f_code
        if event == "call" and code.co_name == "<module>":
            importing.depth = getattr(importing, "depth", 0) + 1
        elif event == "return" and code.co_name == "<module>":
            importing.depth = getattr(importing, "depth", 1) - 1
        elif event == "call" and not getattr(importing, "depth", 0) and is_ours(code):
            found.setdefault(code.co_filename.removeprefix(inside).replace(os.sep, "/"))

    threading.setprofile(follow)
    sys.setprofile(follow)
    try:
        run()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return [*found]


def assessed():
    """The files that an assessment with a report goes through, seen from a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        python = [sys.executable, "-m"]
        subprocess.run([*python, "surefoot", "init", "start"], cwd=folder, check=True, capture_output=True)
        here = os.environ | {"PYTHONPATH": os.pathsep.join([str(SOURCE.parent), str(PAGE.parents[1])])}
        done = subprocess.run(
            [*python, "tests.walking", "assess", "--html", "report.html", "--quiet"],
            cwd=Path(folder, "start"), env=here, check=True, capture_output=True, text=True,
        )  # fmt: skip
    return [line.removeprefix("walked ") for line in done.stdout.splitlines() if line.startswith("walked ")]


def listed():
    """The files that the page names."""
    inside = PAGE.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    return [line.split("`")[1] for line in inside.splitlines() if line.startswith("| `")]


def purpose(name):
    """The first sentence of a file's docstring."""
    text = ast.get_docstring(ast.parse((SOURCE / name).read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")


def table(names):
    """The walk as tables, one a stage."""
    rows = [START]
    for name in names:
        if name in STAGES:
            rows.append(f"\n### {STAGES[name]}\n\n| file | what it is for |\n| --- | --- |\n")
        rows.append(f"| `{name}` | {purpose(name)} |\n")
    return "".join([*rows, "\n", END])


if __name__ == "__main__" and sys.argv[1:]:
    from surefoot.cli import main

    for _name in walked(main):
        sys.stdout.write(f"walked {_name}\n")
elif __name__ == "__main__":
    _text = PAGE.read_text(encoding="utf-8")
    _before, _, _rest = _text.partition(START)
    PAGE.write_text(_before + table(assessed()) + _rest.partition(END)[2], encoding="utf-8")
