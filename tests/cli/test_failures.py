"""Messages on stderr, exit code 2, no traceback unless asked for."""

import errno
import os
import subprocess
import sys

import pytest

from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput


@pytest.fixture
def shown(surefoot, monkeypatch):
    """What is said where the work raises this."""

    def run(error, *options, code=2):
        def load(file):
            raise error

        monkeypatch.setattr("surefoot.project.load", load)
        found = surefoot(*options, "check")
        assert (found.exit_code, found.stdout) == (code, ""), repr(error)
        return found.stderr

    return run


def test_errors_become_messages(shown):
    for error, text in (
        (InvalidInput("too small", where="level", found=0, remedy="Use 0.95."), "error: level: too small; found 0"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "gone.csv"), "error: gone.csv: No such file"),
        (OSError(errno.ENOSPC, "No space left on device"), "error: No space left on device"),
        (PermissionError(errno.EACCES, "Permission denied", b"\xff.csv"), ".csv: Permission denied"),
        (MemoryError(), "[out-of-memory] memory ran out"),
        (RuntimeError("odd"), "RuntimeError: odd"),
        (RecursionError("deep"), "RecursionError: deep"),
        (SystemExit(0), "ended before"),
    ):
        message = shown(error)
        assert text in message, repr(error)
        assert "Traceback" not in message, repr(error)


def test_debugging_adds_the_traceback(shown):
    message = shown(InvalidInput("too small"), "--debug")
    assert "Traceback" in message
    assert message.endswith("error: too small\n")


def test_all_problems_are_shown_with_place_code_and_hint(shown):
    found = [
        Diagnostic("unknown-key", "'modell' is unknown.", "error", "a.yaml:3", "Did you mean 'model'?"),
        Diagnostic("file-missing", "there is no x.csv.", "error", "a.yaml:9"),
    ]
    assert shown(DiagnosticsError("two", diagnostics=found)).splitlines() == [
        "a.yaml:3: error [unknown-key] 'modell' is unknown.",
        "    Did you mean 'model'?",
        "a.yaml:9: error [file-missing] there is no x.csv.",
        "2 problems",
    ]


def test_text_of_files_is_no_markup_and_steers_no_terminal(shown):
    text = "[red]x[/red] :smile: \x1b[31m \udcff \x07"
    output = shown(DiagnosticsError("one", diagnostics=[Diagnostic("unknown-key", text, "error", "[bold].yaml:1")]))
    assert "[bold].yaml:1: error [unknown-key] [red]x[/red] :smile: \N{REPLACEMENT CHARACTER}[31m" in output
    assert not {"\x1b", "\x07", "\udcff"} & set(output)
    for character in ("\x9b", "\r", "\u202e", "\u2066", "\ud800"):
        assert shown(InvalidInput(f"a{character}b\nc")) == "error: a\ufffdb\nc\n", ascii(character)


def test_interruption_has_its_own_exit_code(shown):
    assert shown(KeyboardInterrupt(), code=130) == "Stopped.\n"


def test_debug_is_an_option_and_a_variable(surefoot, shell):
    assert "Traceback" in surefoot("--debug", "check", "nowhere.yaml").stderr
    assert b"Traceback" in shell("check", "nowhere.yaml", SUREFOOT_DEBUG="1").stderr
    found = shell("check", "nowhere.yaml")
    assert (found.returncode, found.stdout) == (2, b"")
    assert b"Traceback" not in found.stderr


def test_unknown_commands_and_options_exit_with_2(surefoot):
    assert surefoot("asses").exit_code == 2
    assert surefoot("trials", "--at-mots", "1").exit_code == 2


@pytest.mark.parametrize("words", [["trials", "--at-most", "1e-3"], ["schema"]], ids=" ".join)
def test_a_reader_that_goes_away_is_no_traceback(words):
    program = [sys.executable, "-m", "surefoot", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        message = process.stderr.read()
        assert process.wait() == 2
    assert b"Traceback" not in message
    assert message == b"error: ended before everything was done\n"


@pytest.mark.parametrize("words", [["check", "nowhere.yaml"], ["trials", "--tests", "0"]], ids=" ".join)
def test_an_error_that_nobody_reads_still_has_exit_code_2(words):
    program = [sys.executable, "-m", "surefoot", *words]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert subprocess.run(program, stdout=writer, stderr=writer, timeout=60).returncode == 2
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "utf-8:strict"},
    ],
    ids=str,
)
def test_output_survives_encodings_that_cannot_express_it(shell, environment):
    found = shell("trials", "--at-most", "1e-3", **environment)
    assert found.returncode == 0
    assert b"2,995" in found.stdout
    refused = shell("check", b"\xff\xc3\xa9.yaml".decode("utf-8", "surrogateescape"), **environment)
    assert refused.returncode == 2
    assert b"Traceback" not in refused.stderr
    assert b".yaml" in refused.stderr
