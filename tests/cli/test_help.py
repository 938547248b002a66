"""Everything is documented, at the prompt and in docs/cli.md, and help is quick to load."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.main import get_command

from surefoot import __version__
from surefoot.cli import generated

ROOT = Path(__file__).parents[2]
COMMANDS = dict(generated.commands())
LEAVES = {path: node for path, node in COMMANDS.items() if not hasattr(node, "commands")}
NAMES = "demo init check assess report improve watch trials tree corruptions steps schema hazop case evidence datasets"


def undocumented(node):
    return [each.name for each in generated.parameters(node) if not each.help]


def test_all_commands_are_there():
    assert list(COMMANDS["surefoot"].commands) == NAMES.split()


def test_every_command_and_option_has_help():
    for path in COMMANDS:
        assert COMMANDS[path].help, path
        assert undocumented(COMMANDS[path]) == [], path


def test_every_command_teaches_by_an_example_of_itself():
    for path in LEAVES:
        examples = generated.examples(LEAVES[path])
        assert examples, path
        assert all(line.startswith(path) for line in examples), path


def test_help_names_no_types_of_python(surefoot):
    for words in (["case", "show"], ["check"], ["tree"]):
        told = surefoot(*words, "--help").output
        assert "Arguments:" in told
        assert "<" not in told.partition("Arguments:")[2].partition("Options:")[0]


def test_help_shows_the_text_and_the_examples(surefoot):
    for path in COMMANDS:
        output = surefoot(*path.split()[1:], "--help").output
        assert COMMANDS[path].help.partition("\n")[0] in output, path
        assert all(line in output for line in generated.examples(COMMANDS[path])), path


def test_summaries_are_not_cut_off(surefoot):
    assert "..." not in surefoot("--help").output.partition("Commands:")[2]


def test_the_reference_is_what_the_commands_say():
    message = "run: make generated"
    assert (ROOT / "docs" / "cli.md").read_text() == generated.reference(), message


def test_an_undocumented_option_is_noticed():
    app = typer.Typer()

    @app.command()
    def command(known: Annotated[int, typer.Option(help="Told.")] = 0, secret: int = 0):
        """Do nothing."""

    assert undocumented(get_command(app)) == ["secret"]


def test_version(surefoot):
    assert surefoot("--version").output == f"surefoot {__version__}\n"


def test_help_loads_nothing_heavy():
    program = (
        "import sys, json\n"
        "from surefoot.cli import main\n"
        "sys.argv = ['surefoot', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    loaded = {name.partition(".")[0] for name in json.loads(output.splitlines()[-1])}
    assert not loaded & {"numpy", "scipy", "pydantic", "yaml", "rich", "sklearn", "matplotlib", "jinja2"}


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_shells_are_given_completions(shell_name, shell):
    output = shell(_SUREFOOT_COMPLETE=f"source_{shell_name}").stdout.decode()
    assert "_SUREFOOT_COMPLETE" in output


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_completion_offers_commands_and_options(shell):
    def offered(line):
        words = line.split(" ")
        found = shell(_SUREFOOT_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
        return found.stdout.decode().split()

    assert offered("surefoot a") == ["assess"]
    assert "--markdown" in offered("surefoot assess --m")
    assert offered("surefoot evidence v") == ["verify"]
