"""Run code of the project in a process of its own, so that it may crash, hang or print without harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.adapters.child import Child
from surefoot.adapters.scoring import Progress, Scored
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput, MissingExtra, validate
from surefoot.documents import listed, printable

MODULE = "surefoot.adapters.isolated"
MODEL_KEYS = {"path", "callable", "factory", "weights", "method", "output", "trust"}
DATA_KEYS = {
    *("path", "callable", "inputs", "labels", "scores"),
    *("output", "groups", "attributes", "image_size", "classes", "made"),
}
STARTING_SECONDS = 300.0
# Messages are held back for a moment, so a batch may have begun a little after the last one.
SLACK_SECONDS = 0.2


def score_isolated(
    model: Mapping[str, Any],
    data: Mapping[str, Any],
    *,
    folder: Path,
    batch_size: int,
    time_limit: float,
    target: Path,
    progress: Progress | None = None,
) -> Scored:
    """Load and run a model in a process of its own, and leave its scores in ``target`` as .npy.

    ``model`` and ``data`` are the arguments of ``load_model`` and ``load_data``; ``made`` in ``data`` is a folder
    of arrays that code made before. The process is killed when loading, or one batch, takes longer than
    ``time_limit`` seconds; it never outlives this call.
    """
    _check_keys(model, MODEL_KEYS, "model")
    _check_keys(data, DATA_KEYS, "data")
    validate.count(batch_size, where="score_isolated", name="batch_size", at_least=1)
    request = {
        "task": "score",
        "model": dict(model),
        "data": dict(data),
        "folder": str(Path(folder).absolute()),
        "batch_size": batch_size,
        "target": str(Path(target).absolute()),
    }
    try:
        result = converse(
            request,
            time_limit=validate.positive(time_limit, where="score_isolated", name="time_limit"),
            name=_name(model),
            code_in_data=data.get("callable") is not None and data.get("made") is None,
            progress=progress,
        )
    except BaseException:
        # A target that is no plain file, such as a device, is not ours to remove.
        if Path(target).is_file():
            Path(target).unlink()
        raise
    caveats = tuple(Diagnostic.from_dict(caveat) for caveat in result["caveats"])
    return Scored(result["output"], tuple(result["classes"]), caveats, np.load(target, mmap_mode="r"))


def converse(
    request: Mapping[str, Any], *, time_limit: float, name: str, code_in_data: bool, progress: Progress | None = None
) -> dict[str, Any]:
    """The answer of a process of its own to a request; what goes wrong there is an error with a code."""
    talk = _Conversation(time_limit, name, code_in_data, request.get("batch_size", 0), progress)
    with Child(MODULE, request) as child:
        return talk.until_result(child)


class _Conversation:
    """What the process has said so far, and what silence would mean."""

    def __init__(
        self, time_limit: float, name: str, code_in_data: bool, batch_size: int, progress: Progress | None
    ) -> None:
        self.time_limit, self.name, self.code_in_data = time_limit, name, code_in_data
        self.batch_size, self.progress = batch_size, progress
        self.phase = "start"
        self.done, self.total = 0, 0

    def until_result(self, child: Child) -> dict[str, Any]:
        """Listen until the process has an answer."""
        while True:
            try:
                message = child.message(self._limit())
            except TimeoutError:
                raise self._timeout(child) from None
            if message is None:
                raise self._crash(child)
            if "result" in message:
                return dict(message["result"])
            self._hear(message, child)

    def _hear(self, message: Mapping[str, Any], child: Child) -> None:
        if "problems" in message:
            problems = [Diagnostic.from_dict(problem) for problem in message["problems"]]
            DiagnosticsError.raise_if_any(self._with_words(problem, child) for problem in problems)
        if "missing" in message:
            raise MissingExtra(message["missing"]["problem"], remedy=message["missing"]["remedy"])
        self.phase = message.get("phase", self.phase)
        if "done" in message:
            self.done, self.total = message["done"], message["total"]
            if self.progress:
                self.progress(self.done, self.total)

    def _limit(self) -> float | None:
        if self.phase == "start":
            return STARTING_SECONDS
        finished = self.phase == "score" and self.total and self.done == self.total
        if finished or (self.phase == "read" and not self.code_in_data):
            return None
        return self.time_limit + SLACK_SECONDS

    def _timeout(self, child: Child) -> DiagnosticsError:
        seconds = STARTING_SECONDS if self.phase == "start" else self.time_limit
        task = {
            "start": "importing libraries",
            "load": "loading the model",
            "read": "the code that makes the data",
            "score": f"after {self.done} rows, a batch of {self.batch_size}",
        }[self.phase]
        hint = "Raise time_limit, or lower batch_size." if self.phase == "score" else "Raise time_limit."
        return self._error("model-timeout", f"{task} took longer than {seconds:g} s.", hint, child)

    def _crash(self, child: Child) -> DiagnosticsError:
        ending = child.ending()
        doing = {
            "start": "while starting",
            "load": "while loading the model",
            "read": "while reading data",
            "score": f"while scoring, after {self.done} rows",
        }[self.phase]
        hint = "It may have run out of memory: lower batch_size." if "SIGKILL" in ending else ""
        return self._error("model-crashed", f"the process that ran the project's code {ending} {doing}.", hint, child)

    def _error(self, code: str, text: str, hint: str, child: Child) -> DiagnosticsError:
        problem = self._with_words(Diagnostic(code, text, "error", self.name, hint), child)
        return DiagnosticsError(str(problem), diagnostics=[problem])

    def _with_words(self, problem: Diagnostic, child: Child) -> Diagnostic:
        """The problem with what the model printed last, where the model may have been its cause."""
        if not problem.code.startswith("model-") and problem.code != "data-unreadable":
            return problem
        words = child.last_words()
        return replace(problem, hint=f"{problem.hint}\nIt printed last:\n{words}".lstrip()) if words else problem


def _name(model: Mapping[str, Any]) -> str:
    return printable(next((model[key] for key in ("path", "callable", "factory") if model.get(key)), "model"))


def _check_keys(given: Mapping[str, Any], known: set[str], what: str) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise InvalidInput(f"unknown arguments of a {what}", where="score_isolated", found=listed(unknown))
