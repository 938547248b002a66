"""Programs of any language as parts of a system: a JSON line for each item in, a JSON line out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, SurefootError, validate
from surefoot.metrics.distances import Distance
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
    ended with all that it started when ``timeout`` seconds are over. State ``version`` when the program changes:
    Surefoot cannot look into it.
    """
    where = f"module {name!r}"
    if isinstance(command, str) or not command:
        remedy = "Give a list, such as ['python', 'recognise.py']."
        raise InvalidInput("a command is a list of words", where=where, found=repr(command), remedy=remedy)
    seconds = validate.positive(timeout, where=where, name="timeout")
    run = _Process(where, tuple(map(str, command)), seconds, None if folder is None else os.fspath(folder))
    stated = version or " ".join(map(str, command))
    return Module(name, run, inputs, takes or {}, gives, None, distance, stated)


@dataclass(frozen=True)
class _Process:
    where: str
    command: tuple[str, ...]
    timeout: float
    folder: str | None

    def __call__(self, **inputs: Any) -> Any:
        count = len(next(iter(inputs.values())))
        lines = [json.dumps({port: batch[i] for port, batch in inputs.items()}, default=_plain) for i in range(count)]
        answers = [self._answer(line) for line in self._said("\n".join(lines) + "\n").splitlines() if line.strip()]
        if len(answers) != count:
            raise InvalidInput(f"{count} items need {count} lines", where=self.where, found=f"{len(answers)} lines")
        return _by_port(answers)

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
            try:
                out, err = process.communicate(given, timeout=self.timeout)
            except BaseException as error:
                _end(process)
                if isinstance(error, subprocess.TimeoutExpired):
                    found = f"no answer in {self.timeout:g} s"
                    raise InvalidInput("the program takes too long", where=self.where, found=found) from error
                raise
        if process.returncode:
            found = f"exit {process.returncode}: {err.strip()[-MOST_SAID:]}"
            raise InvalidInput("the program failed", where=self.where, found=found)
        return out

    def _answer(self, line: str) -> Any:
        try:
            answer = json.loads(line)
        except ValueError as error:
            found = line[:MOST_SAID]
            raise InvalidInput("the program must answer with JSON lines", where=self.where, found=found) from error
        if isinstance(answer, dict) and set(answer) == {"error"}:
            return ProcessFailed(str(answer["error"]), where=self.where)
        return answer


def _by_port(answers: list[Any]) -> Any:
    """Answers port by port where they are objects; one that failed fails at every port."""
    told = [answer for answer in answers if isinstance(answer, dict)]
    if not told:
        return answers
    return {port: [a.get(port) if isinstance(a, dict) else a for a in answers] for port in told[0]}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def _end(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
