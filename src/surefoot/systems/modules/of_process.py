"""Programs of any language as parts of a system: a JSON line for each item in, a JSON line out."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.adapters.files import file_digest
from surefoot.core import InvalidInput, SurefootError, validate
from surefoot.metrics.distances import Distance
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.module import Module

MOST_SAID = 400


class ProcessFailed(SurefootError):
    """A program said that it cannot answer an item."""


def process_module(
    name: str,
    command: Sequence[str],
    inputs: Mapping[str, str],
    *,
    gives: str | Mapping[str, str] = "any",
    takes: Mapping[str, str] | None = None,
    timeout: float = 600,
    folder: str | os.PathLike[str] | None = None,
    distance: str | Distance | None = None,
    version: str = "",
) -> Module:
    """A program that answers items: one JSON object of inputs a line on its standard input, one answer a line back.

    An answer is a value, or an object of port to value where ``gives`` is one; ``{"error": "..."}`` is an item that it
    cannot answer. Arrays are nested lists. The program is started for each batch, in ``folder``, without a shell, and
    ended with all that it started when ``timeout`` seconds are over. Files that the command names are part of the
    module's version; state ``version`` when anything else changes what the program answers.
    """
    where = f"module {name!r}"
    if isinstance(command, str) or not command:
        remedy = "Give a list, such as ['python', 'recognise.py']."
        raise InvalidInput("a command is a list of words", where=where, found=repr(command), remedy=remedy)
    words, place = tuple(map(str, command)), Path(folder or Path.cwd()).absolute()
    _require_program(words[0], place, where)
    ports = None if isinstance(gives, str) else tuple(gives)
    run = _Process(where, words, validate.positive(timeout, where=where, name="timeout"), place, ports)
    files = {word: file_digest(place / word) for word in words if _is_file(place / word)}
    return Module(name, run, inputs, takes or {}, gives, None, distance, version or version_of([words, files]))


def _require_program(program: str, folder: Path, where: str) -> None:
    """The program is there: in the folder where it has a slash in its name, otherwise where programs are."""
    if not folder.is_dir():
        raise InvalidInput("there is no such folder", where=where, found=str(folder))
    if shutil.which(str(folder / program) if os.sep in program else program) is None:
        raise InvalidInput("there is no such program", where=where, found=program)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A word of a command may be longer than any path.
        return False


@dataclass(frozen=True)
class _Process:
    where: str
    command: tuple[str, ...]
    timeout: float
    folder: Path
    ports: tuple[str, ...] | None

    def __call__(self, **inputs: Any) -> Any:
        count = len(next(iter(inputs.values())))
        lines = [json.dumps({port: batch[i] for port, batch in inputs.items()}, default=_plain) for i in range(count)]
        # Other ends of lines that str.splitlines knows may stand within a JSON text.
        answers = [self._answer(line) for line in self._said("\n".join(lines) + "\n").split("\n") if line.strip()]
        if len(answers) != count:
            raise InvalidInput(f"{count} items need {count} lines", where=self.where, found=f"{len(answers)} lines")
        return answers if self.ports is None else {port: [_at(a, port) for a in answers] for port in self.ports}

    def _said(self, given: str) -> str:
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
        except OSError as error:
            raise InvalidInput("the program does not start", where=self.where, found=str(error)) from error
        with process:
            out, err = self._communicated(process, given)
        if process.returncode:
            found = f"exit {process.returncode}: {err.strip()[-MOST_SAID:]}"
            raise InvalidInput("the program failed", where=self.where, found=found)
        return out

    def _communicated(self, process: subprocess.Popen[str], given: str) -> tuple[str, str]:
        try:
            return process.communicate(given, timeout=self.timeout)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                found = f"no answer in {self.timeout:g} s"
                raise InvalidInput("the program takes too long", where=self.where, found=found) from error
            if isinstance(error, UnicodeDecodeError):
                raise InvalidInput("the program must answer in UTF-8", where=self.where, found=str(error)) from error
            raise

    def _answer(self, line: str) -> Any:
        try:
            answer = json.loads(line)
        except ValueError as error:
            found = line[:MOST_SAID]
            raise InvalidInput("the program must answer with JSON lines", where=self.where, found=found) from error
        if isinstance(answer, dict) and set(answer) == {"error"}:
            return ProcessFailed(str(answer["error"]), where=self.where)
        return answer


def _at(answer: Any, port: str) -> Any:
    """What an answer has at a port; one that failed fails at every port, and one that has none there gives none."""
    if isinstance(answer, Exception):
        return answer
    return answer.get(port) if isinstance(answer, dict) else None


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def _end(process: subprocess.Popen[str]) -> None:
    """End the program and all that it started, unless it was waited for and its number may be another's."""
    with suppress(ProcessLookupError, PermissionError):
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
