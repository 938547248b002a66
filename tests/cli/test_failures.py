"""Messages on stderr, exit code 2, no traceback unless asked for."""

import errno
import os
import subprocess
import sys

import pytest
import typer

from surefoot.cli.console import table
from surefoot.cli.failures import debugging, failures_shown, show_diagnostics
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput


def shown(error, capsys):
    with pytest.raises(typer.Exit) as stopped, failures_shown():
        raise error
    assert stopped.value.exit_code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InvalidInput("too small", where="level", found=0, remedy="Use 0.95."), "error: level: too small; found 0"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "gone.csv"), "error: gone.csv: No such file"),
        (OSError(errno.ENOSPC, "No space left on device"), "error: No space left on device"),
        (PermissionError(errno.EACCES, "Permission denied", b"\xff.csv"), ".csv: Permission denied"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("odd"), "RuntimeError: odd"),
        (RecursionError("deep"), "RecursionError: deep"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_errors_become_messages(error, text, capsys):
    message = shown(error, capsys)
    assert text in message
    assert "Traceback" not in message


def test_debugging_adds_the_traceback(capsys):
    token = debugging.set(True)
    try:
        message = shown(InvalidInput("too small"), capsys)
    finally:
        debugging.reset(token)
    assert "Traceback" in message
    assert message.endswith("error: too small\n")


def test_all_problems_are_shown_with_place_code_and_hint(capsys):
    found = [
        Diagnostic("unknown-key", "'modell' is unknown.", "error", "a.yaml:3", "Did you mean 'model'?"),
        Diagnostic("file-missing", "there is no x.csv.", "error", "a.yaml:9"),
    ]
    lines = shown(DiagnosticsError("two", diagnostics=found), capsys).splitlines()
    assert lines == [
        "a.yaml:3: error [unknown-key] 'modell' is unknown.",
        "    Did you mean 'model'?",
        "a.yaml:9: error [file-missing] there is no x.csv.",
        "2 problems",
    ]


def test_text_of_files_is_no_markup_and_steers_no_terminal(capsys):
    text = "[red]x[/red] :smile: \x1b[31m \udcff \x07"
    show_diagnostics([Diagnostic("unknown-key", text, "error", "[bold].yaml:1")])
    output = capsys.readouterr().err
    assert "[bold].yaml:1: error [unknown-key] [red]x[/red] :smile: \N{REPLACEMENT CHARACTER}[31m" in output
    assert not {"\x1b", "\x07", "\udcff"} & set(output)


def test_interruption_has_its_own_exit_code(capsys):
    with pytest.raises(typer.Exit) as stopped, failures_shown(stopped="Come back."):
        raise KeyboardInterrupt
    assert stopped.value.exit_code == 130
    assert capsys.readouterr().err == "Come back.\n"


def test_code_that_exits_is_no_success(capsys):
    with pytest.raises(typer.Exit) as stopped, failures_shown():
        sys.exit(0)
    assert stopped.value.exit_code == 2
    assert "ended before" in capsys.readouterr().err


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
    program = [sys.executable, "-m", "surefoot.cli", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        message = process.stderr.read()
        assert process.wait() == 2
    assert b"Traceback" not in message
    assert message == b"error: ended before everything was done\n"


@pytest.mark.parametrize("words", [["check", "nowhere.yaml"], ["trials", "--tests", "0"]], ids=" ".join)
def test_an_error_that_nobody_reads_still_has_exit_code_2(words):
    program = [sys.executable, "-m", "surefoot.cli", *words]
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


@pytest.mark.parametrize("columns", [20, 80, 300])
def test_tables_fit_narrow_and_wide_terminals(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    table(("name", "what"), [("short", "a sentence of several words that has to be wrapped somewhere")])
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= columns
    assert "somewhere" in "".join(line.strip() for line in lines)


def test_no_word_of_a_head_is_broken(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    names = ("operating", "conditions", "combinations", "observed")
    table(names, [("a rather long cell", "b", "c", "d")])
    assert capsys.readouterr().out.splitlines()[0].split() == list(names)
