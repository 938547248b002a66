"""Which files of ours a command goes through, in the order in which their functions are first called.

``python -m tests.walking FOLDER surefoot assess`` prints them with the first line of their docstrings, as
``docs/architecture.md`` lists them.
"""

import ast
import os
import sys
import threading
from pathlib import Path

import surefoot

ROOT = Path(surefoot.__file__).parent


def walked(run):
    """Files below ``surefoot`` in which ``run`` calls a function; what runs while a module is imported does not count."""
    found, importing = {}, threading.local()
    inside = str(ROOT) + os.sep

    def follow(frame, event, _argument):
        code = frame.f_code
        if event == "call" and code.co_name == "<module>":
            importing.depth = getattr(importing, "depth", 0) + 1
        elif event == "return" and code.co_name == "<module>":
            importing.depth = getattr(importing, "depth", 1) - 1
        elif event == "call" and not getattr(importing, "depth", 0) and code.co_filename.startswith(inside):
            if code.co_flags & 1 and not code.co_name.startswith("<"):
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


def purpose(name):
    """The first sentence of a file's docstring."""
    text = ast.get_docstring(ast.parse((ROOT / name).read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


if __name__ == "__main__":
    from surefoot.cli import main

    os.chdir(sys.argv[1])
    sys.argv = sys.argv[2:]
    for _name in walked(main):
        print(f"`{_name}`: {purpose(_name)}")
