"""The plan of the house: which room stands above which, how large rooms and files are, and how things are called.

Read it from top to bottom as the plan of the source. Each part is a table of what holds and the test that holds it;
``docs/architecture.md`` draws the same rooms. Room to breathe is left on purpose: a limit that is met says look again,
and where the code is better beyond it, move the limit and say why.
"""

import ast
import inspect
import re
from collections import Counter, defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path
from statistics import median

import pytest

from tests import walking

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "surefoot"
TESTS = ROOT / "tests"


@cache
def files():
    """Every file of the source with its tree, by its path below ``surefoot``."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
        if "templates" not in path.parts
    }


def lines(name):
    return (SOURCE / name).read_text(encoding="utf-8").count("\n")


# 1. Rooms. An import goes downward only, and rooms of one line are siblings, which do not import each other.

ROOMS = [
    {"cli"},  # the command line, a thin shell
    {"report", "watch"},  # pages for people; a stream of operation against an assessment
    {"project"},  # project file, plan, runner, evidence store
    {"case"},  # assurance cases: model, checks, confidence, change, formats
    {"hazards"},  # worksheets, scenarios, risk targets, improvement
    {"systems"},  # systems of many modules
    {"reliability", "monitors"},  # cells and balls; detectors and what a monitor gains
    {"bounds", "opinions", "profile", "faulttree", "corruptions"},
    {"adapters", "executors", "metrics", "datasets"},  # models and data; processes; distances; public data
    {"drawing"},  # one scene, layout and output for every diagram
    {"documents"},  # one strict reader and writer of every file format
    {"core"},  # estimates, evidence, assumptions, provenance
    {"version"},
]
LEVEL = {name: number for number, row in enumerate(ROOMS) for name in row}


def room_of(name):
    return name.split("/")[0].removesuffix(".py")


def imported_rooms(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room they reach"
            base = node.module or ""
            names = [f"{base}.{alias.name}" for alias in node.names] if base == "surefoot" else [base]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("surefoot."))


def upward(room, tree):
    """Rooms that a file of a room may not import; ``testing`` may import all, and only tests import it."""
    free = room in {"__init__", "__main__", "testing"}
    for target in imported_rooms(tree):
        if target == "testing" != room or (not free and target != room and LEVEL[target] <= LEVEL[room]):
            yield target


def test_imports_go_downward_only():
    without = {room_of(name) for name in files()} - {*LEVEL, "__init__", "__main__", "testing"}
    assert without == set(), "a room has no place in the plan"
    assert {name: found for name, tree in files().items() if (found := [*upward(room_of(name), tree)])} == {}


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("core", "from surefoot.bounds import hoeffding"),
        ("bounds", "from surefoot.opinions.fusion import fuse"),
        ("opinions", "import surefoot.cli"),
        ("bounds", "def f():\n    from surefoot import testing"),
    ],
)
def test_an_import_upward_is_seen(room, line):
    assert [*upward(room, ast.parse(line))]


def test_every_room_says_what_lives_in_it_and_what_it_may_import():
    for init in SOURCE.glob("*/__init__.py"):
        text = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
        assert len(text) > 80, f"{init.parent.name} does not say what lives in it"
        assert "import" in text, f"{init.parent.name} does not say what it may import"


# 2. Sizes. A folder is opened and understood at a glance; a file is one idea of the field, read in one sitting.

MOST_FILES, MOST_IN_A_FOLDER, MOST_LINES, LEAST_MEDIAN, MOST_SINGLE = 470, 16, 700, 300, 37
"""Of files 459 stood here when the limit was set; it leaves room for nine ideas."""


def test_the_house_can_be_held_in_mind():
    sizes = {name: lines(name) for name in files()}
    folders = Counter(Path(name).parent.as_posix() for name in sizes)
    assert len(sizes) <= MOST_FILES
    assert {folder: count for folder, count in folders.items() if count > MOST_IN_A_FOLDER} == {}
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}
    assert median(size for name, size in sizes.items() if not name.endswith("__init__.py")) >= LEAST_MEDIAN


def test_few_files_serve_a_single_neighbour():
    """What one file of its own folder imports, and nobody else, belongs into that file or is an idea by itself."""
    importers = defaultdict(set)
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in files()}
    for name, tree in files().items():
        for node in ast.walk(tree):
            base = getattr(node, "module", None) or ""
            if isinstance(node, ast.ImportFrom) and base.startswith("surefoot"):
                for full in {base, *(f"{base}.{alias.name}" for alias in node.names)}:
                    inside = full.removeprefix("surefoot").lstrip(".")
                    if inside in modules and modules[inside] != name:
                        importers[modules[inside]].add(name)
    single = [
        name
        for name, users in importers.items()
        if len(users) == 1
        and not name.endswith("__init__.py")
        and not min(users).endswith("__init__.py")
        and Path(*users).parent == Path(name).parent
    ]
    assert len(single) <= MOST_SINGLE, sorted(single)


# 3. Names. Nouns of the field; nothing that means another thing in every folder.

VAGUE = {"words", "rows", "plain", "figures", "draft", "values", "helpers", "utils", "misc", "common", "shared"}
VAGUE_ALLOWED: set[str] = set()
OFTEN = 3


def test_file_names_say_what_is_inside():
    names = [Path(name) for name in files() if Path(name).stem not in {"__init__", "__main__"}]
    vague = {path.as_posix() for path in names if path.stem in VAGUE}
    assert vague <= VAGUE_ALLOWED
    recurring = Counter(path.stem for path in names)
    assert {stem: count for stem, count in recurring.items() if count > OFTEN} == {}


# 4. Fronts. What a package shows is documented: a line of summary, parameters, what comes back, an example.

RETURNS = re.compile(r"^(Returns|Yields)\n-+$", re.MULTILINE)


def public_names():
    for room in sorted({room_of(name) for name in files()} & LEVEL.keys()):
        package = import_module(f"surefoot.{room}")
        for name in getattr(package, "__all__", ()):
            thing = getattr(package, name)
            if getattr(thing, "__module__", "").startswith(package.__name__) and (
                inspect.isfunction(thing) or inspect.isclass(thing)
            ):
                yield f"{package.__name__}.{name}", thing


def lacking(thing):
    """What the docstring of a public thing does not say."""
    text = inspect.getdoc(thing) or ""
    summary = text.partition("\n")[0]
    if not summary.endswith((".", "?", ":")):
        yield "a summary of one line"
    if inspect.isfunction(thing):
        names = [name for name in inspect.signature(thing).parameters if not name.startswith("_")]
        if names and "Parameters\n---" not in text:
            yield "Parameters"
        if thing.__annotations__.get("return") not in ("None", None) and not RETURNS.search(text):
            yield "Returns"


def test_public_names_are_documented():
    assert {name: gaps for name, thing in public_names() if (gaps := [*lacking(thing)])} == {}


def test_a_gap_is_seen():
    def bare(trials: int) -> float:
        """Do something"""
        return trials

    assert [*lacking(bare)] == ["a summary of one line", "Parameters", "Returns"]


# 5. Trades. One reader of documents, one engine that draws; each exception says why it is one.

PARSERS = {"yaml", "csv", "difflib", "xml", "openpyxl", "python_calamine", "xlsxwriter"}
JSON_READERS = {"load", "loads", "JSONDecoder"}
BETWEEN_PROCESSES = "a message of one process of ours to another"
INSIDE_A_BINARY_FILE = "the head of a file of arrays, which no person writes"
OTHER_READERS = {
    "documents/": "the readers themselves",
    "core/validate.py": "difflib: core says what was meant too, and documents shows it",
    "adapters/isolation.py": BETWEEN_PROCESSES,
    "adapters/worker.py": BETWEEN_PROCESSES,
    "systems/modules.py": BETWEEN_PROCESSES,
    "executors.py": INSIDE_A_BINARY_FILE,
    "monitors/detectors/base.py": INSIDE_A_BINARY_FILE,
    "profile/vae.py": INSIDE_A_BINARY_FILE,
    "systems/records/": INSIDE_A_BINARY_FILE,
    "corruptions/gallery.py": "difflib: marks what a corruption changed in a text",
    "drawing/sanitiser.py": "XML: a sanitiser that writes what it reads",
    "report/formats.py": "XML: is written only",
    "testing/": "checks that what is written is JSON",
    # Tables of numbers, as large as data are.
    "adapters/table_data.py": "CSV: data, read column by column, twice where a place is asked for",
    "datasets/tabular.py": "CSV: data",
    "core/evidence.py": "CSV: is written only",
}
ENGINES = {"fontTools", "pypdfium2"}
OTHER_SVG = {"report/chapters.py": "a bound beside its target is one line of the page, coloured by the page's style"}


def readers(tree):
    """Names of parsers that are imported, and of what reads JSON."""
    ours = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "json"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in PARSERS)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.split(".")[0] in PARSERS:
                yield module
            elif module == "json":
                yield from (alias.name for alias in node.names if alias.name in JSON_READERS)
        elif isinstance(node, ast.Attribute) and node.attr in JSON_READERS and getattr(node.value, "id", "") in ours:
            yield f"json.{node.attr}"


def engines(tree):
    """Libraries that write fonts or paint pages, and texts that open an SVG."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            yield from (module for module in modules if module.split(".")[0] in ENGINES)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.match(r"\s*<svg[ >][^>]*=", node.value)
        ):
            yield "<svg>"


def test_only_documents_read_documents():
    found = {name: sorted({*readers(tree)}) for name, tree in files().items()}
    assert {name: used for name, used in found.items() if used and not name.startswith(tuple(OTHER_READERS))} == {}
    needless = [each for each in OTHER_READERS if not any(found[n] for n in found if n.startswith(each))]
    assert needless == []


def test_only_drawing_draws_diagrams():
    found = {name: sorted({*engines(tree)}) for name, tree in files().items()}
    others = {name: used for name, used in found.items() if used and not name.startswith("drawing/")}
    assert others.keys() <= OTHER_SVG.keys()


@pytest.mark.parametrize(
    "line",
    [
        "import yaml",
        "def f():\n    from yaml import safe_load",
        "from xml.parsers import expat",
        "import xml.etree.ElementTree as ET",
        "import json\njson.loads('1')",
        "import json as j\nj.load(f)",
        "from json import loads",
        "from difflib import get_close_matches",
        "import csv",
    ],
)
def test_a_reader_is_seen(line):
    assert [*readers(ast.parse(line))]


def test_writing_and_our_own_readers_are_fine():
    for line in ("import json\njson.dumps(1)", "from surefoot.documents import json\njson.loads('1')"):
        assert [*readers(ast.parse(line))] == []
    for line in ("import pypdfium2", "f'<svg viewBox=\"{box}\">'"):
        assert [*engines(ast.parse(line))], line


# 6. Doors. Tests come in by the front door, so that a room can be rearranged inside; CONTRIBUTING lists the exceptions.

HEADING = "## Numerical kernels tested from inside"
DOOR = 2
"""Parts of the name of a package: ``surefoot.bounds``."""


def kernels():
    """Modules that CONTRIBUTING lists as tested from inside; after the first of a line, names in the same package."""
    listed = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    found = set()
    for line in re.findall(r"^- (`surefoot[^:]*):", listed, re.MULTILINE):
        first, *others = re.findall(r"`([\w.]+)`", line)
        found |= {first, *(f"{first.rpartition('.')[0]}.{name}" for name in others)}
    return found


def inner_imports(tree):
    """Modules inside a package that a test imports from, and names that their package does not show."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("surefoot.") and a.name.count(".") >= DOOR)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"setattr", "delattr"}:
            target = node.args[0]
            if isinstance(target, ast.Constant) and target.value.count(".") > DOOR:
                yield target.value.rpartition(".")[0]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("surefoot."):
            if node.module.count(".") >= DOOR:
                folder = ROOT / "src" / Path(*node.module.split("."))
                inside = {f"{node.module}.{a.name}" for a in node.names if (folder / f"{a.name}.py").exists()}
                yield from inside or {node.module}
            else:
                shown = getattr(import_module(node.module), "__all__", ())
                yield from (f"{node.module}.{a.name}" for a in node.names if a.name not in shown)


def is_kernel(module, listed):
    return any(module == each or module.startswith(f"{each}.") for each in listed)


def test_tests_import_what_packages_show():
    listed, used, wrong = kernels(), set(), {}
    for path in sorted(TESTS.rglob("*.py")):
        inner = set(inner_imports(ast.parse(path.read_text(encoding="utf-8"))))
        used |= inner
        if unlisted := sorted(module for module in inner if not is_kernel(module, listed)):
            wrong[str(path.relative_to(ROOT))] = unlisted
    assert wrong == {}
    assert [each for each in listed if not any(is_kernel(module, {each}) for module in used)] == []
    assert 0 < len(listed) < 50


def test_an_inner_import_is_seen():
    for line in (
        "from surefoot.bounds.score_function import t_upper",
        "import surefoot.bounds.score_function",
        "def f():\n    from surefoot.bounds import score_function",
        "monkeypatch.setattr('surefoot.bounds.score_function.MOST', 3)",
    ):
        assert list(inner_imports(ast.parse(line))) == ["surefoot.bounds.score_function"], line
    assert not list(inner_imports(ast.parse("from surefoot.bounds import clopper_pearson")))


# 7. The walk. The page on the architecture names every file that an assessment goes through; long is bad.

LONGEST_WALK = 115


def test_the_walk_through_an_assessment_is_as_the_page_says():
    gone_through = walking.assessed()
    assert sorted(gone_through) == sorted(walking.listed()), "python -m tests.walking writes the page anew"
    assert len(gone_through) <= LONGEST_WALK
