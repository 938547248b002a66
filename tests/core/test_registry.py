"""A registry finds what files define without importing them, what distributions register, and what was defined here."""

import subprocess
import sys
import textwrap

import pytest

from surefoot.core import InvalidInput, Registry, Unloadable

ONE = '''
"""A module that must not be imported to be listed."""
raise RuntimeError("imported")

@tool
def hammer():
    """Drive nails."""

@other
@tool("saw", sharp=True)
class Saw:
    """Cut wood."""

@tool(
    "plane",
    sharp=True,
    public=False,
)
def _plane(): ...

def bystander(name="no tool"):
    @tool
    def inner(): ...

class Plain(Base): ...
'''
TWO = """
from functools import partial

@dataclass(eq=False)
class File(Tool, name="file", sharp=False): ...

class Rasp(
    File,
    name="rasp",
): ...

@toolbox
def nothing(): ...
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A package whose files register tools."""
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text('"""Nothing."""')
    (package / "zzz.py").write_text(ONE)
    (package / "aaa.py").write_text(TWO)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
        del sys.modules[name]


def tools(**options):
    return Registry("tool", "shop", facts=("sharp",), **options)


def test_definitions_are_listed_by_name_and_not_imported(shop):
    found = tools()
    assert found.names() == ("file", "hammer", "plane", "rasp", "saw")
    assert {name: entry.attribute for name, entry in found.own.items()} == {
        "file": "File",
        "hammer": "hammer",
        "plane": "_plane",
        "rasp": "Rasp",
        "saw": "Saw",
    }
    assert not any(name.startswith("shop.") for name in sys.modules)
    with pytest.raises(RuntimeError, match="imported"):
        found.get("saw")


def test_modules_that_are_named_come_first_and_then_as_files_have_them(shop):
    assert tools(first=("zzz",)).names() == ("hammer", "saw", "plane", "file", "rasp")
    assert tools(first=()).names() == ("file", "rasp", "hammer", "saw", "plane")


def test_facts_choose(shop):
    found = tools()
    assert found.names(sharp=True) == ("plane", "saw")
    assert found.names(sharp=...) == ("file", "plane", "saw")
    assert found.names(sharp=None) == ("hammer", "rasp")


def test_what_is_not_public_is_known_by_name_only(shop):
    assert set(tools().exports()) == {"File", "Rasp", "Saw", "hammer"}


def test_a_misspelling_gets_a_suggestion(shop):
    with pytest.raises(InvalidInput, match="Did you mean 'hammer'"):
        tools().find("hamer")


def test_what_is_defined_here_is_known_and_ours_keep_their_names(shop):
    tool = tools()

    @tool("drill", sharp=True)
    def mine():
        """Make holes."""

    @tool
    def hammer():
        """Another one."""

    assert "drill" not in tool.names(), "listings do not depend on what else a process defines"
    assert set(tool.here) == {"drill"}
    assert tool.knows("drill", sharp=True)
    assert not tool.knows("drill", sharp=False)
    assert tool.get("drill") is mine
    assert tool.find("drill").summary == "Make holes."
    assert tool.find("hammer").module == "shop.zzz"
    assert "mine" not in tool.exports()
    with pytest.raises(InvalidInput, match="fact"):
        tool(shrap=True)(mine)


def test_names_are_written_as_plain_values(shop):
    (shop / "mmm.py").write_text("NAME = 'vice'\n\n@tool(NAME)\ndef vice(): ...\n")
    with pytest.raises(InvalidInput, match="plain values") as caught:
        tools().names()
    assert caught.value.where == "shop.mmm: vice"


def test_one_name_is_registered_once(shop):
    (shop / "mmm.py").write_text("@tool\ndef saw(): ...\n")
    with pytest.raises(InvalidInput, match="two definitions"):
        tools().names()


def test_a_package_in_an_archive_is_read_too(shop, tmp_path, monkeypatch):
    import shutil

    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", root_dir=shop.parent, base_dir="shop")
    shutil.rmtree(shop)
    monkeypatch.syspath_prepend(archive)
    assert tools().names() == ("file", "hammer", "plane", "rasp", "saw")


def install(folder, name, entry_points, **modules):
    info = folder / f"{name.replace('-', '_')}-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[surefoot.tools]\n{entry_points}\n")
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(textwrap.dedent(source))


def test_distributions_are_told_apart_and_named_where_they_fail(shop, tmp_path, monkeypatch):
    site = tmp_path / "site"
    install(
        site, "of-vice", "vice = bench_vice:vice\nhammer = bench_vice:vice", bench_vice="def vice():\n    'Hold.'\n"
    )
    install(site, "of-clamp", "clamp = nowhere:clamp\ntwice = bench_vice:vice")
    install(site, "of-copies", "twice = bench_vice:vice")
    monkeypatch.syspath_prepend(site)
    found = tools()
    assert found.names() == ("file", "hammer", "plane", "rasp", "saw", "clamp", "twice", "vice")
    assert found.find("vice").distribution == "of-vice 2.0"
    assert found.get("vice").__doc__ == "Hold."
    assert found.find("hammer").distribution == ""
    assert found.rivals("hammer") == ("of-vice 2.0",)
    with pytest.raises(Unloadable, match=r"the tool 'clamp' of the distribution of-clamp 2\.0 cannot be loaded"):
        found.get("clamp")
    with pytest.raises(Unloadable, match=r"registered by .* and by") as caught:
        found.get("twice")
    assert caught.value.remedy == "Uninstall all but one."
    assert "clamp" in found.names(sharp=True), "whoever uses it should hear why it cannot be loaded"


def test_listing_our_own_detectors_loads_none_of_them():
    code = """
    import sys
    from surefoot.monitors import DETECTORS
    assert "mahalanobis" in DETECTORS.names()
    print([name for name in sys.modules if name.endswith((".mahalanobis", ".box", ".surprise"))])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
